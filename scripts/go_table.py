#!/usr/bin/env python3
"""Writes how GO fares beside its rivals on its 14 workloads, beside the published figures.

    python scripts/go_table.py RESULTS [--agent LABEL] > PAGE

RESULTS is the folder of `opyard run go-small`, finished or not. Step times are means over the
seeds. Ratios are step time of the other / step time of the agent: above 1 the agent is faster. The
share closed is what the agent takes off the time of `human_expert`, of all that the best known plan
for the same tasks (docs/results/best_known.csv) takes off it. "fewer" is how many times fewer
evaluations the agent needs to a plan within 1 % of HDP's final one than HDP to that final one,
medians of the seeds; "–" where half of the seeds never have one. The published columns are of table
2 of Zhou et al. 2020, as ratios.
"""

from __future__ import annotations

import math
import statistics
import sys
from dataclasses import dataclass

import stored_runs
from learned_table import BEST_KNOWN, EXPERT, Problem, Runs, by_problem, read_best_known

HDP = "hdp"
TO_TARGET = 1.01

# Human expert / GO-one and HDP / GO-one in table 2, and by how much the search was shorter.
PUBLISHED = {
    "zoo:rnnlm?layers=2": (1.110, 1.104, 2.95),
    "zoo:rnnlm?layers=4": (1.138, 1.195, 1.76),
    "zoo:rnnlm?layers=8": (1.038, 2.388, 27.8),
    "zoo:gnmt?layers=2": (1.276, 1.086, 30.0),
    "zoo:gnmt?layers=4": (1.340, 1.234, 58.8),
    "zoo:gnmt?layers=8": (1.277, 1.575, 7.35),
    "zoo:transformer_xl?layers=2": (1.202, 1.175, 40.0),
    "zoo:transformer_xl?layers=4": (1.174, 1.126, 26.7),
    "zoo:transformer_xl?layers=8": (1.314, 1.214, 16.7),
    "zoo:inception_v3?batch=32": (1.362, 1.314, 13.5),
    "zoo:inception_v3?batch=64": (1.728, 1.177, 21.0),
    "zoo:amoebanet": (1.117, 1.061, 58.8),
    "zoo:wavenet?stacks=2&layers=18": (1.186, 1.117, 6.67),
    "zoo:wavenet?stacks=4&layers=36": (1.499, 1.094, 20.0),
}


@dataclass(frozen=True)
class Row:
    """One workload: step times in milliseconds, and what follows from them."""

    name: str
    times: dict[str, float]  # of each agent
    spread: float  # half of the 95 % interval of the agent
    best: float | None  # known
    fewer: float | None
    published: tuple[float, float, float] | None

    def ratio(self, other: str, agent: str) -> float | None:
        """The step time of the other / that of the agent."""
        if other not in self.times or agent not in self.times:
            return None
        return self.times[other] / self.times[agent]

    def share(self, agent: str) -> float | None:
        """The share of the head-room that is closed."""
        expert = self.times.get(EXPERT)
        if expert is None or self.best is None or agent not in self.times or expert <= self.best:
            return None
        return (expert - self.times[agent]) / (expert - self.best)


def evaluations_to(runs: Runs, milliseconds: float) -> float:
    """The median over the seeds; infinite where half of them never came there."""
    return statistics.median_low(
        next((count for count, best in history if best <= milliseconds), math.inf)
        for history in runs.histories
    )


def times_fewer(agents: dict[str, Runs], agent: str) -> float | None:
    """HDP's evaluations / those of the agent, each to HDP's final plan."""
    if agent not in agents or HDP not in agents or not agents[HDP].milliseconds:
        return None
    final = statistics.median(agents[HDP].milliseconds)
    of_hdp = evaluations_to(agents[HDP], final)
    of_agent = evaluations_to(agents[agent], TO_TARGET * final)
    return of_hdp / of_agent if math.isfinite(of_agent) else None


def short(graph: str) -> str:
    """The name of a workload without its scale."""
    return graph.replace("&scale=small", "").replace("?scale=small", "")


def row_of(problem: Problem, agents: dict[str, Runs], agent: str, best: float | None) -> Row:
    """The row of one workload."""
    times = {
        label: statistics.fmean(runs.milliseconds)
        for label, runs in agents.items()
        if len(runs.milliseconds) == runs.num_runs
    }
    name = short(problem[0])
    spread = stored_runs.half_interval(agents[agent].milliseconds) if agent in agents else math.nan
    fewer = times_fewer(agents, agent)
    return Row(name, times, spread, best, fewer, PUBLISHED.get(name))


def geomean(values: list[float | None]) -> str:
    """The mean of the values that there are, with their number where some are missing."""
    found = [value for value in values if value is not None and value > 0.0]
    if not found:
        return "–"
    text = f"{statistics.geometric_mean(found):.3f}"
    return text if len(found) == len(values) else f"{text} ({len(found)})"


def figure(value: float | None, digits: int = 3) -> str:
    """A number, or a dash."""
    return "–" if value is None else f"{value:.{digits}f}"


def print_agent(rows: list[Row], agent: str) -> None:
    """One agent beside the expert, HDP and the published figures."""
    print(
        "| workload | step time [ms] | expert / | published | hdp / | published | fewer | published"
        " | head-room | share closed |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        published = row.published or (None, None, None)
        head_room = None if row.best is None else row.times[EXPERT] / row.best
        print(
            f"| `{row.name}` | {figure(row.times.get(agent))} ± {row.spread:.3f} "
            f"| {figure(row.ratio(EXPERT, agent))} | {figure(published[0])} "
            f"| {figure(row.ratio(HDP, agent))} | {figure(published[1])} "
            f"| {figure(row.fewer, 1)} | {figure(published[2], 1)} "
            f"| {figure(head_room)} | {figure(row.share(agent), 2)} |"
        )
    columns = [row.published or (None, None, None) for row in rows]
    closed = geomean_share(rows, agent)
    print(
        f"| geomean | | {geomean([row.ratio(EXPERT, agent) for row in rows])} "
        f"| {geomean([column[0] for column in columns])} "
        f"| {geomean([row.ratio(HDP, agent) for row in rows])} "
        f"| {geomean([column[1] for column in columns])} "
        f"| {geomean([row.fewer for row in rows])} | {geomean([column[2] for column in columns])} "
        f"| {geomean([row.times[EXPERT] / row.best if row.best else None for row in rows])} "
        f"| {figure(closed, 2)} |"
    )


def geomean_share(rows: list[Row], agent: str) -> float | None:
    """ln(expert / agent) / ln(expert / best known), of the geomeans."""
    known = [row for row in rows if row.best is not None and agent in row.times]
    if not known:
        return None
    gained = sum(math.log(row.times[EXPERT] / row.times[agent]) for row in known)
    possible = sum(math.log(row.times[EXPERT] / row.best) for row in known if row.best)
    return gained / possible


def print_agents(rows: list[Row], seconds: dict[str, float]) -> None:
    """All agents: the geomean over the workloads of their time over the best known."""
    print("\n| agent | time / best known | expert / time | workloads | CPU s a run |")
    print("|---|---:|---:|---:|---:|")
    labels = {label: None for row in rows for label in row.times}
    for label in labels:
        done = [row for row in rows if label in row.times and row.best]
        over = [row.times[label] / row.best for row in done if row.best]
        to_expert = geomean([row.ratio(EXPERT, label) for row in done])
        print(
            f"| `{label}` | {geomean(list(over))} | {to_expert} "
            f"| {len(done)} | {seconds[label]:.2f} |"
        )


def main() -> int:
    """Returns the status of the process."""
    parser = stored_runs.parser_of(__doc__)
    parser.add_argument("--agent", default="go", help="the label of the agent")
    arguments = stored_runs.parse(parser)
    best_known = read_best_known(BEST_KNOWN)
    problems = by_problem(stored_runs.read_runs(arguments.results))
    rows = [
        row_of(problem, agents, arguments.agent, best_known.get(problem))
        for problem, agents in problems.items()
    ]
    print_agent(rows, arguments.agent)
    labels = {label: None for agents in problems.values() for label in agents}
    print_agents(
        rows,
        {
            label: statistics.fmean(
                second
                for agents in problems.values()
                if label in agents
                for second in agents[label].cpu_seconds
            )
            for label in labels
        },
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
