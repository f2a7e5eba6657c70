#!/usr/bin/env python3
"""Why CPOP of the package SAGA and ours differ on the instances of a table of duels.

    python -m venv saga && saga/bin/pip install anrg-saga==2.0.2 dist/opyard-*.whl
    PYTHONHASHSEED=0 saga/bin/python scripts/saga_cpop.py docs/results/duels.csv

Goes from SAGA's CPOP to ours in steps, each of which changes one thing: the means of transfers in
the ranks, the downward rank, the scheduler (SAGA's, then ours, whose plan is simulated with the
order of the list as priorities), and the plan without priorities that ours evaluates, too. Prints
for each step on how many instances the makespan changes and by how much, then the ratios of the
rows of CPOP and HEFT or one device. SAGA breaks some ties by hash, so that it is fixed.
"""

from __future__ import annotations

import csv
import heapq
import logging
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import fmean
from unittest import mock

from make_saga_schedules import paper_ranks
from opyard import _core, search
from opyard.duels.compact import instance_of_text
from opyard.library_output import dropped_library_output
from saga import Network, TaskGraph
from saga.schedulers import cpop
from saga_duels import SCHEDULERS, instance_of

STEPS = ("SAGA", "means of transfers", "downward rank", "our scheduler", "without priorities")
UNIT_S = 1e-3  # of an op of factor 1 on a device of factor 1
EQUAL = 1e-6  # relative; our times are whole picoseconds


def saga_makespan(text: str, ranks: Callable[[Network, TaskGraph], Mapping[str, float]]) -> float:
    """The makespan of SAGA's CPOP with these ranks."""
    with mock.patch.object(cpop, "cpop_ranks", ranks):
        return cpop.CpopScheduler().schedule(*instance_of(text)).makespan


def saga_ranks(network: Network, task_graph: TaskGraph) -> dict[str, float]:
    """SAGA's ranks, but for means of transfers that leave out a machine with itself."""
    links = [edge for edge in network.edges if edge.source != edge.target]
    apart = Network(nodes=network.nodes, edges=frozenset(links))
    up = cpop.upward_rank(apart, task_graph)
    down = cpop.downward_rank(apart, task_graph)
    return {name: up[name] + down[name] for name in up}


def list_order(text: str) -> list[int]:
    """Ops as CPOP takes them: of those whose inputs are done the one of the greatest rank."""
    ranks = paper_ranks(*instance_of(text))
    num_ops = len(text.partition("/")[0].split())
    edges = [edge.partition(":")[0].split(">") for edge in text.split("/")[3].split()]
    waits_for: list[set[int]] = [set() for _ in range(num_ops)]
    for source, target in edges:
        waits_for[int(target)].add(int(source))
    ready = [(-ranks[f"t{op}"], op) for op in range(num_ops) if not waits_for[op]]
    heapq.heapify(ready)
    order = []
    while ready:
        _, done = heapq.heappop(ready)
        order.append(done)
        for op in range(num_ops):
            if done in waits_for[op]:
                waits_for[op].remove(done)
                if not waits_for[op]:
                    heapq.heappush(ready, (-ranks[f"t{op}"], op))
    return order


def our_makespans(text: str) -> tuple[float, float]:
    """Those of `cpop`: with the priorities of its list alone, and of the better of its plans."""
    problem = instance_of_text(text).problem()
    answer = _core.search(
        search.registry_with("cpop"), problem, agent="cpop", evaluations=64, seed=0, threads=1
    )
    order = list_order(text)
    priority = [len(order) - order.index(op) for op in range(len(order))]
    ordered = problem.simulate(problem.plan(answer["plan"].placement, priority))
    return ordered["makespan_s"] / UNIT_S, answer["best"]["makespan_s"] / UNIT_S


def makespans(text: str) -> tuple[float, ...]:
    """After each of the steps."""
    ranks = (cpop.cpop_ranks, saga_ranks, paper_ranks)
    return (*(saga_makespan(text, each) for each in ranks), *our_makespans(text))


def is_changed(before: float, after: float) -> bool:
    """Whether they differ by more than rounding."""
    return abs(after / before - 1) > EQUAL


def print_steps(found: Mapping[str, tuple[float, ...]]) -> None:
    """A line per step: the instances that it changes, and its mean distance to ours before it."""
    print(f"{'step':22}{'changed':>8}{'apart from ours':>17}{'mean |log|':>12}")
    for i, step in enumerate(STEPS):
        changed = sum(is_changed(row[i - 1], row[i]) for row in found.values()) if i else 0
        apart = sum(is_changed(row[i], row[-1]) for row in found.values())
        distance = fmean(abs(math.log(row[i] / row[-1])) for row in found.values())
        print(f"{step:22}{changed:8}{apart:17}{distance:12.4f}")


def print_rows(rows: list[dict[str, str]], found: Mapping[str, tuple[float, ...]]) -> None:
    """A line per row of the three agents: its ratio, and SAGA's after each change of ranks."""
    print(f"\n{'':28}{'ours':>10}" + "".join(f"{step:>20}" for step in STEPS[:3]))
    for row in rows:
        pair = (row["agent"], row["opponent"])
        if not set(pair) <= SCHEDULERS.keys() or "cpop" not in pair:
            continue
        text = row["instance"]
        other = {
            name: SCHEDULERS[name].schedule(*instance_of(text)).makespan
            for name in pair
            if name != "cpop"
        }
        own, opponent = ([other.get(name, found[text][i]) for i in range(3)] for name in pair)
        ratios = "".join(f"{a / b:20.6f}" for a, b in zip(own, opponent, strict=True))
        print(f"{pair[0]:14}{pair[1]:14}{row['ratio']:>10}{ratios}")


def main() -> None:
    """Reads the table and prints both."""
    logging.disable(logging.WARNING)  # of graphs with several first or last tasks
    with Path(sys.argv[1]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    texts = dict.fromkeys(row["instance"] for row in rows)
    with dropped_library_output():
        found = {text: makespans(text) for text in texts}
    print(f"{len(found)} instances")
    print_steps(found)
    print_rows(rows, found)


if __name__ == "__main__":
    main()
