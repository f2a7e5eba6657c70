"""The answer of a comparison: one sentence, and how sure it is."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Literal

from opyard.compare import figures
from opyard.compare.comparison import Comparison
from opyard.compare.fairness import FEWEST_SEEDS, agents_with_few_seeds
from opyard.compare.standings import Standing, standings
from opyard.compare.statistics import Estimate

_MOST_NAMED = 3
Certainty = Literal["sure", "unsure", "unknown", "none"]  # none: nothing is compared


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Names of agents and workloads stand in backquotes."""

    headline: str  # one sentence
    certainty: Certainty
    reasons: list[str]  # sentences: for the certainty first, then reservations

    @property
    def text(self) -> str:
        """All of it as one paragraph."""
        return " ".join([self.headline, *self.reasons])


def verdict(comparison: Comparison) -> Verdict:
    """Which agent has the best mean over all workloads, by how much, and how sure that is.

    The lead is sure if the interval of the best lies beyond those of all others that compare on
    every workload, none of its runs failed, and there are enough seeds for intervals.
    """
    found = standings(comparison)
    certainty: Certainty
    reasons: list[str]
    complete = [standing for standing in found if standing.is_complete]
    certainty, reasons = "none", []
    if len(found) == 1:
        headline = _alone(comparison)
    elif not complete or [standing.agent for standing in complete] == [comparison.baseline]:
        headline = _partial(comparison, found)
    else:
        headline = _lead(comparison, complete)
        certainty, reasons = _certainty(comparison, complete)
    reasons += _failures(comparison, found[0].agent)
    if certainty == "sure" and comparison.aggregates[found[0].agent].failed:
        certainty = "unsure"
    absent = [standing.agent for standing in found if not standing.is_complete]
    if complete and absent and len(found) > 1:
        reasons.append(f"Not on every workload, and so left out: {named(absent)}.")
    return Verdict(headline, certainty, reasons + list(_room(comparison)))


def quoted(name: str) -> str:
    """A name as verdicts and findings hold it."""
    return "`" + name.replace("`", "'") + "`"


def named(names: Sequence[str]) -> str:
    """The first few, and how many more."""
    more = len(names) - _MOST_NAMED
    return ", ".join(map(quoted, names[:_MOST_NAMED])) + (f" and {more} more" if more > 0 else "")


def ratio(value: float) -> str:
    """A speed-up in as many digits as distinguish it from 1: "1.28", "1.004", "12.3"."""
    return figures.fixed(value, 3 if abs(value - 1) < 0.02 else 2 if value < 10 else 1)


def interval(estimate: Estimate) -> str:
    """The interval behind a figure in a sentence; nothing where all runs ended alike."""
    if estimate.low is None or estimate.high is None:
        return " (no interval: too few runs)"
    ends = (ratio(estimate.low), ratio(estimate.high))
    return "" if ends[0] == ends[1] else f" (95 %: {ends[0]}–{ends[1]})"


def better(comparison: Comparison) -> str:
    """The comparative of the objective: "faster", or what it is of other objectives."""
    objectives = {workload.objective for workload in comparison.matrix.workloads}
    if objectives == {"makespan"}:
        return "faster"
    return "lower in peak memory" if objectives == {"peak_memory"} else "better in the objective"


def _are(comparison: Comparison) -> str:
    return "run" if better(comparison) == "faster" else "are"


def _where(comparison: Comparison) -> str:
    labels = list(comparison.matrix.labels().values())
    return quoted(labels[0]) if len(labels) == 1 else f"{len(labels)} workloads"


def _lead(comparison: Comparison, complete: list[Standing]) -> str:
    best, baseline = complete[0], quoted(comparison.baseline)
    where = _where(comparison)
    if best.agent != comparison.baseline:
        assert best.speed_up is not None
        return (
            f"Plans of {quoted(best.agent)} {_are(comparison)} {ratio(best.speed_up.value)} × "
            f"{better(comparison)} than those of {baseline} on {where}{interval(best.speed_up)}"
            f"{_counts(comparison, best)}."
        )
    following = complete[1]
    assert following.speed_up is not None
    speed = "its speed" if better(comparison) == "faster" else "its value"
    return (
        f"No agent's plans {_are(comparison)} {better(comparison)} than those of {baseline}, the "
        f"baseline, on {where}: "
        f"{quoted(following.agent)} comes next with {ratio(following.speed_up.value)} × {speed}"
        f"{interval(following.speed_up)}{_counts(comparison, following)}."
    )


def _counts(comparison: Comparison, standing: Standing) -> str:
    """The workloads on which it is ahead, where there are several, and its failed runs."""
    whole = comparison.aggregates[standing.agent]
    failed = f", but {whole.failed} of its {whole.runs} runs failed" if whole.failed else ""
    if standing.workloads < 2:
        return failed
    if standing.ahead == standing.workloads:
        return f"; ahead on {'both' if standing.ahead == 2 else 'all'}{failed}"
    behind = f", behind on {standing.behind}" if standing.behind else ""
    equal = f", equal on {standing.equal}" if standing.equal else ""
    return f"; ahead on {standing.ahead} of {standing.workloads}{behind}{equal}{failed}"


def _alone(comparison: Comparison) -> str:
    agent, total = comparison.matrix.agents[0], len(comparison.matrix.workloads)
    cells = [comparison.summaries.cells[w, agent].value for w in comparison.matrix.workloads]
    if not any(cells):
        return f"{quoted(agent)}, the only agent, found no plan."
    took = ""
    if total == 1 and cells[0] and better(comparison) == "faster":
        unit = figures.time_unit([cells[0].value])
        took = f" finds a step of {unit.text(cells[0].value)} {unit.name}"
    else:
        took = " has results"
    where = _where(comparison)
    return f"{quoted(agent)}{took} on {where}; there is no other agent to compare it with."


def _partial(comparison: Comparison, found: list[Standing]) -> str:
    """No agent compares with the baseline on every workload."""
    baseline, total = quoted(comparison.baseline), len(comparison.matrix.workloads)
    rivals = [s for s in found if s.speed_up is not None and s.agent != comparison.baseline]
    begin = f"No agent compares with {baseline} on every workload"
    if not rivals:
        return f"{begin}, or on any."
    best = rivals[0]
    assert best.speed_up is not None
    return (
        f"{begin}; on {best.workloads} of {total}, plans of {quoted(best.agent)} "
        f"{_are(comparison)} {ratio(best.speed_up.value)} × {better(comparison)}"
        f"{interval(best.speed_up)}."
    )


def _certainty(comparison: Comparison, complete: list[Standing]) -> tuple[Certainty, list[str]]:
    """The certainty of the best mean by the intervals, as those marked in the tables show it."""
    best, others = complete[0].speed_up, complete[1:]
    assert best is not None
    follows = _following(comparison, complete)
    if best.low is None:
        return "unknown", [f"{follows}There is no interval: another seed may change the order."]
    near = [
        s.agent
        for s in others
        if s.speed_up is not None and (s.speed_up.high is None or s.speed_up.high >= best.low)
    ]
    if near:
        reason = f"{follows}The intervals do not separate {quoted(complete[0].agent)} from "
        return "unsure", [f"{reason}{named(near)}: another seed may change the order."]
    apart = f"{follows}The interval of {quoted(complete[0].agent)} lies beyond those of all others"
    if agents_with_few_seeds(comparison.matrix):
        return "unsure", [f"{apart}, but fewer than {FEWEST_SEEDS} seeds make intervals rough."]
    return "sure", [f"{apart}."]


def _following(comparison: Comparison, complete: list[Standing]) -> str:
    """A sentence on who comes next, and how far behind; nothing where the headline says it."""
    if len(complete) < 2 or comparison.baseline in (complete[0].agent, complete[1].agent):
        return ""
    best, following = complete[0].speed_up, complete[1].speed_up
    assert best is not None
    assert following is not None
    lead = best.value / following.value
    if lead <= 1:
        return f"{quoted(complete[1].agent)} has the same mean. "
    behind = f"{100 * (lead - 1):.2g} %" if lead < 2 else f"{ratio(lead)} ×"
    return f"{quoted(complete[1].agent)} comes next, {behind} behind. "


def _failures(comparison: Comparison, agent: str) -> Iterator[str]:
    """The failed runs of all but that agent."""
    whole = comparison.aggregates
    failing = [name for name, a in whole.items() if a.failed and name != agent]
    if failing:
        count = sum(whole[name].failed for name in failing)
        yield f"{count} runs of {named(failing)} failed; no mean holds them."


def _room(comparison: Comparison) -> Iterator[str]:
    """The distance of the best known plans from proven bounds."""
    references = comparison.summaries.references.values()
    bounded = [(r.bound, r.best) for r in references if r.bound is not None]
    if not bounded:
        return
    optimal = sum(bound.is_reached_by(best) for bound, best in bounded)
    total = len(comparison.matrix.workloads)
    gaps = [bound.gap_of(best) for bound, best in bounded if not bound.is_reached_by(best)]
    if optimal:
        where = "" if total == 1 else f" on {optimal} of {total} workloads"
        yield f"The best plan is proven optimal{where}."
    if gaps:
        plan = "plan" if total == 1 else "plans"
        most = figures.PERCENT.text(max(gaps))
        yield f"By proven bounds the best {plan} found can be improved by at most {most} %."
