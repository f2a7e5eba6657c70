"""Every statistic against an independent computation: by hand, by scipy, by rliable.

rliable (Agarwal et al. 2021) takes scores as [runs, workloads] and samples its own bootstrap; point
estimates have to be equal, intervals as close as two bootstraps of 4,000 repetitions are.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats
from opyard.compare import statistics
from opyard.compare.statistics import Bootstrap
from rliable import library, metrics

pytestmark = pytest.mark.filterwarnings("ignore:random_state is deprecated")
BOOTSTRAP = Bootstrap(4000)
RNG = np.random.default_rng(5)
# [runs, workloads], of two agents; scores above 1 and a failed run are among them.
X = np.vstack([RNG.uniform(0.3, 1.1, (6, 7)), np.zeros((1, 7))])
Y = RNG.uniform(0.2, 1.0, (7, 7))
# Quantiles of the same statistic from two bootstraps: with 4,000 repetitions the standard error of
# a 2.5 % quantile is about 0.04 standard deviations of the statistic.
CLOSE = 0.01


def strata(scores: np.ndarray) -> list[np.ndarray]:
    return list(scores.T)


def rliable_interval(scores: dict[str, object], statistic, repetitions: int = 4000) -> tuple:
    """Its point estimate and interval."""
    points, intervals = library.get_interval_estimates(
        scores,
        lambda *s: np.array([statistic(*s)]),
        reps=repetitions,
        random_state=np.random.RandomState(1),
    )
    (name,) = scores
    return float(points[name][0]), *(float(x) for x in intervals[name][:, 0])


def check_interval(estimate: statistics.Estimate, found: tuple, close: float = CLOSE) -> None:
    assert estimate.value == pytest.approx(found[0], rel=1e-12)
    assert estimate.low == pytest.approx(found[1], abs=close)
    assert estimate.high == pytest.approx(found[2], abs=close)


def test_the_interquartile_mean_is_that_of_rliable():
    check_interval(
        statistics.interquartile_mean(strata(X), BOOTSTRAP),
        rliable_interval({"x": X}, metrics.aggregate_iqm),
    )


@pytest.mark.parametrize("count", range(1, 14))
def test_the_interquartile_mean_is_the_trimmed_mean_of_scipy(count):
    values = np.random.default_rng(count).normal(size=count)
    found = statistics.interquartile_mean([values], BOOTSTRAP).value
    assert found == pytest.approx(scipy.stats.trim_mean(values, 0.25), rel=1e-12)


def test_sampled_interquartile_means_are_those_of_the_sampled_samples():
    values = RNG.normal(size=11)
    (weights,) = Bootstrap(50).weights([4, 7])
    sampled = [np.repeat(values, row.astype(int)) for row in weights]
    assert statistics.trimmed_mean(values, weights) == pytest.approx(
        [scipy.stats.trim_mean(sample, 0.25) for sample in sampled], rel=1e-12
    )


def test_the_optimality_gap_is_that_of_rliable():
    check_interval(
        statistics.optimality_gap(strata(X), BOOTSTRAP),
        rliable_interval({"x": X}, metrics.aggregate_optimality_gap),
    )


def test_the_mean_over_workloads_is_that_of_rliable():
    check_interval(
        statistics.mean(strata(X), BOOTSTRAP),
        rliable_interval({"x": X}, metrics.aggregate_mean),
    )


def test_the_probability_of_improvement_is_that_of_rliable():
    # Its bootstrap takes 10 ms a repetition: 300 of them are four times as far off.
    x, y = X[:, :3], Y[:, :3]
    check_interval(
        statistics.probability_of_improvement(strata(x), strata(y), BOOTSTRAP),
        rliable_interval({"x,y": (x, y)}, metrics.probability_of_improvement, 300),
        4 * CLOSE,
    )


def test_profiles_are_those_of_rliable():
    thresholds = np.linspace(0, 1.1, 23)
    found, intervals = library.create_performance_profile(
        {"x": X}, thresholds, reps=2000, use_score_distribution=True
    )
    value, low, high = statistics.profile(strata(X), thresholds, BOOTSTRAP)
    assert value == pytest.approx(found["x"], rel=1e-12)
    # Shares of 49 runs move in steps of 1/49: two quantiles are a step apart at most.
    assert low == pytest.approx(intervals["x"][0], abs=1.01 / 49)
    assert high == pytest.approx(intervals["x"][1], abs=1.01 / 49)


def test_the_interval_of_a_mean_is_that_of_scipy():
    values = np.array([2.0, 3.0, 5.0, 11.0, 13.0])
    found = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=20000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    estimate = statistics.mean([values], Bootstrap(20000))
    # The mean's standard deviation is 1.97, a tenth of it many times what two bootstraps differ.
    assert estimate.value == pytest.approx(6.8)  # 34 / 5
    assert estimate.low == pytest.approx(found.low, abs=0.2)
    assert estimate.high == pytest.approx(found.high, abs=0.2)


@pytest.mark.parametrize("count", [2, 3, 5, 31, 40])
def test_the_interval_of_a_mean_over_seeds_is_students(count):
    values = np.random.default_rng(count).normal(5.0, 2.0, size=count)
    low, high = scipy.stats.t.interval(
        0.95, count - 1, loc=values.mean(), scale=values.std(ddof=1) / np.sqrt(count)
    )
    estimate = statistics.mean_over_seeds(values)
    # The table of quantiles has five digits.
    assert estimate.value == pytest.approx(values.mean())
    assert (estimate.low, estimate.high) == pytest.approx((low, high), rel=1e-4)


def test_one_seed_has_no_interval_and_equal_seeds_have_none_to_show():
    assert statistics.mean_over_seeds(np.array([0.1])) == statistics.Estimate(0.1)
    alike = statistics.mean_over_seeds(np.array([0.1, 0.1, 0.1]))
    assert (alike.low, alike.value, alike.high) == (0.1, 0.1, 0.1)


def test_the_interval_of_two_runs_is_by_enumeration():
    # Sampled with replacement: (2, 2), (2, 5), (5, 2), (5, 5), so 2, 3.5 or 5, each end with 1/4.
    estimate = statistics.mean([np.array([2.0, 5.0])], BOOTSTRAP)
    assert (estimate.low, estimate.value, estimate.high) == (2.0, 3.5, 5.0)


def test_sampled_counts_are_multinomial_within_each_stratum():
    (weights,) = BOOTSTRAP.weights([2, 3])
    assert (weights[:, :2].sum(axis=1) == 2).all()
    assert (weights[:, 2:].sum(axis=1) == 3).all()
    # (2, 0) has probability 1/4: 1000 of 4000, with a standard deviation of 27.
    assert abs((weights[:, 0] == 2).sum() - 1000) < 5 * 27


def test_equal_sizes_are_sampled_alike_and_chunks_change_no_count(monkeypatch):
    whole = np.concatenate(list(BOOTSTRAP.weights([3, 4])))
    assert (whole == np.concatenate(list(BOOTSTRAP.weights([3, 4])))).all()
    monkeypatch.setattr(statistics, "_MOST_NUMBERS", 700)
    chunks = list(BOOTSTRAP.weights([3, 4]))
    assert [len(chunk) for chunk in chunks] == [100] * 40
    assert (np.concatenate(chunks).sum(axis=1) == 7).all()


def test_workloads_with_more_runs_weigh_no_more():
    ragged = [np.array([0.2, 0.4]), np.array([0.9])]
    assert statistics.mean(ragged, BOOTSTRAP).value == pytest.approx(0.6)  # (0.3 + 0.9) / 2
    # 0.2 and 0.4 against 0.3: 1/2; 0.9 against 0.9: a tie; in the mean of both 1/2.
    other = [np.array([0.3]), np.array([0.9])]
    assert statistics.probability_of_improvement(ragged, other, BOOTSTRAP).value == 0.5
    value, _, _ = statistics.profile(ragged, np.array([0.3, 0.5]), BOOTSTRAP)
    assert value == pytest.approx([0.75, 0.5])  # (1/2 + 1) / 2, (0 + 1) / 2


def test_runs_that_end_alike_leave_nothing_to_sample():
    estimate = statistics.mean([np.array([0.1, 0.1, 0.1]), np.array([0.7])], BOOTSTRAP)
    assert estimate.low == estimate.value == estimate.high == pytest.approx(0.4)


def test_one_run_has_no_interval():
    for estimate in (
        statistics.mean([np.array([2.0])], BOOTSTRAP),
        statistics.interquartile_mean([np.array([2.0]), np.array([3.0])], BOOTSTRAP),
    ):
        assert not estimate.has_interval


def test_the_geometric_speed_up_is_by_hand():
    # 6 / 3 = 2 and the mean of 2 and 4 over 12: 1/4; their geometric mean is √(1/2).
    baseline = [np.array([6.0]), np.array([2.0, 4.0])]
    agent = [np.array([3.0]), np.array([12.0])]
    estimate = statistics.geometric_speed_up(baseline, agent, BOOTSTRAP)
    assert estimate.value == pytest.approx(np.sqrt(0.5))
    # The baseline's second mean is sampled as 2, 3 or 4, the ends with 1/4 each.
    assert estimate.low == pytest.approx(np.sqrt(2 * 2 / 12))
    assert estimate.high == pytest.approx(np.sqrt(2 * 4 / 12))


def test_the_interval_of_a_speed_up_holds_the_truth_as_often_as_it_says():
    # Step times around 3 and 2 with 20 runs each: the truth, 1.5, is in 95 % of intervals, less a
    # little since percentile intervals of few runs are narrow: 200 experiments, at least 170.
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(200):
        a, b = rng.normal(3, 0.3, 20), rng.normal(2, 0.3, 20)
        estimate = statistics.geometric_speed_up([a], [b], Bootstrap(400))
        held += estimate.low <= 1.5 <= estimate.high
    assert 170 <= held < 200


@pytest.mark.parametrize("seed", range(6))
def test_kendall_s_tau_is_that_of_scipy(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 5, (2, 9)).astype(float)
    assert statistics.kendall_tau(x, y) == pytest.approx(scipy.stats.kendalltau(x, y).statistic)


def test_kendall_s_tau_of_permutations_counts_inversions():
    first = np.arange(4.0)
    for order in itertools.permutations(range(4)):
        inversions = sum(a > b for a, b in itertools.combinations(order, 2))
        assert statistics.kendall_tau(first, np.array(order, dtype=float)) == pytest.approx(
            1 - 2 * inversions / 6
        )
    assert statistics.kendall_tau(first, np.ones(4)) is None
