"""The reader of the folder of an `opyard run`, for the scripts that make pages."""

from __future__ import annotations

import argparse
import json
import math
import sqlite3
import statistics
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

# The 97.5 % quantile of Student's t for 1, 2, … degrees of freedom.
T_QUANTILES = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


@dataclass(frozen=True)
class StoredRun:
    """One run of an experiment."""

    graph: str
    machine: str
    tasks: str  # with commas
    agent: str  # its label
    seed: int
    milliseconds: float | None  # of a step; None where no plan fits
    evaluations: int
    cpu_seconds: float
    history: list[tuple[int, float]] = field(default_factory=list)  # (evaluations, ms of the best)


def agents_that_run_once(results: Path) -> set[str]:
    """Labels of agents that sample nothing: their one run stands for every seed."""
    with sqlite3.connect(f"file:{results / 'results.sqlite'}?mode=ro", uri=True) as store:
        found = store.execute("SELECT value FROM info WHERE key = 'matrix'").fetchone()
    agents = json.loads(found[0])["agents"] if found and found[0] else []
    most = max((len(agent["seeds"]) for agent in agents), default=1)
    return {agent["label"] for agent in agents if len(agent["seeds"]) == 1 < most}


def read_runs(results: Path) -> list[StoredRun]:
    """All runs, in the order in which they were stored."""
    with sqlite3.connect(f"file:{results / 'results.sqlite'}?mode=ro", uri=True) as store:
        histories = defaultdict(list)
        for run, evaluations, makespan_ps in store.execute(
            "SELECT run, evaluations, makespan_ps FROM history ORDER BY run, evaluations"
        ):
            histories[run].append((evaluations, makespan_ps * 1e-9))
        rows = store.execute(
            "SELECT id, graph, hardware, settings, agent, seed, outcome, makespan_ps, evaluations,"
            " cpu_seconds FROM runs ORDER BY id"
        )
        return [
            StoredRun(
                graph,
                machine,
                ",".join(json.loads(settings)["problem"]["tasks"]),
                agent,
                seed,
                makespan_ps * 1e-9 if outcome == "completed" else None,
                evaluations,
                cpu_seconds,
                histories[run],
            )
            for (
                run,
                graph,
                machine,
                settings,
                agent,
                seed,
                outcome,
                makespan_ps,
                evaluations,
                cpu_seconds,
            ) in rows
        ]


def t_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t.

    Beyond the table the expansion of Abramowitz and Stegun 26.7.5, good to a thousandth.
    """
    if freedom <= len(T_QUANTILES):
        return T_QUANTILES[freedom - 1]
    z = statistics.NormalDist().inv_cdf(0.975)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


def half_interval(values: list[float]) -> float:
    """Half of the 95 % confidence interval of the mean; 0 for one value."""
    if len(values) < 2:
        return 0.0
    return t_quantile(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))


def parser_of(description: str) -> argparse.ArgumentParser:
    """For a script that takes the folder of a run, `results`."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path, help="the folder of an `opyard run`")
    return parser


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The arguments; leaves with status 2 where there is no store."""
    arguments = parser.parse_args()
    results = arguments.results
    if not (results / "results.sqlite").is_file():
        print(
            f"{results}: no results.sqlite; run an experiment with --out {results}", file=sys.stderr
        )
        sys.exit(2)
    return arguments
