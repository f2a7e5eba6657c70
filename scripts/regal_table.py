#!/usr/bin/env python3
"""Writes how much less each agent's plans score than BRKGA-5K's, beside what REGAL publishes.

    python scripts/regal_table.py RESULTS … [--baseline LABEL] > PAGE

RESULTS is the folder of `opyard run regal-small`, or of another configuration regal-*, finished
or not, or the runs.csv of it, plain or packed. Of several the runs count together; where two have
the same run, the later one. What is improved is (BRKGA-5K's score - the agent's) / BRKGA-5K's, in
per cent: the mean over the problems that both have a plan for, with half of its 95 % interval;
problems are the sample, of one seed each or of the means of several. The published column is the
test set of Paliwal et al., ICLR 2020, as their slides give it: other graphs, and an unpublished
setting of BRKGA.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import re
import sqlite3
import statistics
import sys
from collections import defaultdict
from pathlib import Path

import stored_runs

PUBLISHED = {
    "gp_dfs": -6.51,
    "local_search": 0.63,
    "brkga-5k": 0.0,
    "brkga_tuned": 0.8,
    "gas": 0.16,
    "regal": 3.56,
    "regal-placement": -0.2,
    "regal-scheduling": 3.65,
    "regal-bias": 1.88,
}

Problem = tuple[str, str]  # graph and machine


def runs_of(results: Path) -> list[tuple[str, str, str, int, str, float, float]]:
    """Graph, machine, agent, seed, outcome, score and CPU seconds of each run."""
    if results.is_dir():
        with sqlite3.connect(f"file:{results / 'results.sqlite'}?mode=ro", uri=True) as store:
            return store.execute(
                "SELECT graph, hardware, agent, seed, outcome, score, cpu_seconds FROM runs"
                " ORDER BY id"
            ).fetchall()
    with gzip.open(results, "rt") if results.suffix == ".gz" else results.open() as file:
        return [
            (
                row["graph"],
                row["hardware"],
                row["agent"],
                int(row["seed"]),
                row["outcome"],
                float(row["score"] or "inf"),
                float(row["cpu_seconds"] or 0.0),
            )
            for row in csv.DictReader(file)
        ]


def read_scores(
    results: list[Path],
) -> tuple[dict[str, dict[Problem, float]], dict[str, float]]:
    """The mean score of each agent on each problem that it has plans for; its CPU seconds a run."""
    runs = {run[:4]: run[4:] for folder in results for run in runs_of(folder)}
    scores: dict[str, dict[Problem, list[float]]] = defaultdict(lambda: defaultdict(list))
    seconds: dict[str, list[float]] = defaultdict(list)
    for (graph, machine, agent, _), (outcome, score, cpu) in runs.items():
        seconds[agent].append(cpu)
        if outcome == "completed":
            scores[agent][graph, machine].append(score)
    return (
        {
            agent: {problem: statistics.fmean(values) for problem, values in problems.items()}
            for agent, problems in scores.items()
        },
        {agent: statistics.fmean(values) for agent, values in seconds.items()},
    )


def improvements(
    base: dict[Problem, float], agent: dict[Problem, float], kept: str = ""
) -> list[float]:
    """Per cent, of each problem that both have, and in whose name `kept`, a pattern, is found."""
    return [
        100.0 * (base[problem] - score) / base[problem]
        for problem, score in agent.items()
        if problem in base
        and base[problem] > 0.0
        and re.search(kept, f"{problem[0]}@{problem[1]}@")
    ]


def cell(values: list[float]) -> str:
    """Mean and half of the interval, with the number of problems."""
    if not values:
        return "–"
    half = stored_runs.half_interval(values)
    return f"{statistics.fmean(values):+.2f} ± {half:.2f} ({len(values)})"


# A pattern in a problem's name, GRAPH@MACHINE@, and the column's title.
PARTS = {
    "": "all",
    "@(regal|p100x2-pcie)@": "2 devices",
    "@(regal-4|p100x4-pcie)@": "4 devices",
    "@(regal-8|p100x8-pcie)@": "8 devices",
    "random:regal": "`random:regal`",
    "layered|series_parallel": "layered, series-parallel",
    "fork_join|enas": "fork-join, ENAS",
    "zoo:": "zoo",
}


def main() -> int:
    """Returns the status of the process."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path, nargs="+", metavar="RESULTS")
    parser.add_argument("--baseline", default="brkga-5k", help="the label of BRKGA-5K")
    arguments = parser.parse_args()
    for path in arguments.results:
        if not (path / "results.sqlite").is_file() and not path.is_file():
            parser.error(f"{path}: found no results.sqlite, expected the folder of an opyard run")
    scores, seconds = read_scores(arguments.results)
    if arguments.baseline not in scores:
        print(f"{arguments.results}: found no plan of {arguments.baseline}", file=sys.stderr)
        return 2
    base = scores[arguments.baseline]
    print("| agent | " + " | ".join(PARTS.values()) + " | published | CPU s a run |")
    print("|---|" + "---:|" * (len(PARTS) + 2))
    for agent in sorted(scores, key=lambda agent: (PUBLISHED.get(agent, 99.0), agent)):
        cells = [cell(improvements(base, scores[agent], part)) for part in PARTS]
        published = f"{PUBLISHED[agent]:+.2f}" if agent in PUBLISHED else "–"
        print(f"| `{agent}` | {' | '.join(cells)} | {published} | {seconds[agent]:.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
