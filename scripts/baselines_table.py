#!/usr/bin/env python3
"""Writes the table of an experiment with many graphs, machines and agents as a page.

    python scripts/baselines_table.py RESULTS > PAGE

RESULTS is the folder of an `opyard run`, finished or not. One row per graph and machine, one column
per agent: its mean step time over the seeds as a multiple of the best step time that any run of the
row found. A bold cell is the least of its row; "oom" is an agent none of whose plans fits, "–" one
without a run; (n) says how many of its runs fit, where some do not. With --summary only the table
of the agents over all rows, which stands before it, is written.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections import defaultdict

import stored_runs

Row = tuple[str, str]  # graph, machine
Times = dict[int, float | None]  # seed -> seconds of a step, None where no plan fits


def by_row(stored: list[stored_runs.StoredRun]) -> dict[Row, dict[str, Times]]:
    """The step times of all runs, by row and agent."""
    runs: dict[Row, dict[str, Times]] = defaultdict(lambda: defaultdict(dict))
    for run in stored:
        seconds = None if run.milliseconds is None else run.milliseconds * 1e-3
        runs[(run.graph, run.machine)][run.agent][run.seed] = seconds
    return runs


def completed(times: Times) -> list[float]:
    """The step times of the runs whose plan fits."""
    return [seconds for seconds in times.values() if seconds is not None]


def best_of(agents: dict[str, Times]) -> float | None:
    """The least step time of a row."""
    return min((least for times in agents.values() for least in completed(times)), default=None)


def spread_of(times: Times) -> float | None:
    """The slowdown of the worst seed relative to the best."""
    done = completed(times)
    return max(done) / min(done) - 1.0 if done else None


def cell(times: Times | None, best: float) -> tuple[float, str]:
    """The sort key of a cell, and its text."""
    if times is None:
        return math.inf, "–"
    done = completed(times)
    if not done:
        return math.inf, "oom"
    ratio = statistics.fmean(done) / best
    failures = f" ({len(done)})" if len(done) < len(times) else ""
    return ratio, f"{ratio:.3f}{failures}"


def print_rows(runs: dict[Row, dict[str, Times]], agents: list[str]) -> None:
    """Prints a row per graph and machine."""
    print("| graph | machine | best [ms] | " + " | ".join(agents) + " |")
    print("|---|---|---:" + "|---:" * len(agents) + "|")
    for (graph, machine), row in runs.items():
        best = best_of(row)
        if best is None:
            continue
        cells = [cell(row.get(agent), best) for agent in agents]
        least = min(ratio for ratio, _ in cells)
        texts = [f"**{text}**" if ratio == least else text for ratio, text in cells]
        print(f"| `{graph}` | {machine} | {best * 1e3:.3f} | " + " | ".join(texts) + " |")


def print_summary(runs: dict[Row, dict[str, Times]], agents: list[str]) -> None:
    """Prints a row per agent, the best one first."""
    print("| agent | geometric mean | worst row | within 1 % of the least mean | spread of seeds |")
    print("|---|---:|---:|---:|---:|")
    lines = []
    for agent in agents:
        ratios, spreads, close = [], [], 0
        for row in runs.values():
            best = best_of(row)
            if best is None or agent not in row:
                continue
            means = [cell(times, best)[0] for times in row.values()]
            ratio = cell(row[agent], best)[0]
            ratios.append(ratio)
            close += math.isfinite(ratio) and ratio <= 1.01 * min(means)
            spread = spread_of(row[agent])
            spreads += [] if spread is None else [spread]
        finite = [ratio for ratio in ratios if math.isfinite(ratio)]
        if finite:
            mean = math.exp(statistics.fmean(map(math.log, finite)))
            failed = len(ratios) - len(finite)
            note = f" ({failed} rows out of memory)" if failed else ""
            lines.append(
                (
                    mean,
                    f"| {agent} | {mean:.3f}{note} | {max(finite):.2f} | {close} of {len(ratios)} "
                    f"| {statistics.median(spreads):.1%} |",
                )
            )
    print("\n".join(text for _, text in sorted(lines)))


def main() -> int:
    """Returns the status of the process."""
    parser = stored_runs.parser_of(__doc__)
    parser.add_argument("--summary", action="store_true", help="leave out the row of each problem")
    arguments = stored_runs.parse(parser)
    runs = by_row(stored_runs.read_runs(arguments.results))
    agents = sorted({agent for row in runs.values() for agent in row})
    num_runs = sum(len(times) for row in runs.values() for times in row.values())
    print(
        f"{num_runs} runs of {len(agents)} agents on {len(runs)} problems. Step times are multiples"
    )
    print("of the best that any run of the row found.\n")
    print_summary(runs, agents)
    if not arguments.summary:
        print()
        print_rows(runs, agents)
    return 0


if __name__ == "__main__":
    sys.exit(main())
