"""Evaluates best plans on machines and costs that are somewhat other than was thought.

Plans stay as they are, so this measures how much of an agent's lead hangs on the performance model.
Every agent's plan meets the same perturbations.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from opyard import _core
from opyard.compare.errors import CompareError
from opyard.compare.matrix import Workload
from opyard.compare.replay import World
from opyard.compare.statistics import Values, kendall_tau

OP_SPREAD = 0.2  # costs of ops, by type
BANDWIDTH_SPREAD = 0.3  # of links, by bandwidth
FUSION_SAVING = 0.5
LEAST = 20
DEFAULT = 24


@dataclasses.dataclass(frozen=True)
class Perturbation:
    """One other world, sampled from a seed, independent of the order of the samples."""

    index: int
    seed: int = 0

    @property
    def swaps_sharing(self) -> bool:
        """Whether serial links are fair and fair ones serial: every second one."""
        return self.index % 2 == 1

    @property
    def fusion_saving(self) -> float:
        """The share that is left of what fusing saves: half, in every second pair."""
        return FUSION_SAVING if self.index // 2 % 2 == 1 else 1.0

    def factor(self, name: str, spread: float) -> float:
        """Uniform in 1 ± spread, the same for the same name in all graphs and machines."""
        rng = np.random.default_rng([self.seed, self.index, zlib.crc32(name.encode())])
        return float(rng.uniform(1 - spread, 1 + spread))

    def of(self, world: World) -> dict[str, Any]:
        """As `simulate_perturbed` takes it. Links of one bandwidth are of one make."""
        types = _core.op_types(world.problem.graph)
        links = _core.links(world.problem.hardware)
        return {
            "op_factors": {name: self.factor(f"op {name}", OP_SPREAD) for name in types},
            "link_factors": {
                name: self.factor(f"link {bandwidth!r}", BANDWIDTH_SPREAD)
                for name, bandwidth in links
            },
            "swap_sharing": self.swaps_sharing,
            "fusion_saving": self.fusion_saving,
            "cost_model": world.problem.cost_model,
        }


def perturbations(count: int, seed: int = 0) -> list[Perturbation]:
    """The worlds of one comparison.

    Raises:
        CompareError: Too few to say anything.
    """
    if count < LEAST:
        raise CompareError(f"--perturbations: found {count}, expected {LEAST} or more")
    return [Perturbation(index, seed) for index in range(count)]


def perturbed_times(world: World, worlds: Sequence[Perturbation]) -> dict[str, Values]:
    """The step times of each agent's best plan, [perturbations]; NaN where it does not complete."""
    agents = list(world.plans)
    plans = [world.plans[agent] for agent in agents]
    rows = []
    for perturbation in worlds:
        results = _core.simulate_perturbed(
            world.problem.graph, world.problem.hardware, plans, **perturbation.of(world)
        )
        done = [r["makespan_s"] if r["outcome"] == "completed" else np.nan for r in results]
        rows.append(done)
    table = np.array(rows, dtype=np.float64).reshape(len(worlds), len(agents))
    return {agent: table[:, i] for i, agent in enumerate(agents)}


@dataclasses.dataclass(frozen=True)
class RobustRow:
    """The speed-ups of one agent's best plans, on one workload or in the geometric mean of all."""

    nominal: float
    perturbed: Values  # [perturbations]; NaN where a plan does not complete

    @property
    def failed(self) -> int:
        """In how many worlds a plan does not complete."""
        return int(np.isnan(self.perturbed).sum())

    def change(self, chosen: npt.NDArray[np.intp] | slice = slice(None)) -> float | None:
        """The mean of perturbed / nominal − 1 over some worlds; None where none completes."""
        values = self.perturbed[chosen]
        values = values[~np.isnan(values)]
        return float(values.mean() / self.nominal - 1) if len(values) else None

    def range(self) -> tuple[float, float] | None:
        """The least and the greatest; None where none completes."""
        if self.failed == len(self.perturbed):
            return None
        return float(np.nanmin(self.perturbed)), float(np.nanmax(self.perturbed))


@dataclasses.dataclass(frozen=True)
class Robustness:
    """All of it, against one baseline."""

    worlds: list[Perturbation]
    baseline: str
    rows: dict[tuple[Workload, str], RobustRow]
    overall: dict[str, RobustRow]  # agents with a plan on all compared workloads
    taus: Values  # [perturbations]: Kendall's τ of the overall ranking; NaN: nothing to rank
    workload_taus: dict[Workload, Values]  # the same on each workload
    first_kept: int  # in how many worlds the overall first stays the first


def _tau(nominal: Values, perturbed: Values) -> float:
    """With agents whose plan fails in this world ranked last, alike."""
    values = np.nan_to_num(perturbed, nan=0.0)
    tau = kendall_tau(nominal, values) if len(nominal) > 1 else None
    return np.nan if tau is None else tau


def _taus(rows: Sequence[RobustRow], count: int) -> Values:
    nominal = np.array([row.nominal for row in rows])
    table = np.array([row.perturbed for row in rows]).reshape(len(rows), count)
    return np.array([_tau(nominal, table[:, i]) for i in range(count)])


def _rows_of(
    baseline: str,
    times: dict[Workload, dict[str, Values]],
    nominal: dict[Workload, dict[str, float]],
) -> dict[tuple[Workload, str], RobustRow]:
    """Speed-ups over the baseline, where it has a plan, of agents that have one."""
    return {
        (workload, agent): RobustRow(
            nominal[workload][baseline] / nominal[workload][agent], times[workload][baseline] / own
        )
        for workload, by_agent in times.items()
        if baseline in nominal[workload]
        for agent, own in by_agent.items()
        if agent in nominal[workload]
    }


def _overall(rows: dict[tuple[Workload, str], RobustRow]) -> dict[str, RobustRow]:
    """The geometric means of agents with a plan on all workloads."""
    workloads = dict.fromkeys(workload for workload, _ in rows)
    agents = dict.fromkeys(agent for _, agent in rows)
    complete = [a for a in agents if all((workload, a) in rows for workload in workloads)]
    return {agent: _geomean([rows[w, agent] for w in workloads]) for agent in complete}


def _first_kept(overall: dict[str, RobustRow]) -> int:
    """In how many worlds the first of all agents stays the first."""
    if not overall:
        return 0
    table = np.array([np.nan_to_num(row.perturbed) for row in overall.values()])
    first = int(np.argmax([row.nominal for row in overall.values()]))
    return int((table[first] == table.max(axis=0)).sum())


def make_robustness(
    baseline: str,
    worlds: list[Perturbation],
    times: dict[Workload, dict[str, Values]],
    nominal: dict[Workload, dict[str, float]],
) -> Robustness:
    """Puts the times of all workloads together. Those without a plan of the baseline are left out.

    Args:
        baseline: The label of the agent that speed-ups are against: its plan is perturbed, too.
        worlds: The perturbations.
        times: Of each workload and agent, [perturbations], in seconds.
        nominal: The same on the machine as it is, of plans that take time.
    """
    rows = _rows_of(baseline, times, nominal)
    overall = _overall(rows)
    return Robustness(
        worlds=worlds,
        baseline=baseline,
        rows=rows,
        overall=overall,
        taus=_taus(list(overall.values()), len(worlds)),
        workload_taus={
            w: _taus([row for (of, _), row in rows.items() if of == w], len(worlds))
            for w in dict.fromkeys(workload for workload, _ in rows)
        },
        first_kept=_first_kept(overall),
    )


def _geomean(rows: Sequence[RobustRow]) -> RobustRow:
    nominal = float(np.exp(np.mean([np.log(row.nominal) for row in rows])))
    return RobustRow(nominal, np.exp(np.mean([np.log(row.perturbed) for row in rows], axis=0)))
