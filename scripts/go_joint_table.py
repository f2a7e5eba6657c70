#!/usr/bin/env python3
"""Writes what GO gains by deciding its three tasks together, beside the published figures.

    python scripts/go_joint_table.py RESULTS... > PAGE

RESULTS are the folders of the runs of `go-joint` that its configuration names, finished or not.
Step times are means over the seeds. A reduction is 1 − time of the joint search / time of the
other: above 0 the joint search is faster.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import defaultdict
from pathlib import Path

import stored_runs

JOINT = "placement,scheduling,fusion"

# Column: tasks and agent that it is of; what the paper says of the reduction against it.
COLUMNS = {
    "unoptimised": (("placement", "single_device"), "30–73 %"),
    "framework": ((JOINT, "framework_default"), "33–60 %"),
    "one device": ((JOINT, "single_device"), "–"),
    "METIS": ((JOINT, "metis-equal"), "–"),
    "learning off": ((JOINT, "go-no-learning"), "–"),
    "one after the other": ((JOINT, "go-sequential"), "7.8 % on average"),
    "placed, ordered": (("placement,scheduling", "go"), "above 0 everywhere"),
    "placed, fused": (("placement,fusion", "go"), "above 0 everywhere"),
    "ordered, fused": (("scheduling,fusion", "go"), "above 0 everywhere"),
    "orders sampled": ((JOINT, "go-gumbel"), "–"),
    "`auto`": ((JOINT, "auto"), "–"),
}
OF_JOINT = (JOINT, "go")

Times = dict[str, dict[tuple[str, str], list[float]]]  # of each graph: ms by (tasks, agent)


def read_times(folders: list[Path]) -> Times:
    """The step times of all runs that found a plan that fits."""
    times: Times = defaultdict(lambda: defaultdict(list))
    for folder in folders:
        for run in stored_runs.read_runs(folder):
            if run.milliseconds is not None:
                times[run.graph][(run.tasks, run.agent)].append(run.milliseconds)
    return times


def short(graph: str) -> str:
    """The name of a workload without its scale."""
    return graph.replace("&scale=tiny", "").replace("?scale=tiny", "")


def print_times(times: Times) -> None:
    """Step times in milliseconds."""
    print("| workload | joint | " + " | ".join(COLUMNS) + " |")
    print("|---|---:|" + "---:|" * len(COLUMNS))
    for graph, of_graph in times.items():
        joint = of_graph.get(OF_JOINT, [])
        cells = [
            f"{statistics.fmean(of_graph[key]):.3f}" if key in of_graph else "–"
            for key, _ in COLUMNS.values()
        ]
        middle = (
            f"{statistics.fmean(joint):.3f} ± {stored_runs.half_interval(joint):.3f}"
            if joint
            else "–"
        )
        print(f"| `{short(graph)}` | {middle} | " + " | ".join(cells) + " |")


def ratios(times: Times, key: tuple[str, str]) -> list[float | None]:
    """Time of the joint search / time of the other, for each workload."""
    return [
        statistics.fmean(of_graph[OF_JOINT]) / statistics.fmean(of_graph[key])
        if key in of_graph and OF_JOINT in of_graph
        else None
        for of_graph in times.values()
    ]


def print_reductions(times: Times) -> None:
    """Prints the reduction of the time of each other search by the joint one."""
    print(
        "\n| the joint search beside | least | geomean | greatest | workloads ahead | published |"
    )
    print("|---|---:|---:|---:|---:|---|")
    for name, (key, published) in COLUMNS.items():
        found = [ratio for ratio in ratios(times, key) if ratio is not None]
        if not found:
            continue
        ahead = sum(ratio < 1.0 for ratio in found)
        print(
            f"| {name} | {1 - max(found):.1%} | {1 - statistics.geometric_mean(found):.1%} "
            f"| {1 - min(found):.1%} | {ahead} of {len(found)} | {published} |"
        )


def main() -> int:
    """Returns the status of the process."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path, nargs="+", help="the folders of `opyard run`")
    folders = parser.parse_args().results
    missing = [folder for folder in folders if not (folder / "results.sqlite").is_file()]
    if missing:
        print(f"{missing[0]}: no results.sqlite; run an experiment with --out", file=sys.stderr)
        return 2
    times = read_times(folders)
    print_times(times)
    print_reductions(times)
    return 0


if __name__ == "__main__":
    sys.exit(main())
