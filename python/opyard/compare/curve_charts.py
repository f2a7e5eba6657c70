"""Charts of curves with bands, a line for each agent, as Bokeh models.

A click on an entry of the legend hides a line and its band, a second one shows them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from bokeh.models import ColumnDataSource, GlyphRenderer, HoverTool, NoOverlap, Range1d
from bokeh.plotting import figure

from opyard.compare.anytime import Curve
from opyard.compare.charts import TEXT_SIZE, Chart
from opyard.compare.comparison import THRESHOLDS, Comparison
from opyard.compare.learning import Learning
from opyard.compare.palette import Style
from opyard.compare.standings import standings
from opyard.compare.statistics import Values
from opyard.viewer.figures import Toggle

_HEIGHT = 320  # pixels, without the legend below
_TARGET = 10  # pixels around a point of steps, in which a pointer shows its value
_MOST_SHOWN = 9  # lines that show at first
_HINT = "A click on a name hides its curve or shows it."

Shape = Literal["line", "after", "before"]
"""Points are joined by straight lines, or by steps that keep a value after or before it."""


def curve_chart(
    curves: Mapping[str, tuple[Values, Curve]],
    styles: Mapping[str, Style],
    titles: tuple[str, str],
    *,
    shape: Shape = "line",
    is_logarithmic: bool = False,
    is_share: bool = True,
) -> tuple[figure, tuple[Toggle, ...]]:
    """The chart and its legend.

    Args:
        curves: The grid and the curve over it, by agent, the most interesting first: of more than
            nine the rest is hidden at first.
        styles: By agent.
        titles: Of both axes.
        shape: How the points of a curve are joined.
        is_logarithmic: Whether the grid's axis is.
        is_share: Whether values are from 0 to 1.

    Returns:
        The model has a source for each agent, of its name: x, value, low and high, without the
        points at which there is no value. Line and band have the name of the agent, too.
    """
    chart = figure(
        height=_HEIGHT,
        sizing_mode="stretch_width",
        x_axis_type="log" if is_logarithmic else "linear",
        x_axis_label=titles[0],
        y_axis_label=titles[1],
        tools="pan,box_zoom,wheel_zoom,reset",
        active_drag="box_zoom",
    )
    if is_share:
        chart.y_range = Range1d(-0.02, 1.04)
    toggles = []
    for i, (agent, (grid, curve)) in enumerate(curves.items()):
        style = styles[agent]
        toggles.append(Toggle(agent, style.colour, style.dash, i < _MOST_SHOWN))
        _add_curve(chart, _source(agent, grid, curve), style, shape, i < _MOST_SHOWN)
    for axis in (*chart.xaxis, *chart.yaxis):
        axis.major_label_text_font_size = TEXT_SIZE
        axis.axis_label_text_font_size = TEXT_SIZE
        axis.major_label_policy = NoOverlap()
    return chart, tuple(toggles)


def _source(agent: str, grid: Values, curve: Curve) -> ColumnDataSource:
    there = np.isfinite(curve.value)
    return ColumnDataSource(
        {
            "x": grid[there],
            "value": curve.value[there],
            "low": curve.low[there],
            "high": curve.high[there],
        },
        name=agent,
    )


def _add_curve(
    chart: figure, source: ColumnDataSource, style: Style, shape: Shape, is_visible: bool
) -> None:
    """The line with its band; a pointer shows the values of a point of the line."""
    band: dict[str, Any] = {"fill_color": style.colour, "fill_alpha": 0.16}
    line: dict[str, Any] = {"line_color": style.colour, "line_width": 2, "line_dash": style.dash}
    common: dict[str, Any] = {"source": source, "name": source.name, "visible": is_visible}
    if shape == "line":
        chart.varea("x", "low", "high", **band, **common)
        target = chart.line("x", "value", **line, **common)
    else:
        chart.varea_step("x", "low", "high", step_mode=shape, **band, **common)
        chart.step("x", "value", mode=shape, **line, **common)
        target = chart.scatter("x", "value", size=_TARGET, alpha=0, **common)
    _add_values(chart, target)


def _add_values(chart: figure, target: GlyphRenderer) -> None:
    texts = [
        ("", "$name"),
        (str(chart.xaxis.axis_label), "@x{0.[000]}"),
        (str(chart.yaxis.axis_label), "@value{0.000} [@low{0.000}, @high{0.000}]"),
    ]
    chart.add_tools(
        HoverTool(renderers=[target], tooltips=texts, line_policy="nearest", visible=False)
    )


def profile_chart(comparison: Comparison, styles: Mapping[str, Style]) -> Chart | None:
    """The share of runs that reach a fraction of the best known; None without any plan."""
    order = [s.agent for s in standings(comparison) if s.agent in comparison.profiles]
    if not order:
        return None
    curves = {agent: (THRESHOLDS, comparison.profiles[agent]) for agent in order}
    # A fraction between two points of the grid is reached by those at least that reach the next.
    model, toggles = curve_chart(
        curves, styles, ("best known / found", "share of runs"), shape="before"
    )
    note = (
        "Share of runs that reach at least this fraction of the best known; bands: 95 % bootstrap. "
        f"Higher is better. {_HINT}"
    )
    return Chart("profile", "Performance profile", note, model, _HEIGHT, toggles)


def anytime_charts(comparison: Comparison, styles: Mapping[str, Style]) -> Iterator[Chart]:
    """The best plan so far, by evaluations and by seconds."""
    order = [standing.agent for standing in standings(comparison)]
    note = (
        "Interquartile mean over all runs of best known / best so far, 0 before the first plan; "
        "bands: 95 % bootstrap. A run that has ended keeps its last plan. " + _HINT
    )
    for axis, found in comparison.anytime.items():
        curves = {a: (found.grid, found.curves[a]) for a in order if a in found.curves}
        if curves:
            titles = (axis, "best known / best so far")
            # A run keeps its best plan until a better one comes.
            model, toggles = curve_chart(curves, styles, titles, shape="after", is_logarithmic=True)
            title = f"Best plan so far, by {axis}"
            yield Chart(f"anytime-{axis}", title, note, model, _HEIGHT, toggles)


def learning_charts(learning: Sequence[Learning], styles: Mapping[str, Style]) -> Iterator[Chart]:
    """What agents that learn report of their updates, a chart for each value."""
    for i, found in enumerate(learning):
        curves = dict(found.curves)
        titles = ("updates", found.value.replace("_", " "))
        model, toggles = curve_chart(curves, styles, titles, is_share=False)
        where = "training before the runs" if found.is_before_runs else "learning in the runs"
        note = (
            "The value of each update of the one training."
            if found.is_before_runs
            else "Median over runs of all workloads; bands: between the quartiles."
        )
        title = f"{titles[1]}, {where}"
        yield Chart(f"training-{i + 1}", title, f"{note} {_HINT}", model, _HEIGHT, toggles)
