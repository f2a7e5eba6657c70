"""Charts of points with intervals, a row for each agent, as Bokeh models."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, Label, Range1d, Span
from bokeh.plotting import figure

from opyard.compare import figures
from opyard.compare.comparison import Comparison
from opyard.compare.figures import RATIO, Unit
from opyard.compare.matrix import Workload
from opyard.compare.palette import GREY, Style
from opyard.compare.standings import Standing, standings
from opyard.compare.statistics import Estimate
from opyard.viewer.figures import Toggle

TEXT_SIZE = "12px"
_ROW = 26  # pixels
_AXIS = 66  # pixels: the axis, its title and what is above the rows
_LONGEST_NAME = 24  # characters beside a row
_MOST_LINEAR = 8.0  # greatest / least, before an axis becomes logarithmic
_MARGIN = 0.05  # of the range, on either side
_LEAST_MARGIN = 0.005  # of the greatest value


@dataclasses.dataclass(frozen=True)
class Chart:
    """One chart of a page."""

    name: str  # fit for an id
    title: str
    note: str
    model: figure
    height_px: int
    toggles: tuple[Toggle, ...] = ()  # its legend


@dataclasses.dataclass(frozen=True)
class Row:
    """One point with its interval."""

    agent: str
    estimate: Estimate
    text: str  # the figure as tables show it
    remark: str = ""  # behind the name

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the interval; both the value where there is none."""
        e = self.estimate
        return (e.value, e.value) if e.low is None or e.high is None else (e.low, e.high)


def shortened(name: str, most: int = _LONGEST_NAME) -> str:
    """The name in at most so many characters: the middle of a long one is left out."""
    if len(name) <= most:
        return name
    tail = most // 3
    return f"{name[: most - tail - 1]}…{name[-tail:]}"


def interval_chart(
    rows: Sequence[Row],
    styles: Mapping[str, Style],
    title: str,
    line: tuple[float, str] | None = None,
    height_px: int | None = None,
) -> figure:
    """A row for each agent, the first on top.

    Args:
        rows: At least one.
        styles: By agent.
        title: Of the axis of values.
        line: A value that a vertical line stands at, and its name.
        height_px: The height of the whole; default: as the number of rows needs it.

    Returns:
        The model; its source "rows" has the columns agent, value, low, high and text.
    """
    source = _source(rows, styles)
    ends = [end for row in rows for end in row.ends] + ([line[0]] if line else [])
    is_logarithmic = min(ends) > 0 and max(ends) / min(ends) > _MOST_LINEAR
    chart = figure(
        height=height_px or _height(len(rows)),
        sizing_mode="stretch_width",
        x_axis_type="log" if is_logarithmic else "linear",
        x_range=_range(min(ends), max(ends), is_logarithmic),
        y_range=Range1d(-0.6, len(rows) - 0.4),
        x_axis_label=title,
        toolbar_location=None,
        tools="",
    )
    if line is not None:
        _add_line(chart, *line)
    bars = chart.segment("low", "place", "high", "place", source=source, line_color="colour",
                         line_width=5, line_alpha=0.45, line_cap="round")  # fmt: skip
    points = chart.scatter("value", "place", source=source, size=10, color="colour",
                           marker="marker", line_color="colour")  # fmt: skip
    chart.add_tools(
        HoverTool(renderers=[bars, points], tooltips=[("", "@agent"), (title, "@text")])
    )
    _name_rows(chart, rows)
    return chart


def _source(rows: Sequence[Row], styles: Mapping[str, Style]) -> ColumnDataSource:
    return ColumnDataSource(
        {
            "place": [float(len(rows) - 1 - i) for i in range(len(rows))],
            "agent": [row.agent + row.remark for row in rows],
            "value": [row.estimate.value for row in rows],
            "low": [row.ends[0] for row in rows],
            "high": [row.ends[1] for row in rows],
            "text": [row.text for row in rows],
            "colour": [styles[row.agent].colour for row in rows],
            "marker": [styles[row.agent].marker for row in rows],
        },
        name="rows",
    )


def _height(count: int) -> int:
    return _AXIS + count * _ROW


def _range(least: float, most: float, is_logarithmic: bool) -> Range1d:
    if is_logarithmic:
        factor = (most / least) ** _MARGIN
        return Range1d(least / factor, most * factor)
    margin = max((most - least) * _MARGIN, abs(most) * _LEAST_MARGIN) or 1.0
    return Range1d(least - margin, most + margin)


def _add_line(chart: figure, value: float, name: str) -> None:
    span = Span(location=value, dimension="height", line_dash="dashed", line_width=1.5,
                line_color=GREY, level="underlay")  # fmt: skip
    label = Label(x=value, y=0, y_units="screen", text=name, text_font_size="11px", x_offset=4,
                  y_offset=1, level="underlay")  # fmt: skip
    chart.add_layout(span)
    chart.add_layout(label)


def _name_rows(chart: figure, rows: Sequence[Row]) -> None:
    places = list(range(len(rows)))
    names = [shortened(row.agent, _LONGEST_NAME - len(row.remark)) + row.remark for row in rows]
    chart.yaxis.ticker = FixedTicker(ticks=places)
    chart.yaxis.major_label_overrides = dict(zip(places, reversed(names), strict=True))
    chart.yaxis.major_tick_line_color = None
    chart.ygrid.grid_line_color = None
    for axis in (chart.xaxis, chart.yaxis):
        axis.major_label_text_font_size = TEXT_SIZE
        axis.axis_label_text_font_size = TEXT_SIZE


def _speed_up_rows(comparison: Comparison, found: Sequence[Standing]) -> list[Row]:
    total = len(comparison.matrix.workloads)
    return [
        Row(
            standing.agent,
            standing.speed_up,
            RATIO.estimate(standing.speed_up),
            "" if standing.is_complete else f" ({standing.workloads} of {total})",
        )
        for standing in found
        if standing.speed_up is not None
    ]


def speed_up_chart(
    comparison: Comparison,
    styles: Mapping[str, Style],
    name: str = "speed-ups",
    most: int | None = None,
    least_height_px: int = 0,
) -> Chart | None:
    """Mean speed-ups of the agents, the best on top; None where nobody compares.

    Args:
        comparison: The comparison.
        styles: By agent.
        name: Of the chart.
        most: The most agents; beyond that, the baseline takes the last row.
        least_height_px: The least height.
    """
    rows = _speed_up_rows(comparison, standings(comparison))
    if not rows:
        return None
    if most is not None and len(rows) > most:
        kept = rows[:most]
        if all(row.agent != comparison.baseline for row in kept):
            kept[-1:] = [row for row in rows if row.agent == comparison.baseline]
        rows = kept
    title = f"speed-up over {shortened(comparison.baseline, 40)}"
    height = max(_height(len(rows)), least_height_px)
    model = interval_chart(rows, styles, title, (1.0, "baseline"), height)
    note = (
        "Geometric mean over workloads (their number in brackets where it is not all); bars: 95 % "
        "bootstrap. Further right is better."
    )
    return Chart(name, "Mean speed-ups", note, model, height)


def value_unit(objective: str, values: Sequence[float]) -> tuple[str, Unit]:
    """The name of an objective's values, and the unit that fits them."""
    return {
        "makespan": ("step time", figures.time_unit(values)),
        "peak_memory": ("peak memory", figures.bytes_unit(values)),
    }.get(objective, (f"score ({objective})", Unit("", 1.0, 4)))


def workload_chart(
    comparison: Comparison, workload: Workload, name: str, styles: Mapping[str, Style]
) -> Chart | None:
    """The values of one workload by agent, the least on top; None where nobody has a plan."""
    cells = comparison.summaries.cells
    found = {a: cells[workload, a].value for a in comparison.matrix.agents}
    estimates = {agent: estimate for agent, estimate in found.items() if estimate is not None}
    if not estimates:
        return None
    what, unit = value_unit(workload.objective, [e.value for e in estimates.values()])
    rows = [
        Row(agent, _scaled(estimate, unit), f"{unit.estimate(estimate)} {unit.name}".strip())
        for agent, estimate in sorted(estimates.items(), key=lambda pair: pair[1].value)
    ]
    reference = comparison.summaries.references.get(workload)
    bound = reference.bound if reference is not None else None
    line = (bound.value / unit.scale, "proven bound") if bound is not None else None
    title = f"{what} [{unit.name}]" if unit.name else what
    note = "Mean over seeds of a run's best plan; bars: 95 % intervals. Further left is better."
    return Chart(name, what, note, interval_chart(rows, styles, title, line), _height(len(rows)))


def _scaled(estimate: Estimate, unit: Unit) -> Estimate:
    ends = (estimate.low, estimate.high)
    low, high = (None if end is None else end / unit.scale for end in ends)
    return Estimate(estimate.value / unit.scale, low, high)


def robust_chart(comparison: Comparison, styles: Mapping[str, Style]) -> Chart | None:
    """Speed-ups of best plans on perturbed machines; None where none was asked for."""
    robustness = comparison.robustness
    if robustness is None or not robustness.overall:
        return None
    rows = []
    for agent, row in sorted(robustness.overall.items(), key=lambda pair: -pair[1].nominal):
        estimate = Estimate(row.nominal, *(row.range() or (None, None)))
        rows.append(Row(agent, estimate, RATIO.estimate(estimate)))
    title = f"speed-up over {shortened(robustness.baseline, 40)}"
    return Chart(
        "robust",
        "Speed-ups on perturbed machines",
        f"Of best plans: on the machine as it is, and the range over {len(robustness.worlds)} "
        "perturbations.",
        interval_chart(rows, styles, title, (1.0, "baseline")),
        _height(len(rows)),
    )
