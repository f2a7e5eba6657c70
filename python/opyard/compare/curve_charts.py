"""Charts of curves with bands, a line for each agent, as Bokeh models.

A click on an entry of the legend hides a line and its band, a second one shows them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, Legend, LegendItem, Range1d
from bokeh.plotting import figure

from opyard.compare.anytime import Curve
from opyard.compare.charts import TEXT_SIZE, Chart, shortened
from opyard.compare.comparison import THRESHOLDS, Comparison
from opyard.compare.learning import Learning
from opyard.compare.palette import Style
from opyard.compare.standings import standings
from opyard.compare.statistics import Values

_HEIGHT = 320  # pixels, without a legend below
_LINE = 22  # pixels, of a legend
_LONGEST_NAME = 30  # characters in a legend
_MOST_BESIDE = 12  # agents in a legend beside the axes
_LONGEST_BESIDE = 22
_WIDTH = 460  # pixels that a legend below the axes may take: two charts stand side by side
_CHARACTER, _GLYPH = 7, 44  # pixels, in a legend
_MOST_SHOWN = 9  # lines that show at first
_HINT = "A click on a name hides its curve or shows it."


def curve_chart(
    curves: Mapping[str, tuple[Values, Curve]],
    styles: Mapping[str, Style],
    titles: tuple[str, str],
    *,
    is_logarithmic: bool = False,
    is_share: bool = True,
) -> tuple[figure, int]:
    """The chart and its height in pixels.

    Args:
        curves: The grid and the curve over it, by agent, the most interesting first: of more than
            nine the rest is hidden at first.
        styles: By agent.
        titles: Of both axes.
        is_logarithmic: Whether the grid's axis is.
        is_share: Whether values are from 0 to 1.

    Returns:
        The model has a source for each agent, of its name: x, value, low and high, without the
        points at which there is no value.
    """
    chart = figure(
        height=_HEIGHT,
        sizing_mode="stretch_width",
        x_axis_type="log" if is_logarithmic else "linear",
        x_axis_label=titles[0],
        y_axis_label=titles[1],
        tools="pan,box_zoom,wheel_zoom,reset,save",
        active_drag="box_zoom",
    )
    if is_share:
        chart.y_range = Range1d(-0.02, 1.04)
    items = [
        LegendItem(label=shortened(agent, _LONGEST_NAME), renderers=renderers)
        for i, (agent, (grid, curve)) in enumerate(curves.items())
        if (renderers := _add_curve(chart, agent, grid, curve, styles[agent], i < _MOST_SHOWN))
    ]
    height = _HEIGHT + _add_legend(chart, items, list(curves))
    chart.height = height
    for axis in (*chart.xaxis, *chart.yaxis):
        axis.major_label_text_font_size = TEXT_SIZE
        axis.axis_label_text_font_size = TEXT_SIZE
    return chart, height


def _add_curve(
    chart: figure, agent: str, grid: Values, curve: Curve, style: Style, is_visible: bool
) -> list:  # type: ignore[type-arg]
    there = np.isfinite(curve.value)
    source = ColumnDataSource(
        {
            "x": grid[there],
            "value": curve.value[there],
            "low": curve.low[there],
            "high": curve.high[there],
        },
        name=agent,
    )
    band = chart.varea("x", "low", "high", source=source, fill_color=style.colour,
                       fill_alpha=0.16, visible=is_visible)  # fmt: skip
    line = chart.line("x", "value", source=source, line_color=style.colour, line_width=2,
                      line_dash=style.dash, visible=is_visible, name=agent)  # fmt: skip
    texts = [("", "$name"), (chart.xaxis.axis_label, "@x{0.[000]}"),
             (chart.yaxis.axis_label, "@value{0.000} [@low{0.000}, @high{0.000}]")]  # fmt: skip
    chart.add_tools(
        HoverTool(renderers=[line], tooltips=texts, line_policy="nearest", visible=False)
    )
    return [line, band]


def _add_legend(chart: figure, items: list[LegendItem], agents: Sequence[str]) -> int:
    """Beside the axes if it is small, else below them: the pixels that it takes there."""
    longest = max((min(len(agent), _LONGEST_NAME) for agent in agents), default=0)
    legend = Legend(items=items, click_policy="hide", label_text_font_size=TEXT_SIZE,
                    spacing=1, padding=2, glyph_width=26)  # fmt: skip
    if len(items) <= _MOST_BESIDE and longest <= _LONGEST_BESIDE:
        chart.add_layout(legend, "right")
        return 0
    legend.ncols = max(1, min(len(items), _WIDTH // (longest * _CHARACTER + _GLYPH)))
    chart.add_layout(legend, "below")
    return _LINE * -(-len(items) // legend.ncols) + 8


def profile_chart(comparison: Comparison, styles: Mapping[str, Style]) -> Chart | None:
    """The share of runs that reach a fraction of the best known; None without any plan."""
    order = [s.agent for s in standings(comparison) if s.agent in comparison.profiles]
    if not order:
        return None
    curves = {agent: (THRESHOLDS, comparison.profiles[agent]) for agent in order}
    model, height = curve_chart(curves, styles, ("best known / found", "share of runs"))
    note = (
        "Share of runs that reach at least this fraction of the best known; bands: 95 % bootstrap. "
        f"Higher is better. {_HINT}"
    )
    return Chart("profile", "Performance profile", note, model, height)


def anytime_charts(comparison: Comparison, styles: Mapping[str, Style]) -> Iterator[Chart]:
    """The best plan so far, by evaluations and by seconds."""
    order = [standing.agent for standing in standings(comparison)]
    for axis, found in comparison.anytime.items():
        curves = {a: (found.grid, found.curves[a]) for a in order if a in found.curves}
        if curves:
            titles = (axis, "best known / best so far")
            model, height = curve_chart(curves, styles, titles, is_logarithmic=True)
            yield Chart(
                f"anytime-{axis}",
                f"Best plan so far, by {axis}",
                "Interquartile mean over all runs of best known / best so far, 0 before the first "
                "plan; bands: 95 % bootstrap. A run that has ended keeps its last plan. " + _HINT,
                model,
                height,
            )


def learning_charts(learning: Sequence[Learning], styles: Mapping[str, Style]) -> Iterator[Chart]:
    """What agents that learn report of their updates, a chart for each value."""
    for i, found in enumerate(learning):
        curves = dict(found.curves)
        titles = ("updates", found.value.replace("_", " "))
        model, height = curve_chart(curves, styles, titles, is_share=False)
        where = "training before the runs" if found.is_before_runs else "learning in the runs"
        note = (
            "The value of each update of the one training."
            if found.is_before_runs
            else "Median over runs of all workloads; bands: between the quartiles."
        )
        title = f"{titles[1]}, {where}"
        yield Chart(f"training-{i + 1}", title, f"{note} {_HINT}", model, height)
