#!/usr/bin/env python3
"""Makes the schedules of the package SAGA that the list schedulers are compared with.

    python -m venv saga && saga/bin/pip install anrg-saga==2.0.2
    saga/bin/python scripts/make_saga_schedules.py

Writes tests/agents/classical/saga_schedules.json.gz: 50 random task graphs of 10 to 30 tasks on 2
to 5 machines of different speeds, and where and when SAGA runs each task by HEFT, CPOP, HBMCT, DPS.
The tests that read it need no SAGA. All costs, sizes and speeds are such that times are whole
numbers. "cpop_paper" is CPOP with the ranks of its paper instead of SAGA's, which differ.

An instance counts only if it has no ties, that is, if all schedules stay as they are whatever the
tasks and machines are called, and if each holds every task once and in order: with three or more
machines, HBMCT of SAGA 2.0.2 loses tasks when it moves one between two of them.
"""

from __future__ import annotations

import gzip
import json
import math
import random
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from unittest import mock

from saga import Network, Schedule, TaskGraph
from saga.schedulers import cpop
from saga.schedulers.cpop import CpopScheduler
from saga.schedulers.dps import DPSScheduler
from saga.schedulers.hbmct import HbmctScheduler
from saga.schedulers.heft import HeftScheduler

OUT = Path(__file__).parent.parent / "tests/agents/classical/saga_schedules.json.gz"
NUM_INSTANCES = 50
SPEEDS = (2, 3, 4, 5, 6)
UNIT = math.lcm(*SPEEDS)  # costs and sizes are multiples: they take whole times at any speed
NUM_NAMINGS = 3
CLOSE = 1e-4  # relative; ranks that are closer than that count as a tie


@dataclass(frozen=True)
class Instance:
    """A graph of tasks 0, 1, …, in topological order, with one first and one last, on machines."""

    speeds: list[int]  # of machines, all different
    links: list[tuple[int, int, int]]  # machine, machine with a greater index, speed
    costs: list[int]  # of tasks
    edges: list[tuple[int, int, int]]  # task, task, size


def random_instance(rng: random.Random) -> Instance:
    """Tasks with one to three parents among the eight before them."""
    num_tasks = rng.randint(10, 30)
    speeds = rng.sample(SPEEDS, rng.randint(2, len(SPEEDS)))
    transfer_share = rng.choice((0.2, 1.0, 2.0))  # of a mean size in a mean cost
    pairs = {
        (parent, task)
        for task in range(1, num_tasks)
        for parent in rng.sample(range(max(0, task - 8), task), min(task, rng.randint(1, 3)))
    }
    without_child = set(range(num_tasks - 1)) - {parent for parent, _ in pairs}
    pairs |= {(task, num_tasks - 1) for task in without_child}
    return Instance(
        speeds=speeds,
        links=[(a, b, rng.choice(SPEEDS)) for b in range(len(speeds)) for a in range(b)],
        costs=[UNIT * rng.randint(100, 9999) for _ in range(num_tasks)],
        edges=[
            (*pair, UNIT * max(1, round(transfer_share * rng.randint(100, 9999))))
            for pair in sorted(pairs)
        ],
    )


@dataclass(frozen=True)
class Named:
    """An instance as SAGA takes it, with names that say nothing of the order."""

    network: Network
    task_graph: TaskGraph
    machines: dict[str, int]
    tasks: dict[str, int]


def named(instance: Instance, rng: random.Random) -> Named:
    """`instance` with names at random: SAGA breaks ties by them."""
    machines = rng.sample([f"m{i}" for i in range(100)], len(instance.speeds))
    tasks = rng.sample([f"t{i}" for i in range(1000)], len(instance.costs))
    return Named(
        network=Network.create(
            nodes=list(zip(machines, map(float, instance.speeds), strict=True)),
            edges=[(machines[a], machines[b], float(speed)) for a, b, speed in instance.links],
        ),
        task_graph=TaskGraph.create(
            tasks=list(zip(tasks, map(float, instance.costs), strict=True)),
            dependencies=[(tasks[a], tasks[b], float(size)) for a, b, size in instance.edges],
        ),
        machines={name: i for i, name in enumerate(machines)},
        tasks={name: i for i, name in enumerate(tasks)},
    )


def paper_ranks(network: Network, task_graph: TaskGraph) -> dict[str, float]:
    """Upward + downward rank as Topcuoglu et al. have them.

    SAGA's upward rank is the paper's but for the mean transfer, which also counts the pairs of a
    machine with itself, at no time; here it sees none of these. SAGA's downward rank adds a task's
    own cost, where the paper adds that of the task before it.
    """
    links = [edge for edge in network.edges if edge.source != edge.target]
    up = cpop.upward_rank(Network(nodes=network.nodes, edges=frozenset(links)), task_graph)
    seconds_per_size = fmean(1 / link.speed for link in links)
    seconds_per_cost = fmean(1 / node.speed for node in network.nodes)
    down: dict[str, float] = {}
    for task in task_graph.topological_sort():
        down[task.name] = max(
            (
                down[edge.source]
                + task_graph.get_task(edge.source).cost * seconds_per_cost
                + edge.size * seconds_per_size
                for edge in task_graph.in_edges(task)
            ),
            default=0.0,
        )
    return {name: up[name] + down[name] for name in up}


def clear_ranks(network: Network, task_graph: TaskGraph) -> dict[str, float]:
    """`paper_ranks`, unless some are almost that of the critical path."""
    ranks = paper_ranks(network, task_graph)
    longest = max(ranks.values())
    if any(CLOSE > 1 - rank / longest > CLOSE * CLOSE for rank in ranks.values()):
        raise UnsuitableError("nearly critical")
    return ranks


class UnsuitableError(Exception):
    """An instance that does not count."""


def whole(time: float) -> int:
    """`time`, which is a whole number."""
    if not time.is_integer():
        raise ValueError(f"{time} is no whole number")
    return int(time)


def places(schedule: Schedule, instance: Instance, names: Named) -> list[tuple[int, int]]:
    """The machine and the start of each task; `UnsuitableError` unless that is a schedule."""
    found: dict[int, tuple[int, int]] = {}
    for machine, tasks in schedule.items():
        end = 0
        for task in tasks:
            if task.start < end or names.tasks[task.name] in found:
                raise UnsuitableError("tasks at one time")
            end = whole(task.end)
            found[names.tasks[task.name]] = (names.machines[machine], whole(task.start))
    if len(found) < len(instance.costs):
        raise UnsuitableError("tasks are missing")
    speed_of = {frozenset(link[:2]): link[2] for link in instance.links}
    for source, target, size in instance.edges:
        machine, start = found[source]
        end = start + instance.costs[source] / instance.speeds[machine]
        pair = frozenset((machine, found[target][0]))
        if found[target][1] < end + (size / speed_of[pair] if len(pair) == 2 else 0):
            raise UnsuitableError("a task before its input")
    return [found[task] for task in range(len(instance.costs))]


def schedules(instance: Instance, rng: random.Random) -> dict[str, list[tuple[int, int]]]:
    """SAGA's schedules by scheduler, with names at random."""
    names = named(instance, rng)
    schedulers = {
        "heft": HeftScheduler(),
        "cpop": CpopScheduler(),
        "hbmct": HbmctScheduler(),
        "dps": DPSScheduler(),
    }
    made = {
        name: places(scheduler.schedule(names.network, names.task_graph), instance, names)
        for name, scheduler in schedulers.items()
    }
    with mock.patch.object(cpop, "cpop_ranks", clear_ranks):
        paper = CpopScheduler().schedule(names.network, names.task_graph)
    return {**made, "cpop_paper": places(paper, instance, names)}


def main() -> int:
    """Makes instances until there are enough, and writes them."""
    kept: list[dict] = []
    left_out: dict[str, int] = {}
    seed = 0
    while len(kept) < NUM_INSTANCES:
        seed += 1
        rng = random.Random(seed)
        instance = random_instance(rng)
        try:
            made = [schedules(instance, rng) for _ in range(NUM_NAMINGS)]
            if any(other != made[0] for other in made):
                raise UnsuitableError("ties")
        except UnsuitableError as reason:
            left_out[str(reason)] = left_out.get(str(reason), 0) + 1
            continue
        kept.append({"seed": seed, **vars(instance), "schedules": made[0]})
    text = json.dumps(
        {
            "made_by": "scripts/make_saga_schedules.py",
            "package": f"anrg-saga {version('anrg-saga')}",
            "left_out": left_out,
            "instances": kept,
        },
        separators=(",", ":"),
    )
    OUT.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{len(kept)} instances, {OUT.stat().st_size} bytes; left out: {left_out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
