"""The ratios of speeds that were measured in one run, and their bars."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from opyard.bench import env_cases as cases
from opyard.bench.measurement import Speed


@dataclasses.dataclass(frozen=True)
class Ratio:
    """One speed over another, or a time, and the least or the most that it should be."""

    what: str
    value: float
    bar: float
    unit: str = ""
    is_most: bool = False  # the bar is an upper one

    @property
    def is_met(self) -> bool:
        """Whether the value is on the right side of its bar."""
        return self.value <= self.bar if self.is_most else self.value >= self.bar


def ratios_of(speeds: Sequence[Speed]) -> list[Ratio]:
    """All ratios whose speeds are among these."""
    threads = max(speed.threads for speed in speeds)
    return [
        *_ratio(
            "native vector of Placement, views : SyncVectorEnv",
            10.0,
            _find(speeds, cases.PLACEMENT, cases.VIEWS, 1),
            _find(speeds, cases.PLACEMENT, cases.SYNC),
        ),
        *_ratio(
            "native vector of Placement, views : CartPole of EnvPool",
            1.5,
            _find(speeds, cases.PLACEMENT, cases.VIEWS, threads),
            _find(speeds, cases.CARTPOLE, cases.ENVPOOL),
        ),
        *_ratio(
            "native vector of Placement, copies : CartPole of EnvPool",
            0.5,
            _find(speeds, cases.PLACEMENT, cases.COPIES, threads),
            _find(speeds, cases.CARTPOLE, cases.ENVPOOL),
        ),
        *_ratio(
            "one Placement : an idle environment with five arrays",
            0.5,
            _find(speeds, cases.PLACEMENT, cases.SINGLE),
            _find(speeds, cases.IDLE, cases.SINGLE),
        ),
        *_ratio_to_engine(speeds, 1),
        *(_ratio_to_engine(speeds, threads) if threads > 1 else ()),
        *_overhead(speeds),
    ]


def _find(speeds: Sequence[Speed], env: str, mode: str, threads: int | None = None) -> Speed | None:
    for speed in speeds:
        if (speed.env, speed.mode) == (env, mode) and threads in (None, speed.threads):
            return speed
    return None


def _ratio(
    what: str, bar: float, numerator: Speed | None, denominator: Speed | None
) -> Iterator[Ratio]:
    if numerator is not None and denominator is not None:
        yield Ratio(what, numerator.steps_per_second / denominator.steps_per_second, bar)


def _ratio_to_engine(speeds: Sequence[Speed], threads: int) -> Iterator[Ratio]:
    return _ratio(
        f"native vector of Improve, views : engine, threads: {threads}",
        0.7,
        _find(speeds, cases.IMPROVE, cases.VIEWS, threads),
        _find(speeds, cases.ENGINE, cases.OF_IMPROVE, threads),
    )


def _overhead(speeds: Sequence[Speed]) -> Iterator[Ratio]:
    """Microseconds that a plan of a batch takes beside its run."""
    batch = _find(speeds, cases.EVALUATOR, cases.ARRAYS)
    engine = _find(speeds, cases.ENGINE, cases.OF_EVALUATOR)
    if batch is not None and engine is not None:
        microseconds = 1e6 / batch.steps_per_second - 1e6 / engine.steps_per_second
        yield Ratio("a plan of a batch of arrays over its run", microseconds, 10.0, " us", True)
