"""The subjects of a page, each a fold with its charts and tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence

from opyard.compare import charts, curve_charts, findings
from opyard.compare.charts import Chart
from opyard.compare.comparison import Comparison
from opyard.compare.palette import Style
from opyard.compare.table import Table


@dataclasses.dataclass(frozen=True)
class Section:
    """One subject; `name` is its id on the page."""

    name: str
    title: str
    finding: str  # names in backquotes
    charts: list[Chart] = dataclasses.field(default_factory=list)
    tables: list[Table] = dataclasses.field(default_factory=list)
    lines: list[str] = dataclasses.field(default_factory=list)


_OF = Callable[[Comparison], str]
# Of each section: its title, the names that its tables begin with, and its finding.
_SUBJECTS: tuple[tuple[str, str, tuple[str, ...], _OF], ...] = (
    ("workloads", "Workloads", (), findings.of_workloads),
    ("speed-ups", "Speed-ups", ("speed_up",), findings.of_speed_ups),
    ("values", "Step times", ("value",), findings.of_values),
    ("scores", "Scores", ("overview",), findings.of_overview),
    ("improvement", "Who beats whom", ("improvement",), findings.of_improvement),
    ("profile", "Profile", (), findings.of_profile),
    ("anytime", "Anytime", (), findings.of_anytime),
    ("costs", "Costs", ("cost", "cpu_seconds", "evaluations", "repaid"),
     findings.of_costs),
    ("training", "Learning", (), findings.of_training),
    ("use", "Load, memory", ("load_imbalance", "peak_memory"), findings.of_uses),
    ("robust", "Robustness", ("robust_",), findings.of_robustness),
)  # fmt: skip


def make_sections(
    comparison: Comparison,
    tables: Sequence[Table],
    styles: Mapping[str, Style],
    *,
    has_all_agents: bool,
) -> list[Section]:
    """The sections that have something in them, in the order in which they are read.

    Args:
        comparison: The comparison.
        tables: Its tables; each stands in one section.
        styles: By agent.
        has_all_agents: Whether the picture above the sections has all agents.
    """
    drawn = list(_charts(comparison, styles, has_all_agents))
    objectives = {workload.objective for workload in comparison.matrix.workloads}
    sections = []
    for name, title, prefixes, finding in _SUBJECTS:
        own = [table for table in tables if table.name.startswith(prefixes)] if prefixes else []
        found = [chart for section, chart in drawn if section == name]
        if name == "values" and objectives != {"makespan"}:
            title = "Values"
        if own or found or name == "workloads":
            sections.append(Section(name, title, finding(comparison), found, own))
    lines = [*comparison.fairness, _interval_line(comparison)]
    conditions = findings.of_conditions(comparison)
    return [*sections, Section("conditions", "Conditions", conditions, lines=lines)]


def _interval_line(comparison: Comparison) -> str:
    repetitions = comparison.summaries.bootstrap.repetitions
    return (
        "intervals: 95 %, of means over seeds by Student's t, of all else from "
        f"{repetitions} bootstrap repetitions"
    )


def _charts(
    comparison: Comparison, styles: Mapping[str, Style], has_all_agents: bool
) -> Iterator[tuple[str, Chart]]:
    """Charts with the names of their sections."""
    if not has_all_agents:
        every = charts.speed_up_chart(comparison, styles, "all-speed-ups")
        yield from [("speed-ups", every)] if every else []
    profile = curve_charts.profile_chart(comparison, styles)
    yield from [("profile", profile)] if profile else []
    yield from (("anytime", c) for c in curve_charts.anytime_charts(comparison, styles))
    yield from (("training", c) for c in curve_charts.learning_charts(comparison.learning, styles))
    robust = charts.robust_chart(comparison, styles)
    yield from [("robust", robust)] if robust else []
