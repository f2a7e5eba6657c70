#!/usr/bin/env python3
"""Writes how good each agent's best plan is after so many evaluations, as a table.

    python scripts/evaluations_table.py RESULTS [--at 1 6 16 128 1024] [--against LABEL]
                                        [--by-family] > TABLE

RESULTS is the folder of an `opyard run`, finished or not. Each figure is the geometric mean over
the workloads of the step time over that of the reference, where a workload's step time is the
geometric mean over its seeds: the best plan of docs/results/best_known.csv for the same tasks, or
what the agent LABEL of `--against` found by its last evaluation. ± is half of the 95 % interval
over the workloads of the last figure's logarithm (Student's t), "least workloads" counts those
where the agent's last mean is below the reference's. "–" where a run had no plan by then. With
`--by-family` there is a row for each family of graphs, too.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections import defaultdict

import stored_runs
from learned_table import BEST_KNOWN, Problem, Runs, by_problem, read_best_known
from stored_runs import half_interval

AT = (1, 6, 16, 128, 1024)
ALL = 10**18  # more evaluations than any run has


def best_after(history: list[tuple[int, float]], evaluations: int) -> float:
    """The step time of the best plan after so many evaluations; infinite before the first."""
    return min((best for count, best in history if count <= evaluations), default=math.inf)


def mean_log(runs: Runs, evaluations: float) -> float:
    """The mean over the seeds of the logarithm of the best; infinite where one has none."""
    logs = [
        math.log(best) if math.isfinite(best) else math.inf
        for best in (best_after(history, int(evaluations)) for history in runs.histories)
    ]
    return statistics.fmean(logs) if logs else math.inf


def family_of(graph: str) -> str:
    """`zoo:gnmt` of `zoo:gnmt?layers=2`."""
    return graph.partition("?")[0]


def ratios_at(
    problems: dict[Problem, dict[str, Runs]],
    references: dict[Problem, float],
    agent: str,
    evaluations: float,
) -> list[float]:
    """Logarithms of the agent's step time over the reference's, of each workload that has both."""
    return [
        mean_log(agents[agent], evaluations) - math.log(references[problem])
        for problem, agents in problems.items()
        if agent in agents and problem in references
    ]


def text_of(logs: list[float]) -> str:
    """The geometric mean, or a dash."""
    if not logs or not all(math.isfinite(log) for log in logs):
        return "–"
    return f"{math.exp(statistics.fmean(logs)):.3f}"


def print_rows(
    title: str,
    problems: dict[Problem, dict[str, Runs]],
    references: dict[Problem, float],
    at: list[int],
) -> None:
    """One row per agent."""
    agents = list(dict.fromkeys(agent for found in problems.values() for agent in found))
    for agent in agents:
        cells = [text_of(ratios_at(problems, references, agent, count)) for count in at]
        last = ratios_at(problems, references, agent, at[-1])
        is_finite = bool(last) and all(math.isfinite(log) for log in last)
        interval = f"± {100 * half_interval(last):.1f} %" if is_finite else "–"
        least = sum(log < 0.0 for log in last)
        print(f"| {title}`{agent}` | {' | '.join(cells)} | {interval} | {least} of {len(last)} |")


def references_of(
    problems: dict[Problem, dict[str, Runs]], against: str | None
) -> dict[Problem, float]:
    """The divisors of step times, in milliseconds."""
    if against is None:
        return read_best_known(BEST_KNOWN)
    return {
        problem: math.exp(mean_log(agents[against], ALL))
        for problem, agents in problems.items()
        if against in agents
    }


def main() -> int:
    """Returns the status of the process."""
    parser = stored_runs.parser_of(__doc__)
    parser.add_argument("--at", type=int, nargs="+", default=list(AT), help="evaluations")
    parser.add_argument("--against", help="an agent's label, in place of the best known plans")
    parser.add_argument("--by-family", action="store_true", help="rows for each family of graphs")
    arguments = stored_runs.parse(parser)
    problems = by_problem(stored_runs.read_runs(arguments.results))
    references = references_of(problems, arguments.against)
    at = sorted(arguments.at)
    print(f"| agent | {' | '.join(str(count) for count in at)} | 95 % | least workloads |")
    print(f"|---|{'---:|' * (len(at) + 2)}")
    print_rows("", problems, references, at)
    if arguments.by_family:
        families: dict[str, dict[Problem, dict[str, Runs]]] = defaultdict(dict)
        for problem, agents in problems.items():
            families[family_of(problem[0])][problem] = agents
        for family, members in families.items():
            print_rows(f"{family} · ", members, references, at)
    return 0


if __name__ == "__main__":
    sys.exit(main())
