"""Schedules and models that tests of executed plans have in common."""

from __future__ import annotations

import random
from pathlib import Path

from opyard.execution.partition import Schedule
from opyard.execution.tracing import TracedModel

MODELS = Path(__file__).parent / "executed_models.py"


def reference(name: str) -> str:
    """The reference of one of the models."""
    return f"{MODELS}:{name}"


def random_ranks(model: TracedModel, seed: int) -> list[int]:
    """A device for each label of co-location."""
    rng = random.Random(seed)
    ranks: dict[str, int] = {}
    return [ranks.setdefault(op.colocation or op.name, rng.randrange(2)) for op in model.ops]


def random_schedule(model: TracedModel, seed: int) -> Schedule:
    """Random devices, and a random sequence in which ops stand behind what they wait for."""
    rng = random.Random(seed)
    program = model.program
    waiting = [
        {*(ref.op for ref in instruction.inputs), *instruction.waits_for}
        for instruction in program.instructions
    ]
    sequence: list[int] = []
    left = set(range(len(waiting)))
    while left:
        ready = sorted(op for op in left if not waiting[op] & left)
        sequence.append(rng.choice(ready))
        left.remove(sequence[-1])
    return Schedule(random_ranks(model, seed), sequence, ["cpu0", "cpu1"])
