"""The family of problems that the shipped weights are trained on."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

import opyard
from opyard.event_policy.path_priorities import with_path_transfers

GRAPHS = (
    "layered",
    "erdos_renyi",
    "stochastic_block",
    "watts_strogatz",
    "barabasi_albert",
    "fork_join",
)
MACHINES = ("p100x2-pcie", "p100x4-pcie", "v100x8-dgx1")
PLACERS = ("metis", "heft", "round_robin", "random")
PARAMS = {"heft": {"means": "main_devices", "capacity_test": "auto"}}
"""Parameters of placers: the slow hosts of the machines are in no mean."""
SIZES = (20, 160)
VALIDATION_SEED = 2**30  # graphs have seeds below while training, and from here on in validation


@dataclasses.dataclass(frozen=True)
class PlacedProblem:
    """A graph on a machine whose ops have devices: only their order is open."""

    name: str
    problem: opyard.Problem
    plan: opyard.Plan
    """Devices of the ops, and priorities of the transfers by the paths of their readers."""


def placed_problem(graph: str, machine: str, placer: str, *, seed: int = 0) -> PlacedProblem:
    """A problem whose ops are where an agent places them; nothing fuses.

    Args:
        graph: Reference of a graph.
        machine: Reference of a machine.
        placer: Name of the agent; it evaluates 16 plans at most.
        seed: Of the agent.
    """
    problem = opyard.Problem(
        graph, machine, tasks=("placement", "scheduling"), group="none", fusion="none"
    )
    placed = opyard.place(
        problem.graph,
        problem.hardware,
        agent=placer,
        params=PARAMS.get(placer, {}),
        tasks=("placement",),
        group="none",
        fusion="none",
        evaluations=1 if placer == "random" else 16,
        seed=seed,
        threads=1,
    )
    assert placed.plan is not None
    plan = with_path_transfers(problem, opyard.Plan(placed.plan.placement))
    return PlacedProblem(f"{graph} {machine} {placer}", problem, plan)


def sample_problem(rng: np.random.Generator, *, first_seed: int = 0) -> PlacedProblem:
    """A random problem of the family; sizes are uniform on a scale of logarithms."""
    least, most = (math.log(size) for size in SIZES)
    num_ops = round(math.exp(rng.uniform(least, most)))
    seed = first_seed + int(rng.integers(2**30))
    graph = f"random:{rng.choice(GRAPHS)}?n={num_ops}&seed={seed}"
    return placed_problem(graph, str(rng.choice(MACHINES)), str(rng.choice(PLACERS)), seed=seed)
