#!/usr/bin/env python3
"""Runs the duels of HEFT, CPoP and one device once more with the package SAGA.

    python -m venv saga && saga/bin/pip install anrg-saga==2.0.2
    saga/bin/python scripts/saga_duels.py docs/results/duels.csv
    saga/bin/python scripts/saga_duels.py --anneal

The first prints for each row of these agents the ratio that opyard found, and the one of SAGA's own
HEFT, CPoP and FastestNode on the same instance. The second searches with SAGA's own PISA, ten
restarts with its published parameters, and prints the worst ratio of each pair. Needs no opyard.
"""

from __future__ import annotations

import csv
import itertools
import random
import sys
import tempfile
from pathlib import Path

from saga import Network, TaskGraph
from saga.pisa import SimulatedAnnealing, SimulatedAnnealingConfig
from saga.schedulers import CpopScheduler, FastestNodeScheduler, HeftScheduler

SCHEDULERS = {
    "heft": HeftScheduler(),
    "cpop": CpopScheduler(),
    "single_device": FastestNodeScheduler(),
}


def instance_of(text: str) -> tuple[Network, TaskGraph]:
    """The network and the task graph of an instance: ops / devices / links / edges."""
    ops, devices, links, edges = (part.split() for part in text.split("/"))
    pairs = itertools.combinations(range(len(devices)), 2)
    network = Network.create(
        nodes=[(f"p{i}", float(speed)) for i, speed in enumerate(devices)],
        edges=[(f"p{a}", f"p{b}", float(s)) for (a, b), s in zip(pairs, links, strict=True)],
    )
    ends = [edge.replace(">", ":").split(":") for edge in edges]
    graph = TaskGraph.create(
        tasks=[(f"t{i}", float(cost)) for i, cost in enumerate(ops)],
        dependencies=[(f"t{src}", f"t{dst}", float(size)) for src, dst, size in ends],
    )
    return network, graph


def repeat(path: Path) -> None:
    """Prints a line per row of a table of duels."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if {row["agent"], row["opponent"]} <= SCHEDULERS.keys():
            instance = instance_of(row["instance"])
            own, other = (
                SCHEDULERS[row[who]].schedule(*instance).makespan for who in ("agent", "opponent")
            )
            print(f"{row['agent']:14}{row['opponent']:14}{row['ratio']:>10}{own / other:10.6f}")


def anneal() -> None:
    """Prints the worst ratio that SAGA's PISA finds for each pair."""
    for agent, opponent in itertools.permutations(("HEFT", "CPoP", "FastestNode"), 2):
        worst = max(restart(agent, opponent, seed) for seed in range(10))
        print(f"{agent:14}{opponent:14}{worst:10.2f}", flush=True)


def restart(agent: str, opponent: str, seed: int) -> float:
    """The worst ratio of one restart from a random chain and network of 3 to 5."""
    random.seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        annealing = SimulatedAnnealing(
            name="duel",
            scheduler=agent,
            base_scheduler=opponent,
            data_dir=Path(folder),
            initial_network=random_network(random.randint(3, 5)),
            initial_task_graph=random_chain(random.randint(3, 5)),
            config=SimulatedAnnealingConfig(max_temp=10.0),
        )
        return max(step.neighbor_energy for step in annealing.run_iter())


def random_network(size: int) -> Network:
    """Nodes and links with uniform speeds."""
    pairs = itertools.combinations(range(size), 2)
    return Network.create(
        nodes=[(f"p{i}", random.uniform(0.1, 1)) for i in range(size)],
        edges=[(f"p{a}", f"p{b}", random.uniform(0.1, 1)) for a, b in pairs],
    )


def random_chain(size: int) -> TaskGraph:
    """Tasks in a row with uniform costs and sizes."""
    return TaskGraph.create(
        tasks=[(f"t{i}", random.uniform(0.1, 1)) for i in range(size)],
        dependencies=[(f"t{i}", f"t{i + 1}", random.uniform(0.1, 1)) for i in range(size - 1)],
    )


if __name__ == "__main__":
    anneal() if sys.argv[1] == "--anneal" else repeat(Path(sys.argv[1]))
