"""Searches stay close to the best step times known: twelve problems of 100 to 900 ops.

A guard against a search that quietly gets worse. The gaps are those that the searches had when
they were measured (auto 1.083 and 1.379, cross_entropy 1.127 and 1.615, list_search 1.195 and
1.689, local_search 1.087 and 1.381, simulated_annealing 1.100 and 1.394), and a little more;
whoever makes a search better narrows them.
"""

from __future__ import annotations

import csv
import math
import statistics
from pathlib import Path

import opyard
import pytest

TABLE = Path(__file__).with_name("search_quality.csv")
EVALUATIONS = 1_000
SEEDS = range(5)

# The geometric mean over the problems of the median over seeds, and the greatest of the medians, as
# multiples of the best known step time.
GAPS = {
    "auto": (1.11, 1.46),
    "cross_entropy": (1.15, 1.70),
    "list_search": (1.21, 1.75),
    "local_search": (1.11, 1.45),
    "simulated_annealing": (1.12, 1.46),
}


def _problems() -> list[tuple[str, str, float]]:
    with TABLE.open(newline="") as lines:
        return [
            (row["graph"], row["hardware"], float(row["best_known_s"]))
            for row in csv.DictReader(lines)
        ]


def _median_gap(agent: str, graph: str, machine: str, best_known_s: float) -> float:
    return statistics.median(
        opyard.place(
            graph, machine, agent=agent, evaluations=EVALUATIONS, seed=seed, threads=1
        ).makespan_s
        / best_known_s
        for seed in SEEDS
    )


def test_there_are_twelve_problems() -> None:
    assert len(_problems()) == 12


@pytest.mark.slow
@pytest.mark.parametrize("agent", sorted(GAPS))
def test_a_search_is_close_to_the_best_known(agent: str) -> None:
    gaps = {problem[:2]: _median_gap(agent, *problem) for problem in _problems()}
    mean = math.exp(statistics.fmean(math.log(gap) for gap in gaps.values()))
    most_mean, most = GAPS[agent]
    assert mean <= most_mean, gaps
    assert max(gaps.values()) <= most, gaps
