#!/usr/bin/env python3
"""Writes by how much agents are better or worse than uniform samples, as a page.

    python scripts/sizes_table.py RESULTS > PAGE

RESULTS is the folder of an `opyard run`, finished or not, whose experiment has the agent `random`.
One row per graph and machine, one column per agent: its mean step time over that of `random`, minus
1, and behind it in how many of the seeds that both have it was no worse; the one run of an agent
that samples nothing stands for every seed. Bold is what is more than 0.5 % worse.
"""

from __future__ import annotations

import statistics
import sys
from collections import defaultdict

import stored_runs

RANDOM = "random"
TOLERANCE = 0.005

Times = dict[int, float]  # seed -> milliseconds of a step


def times_of(runs: list[stored_runs.StoredRun]) -> dict[tuple[str, str], dict[str, Times]]:
    """The step times of the runs whose plan fits, by problem and agent."""
    found: dict[tuple[str, str], dict[str, Times]] = defaultdict(lambda: defaultdict(dict))
    for run in runs:
        if run.milliseconds is not None:
            found[(run.graph, run.machine)][run.agent][run.seed] = run.milliseconds
    return found


def cell(times: Times, random: Times) -> str:
    """The cell of one agent on one problem."""
    if not times:
        return "–"
    change = statistics.fmean(times.values()) / statistics.fmean(random.values()) - 1.0
    both = times.keys() & random.keys()
    no_worse = sum(times[seed] <= random[seed] for seed in both)
    text = f"{change:+.2%}"
    return f"{f'**{text}**' if change > TOLERANCE else text} ({no_worse}/{len(both)})"


def main() -> int:
    """Returns the status of the process."""
    arguments = stored_runs.parse(stored_runs.parser_of(__doc__))
    problems = times_of(stored_runs.read_runs(arguments.results))
    once = stored_runs.agents_that_run_once(arguments.results)
    agents = sorted({agent for row in problems.values() for agent in row} - {RANDOM})
    print(
        "| graph | machine | random [ms] | " + " | ".join(f"`{agent}`" for agent in agents) + " |"
    )
    print("|---|---|---:" + "|---:" * len(agents) + "|")
    for (graph, machine), row in problems.items():
        if not row[RANDOM]:
            continue
        mean = statistics.fmean(row[RANDOM].values())
        for agent in once & row.keys():
            row[agent] = dict.fromkeys(row[RANDOM], statistics.fmean(row[agent].values()))
        cells = [cell(row[agent], row[RANDOM]) for agent in agents]
        print(f"| `{graph}` | {machine} | {mean:.3f} | " + " | ".join(cells) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
