"""The best plan of each agent on each workload, as views that stand in the folds of a page."""

from __future__ import annotations

import contextlib
import dataclasses
import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal

from opyard.compare.comparison import Comparison
from opyard.compare.matrix import Workload
from opyard.compare.replay import Replay, World, best_run
from opyard.compare.run import DEFAULT_COST_MODEL, Run
from opyard.compare.standings import standings
from opyard.compare.store import Store
from opyard.viewer.figures import FigureBundle

if TYPE_CHECKING:
    from opyard.viewer.plan_views import View

Views = Literal["all", "best", "none"]
MOST_BYTES = 25_000_000  # of figures on the page, packed; the plan that reaches it is the last
MOST_PLANS = 200  # with views: small ones take little room, but time
_SHORT_HASH = 12  # digits, in names of files that `opyard results best` writes

Progress = Callable[[str], None]
Key = tuple[Workload, str]


@dataclasses.dataclass(frozen=True)
class PlanFold:
    """The best plan of one agent on one workload."""

    run: Run
    views: list[View]  # empty: it is not on the page
    commands: list[str]  # that make its page


def plan_folds(
    comparison: Comparison,
    bundle: FigureBundle,
    names: Mapping[Key, str],
    views: Views,
    progress: Progress,
    most_bytes: int = MOST_BYTES,
) -> dict[Key, PlanFold]:
    """The folds of all agents that have a plan, with views of as many as the page has room for.

    First come the best plan of each workload and that of the baseline, then all others, workload by
    workload, in the order of the agents' speed-ups.

    Args:
        comparison: The comparison; its stores are opened again.
        bundle: Takes the figures.
        names: The names of the figures of each plan, new to the bundle.
        views: Of which plans there are views.
        progress: Called with a description of the current step.
        most_bytes: Of all figures of the bundle; no plan is added behind the one that reaches it.
    """
    matrix = comparison.matrix
    runs = {
        (workload, standing.agent): run
        for workload in matrix.workloads
        for standing in standings(comparison)
        if (run := best_run(matrix.of(workload, standing.agent))) is not None
    }
    found: dict[Key, list[View]] = {}
    made = (
        pair
        for keys in _passes(comparison, runs, views)
        for pair in _views(comparison, bundle, {key: names[key] for key in keys}, progress)
    )
    for key, of_plan in made:
        found[key] = of_plan
        if bundle.packed_bytes >= most_bytes or len(found) >= MOST_PLANS:
            break
    return {key: PlanFold(run, found.get(key, []), _commands(run)) for key, run in runs.items()}


def _views(
    comparison: Comparison, bundle: FigureBundle, names: Mapping[Key, str], progress: Progress
) -> Iterator[tuple[Key, list[View]]]:
    """The views of plans, made when they are asked for."""
    from opyard.viewer.plan_views import plan_views

    with contextlib.ExitStack() as stack:
        paths = comparison.question.results
        stores = {str(path): stack.enter_context(Store(path)) for path in paths}
        replay = Replay(comparison.matrix, stores)
        for key, world in _worlds(replay, list(names), progress):
            plan = world.plans[key[1]]
            yield key, plan_views(world.problem, plan, bundle, name=names[key])


def _passes(comparison: Comparison, runs: Mapping[Key, Run], views: Views) -> Iterator[list[Key]]:
    """The plans that come first, then all others."""
    if views == "none":
        return
    first = [key for key in runs if key[1] in (_best(runs, key[0]), comparison.baseline)]
    yield first
    if views == "all":
        yield [key for key in runs if key not in set(first)]


def _best(runs: Mapping[Key, Run], workload: Workload) -> str:
    """The agent with the best plan of a workload."""
    found = {agent: run.value for (of, agent), run in runs.items() if of == workload}
    return min(found, key=lambda agent: found[agent] or 0.0)


def _worlds(replay: Replay, keys: list[Key], progress: Progress) -> Iterator[tuple[Key, World]]:
    """Each plan with its workload, which is loaded once for all its plans."""
    by_workload: dict[Workload, list[Key]] = {}
    for key in keys:
        by_workload.setdefault(key[0], []).append(key)
    for i, (workload, own) in enumerate(by_workload.items()):
        progress(f"views of plans: workload {i + 1} of {len(by_workload)}")
        world = replay.world(workload)
        if world is not None:
            yield from ((key, world) for key in own)


def _commands(run: Run) -> list[str]:
    """Commands that write the plan as a file, and then its page."""
    best = ["opyard", "results", "best", run.folder, "--per", "run", "--graph", run.graph,
            "--hardware", run.hardware, "--agent", run.agent, "--seed", str(run.seed),
            "--out", "plans"]  # fmt: skip
    graph, hardware = run.graph, run.hardware
    if "/" in graph:
        graph = f"plans/graphs/{run.graph_sha256[:_SHORT_HASH]}.graph.json.gz"
    if "/" in hardware:
        hardware = f"plans/machine-{run.hardware_sha256[:_SHORT_HASH]}/machines/machine.yaml"
    words = ["opyard", "simulate", "--graph", graph, "--hardware", hardware]
    if run.cost_model != DEFAULT_COST_MODEL:
        words += ["--cost-model", run.cost_model]
    # The shell finds the file, whose name goes on with those of the run.
    tail = f"--plan plans/run{run.id}-*.plan.json --html plan.html"
    return [shlex.join(best), f"{shlex.join(words)} {tail}"]
