"""Means over seeds, aggregates over workloads, and their intervals.

The interval of a mean over the seeds of one workload is Student's t, as in `opyard run`; those of
everything else are of the bootstrap.

Aggregates, profiles and the probability of improvement are those of Agarwal, Schwarzer, Castro,
Courville and Bellemare 2021, "Deep Reinforcement Learning at the Edge of the Statistical
Precipice", section 4. A stratum is a workload: the bootstrap samples runs again within each of them
and never exchanges runs of two. Deviation: workloads may have different numbers of runs; then each
workload counts alike in everything but the interquartile mean, which pools runs.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from opyard import _core

Values = npt.NDArray[np.float64]
Strata = Sequence[Values]

_MOST_NUMBERS = 4_000_000  # of weights in one piece; a few pieces are kept for who asks next
_LEVELS = (0.025, 0.975)


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A figure and its 95 % interval; None where there is nothing to sample one from."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def has_interval(self) -> bool:
        """Whether `low` and `high` are there."""
        return self.low is not None


@dataclasses.dataclass(frozen=True)
class Bootstrap:
    """The bootstrap: the number of times that runs are sampled again, and the first seed."""

    repetitions: int = 2000
    seed: int = 0

    def weights(self, sizes: Sequence[int]) -> Iterator[Values]:
        """The number of times each run is sampled: chunks of [repetitions, sum of sizes].

        Equal sizes give equal samples, so that agents with equal seeds are compared in pairs.
        """
        if self.repetitions * sum(sizes) <= _MOST_NUMBERS:
            yield _kept_weights(self, tuple(sizes))
            return
        rng = np.random.default_rng(self.seed)
        rows = max(1, _MOST_NUMBERS // sum(sizes))
        for first in range(0, self.repetitions, rows):
            yield _sample(rng, sizes, min(rows, self.repetitions - first))

    def interval(
        self, sizes: Sequence[int], statistic: Callable[[Values], Values]
    ) -> tuple[Values, Values]:
        """The 2.5 % and 97.5 % quantiles (percentile bootstrap) of `statistic`.

        Args:
            sizes: The number of runs of each stratum.
            statistic: Weights [repetitions, runs] to figures [repetitions, ...].
        """
        sampled = np.concatenate([statistic(weights) for weights in self.weights(sizes)])
        low, high = np.quantile(sampled, _LEVELS, axis=0)
        return low, high


def _sample(rng: np.random.Generator, sizes: Sequence[int], count: int) -> Values:
    """The number of times each run of each stratum is sampled, [count, sum of sizes]."""
    total = sum(sizes)
    starts = np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)
    # Each place of a sample holds one run of its own stratum.
    sampled = starts + rng.integers(0, np.repeat(sizes, sizes), size=(count, total))
    places = sampled + total * np.arange(count)[:, None]
    counts = np.bincount(places.ravel(), minlength=count * total)
    return counts.reshape(count, total).astype(np.float64)


@functools.lru_cache(maxsize=4)
def _kept_weights(bootstrap: Bootstrap, sizes: tuple[int, ...]) -> Values:
    weights = _sample(np.random.default_rng(bootstrap.seed), sizes, bootstrap.repetitions)
    weights.setflags(write=False)
    return weights


def _sizes(strata: Strata) -> list[int]:
    return [len(values) for values in strata]


def _shares(strata: Strata) -> Values:
    """The weight of each run where every stratum weighs the same; they add up to 1."""
    return np.concatenate([np.full(len(v), 1 / (len(v) * len(strata))) for v in strata])


def _estimate(
    strata: Strata, value: float, statistic: Callable[[Values], Values], bootstrap: Bootstrap
) -> Estimate:
    if max(_sizes(strata)) < 2:
        return Estimate(value)
    if all(values.min() == values.max() for values in strata):
        return Estimate(value, value, value)
    low, high = bootstrap.interval(_sizes(strata), statistic)
    return Estimate(value, float(low), float(high))


def mean(strata: Strata, bootstrap: Bootstrap) -> Estimate:
    """The mean over strata of their means."""
    weighed = np.concatenate(strata) * _shares(strata)
    return _estimate(strata, float(weighed.sum()), lambda weights: weights @ weighed, bootstrap)


def mean_over_seeds(values: Values) -> Estimate:
    """The mean over the seeds of one workload, with the interval of `opyard run` (Student's t)."""
    if len(values) > 1 and values.min() == values.max():
        return Estimate(values[0], values[0], values[0])
    middle, half_width = _core.mean_with_interval(values.tolist())
    if half_width is None:
        return Estimate(middle)
    return Estimate(middle, middle - half_width, middle + half_width)


def optimality_gap(strata: Strata, bootstrap: Bootstrap, target: float = 1.0) -> Estimate:
    """The mean distance of scores below `target`; what is above counts as reached."""
    return mean([target - np.minimum(values, target) for values in strata], bootstrap)


def trimmed_mean(values: Values, weights: Values) -> Values:
    """The interquartile mean of each sampled sample: ⌊n/4⌋ runs cut off at both ends.

    Args:
        values: [runs].
        weights: How often each run was sampled, [repetitions, runs]; every row adds up to n.
    """
    order = np.argsort(values, kind="stable")
    total = weights[0].sum()
    cut = np.floor(total / 4)
    reached = np.clip(np.cumsum(weights[:, order], axis=1), cut, total - cut)
    kept = np.diff(reached, axis=1, prepend=cut)
    return kept @ values[order] / (total - 2 * cut)


def interquartile_mean(strata: Strata, bootstrap: Bootstrap) -> Estimate:
    """The mean of the middle half of all runs, whatever their stratum."""
    values = np.concatenate(strata)
    value = float(trimmed_mean(values, np.ones((1, len(values))))[0])
    return _estimate(strata, value, lambda weights: trimmed_mean(values, weights), bootstrap)


def profile(strata: Strata, thresholds: Values, bootstrap: Bootstrap) -> tuple[Values, ...]:
    """The share of runs whose score is above each threshold: value, low and high, [thresholds]."""
    above = np.concatenate(strata)[:, None] > thresholds[None, :]
    weighed = above * _shares(strata)[:, None]
    low, high = bootstrap.interval(_sizes(strata), lambda weights: weights @ weighed)
    return weighed.sum(axis=0), low, high


def probability_of_improvement(x: Strata, y: Strata, bootstrap: Bootstrap) -> Estimate:
    """The probability that a run of `x` beats one of `y` on a workload that is sampled at random.

    Ties count half (Mann and Whitney's U over the number of pairs). Equal numbers of strata.
    """
    wins = [
        (np.greater.outer(a, b) + 0.5 * np.equal.outer(a, b)) / (len(a) * len(b) * len(x))
        for a, b in zip(x, y, strict=True)
    ]
    sizes = _sizes(x) + _sizes(y)
    starts = np.cumsum([0, *sizes])

    def statistic(weights: Values) -> Values:
        parts = [weights[:, first:end] for first, end in itertools.pairwise(starts)]
        sampled = np.zeros(len(weights))
        for a, w, b in zip(parts[: len(x)], wins, parts[len(x) :], strict=True):
            sampled += (a @ w * b).sum(axis=1)
        return sampled

    value = float(sum(pairs.sum() for pairs in wins))
    return _estimate([*x, *y], value, statistic, bootstrap)


def geometric_speed_up(baseline: Strata, agent: Strata, bootstrap: Bootstrap) -> Estimate:
    """The geometric mean over strata of the baseline's mean over the agent's; values above 0."""
    sizes = _sizes(baseline) + _sizes(agent)
    starts = np.cumsum([0, *sizes])
    values = np.concatenate([*baseline, *agent])

    def statistic(weights: Values) -> Values:
        # [repetitions, strata of the baseline, then of the agent]
        sums = np.add.reduceat(weights * values, starts[:-1], axis=1) / np.array(sizes)
        logs = np.log(sums)
        half = len(baseline)
        return np.exp((logs[:, :half] - logs[:, half:]).mean(axis=1))

    value = float(statistic(np.ones((1, len(values))))[0])
    return _estimate([*baseline, *agent], value, statistic, bootstrap)


def kendall_tau(x: Values, y: Values) -> float | None:
    """Kendall's τ-b of two rankings, −1 to 1; None where one of them ranks nothing."""
    pairs = np.triu_indices(len(x), 1)
    a = np.sign(np.subtract.outer(x, x))[pairs]
    b = np.sign(np.subtract.outer(y, y))[pairs]
    untied = np.sqrt(float(np.abs(a).sum()) * float(np.abs(b).sum()))
    return float((a * b).sum() / untied) if untied else None
