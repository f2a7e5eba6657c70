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

import csv
import math
import statistics
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import stored_runs
from stored_runs import half_interval

EXPERT = "human_expert"
TARGET = "reinforce_lstm"
TARGET_SHARE = 1.05
BEST_KNOWN = Path(__file__).parent.parent / "docs" / "results" / "best_known.csv"


@dataclass
class Runs:
    """The results of the seeds of one agent on one problem."""

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


def by_problem(stored: list[stored_runs.StoredRun]) -> dict[Problem, dict[str, Runs]]:
    """All runs by problem and agent, in the order in which they were stored."""
    found: dict[Problem, dict[str, Runs]] = defaultdict(lambda: defaultdict(Runs))
    for run in stored:
        runs = found[(run.graph, run.machine, run.tasks)][run.agent]
        runs.num_runs += 1
        runs.evaluations.append(run.evaluations)
        runs.cpu_seconds.append(run.cpu_seconds)
        runs.histories.append(run.history)
        if run.milliseconds is not None:
            runs.milliseconds.append(run.milliseconds)
    return found


def read_best_known(path: Path) -> dict[Problem, float]:
    """The best known step time of each problem, in milliseconds."""
    with path.open(encoding="utf-8", newline="") as file:
        return {
            (row["graph"], row["machine"], row["tasks"]): float(row["makespan_s"]) * 1e3
            for row in csv.DictReader(file)
        }


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
    parser = stored_runs.parser_of(__doc__)
    parser.add_argument(
        "--best-known", type=Path, default=BEST_KNOWN, help="a table of `opyard results best-known`"
    )
    arguments = stored_runs.parse(parser)
    best_known = read_best_known(arguments.best_known)
    for problem, agents in by_problem(stored_runs.read_runs(arguments.results)).items():
        print_problem(problem, agents, best_known.get(problem))
    return 0


if __name__ == "__main__":
    sys.exit(main())
