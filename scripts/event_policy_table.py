#!/usr/bin/env python3
"""Writes how the network of `event_policy` schedules placed graphs that it never saw, as tables.

    python scripts/event_policy_table.py [--weights FILE] [--samples 16] [--graphs 16] > TABLES

Each problem is a graph on a machine whose ops are where an agent places them; only their order is
open. Figures are geometric means, over problems, of makespan ÷ that of the better of the agents
`critical_path` and `mopnr`, with bootstrap intervals of 95 %. Every plan of the network is
simulated again. The last table is of whole searches by `opyard.place`, placement included, as
multiples of the makespan of `critical_path_aware`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import opyard
import torch
from opyard.event_policy import family, rules, weights
from opyard.event_policy.episodes import make_envs, plans_of, play
from opyard.event_policy.network import EventPolicy

FIRST_SEED = family.VALIDATION_SEED + 2**30  # no graph of training or validation has such a seed
UNTRAINED_SEEDS = (1, 2, 3)
RESAMPLES = 10_000
WITHIN = 1.02  # the bar: of the better of `critical_path` and `mopnr`
ORDER_SEED = 7
ZOO = (
    "zoo:transformer_xl?layers=1",
    "zoo:gpt?layers=1",
    "zoo:wavenet?stacks=1&layers=3",
    "zoo:unet?depth=2",
    "zoo:rnnlm?layers=2&seq=4",
    "zoo:vgg16",
)
NUM_SEARCHES = 24
SEARCHES = (
    "critical_path_aware",
    "heft_aware",
    "mopnr_aware",
    "list_search",
    "auto",
    "event_policy",
)
Rows = dict[str, list[float]]


def trained_family(count: int) -> list[family.PlacedProblem]:
    """Problems of the family that the weights are trained on, of other seeds."""
    rng = np.random.default_rng(FIRST_SEED)
    return [family.sample_problem(rng, first_seed=FIRST_SEED) for _ in range(count)]


def larger_graphs(count: int) -> list[family.PlacedProblem]:
    """Graphs of 250 to 400 ops on eight GPUs that no training used, placed in other ways, too."""
    rng = np.random.default_rng(FIRST_SEED + 1)
    placers = (*family.PLACERS, "critical_path")
    return [
        family.placed_problem(
            f"random:{family.GRAPHS[i % len(family.GRAPHS)]}"
            f"?n={rng.integers(250, 401)}&seed={FIRST_SEED + i}",
            "p100x8-pcie",
            placers[i % len(placers)],
            seed=i,
        )
        for i in range(count)
    ]


def other_families(count: int) -> list[family.PlacedProblem]:
    """Graphs of families that no training used: two random ones, and variants of networks."""
    machines = ("p100x2-pcie", "p100x4-pcie", "p100x8-pcie", "v100x8-dgx1")
    graphs = []
    for i in range(count):
        seed = FIRST_SEED + i
        random = f"random:series_parallel?n={60 + 5 * i}", f"random:enas?nodes={3 + i % 4}"
        graphs.append(
            f"{random[i % 4]}&seed={seed}"
            if i % 4 < 2
            else f"variant:{seed}:{ZOO[(i // 4 * 2 + i % 2) % len(ZOO)]}"
        )
    return [
        family.placed_problem(graph, machines[i % 4], family.PLACERS[(i // 4) % 4], seed=i)
        for i, graph in enumerate(graphs)
    ]


SETS: dict[str, Callable[[int], list[family.PlacedProblem]]] = {
    "the family, other seeds": trained_family,
    "larger graphs, another machine": larger_graphs,
    "other families": other_families,
}


def makespans_of(
    placed: family.PlacedProblem, policy: EventPolicy, *, num_envs: int, num_greedy: int
) -> list[float]:
    """The makespans of episodes, in seconds, each simulated again."""
    envs = make_envs(placed.problem, placed.plan, num_envs)
    rng = np.random.default_rng(ORDER_SEED)
    episodes = play(policy, envs, rng, num_greedy=num_greedy)
    found = []
    for plan, played in zip(
        plans_of(placed.problem, placed.plan, episodes), episodes.makespan_s, strict=True
    ):
        makespan_s = placed.problem.simulate(plan)["makespan_s"]
        assert makespan_s == played, f"{placed.name}: {makespan_s} is not {played}"
        found.append(float(makespan_s))
    return found


def greedy_of(placed: family.PlacedProblem, policy: EventPolicy) -> float:
    """The makespan of the greedy episode, in seconds."""
    return makespans_of(placed, policy, num_envs=1, num_greedy=1)[0]


def measure(
    placed: family.PlacedProblem,
    policy: EventPolicy,
    untrained: list[EventPolicy],
    num_samples: int,
) -> dict[str, float]:
    """Makespan ÷ that of the better of the two rules, by column."""
    agents = rules.makespans_of_agents(placed)
    keys = rules.keys_of(placed)
    random = np.random.default_rng(ORDER_SEED).random((num_samples, placed.problem.graph.num_ops))
    found = {f"`{name}`": seconds for name, seconds in agents.items()}
    for name, columns in keys.items():
        found[f"`{name}`, played"] = rules.played_makespans(placed, np.stack(columns)).min()
    orders = rules.played_makespans(placed, random)
    found["random order"] = orders[0]
    found[f"best of {num_samples} random orders"] = orders.min()
    found["untrained network, greedy"] = _geometric_mean(
        np.array([greedy_of(placed, network) for network in untrained])
    )
    found["`event_policy`, greedy"] = greedy_of(placed, policy)
    samples = makespans_of(placed, policy, num_envs=num_samples, num_greedy=1)
    found[f"`event_policy`, greedy and {num_samples - 1} samples"] = min(samples)
    best = min(agents["critical_path"], agents["mopnr"])
    return {name: seconds / best for name, seconds in found.items()}


def print_searches(count: int, evaluations: int, untrained: Path) -> None:
    """Prints the makespans that agents find, each ÷ that of the first one.

    `untrained` is a file of weights that were not trained.
    """
    params = {f"`{agent}`": {} for agent in SEARCHES}
    params["`event_policy`, untrained"] = {"weights": str(untrained)}
    found: Rows = {name: [] for name in params}
    machines = ("p100x2-pcie", "p100x4-pcie", "p100x8-pcie")
    graphs = (*family.GRAPHS, "series_parallel")
    for i in range(count):
        graph = f"random:{graphs[i % len(graphs)]}?n={60 + 12 * i}&seed={FIRST_SEED + 500 + i}"
        for name, given in params.items():
            result = opyard.place(
                graph,
                machines[i % len(machines)],
                agent=name.split("`")[1],
                params=given,
                evaluations=evaluations,
            )
            assert result.makespan_s is not None, f"{name} found no plan for {graph}"
            found[name].append(result.makespan_s)
    print(f"\n{count} graphs, {evaluations} evaluations at most:\n")
    print("| agent | ratio |\n|---|---:|")
    first = np.array(_first(found))
    for name, seconds in found.items():
        print(f"| {name} | {_cell(np.array(seconds) / first)} |")


def interval(ratios: np.ndarray) -> tuple[float, float]:
    """The 95 % interval of the geometric mean by the bootstrap over problems."""
    rng = np.random.default_rng(0)
    picks = rng.integers(len(ratios), size=(RESAMPLES, len(ratios)))
    means = np.exp(np.log(ratios)[picks].mean(1))
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def print_table(sets: dict[str, Rows]) -> None:
    """Prints a row per way to schedule and a column per set of problems."""
    together = {
        name: [ratio for rows in sets.values() for ratio in rows[name]] for name in _first(sets)
    }
    columns = {**sets, "all": together}
    print("| |", " | ".join(f"{name} ({len(_first(rows))})" for name, rows in columns.items()), "|")
    print("|---|" + "---:|" * len(columns))
    for name in _first(sets):
        cells = [_cell(np.array(rows[name])) for rows in columns.values()]
        print(f"| {name} |", " | ".join(cells), "|")
    print("\nProblems in which a way is at most 2 % behind the better rule:\n")
    print("| |", " | ".join(columns), "|\n|---|" + "---:|" * len(columns))
    for name in _first(sets):
        counts = [int((np.array(rows[name]) <= WITHIN).sum()) for rows in columns.values()]
        print(f"| {name} |", " | ".join(map(str, counts)), "|")
    print("\n`event_policy` beside each, over all problems:\n")
    print("| beside | greedy | better | equal | worse | with samples |")
    print("|---|---:|---:|---:|---:|---:|")
    *others, greedy, sampled = map(np.array, together.values())
    for name, ratios in zip(together, others, strict=False):
        quotient = greedy / ratios
        counts = [int((sign == np.sign(quotient - 1)).sum()) for sign in (-1, 0, 1)]
        cells = [_cell(quotient), *map(str, counts), _cell(sampled / ratios)]
        print(f"| {name} |", " | ".join(cells), "|")


def _cell(ratios: np.ndarray) -> str:
    low, high = interval(ratios)
    return f"{_geometric_mean(ratios):.4f} ({low:.3f} to {high:.3f})"


def _geometric_mean(values: np.ndarray) -> float:
    return float(np.exp(np.log(values).mean()))


def _first(columns: dict) -> list:  # type: ignore[type-arg]
    return next(iter(columns.values()))


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--weights", type=Path, default=weights.shipped_path())
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--graphs", type=int, default=16, help="of each set; %(default)s")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    policy, record = weights.load(arguments.weights)
    untrained = []
    for seed in UNTRAINED_SEEDS:
        torch.manual_seed(seed)
        untrained.append(EventPolicy())
    sets: dict[str, Rows] = {}
    for name, make in SETS.items():
        sets[name] = {}
        for placed in make(arguments.graphs):
            ratios = measure(placed, policy, untrained, arguments.samples)
            for column, ratio in ratios.items():
                sets[name].setdefault(column, []).append(ratio)
            if (behind := ratios["`event_policy`, greedy"]) > WITHIN:
                print(f"{placed.name}: {behind:.4f}", file=sys.stderr)
    print_table(sets)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "untrained.npz"
        weights.save(path, untrained[0], {})
        print_searches(NUM_SEARCHES, arguments.samples + 1, path)
    print(f"\nWeights: {record}. {time.process_time():.0f} s of processor time.")


if __name__ == "__main__":
    main()
