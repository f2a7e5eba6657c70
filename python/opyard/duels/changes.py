"""The six changes of an instance (Coleman and Krishnamachari, PISA, 2024; SAGA 2, `pisa/changes`).

A factor changes by a uniform number of at most `STEP` and stays in the range. Deviation: it is
rounded to three decimals.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable

from opyard.duels.instance import Instance, TensorFactor
from opyard.duels.starts import DIGITS, HIGHEST, LOWEST, random_factor

STEP = 0.1

Change = Callable[[Instance, random.Random], Instance | None]


def random_change(instance: Instance, rng: random.Random) -> Instance | None:
    """The instance after one change of a random kind; None where that kind finds nothing."""
    return rng.choice(CHANGES)(instance, rng)


def change_op(instance: Instance, rng: random.Random) -> Instance | None:
    """Another work of one op."""
    return dataclasses.replace(instance, ops=_with_step(instance.ops, rng))


def change_device(instance: Instance, rng: random.Random) -> Instance | None:
    """Another speed of one device."""
    return dataclasses.replace(instance, devices=_with_step(instance.devices, rng))


def change_link(instance: Instance, rng: random.Random) -> Instance | None:
    """Another bandwidth of one link; None on a machine without links."""
    if not instance.links:
        return None
    return dataclasses.replace(instance, links=_with_step(instance.links, rng))


def change_bytes(instance: Instance, rng: random.Random) -> Instance | None:
    """Other bytes of the tensor of one edge; None without edges."""
    if not instance.edges:
        return None
    index, _ = rng.choice(instance.edges)
    tensor = instance.tensors[index]
    changed = dataclasses.replace(tensor, factor=_stepped(tensor.factor, rng))
    tensors = (*instance.tensors[:index], changed, *instance.tensors[index + 1 :])
    return dataclasses.replace(instance, tensors=tensors)


def remove_edge(instance: Instance, rng: random.Random) -> Instance | None:
    """One edge less, and its tensor less if nothing else reads it; None without edges."""
    if not instance.edges:
        return None
    return without_edge(instance, rng.randrange(len(instance.edges)))


def without_edge(instance: Instance, edge: int) -> Instance:
    """The instance without one edge, by index, and without its tensor if nothing else reads it."""
    tensor, _ = instance.edges[edge]
    edges = (*instance.edges[:edge], *instance.edges[edge + 1 :])
    if any(other == tensor for other, _ in edges):
        return dataclasses.replace(instance, edges=edges)
    return dataclasses.replace(
        instance,
        tensors=(*instance.tensors[:tensor], *instance.tensors[tensor + 1 :]),
        edges=tuple((other - (other > tensor), reader) for other, reader in edges),
    )


def add_edge(instance: Instance, rng: random.Random) -> Instance | None:
    """One edge more, from an op to one that is neither before it nor reads it yet.

    None where every pair that may have an edge has one.
    """
    parents = _parents(instance)
    ops = list(range(len(instance.ops)))
    for src in rng.sample(ops, len(ops)):
        before = _ancestors(src, parents)
        free = [dst for dst in ops if dst != src and dst not in before and src not in parents[dst]]
        if free:
            tensor = TensorFactor(src, instance.base.unit_bytes, random_factor(rng))
            return dataclasses.replace(
                instance,
                tensors=(*instance.tensors, tensor),
                edges=(*instance.edges, (len(instance.tensors), rng.choice(free))),
            )
    return None


CHANGES: tuple[Change, ...] = (
    remove_edge,
    add_edge,
    change_bytes,
    change_op,
    change_link,
    change_device,
)


def _parents(instance: Instance) -> list[set[int]]:
    parents: list[set[int]] = [set(op.get("control_inputs", ())) for op in instance.base.ops]
    for src, dst in instance.pairs():
        parents[dst].add(src)
    return parents


def _ancestors(op: int, parents: list[set[int]]) -> set[int]:
    found: set[int] = set()
    waiting = [op]
    while waiting:
        for parent in parents[waiting.pop()] - found:
            found.add(parent)
            waiting.append(parent)
    return found


def _with_step(factors: tuple[float, ...], rng: random.Random) -> tuple[float, ...]:
    index = rng.randrange(len(factors))
    return (*factors[:index], _stepped(factors[index], rng), *factors[index + 1 :])


def _stepped(factor: float, rng: random.Random) -> float:
    changed = factor + rng.uniform(-STEP, STEP)
    return round(min(HIGHEST, max(LOWEST, changed)), DIGITS)
