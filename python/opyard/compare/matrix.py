"""The runs of one or several stores as a matrix: workloads × agents × seeds."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from opyard import _core
from opyard.compare.errors import CompareError
from opyard.compare.run import DEFAULT_COST_MODEL, Run
from opyard.compare.store import Experiment

_MOST_SHOWN = 10  # problems of one kind, in one message


@dataclasses.dataclass(frozen=True)
class Workload:
    """A problem that agents were asked: a graph, a machine, and what of them is to be decided."""

    graph: str
    hardware: str
    problem: str  # canonical JSON: tasks, objective, defaults

    @property
    def label(self) -> str:
        """The graph and the machine, as tables name them."""
        return f"{self.graph} on {self.hardware}"

    @property
    def words(self) -> dict[str, Any]:
        """The keys of `problem` in an experiment."""
        return json.loads(self.problem)  # type: ignore[no-any-return]

    @property
    def cost_model(self) -> str:
        """Whose times of ops its plans are worth."""
        return self.words.get("cost_model", DEFAULT_COST_MODEL)  # type: ignore[no-any-return]

    @property
    def objective(self) -> str:
        """The objective that is minimised, in one word: "makespan", "weighted:1:0.1"."""
        objective = self.words["objective"]
        if isinstance(objective, str):
            return objective
        weights = objective["weighted"]
        figures = (weights.get("makespan", 0), weights.get("peak_memory", 0))
        return "weighted:" + ":".join(f"{figure:g}" for figure in figures)


@dataclasses.dataclass(frozen=True)
class Part:
    """The content of one store: its runs, and the experiment that they are of, if it was kept."""

    runs: list[Run]
    experiment: Experiment | None = None

    def asked(self) -> Iterator[tuple[Workload, str, int]]:
        """The cells that should have a run: those of its experiment.

        Without it, all combinations of the workloads, agents and seeds that there are runs of.
        """
        if self.experiment is None:
            yield from itertools.product(
                dict.fromkeys(workload_of(run) for run in self.runs),
                dict.fromkeys(run.agent for run in self.runs),
                dict.fromkeys(run.seed for run in self.runs),
            )
            return
        problem = _problem_text(self.experiment.problem)
        for graph, hardware in self.experiment.pairs:
            for agent, seeds in self.experiment.seeds_of.items():
                for seed in seeds:
                    yield Workload(graph, hardware, problem), agent, seed

    def run_once(self) -> set[str]:
        """The agents that are not asked for every seed: they sample nothing."""
        if self.experiment is None:
            return set()
        count = len(self.experiment.seeds)
        return {a for a, seeds in self.experiment.seeds_of.items() if len(seeds) < count}


@dataclasses.dataclass(frozen=True)
class Matrix:
    """The runs, made and missing; a workload or an agent may have no run at all."""

    workloads: list[Workload]  # in the order of their first runs
    agents: list[str]  # labels, likewise
    runs: dict[tuple[Workload, str], list[Run]]  # by seed
    missing: dict[tuple[Workload, str], list[int]]  # seeds
    deterministic: frozenset[str]  # agents whose seeds change nothing
    repeated: int  # runs that several folders hold, counted once

    def of(self, workload: Workload, agent: str) -> list[Run]:
        """The runs of a cell of the table; none if it is empty."""
        return self.runs.get((workload, agent), [])

    def runs_of(self, agent: str) -> list[Run]:
        """All runs of an agent."""
        return [run for (_, of), runs in self.runs.items() if of == agent for run in runs]

    def machines(self) -> dict[str, str]:
        """The name of each machine by its reference, in the order of the workloads."""
        return _short_names(workload.hardware for workload in self.workloads)

    def labels(self) -> dict[Workload, str]:
        """A name for each workload, as short as distinguishes them."""
        machines = self.machines()
        graphs = _short_names(workload.graph for workload in self.workloads)
        names = {
            w: graphs[w.graph] + (f" on {machines[w.hardware]}" if len(machines) > 1 else "")
            for w in self.workloads
        }
        counts: dict[str, int] = {}
        for name in names.values():
            counts[name] = counts.get(name, 0) + 1
        return {w: n if counts[n] == 1 else f"{n} ({_asked(w)})" for w, n in names.items()}


def _short_names(references: Iterable[str]) -> dict[str, str]:
    """References as tables show them: of a file its name alone, unless two are called the same."""
    names = {reference: _stem(reference) for reference in references}
    short = list(names.values())
    return {r: name if short.count(name) == 1 else r for r, name in names.items()}


def _stem(reference: str) -> str:
    """The name of a file without folders and endings; any other reference as it is."""
    name = reference.replace("\\", "/").rsplit("/", 1)[-1]
    stem = re.sub(r"(\.(ya?ml|json|gz))+$", "", name)
    is_file = stem != name or ("/" in reference and "?" not in reference and ":" not in reference)
    return stem if is_file and stem else reference


def _asked(workload: Workload) -> str:
    words = workload.words
    text = ",".join(words["tasks"])
    if workload.objective != "makespan":
        text += f"; {workload.objective}"
    defaults = words.get("defaults", {})
    return text + "".join(f"; {key} {value}" for key, value in sorted(defaults.items()))


def workload_of(run: Run) -> Workload:
    """The problem of a run. The baseline of rewards is left out: it changes no plan's worth."""
    return Workload(run.graph, run.hardware, _problem_text(run.settings["problem"]))


def _problem_text(problem: Mapping[str, Any]) -> str:
    asked = {key: value for key, value in problem.items() if key != "baseline"}
    return json.dumps(asked, sort_keys=True)


def make_matrix(parts: Sequence[Part]) -> Matrix:
    """Puts the runs of several stores into one matrix.

    What is missing of a store are the cells of its experiment that no store has, or, where it keeps
    no experiment, of the workloads, agents and seeds that it has runs of. Agents that sample
    nothing need one seed only.

    Raises:
        CompareError: There are no runs, the same cell or name means two things in two stores, or
            the stores have several cost models.
    """
    _refuse_other_inputs([run for part in parts for run in part.runs])
    _refuse_other_cost_models([run for part in parts for run in part.runs])
    cells: dict[tuple[Workload, str, int], Run] = {}
    conflicts: list[str] = []
    repeated = 0
    for run in (run for part in parts for run in part.runs):
        other = cells.setdefault((workload_of(run), run.agent, run.seed), run)
        if other is not run:
            repeated += 1
            conflicts += _conflict(run, other)
    _refuse(conflicts, "give one of the two agents another label and run it again")
    if not cells:
        raise CompareError("there are no runs in these results: `opyard run` makes them")
    runs: dict[tuple[Workload, str], list[Run]] = {}
    for (workload, agent, _), run in cells.items():
        runs.setdefault((workload, agent), []).append(run)
    for found in runs.values():
        found.sort(key=lambda run: run.seed)
    deterministic = _deterministic(parts)
    missing = _missing(parts, cells.keys(), deterministic)
    return Matrix(
        workloads=list(dict.fromkeys(workload for workload, *_ in [*cells, *missing])),
        agents=list(dict.fromkeys(agent for _, agent, *_ in [*cells, *missing])),
        runs=runs,
        missing=missing,
        deterministic=deterministic,
        repeated=repeated,
    )


def _refuse(problems: list[str], mend: str) -> None:
    if problems:
        shown = "\n".join(problems[:_MOST_SHOWN])
        more = len(problems) - _MOST_SHOWN
        rest = f"\nand {more} more" if more > 0 else ""
        raise CompareError(f"{shown}{rest}\n{mend}")


def _refuse_other_inputs(runs: Iterable[Run]) -> None:
    """A name has to mean one graph or machine in all stores."""
    first: dict[tuple[str, str], Run] = {}
    problems: dict[str, None] = {}
    for run in runs:
        for what in ("graph", "hardware"):
            name = getattr(run, what)
            other = first.setdefault((what, name), run)
            if getattr(other, f"{what}_sha256") != getattr(run, f"{what}_sha256"):
                problems[f"{what} {name} is one thing in {other.folder} and another in "
                         f"{run.folder} (another SHA-256)"] = None  # fmt: skip
    _refuse(list(problems), "only results on the same graphs and machines compare")


def _refuse_other_cost_models(runs: Iterable[Run]) -> None:
    """No mean is over times that two models say."""
    folders: dict[str, str] = {}
    for run in runs:
        folders.setdefault(run.cost_model, run.folder)
    if len(folders) > 1:
        found = ", ".join(f"{model} in {folder}" for model, folder in folders.items())
        _refuse(
            [f"cost_model: found {found}, expected one"],
            "only results under the same cost model compare",
        )


def _conflict(run: Run, other: Run) -> list[str]:
    compared = ("status", "makespan_ps", "score", "evaluations", "agent_name", "params")
    differences = [name for name in compared if getattr(run, name) != getattr(other, name)]
    if not differences:
        return []
    return [
        f"{run.graph} on {run.hardware}, {run.agent}, seed {run.seed}: {other.folder} and "
        f"{run.folder} hold two different runs ({', '.join(differences)})"
    ]


def _deterministic(parts: Sequence[Part]) -> frozenset[str]:
    """Agents whose experiments, or who themselves, say that they sample nothing."""
    infos = {info["name"]: info for info in _core.classical_agents().infos()}
    says = {name for name, info in infos.items() if info.get("deterministic", False)}
    deterministic = {run.agent for part in parts for run in part.runs if run.agent_name in says}
    return frozenset(deterministic.union(*(part.run_once() for part in parts)))


def _missing(
    parts: Sequence[Part],
    present: Iterable[tuple[Workload, str, int]],
    deterministic: frozenset[str],
) -> dict[tuple[Workload, str], list[int]]:
    cells = set(present)
    has_runs = {(workload, agent) for workload, agent, _ in cells}
    missing: dict[tuple[Workload, str], set[int]] = {}
    for workload, agent, seed in (cell for part in parts for cell in part.asked()):
        is_certain = agent in deterministic and (workload, agent) in has_runs
        if (workload, agent, seed) not in cells and not is_certain:
            missing.setdefault((workload, agent), set()).add(seed)
    return {key: sorted(seeds) for key, seeds in missing.items()}
