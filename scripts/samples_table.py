#!/usr/bin/env python3
"""Writes how many plans agents simulate until they are as good as others end, as a page.

    python scripts/samples_table.py RESULTS LABEL [LABEL ...] > PAGE

RESULTS is the folder of an `opyard run`, finished or not. One table per graph and machine. Step
times are means over the seeds that found a plan that fits, ± the half of the 95 % confidence
interval (Student's t). For each LABEL, and for 5 % and 1 %: the median over the seeds of the
evaluations after which the best plan so far was within that of the mean step time that the agent of
that label ends with; "–" where half of the runs never were.
"""

from __future__ import annotations

import statistics
import sys

import learned_table
import stored_runs

SHARES = (1.05, 1.01)


def targets_of(agents: dict[str, learned_table.Runs], labels: list[str]) -> list[float]:
    """Milliseconds, for each label and each of SHARES."""
    return [
        share * statistics.fmean(agents[label].milliseconds)
        for label in labels
        if label in agents and agents[label].milliseconds
        for share in SHARES
    ]


def print_problem(
    problem: learned_table.Problem, agents: dict[str, learned_table.Runs], labels: list[str]
) -> None:
    """Prints the table of one problem."""
    graph, machine, tasks = problem
    heads = [
        f"to {(share - 1) * 100:.0f} % of `{label}`"
        for label in labels
        if label in agents and agents[label].milliseconds
        for share in SHARES
    ]
    print(f"\n`{graph}` on {machine}, {tasks}\n")
    print("| agent | step time [ms] | " + " | ".join(heads) + " | CPU s |")
    print("|---|---:|" + "---:|" * (len(heads) + 1))
    targets = targets_of(agents, labels)
    for agent, runs in agents.items():
        times = runs.milliseconds
        mean = (
            f"{statistics.fmean(times):.3f} ± {stored_runs.half_interval(times):.3f}"
            if times
            else "–"
        )
        reached = [runs.evaluations_to(target) for target in targets]
        cells = [mean, *reached, f"{statistics.fmean(runs.cpu_seconds):.1f}"]
        print(f"| `{agent}` | " + " | ".join(cells) + " |")


def main() -> int:
    """Returns the status of the process."""
    parser = stored_runs.parser_of(__doc__)
    parser.add_argument("labels", nargs="+", metavar="LABEL", help="an agent to be as good as")
    arguments = stored_runs.parse(parser)
    runs = stored_runs.read_runs(arguments.results)
    for problem, agents in learned_table.by_problem(runs).items():
        print_problem(problem, agents, arguments.labels)
    return 0


if __name__ == "__main__":
    sys.exit(main())
