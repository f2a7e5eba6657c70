"""Simulates stored plans again, from the graphs and machines of their stores."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Mapping, Sequence

import opyard
from opyard import _core
from opyard.compare.errors import CompareError
from opyard.compare.matrix import Matrix, Workload
from opyard.compare.run import Run
from opyard.compare.store import Store

Progress = Callable[[str], None]


@dataclasses.dataclass(frozen=True)
class World:
    """A workload as it is simulated, with the best plan of each agent that has one."""

    problem: opyard.Problem
    runs: dict[str, Run]  # by agent
    plans: dict[str, opyard.Plan]  # by agent


@dataclasses.dataclass(frozen=True)
class DeviceUse:
    """The use that an agent's best plan makes of the devices of a workload's machine."""

    load_imbalance: float | None  # greatest / mean busy time of accelerators; None: none is busy
    peak_memory_bytes: int  # the greatest of all devices
    memory_share: float | None  # of the capacity of that device


def best_run(runs: Sequence[Run]) -> Run | None:
    """The run with the best plan, the first of several; None if all failed."""
    done = [run for run in runs if run.value is not None]
    return min(done, key=lambda run: (run.value, run.seed)) if done else None


class Replay:
    """Loads workloads one at a time: a graph may be large."""

    def __init__(self, matrix: Matrix, stores: Mapping[str, Store]) -> None:
        """Takes the stores by their folders, open."""
        self._matrix = matrix
        self._stores = stores

    def world(self, workload: Workload) -> World | None:
        """The workload; None where nobody has a plan, or no store has its graph and machine.

        Raises:
            CompareError: A store is damaged.
        """
        found = {a: best_run(self._matrix.of(workload, a)) for a in self._matrix.agents}
        runs = {agent: run for agent, run in found.items() if run is not None}
        inputs = self._inputs(next(iter(runs.values()))) if runs else None
        if inputs is None:
            return None
        graph, machine = inputs
        words = workload.words
        try:
            problem = opyard.Problem(
                graph,
                machine,
                tasks=words["tasks"],
                objective=words["objective"],
                group="none",
                cost_model=workload.cost_model,
                **words.get("defaults", {}),
            )
            plans = {agent: self._plan(run, problem) for agent, run in runs.items()}
        except opyard.Error as error:
            raise CompareError(f"{workload.label}: {error}") from error
        return World(problem, runs, plans)

    def _inputs(self, run: Run) -> tuple[opyard.Graph, opyard.Machine] | None:
        """From whichever store has both."""
        for store in (self._stores[run.folder], *self._stores.values()):
            graph, machine = store.input(run.graph_sha256), store.input(run.hardware_sha256)
            if graph is None or machine is None:
                continue
            if hashlib.sha256(graph).hexdigest() != run.graph_sha256:
                raise CompareError(
                    f"{store.path}: damaged: the stored graph {run.graph} is another"
                )
            place = f"{store.path}: stored"
            return _core.read_graph(graph, f"{place} graph"), _core.read_machine(
                machine, f"{place} machine"
            )
        return None

    def _plan(self, run: Run, problem: opyard.Problem) -> opyard.Plan:
        store = self._stores[run.folder]
        text = store.plan(run.id)
        if text is None:
            raise CompareError(f"{store.path}: run {run.id}: damaged: its plan is gone")
        place = f"{store.path}: run {run.id}: plan"
        return _core.read_plan(text, place, problem.graph, problem.hardware)


def device_use(world: World, agent: str) -> DeviceUse:
    """Simulates the agent's best plan.

    Raises:
        CompareError: It does not take the time that is stored.
    """
    plan, run = world.plans[agent], world.runs[agent]
    problem = world.problem
    (result,) = _core.simulate_perturbed(
        problem.graph, problem.hardware, [plan], cost_model=problem.cost_model
    )
    if round(result["makespan_s"] * 1e12) != run.makespan_ps:
        raise CompareError(
            f"{run.folder}: run {run.id} ({run.graph} on {run.hardware}, {agent}): its plan takes "
            f"{result['makespan_s']} s now, {run.makespan_s} s are stored; `opyard validate` lists "
            "of all that differ"
        )
    devices = _core.device_use(problem, plan)
    accelerators = [device for device in devices if device["kind"] != "cpu"] or devices
    busy = [device["busy_s"] for device in accelerators]
    fullest = max(devices, key=lambda device: device["peak_memory_bytes"])
    capacity = fullest["capacity_bytes"]
    return DeviceUse(
        load_imbalance=max(busy) * len(busy) / sum(busy) if sum(busy) > 0 else None,
        peak_memory_bytes=fullest["peak_memory_bytes"],
        memory_share=fullest["peak_memory_bytes"] / capacity if capacity else None,
    )
