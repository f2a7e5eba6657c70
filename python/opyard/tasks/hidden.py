"""Workloads for the final score: families, networks and machines that no search has seen.

They are made from a seed when a program is scored, and their best plans are searched for then. So
there is nothing to read before: the folder of a search knows neither the seed nor the plans.
"""

from __future__ import annotations

import random

from opyard.search import place
from opyard.tasks.workloads import Workload

_FAMILIES = ("series_parallel", "fork_join", "stochastic_block", "barabasi_albert")
_NETWORKS = ("zoo:bert", "zoo:moe", "zoo:resnet50", "zoo:gpt")
_MACHINES = ("p100x8-pcie", "v100x8-dgx1", "placeto-4", "processors-8")
_TRANSFER_SHARES = (0.2, 1, 2)
_NUM_FAMILIES, _NUM_NETWORKS = 4, 2


def hidden_problems(seed: int) -> list[tuple[str, str]]:
    """Graphs and machines of a seed: four random graphs of 60 to 300 ops, and two networks.

    None of the families, networks and machines is among the standard workloads.
    """
    rng = random.Random(seed)
    graphs = [
        f"random:{family}?n={rng.randint(60, 300)}&seed={rng.randrange(10**6)}"
        f"&ccr={rng.choice(_TRANSFER_SHARES):g}"
        for family in rng.sample(_FAMILIES, _NUM_FAMILIES)
    ]
    networks = [f"{name}?scale=small" for name in rng.sample(_NETWORKS, _NUM_NETWORKS)]
    machines = list(rng.sample(_MACHINES, len(_MACHINES)))
    return [*zip(graphs, machines, strict=True), *zip(networks, machines, strict=False)]


def with_best_known(
    problems: list[tuple[str, str]], evaluations: int, *, stage: int = 2
) -> list[Workload]:
    """Workloads whose best known plan is that of `auto` with a budget.

    Raises:
        InputError: A graph or a machine does not exist, or no plan completes.
    """
    source = f"auto, {evaluations} evaluations"
    return [
        Workload(graph, hardware, found_by("auto", graph, hardware, evaluations), source, stage)
        for graph, hardware in problems
    ]


def found_by(agent: str, graph: str, hardware: str, evaluations: int) -> float:
    """The step time in seconds of an agent's best plan; infinite if none completes."""
    result = place(graph, hardware, agent=agent, evaluations=evaluations)
    is_complete = result.outcome == "completed" and result.makespan_s is not None
    return result.makespan_s if is_complete and result.makespan_s else float("inf")
