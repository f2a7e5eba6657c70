"""The part of an instance that its ratio depends on most."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from dataclasses import dataclass

from opyard.duels.annealing import DuelResult
from opyard.duels.changes import without_edge
from opyard.duels.instance import Instance
from opyard.duels.starts import HIGHEST, LOWEST

_MOST_PARTS = 64


@dataclass(frozen=True)
class Cause:
    """A single change of the instance, and the ratio after it."""

    change: str
    """In words: ``"without the edge op0 to op2"``."""
    ratio: float


def find_cause(result: DuelResult) -> Cause | None:
    """The change that lowers the ratio most, of up to 64: an edge away, an op or link extreme.

    None if no single change lowers it.
    """
    changes = list(_single_changes(result.instance))
    rng = random.Random(result.contest.seed)
    tried = changes if len(changes) <= _MOST_PARTS else rng.sample(changes, _MOST_PARTS)
    causes = []
    for words, instance in tried:
        score = result.contest.score(instance)
        if score is not None and score.ratio < result.ratio:
            causes.append(Cause(words, score.ratio))
    return min(causes, key=lambda cause: cause.ratio, default=None)


def sentence_of(result: DuelResult, cause: Cause | None) -> str:
    """The result in a sentence or two."""
    contest, score = result.contest, result.score
    if result.ratio <= 1:
        return (
            f"No instance was found on which {contest.agent} takes longer than {contest.opponent}."
        )
    elsewhere = sum(
        own != other for own, other in zip(score.placement, score.opponent_placement, strict=True)
    )
    text = (
        f"{contest.agent} takes {result.ratio:.4g} times as long as {contest.opponent}, and puts "
        f"{elsewhere} of {len(score.placement)} ops on another device."
    )
    if cause is not None:
        text += (
            f" {cause.change[0].upper()}{cause.change[1:]} the ratio would be {cause.ratio:.4g}."
        )
    return text


def _single_changes(instance: Instance) -> Iterator[tuple[str, Instance]]:
    names = [op["name"] for op in instance.base.ops]
    for i, (src, dst) in enumerate(instance.pairs()):
        yield f"without the edge {names[src]} to {names[dst]}", without_edge(instance, i)
    for i, name in enumerate(names):
        ops = _replaced(instance.ops, i, LOWEST)
        yield f"with the least work in {name}", dataclasses.replace(instance, ops=ops)
    for i, link in enumerate(instance.base.machine.get("links", [])):
        links = _replaced(instance.links, i, HIGHEST)
        yield f"with the fastest {link['name']}", dataclasses.replace(instance, links=links)


def _replaced(factors: tuple[float, ...], index: int, factor: float) -> tuple[float, ...]:
    return (*factors[:index], factor, *factors[index + 1 :])
