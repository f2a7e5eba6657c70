#!/usr/bin/env python3
"""Writes how GO fares with rows along stages, beside the stored runs of `go-small`.

    python scripts/go_rows_table.py RESULTS --agent LABEL > PAGE

RESULTS is the folder of an `opyard run go-small` that has the agent, finished or not. The step
times of the other agents are those of docs/results/go-small/runs.csv.gz, means over their seeds.
The share closed is what an agent takes off the time of `human_expert`, of all that the best known
plan (docs/results/best_known.csv) takes off it; the last row's is of the geomeans.
"""

from __future__ import annotations

import csv
import gzip
import math
import statistics
import sys
from collections import defaultdict
from pathlib import Path

import stored_runs
from go_table import short
from learned_table import BEST_KNOWN, EXPERT, read_best_known

STORED = Path(__file__).parent.parent / "docs" / "results" / "go-small" / "runs.csv.gz"
OTHERS = ("hdp", "go", "go_search", "auto")

Key = tuple[str, str]  # graph, machine


def read_stored() -> dict[Key, dict[str, float]]:
    """The mean step time of each agent of `go-small`, in milliseconds."""
    times: dict[Key, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with gzip.open(STORED, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["outcome"] == "completed":
                milliseconds = float(row["makespan_ps"]) * 1e-9
                times[(row["graph"], row["hardware"])][row["agent"]].append(milliseconds)
    return {
        key: {agent: statistics.fmean(values) for agent, values in agents.items()}
        for key, agents in times.items()
    }


def read_new(results: Path, agent: str) -> dict[Key, list[float]]:
    """The step times of the agent's runs, in milliseconds."""
    times: dict[Key, list[float]] = defaultdict(list)
    for run in stored_runs.read_runs(results):
        if run.agent == agent and run.milliseconds is not None:
            times[(run.graph, run.machine)].append(run.milliseconds)
    return times


def share(expert: float, time: float, best: float) -> float:
    """Of the head-room that is closed."""
    return (expert - time) / (expert - best)


def geomean_share(rows: list[tuple[float, float, float]]) -> float:
    """ln(expert / time) / ln(expert / best), of the geomeans of (expert, time, best)."""
    gained = sum(math.log(expert / time) for expert, time, _ in rows)
    return gained / sum(math.log(expert / best) for expert, _, best in rows)


def print_page(new: dict[Key, list[float]], stored: dict[Key, dict[str, float]]) -> None:
    """A row for each workload, then the geomeans."""
    best_known = {(graph, machine): ms for (graph, machine, tasks), ms in
                  read_best_known(BEST_KNOWN).items() if tasks == "placement"}  # fmt: skip
    others = " | ".join(f"`{name}` /" for name in OTHERS)
    print(f"| workload | seeds | step time [ms] | expert / | {others} | share closed | before |")
    print("|---|---:|---:|---:|" + "---:|" * len(OTHERS) + "---:|---:|")
    ratios = defaultdict(list)
    rows, before = [], []
    for key, values in new.items():
        time, agents, best = statistics.fmean(values), stored[key], best_known[key]
        expert = agents[EXPERT]
        rows.append((expert, time, best))
        before.append((expert, agents["go"], best))
        for name in (EXPERT, *OTHERS):
            ratios[name].append(agents[name] / time)
        cells = " | ".join(f"{agents[name] / time:.3f}" for name in (EXPERT, *OTHERS))
        print(
            f"| `{short(key[0])}` | {len(values)} "
            f"| {time:.3f} ± {stored_runs.half_interval(values):.3f} | {cells} "
            f"| {share(*rows[-1]):.2f} | {share(*before[-1]):.2f} |"
        )
    cells = " | ".join(
        f"{statistics.geometric_mean(ratios[name]):.3f}" for name in (EXPERT, *OTHERS)
    )
    print(f"| geomean | | | {cells} | {geomean_share(rows):.2f} | {geomean_share(before):.2f} |")


def main() -> int:
    """Returns the status of the process."""
    parser = stored_runs.parser_of(__doc__)
    parser.add_argument("--agent", default="go", help="the label of the agent")
    arguments = stored_runs.parse(parser)
    print_page(read_new(arguments.results, arguments.agent), read_stored())
    return 0


if __name__ == "__main__":
    sys.exit(main())
