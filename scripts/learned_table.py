#!/usr/bin/env python3
"""Writes how learned agents fare beside rules and the best known plans, as a page.

    python scripts/learned_table.py RESULTS > PAGE

RESULTS is the folder of an `opyard run`, finished or not, whose experiment has `human_expert`. One
table per graph and machine. Step times are means over the seeds that found a plan that fits, ± the
half of the 95 % confidence interval (Student's t). The head-room is what the best plan of
docs/results/best_known.csv for the same tasks takes off the time of `human_expert`, and the share
closed is what an agent's mean takes off it: 1 is the best known plan, 0 the expert's, below 0 a
slower one. "to target" is the median over the seeds of the evaluations after which the best plan so
far was within 5 % of the mean step time that `reinforce_lstm` ends with; "–" where half of the runs
never were.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sqlite3
import statistics
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

EXPERT = "human_expert"
TARGET = "reinforce_lstm"
TARGET_SHARE = 1.05
BEST_KNOWN = Path(__file__).parent.parent / "docs" / "results" / "best_known.csv"
# The 97.5 % quantile of Student's t for 1, 2, … degrees of freedom; 1.96 beyond.
T_QUANTILES = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


@dataclass
class Runs:
    """What the seeds of one agent came to on one problem."""

    milliseconds: list[float] = field(default_factory=list)  # of those whose plan fits
    num_runs: int = 0
    evaluations: list[int] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)
    histories: list[list[tuple[int, float]]] = field(default_factory=list)  # (evaluations, ms)

    def evaluations_to(self, milliseconds: float) -> str:
        """The median of the evaluations after which a run's best plan took no longer."""
        reached = [
            next((count for count, best in history if best <= milliseconds), math.inf)
            for history in self.histories
        ]
        median = statistics.median_low(reached)
        return f"{median:.0f}" if math.isfinite(median) else "–"


Problem = tuple[str, str, str]  # graph, machine, tasks


def read_runs(results: Path) -> dict[Problem, dict[str, Runs]]:
    """All runs by problem and agent, in the order in which they were stored."""
    found: dict[Problem, dict[str, Runs]] = defaultdict(lambda: defaultdict(Runs))
    with sqlite3.connect(f"file:{results / 'results.sqlite'}?mode=ro", uri=True) as store:
        histories = defaultdict(list)
        for run, evaluations, makespan_ps in store.execute(
            "SELECT run, evaluations, makespan_ps FROM history ORDER BY run, evaluations"
        ):
            histories[run].append((evaluations, makespan_ps * 1e-9))
        for (
            run,
            graph,
            machine,
            settings,
            agent,
            outcome,
            makespan_ps,
            evaluations,
            cpu,
        ) in store.execute(
            "SELECT id, graph, hardware, settings, agent, outcome, makespan_ps, evaluations,"
            " cpu_seconds FROM runs ORDER BY id"
        ):
            tasks = ",".join(json.loads(settings)["problem"]["tasks"])
            runs = found[(graph, machine, tasks)][agent]
            runs.num_runs += 1
            runs.evaluations.append(evaluations)
            runs.cpu_seconds.append(cpu)
            runs.histories.append(histories[run])
            if outcome == "completed":
                runs.milliseconds.append(makespan_ps * 1e-9)
    return found


def read_best_known(path: Path) -> dict[Problem, float]:
    """The best known step time of each problem, in milliseconds."""
    with path.open(encoding="utf-8", newline="") as file:
        return {
            (row["graph"], row["machine"], row["tasks"]): float(row["makespan_s"]) * 1e3
            for row in csv.DictReader(file)
        }


def half_interval(values: list[float]) -> float:
    """Of the 95 % confidence interval of the mean; 0 for one value."""
    freedom = len(values) - 1
    if freedom < 1:
        return 0.0
    quantile = T_QUANTILES[freedom - 1] if freedom <= len(T_QUANTILES) else 1.96
    return quantile * statistics.stdev(values) / math.sqrt(len(values))


def print_problem(problem: Problem, agents: dict[str, Runs], best: float | None) -> None:
    """Prints the table of one problem."""
    graph, machine, tasks = problem
    expert = statistics.fmean(agents[EXPERT].milliseconds) if EXPERT in agents else None
    known = (
        ""
        if best is None or expert is None
        else (f", best known {best:.3f} ms, head-room {expert / best:.3f}")
    )
    print(f"\n`{graph}` on {machine}, {tasks}{known}\n")
    print("| agent | step time [ms] | share closed | to target | evaluations | CPU s | fits |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    target = math.inf
    if TARGET in agents and agents[TARGET].milliseconds:
        target = TARGET_SHARE * statistics.fmean(agents[TARGET].milliseconds)
    for agent, runs in agents.items():
        times = runs.milliseconds
        mean = statistics.fmean(times) if times else math.inf
        text = f"{mean:.3f} ± {half_interval(times):.3f}" if times else "–"
        closed = "–"
        if times and best is not None and expert is not None and expert > best:
            closed = f"{(expert - mean) / (expert - best):.2f}"
        print(
            f"| `{agent}` | {text} | {closed} "
            f"| {runs.evaluations_to(target)} | {statistics.fmean(runs.evaluations):.0f} "
            f"| {statistics.fmean(runs.cpu_seconds):.2f} | {len(times)}/{runs.num_runs} |"
        )


def main() -> int:
    """Returns the status of the process."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path, help="the folder of an `opyard run`")
    parser.add_argument(
        "--best-known", type=Path, default=BEST_KNOWN, help="a table of `opyard results best-known`"
    )
    arguments = parser.parse_args()
    results = arguments.results
    if not (results / "results.sqlite").is_file():
        print(
            f"{results}: no results.sqlite; run an experiment with --out {results}", file=sys.stderr
        )
        return 2
    best_known = read_best_known(arguments.best_known)
    for problem, agents in read_runs(results).items():
        print_problem(problem, agents, best_known.get(problem))
    return 0


if __name__ == "__main__":
    sys.exit(main())
