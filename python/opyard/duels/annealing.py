"""Simulated annealing over instances: PISA (Coleman and Krishnamachari, arXiv 2403.07120, 2024).

Deviations: a change that leaves the ratio as it is is always accepted, and factors have three
decimals. The search of an agent has one seed for all instances.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from opyard import _core
from opyard.duels.changes import random_change
from opyard.duels.contest import Contest, Score
from opyard.duels.instance import Instance
from opyard.duels.starts import random_instance


@dataclass(frozen=True)
class AnnealingSettings:
    """The parameters of a duel; defaults as published."""

    iterations: int = 1000
    """The most changes of one restart."""
    restarts: int = 10
    start_temperature: float = 10.0
    end_temperature: float = 0.1
    """A restart ends below it."""
    cooling: float = 0.99
    """The factor of the temperature after each change."""
    start: str = "chain"
    """``"chain"`` or ``"dag"``, where no instance is given."""
    ops: tuple[int, int] = (3, 5)
    """The least and the greatest number of ops of a random start."""
    devices: tuple[int, int] = (3, 5)


@dataclass(frozen=True)
class Step:
    """An improvement of the best ratio of a duel."""

    restart: int
    iteration: int
    """0 is the start."""
    ratio: float


@dataclass(frozen=True)
class DuelResult:
    """The worst instance that a duel found for its agent."""

    contest: Contest
    instance: Instance
    score: Score
    start_ratio: float
    """Of the start from which the instance was found."""
    history: tuple[Step, ...]
    """Improvements in order; the last has the ratio of `score`."""
    num_instances: int
    """How many instances were evaluated."""
    seconds: float
    was_interrupted: bool = False
    """Ctrl-C ended the duel before its last restart."""

    @property
    def ratio(self) -> float:
        """The agent's makespan over its opponent's: a lower bound of the worst ratio."""
        return self.score.ratio


class _Best:
    """The best instance so far, and how it was found."""

    def __init__(self) -> None:
        self.found: tuple[Instance, Score, float] | None = None
        self.history: list[Step] = []
        self.num_instances = 0

    def add(
        self, instance: Instance, score: Score, start_ratio: float, at: tuple[int, int]
    ) -> None:
        """Keeps `instance` if it is better than all before it."""
        if self.found is None or score.ratio > self.found[1].ratio:
            self.found = (instance, score, start_ratio)
            self.history.append(Step(*at, score.ratio))


def duel(
    contest: Contest,
    settings: AnnealingSettings = AnnealingSettings(),
    *,
    given: Instance | None = None,
    progress: Callable[[str], None] = lambda text: None,
    keeps_best_at_interrupt: bool = False,
) -> DuelResult:
    """Searches for the instance on which an agent is furthest behind its opponent.

    The same arguments give the same result: all random numbers come from the seed of `contest`.

    Args:
        contest: The agents, their budget and the seed.
        settings: The parameters of the annealing.
        given: The start of all restarts; by default each has a random one.
        progress: Receives a line after each restart.
        keeps_best_at_interrupt: Whether Ctrl-C ends the duel with the worst instance until then,
            if there is one, instead of a KeyboardInterrupt.

    Raises:
        InputError: There is no such agent, or no start on which both complete a plan.
    """
    begin = time.monotonic()
    best = _Best()
    was_interrupted = False
    try:
        _restart_all(contest, settings, given, best, progress)
    except KeyboardInterrupt:
        if not keeps_best_at_interrupt or best.found is None:
            raise
        was_interrupted = True
    if best.found is None:
        raise _core.InputError(
            f"{contest.agent} and {contest.opponent}: found no start on which both complete a "
            "plan that takes time, expected one: give a smaller graph or a larger machine"
        )
    instance, score, start_ratio = best.found
    return DuelResult(
        contest=contest,
        instance=instance,
        score=score,
        start_ratio=start_ratio,
        history=tuple(best.history),
        num_instances=best.num_instances,
        seconds=time.monotonic() - begin,
        was_interrupted=was_interrupted,
    )


def _restart_all(
    contest: Contest,
    settings: AnnealingSettings,
    given: Instance | None,
    best: _Best,
    progress: Callable[[str], None],
) -> None:
    """All restarts, each with random numbers of its own."""
    for restart in range(settings.restarts):
        rng = random.Random(f"{contest.seed}/{restart}")
        start = given or random_instance(rng, settings.start, settings.ops, settings.devices)
        _anneal(contest, settings, start, rng, best, restart)
        so_far = "no plan completes" if best.found is None else f"best {best.found[1].ratio:.4f}"
        progress(f"restart {restart + 1}/{settings.restarts}: {so_far}")


def _anneal(
    contest: Contest,
    settings: AnnealingSettings,
    start: Instance,
    rng: random.Random,
    best: _Best,
    restart: int,
) -> None:
    """One restart. Instances on which an agent completes no plan are passed over."""
    current = start
    score = contest.score(start)
    best.num_instances += 1
    if score is None:
        return
    start_ratio = ratio = score.ratio
    best.add(start, score, start_ratio, (restart, 0))
    temperature = settings.start_temperature
    for iteration in range(1, settings.iterations + 1):
        if temperature < settings.end_temperature:
            return
        changed = random_change(current, rng)
        score = None if changed is None else contest.score(changed)
        best.num_instances += changed is not None
        if changed is not None and score is not None:
            best.add(changed, score, start_ratio, (restart, iteration))
            if rng.random() < acceptance(score.ratio, ratio, temperature):
                current, ratio = changed, score.ratio
        temperature *= settings.cooling


def acceptance(ratio: float, current: float, temperature: float) -> float:
    """The probability with which the annealing goes on from a changed instance.

    1 if its ratio is no less, else exp(-(ratio / current) / temperature), as published: it depends
    on the quotient, not on the difference.
    """
    return 1.0 if ratio >= current else math.exp(-(ratio / current) / temperature)
