"""Cases that are measured in turns, and their speeds."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence


@dataclasses.dataclass(frozen=True)
class Case:
    """Something that makes steps.

    Attributes:
        env: The id of an environment, or a name of what it is compared with.
        mode: How it is stepped.
        num_envs: Environments of a vector, or plans of a batch.
        threads: Threads that make the steps.
        steps_per_second: Makes steps for about so many seconds, and returns their rate.
    """

    env: str
    mode: str
    num_envs: int
    threads: int
    steps_per_second: Callable[[float], float]


@dataclasses.dataclass(frozen=True)
class Speed:
    """One row of the answer; the keys of its JSON are the names of its fields."""

    env: str
    graph_ops: int
    num_envs: int
    mode: str
    threads: int
    steps_per_second: float


def rate_of(steps: Callable[[], int]) -> Callable[[float], float]:
    """The rate of `steps`, which makes some steps and returns their number.

    It is called until the given seconds have passed, at least once.
    """

    def rate(seconds: float) -> float:
        done = 0
        start = time.perf_counter()
        while True:
            done += steps()
            passed = time.perf_counter() - start
            if passed >= seconds:
                return done / passed

    return rate


def measure(
    cases: Sequence[Case],
    graph_ops: int,
    seconds: float,
    rounds: int,
    show: Callable[[str], None] = lambda text: None,
) -> list[Speed]:
    """The best rate of each case in `rounds` rounds, in which all cases take turns.

    The other load of a machine only slows, and comes and goes: in turns it meets all cases.

    Args:
        cases: What is measured.
        graph_ops: Ops of the graph that they are about.
        seconds: Time of one measurement.
        rounds: Measurements of each case, after a short one that is not counted.
        show: Called with the name of what is measured.
    """
    best = [0.0] * len(cases)
    for number in range(rounds + 1):
        for i, case in enumerate(cases):
            show(f"{number}/{rounds} {case.env} {case.mode}")
            rate = case.steps_per_second(seconds if number else min(seconds, 0.1))
            best[i] = max(best[i], rate if number else 0.0)
    return [
        Speed(case.env, graph_ops, case.num_envs, case.mode, case.threads, rate)
        for case, rate in zip(cases, best, strict=True)
    ]
