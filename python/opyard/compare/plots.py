"""The figures of a comparison as SVG texts, for a page that they stand in."""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from opyard.compare.anytime import AnytimeCurves, Curve
from opyard.compare.comparison import THRESHOLDS, Comparison
from opyard.compare.statistics import Values

_WIDTH, _HEIGHT = 7.2, 4.2  # inches
_LINE = 0.17  # inches, of a legend
_LONGEST_BESIDE = 26  # characters of a name in a legend beside the axes
_LONGEST_LINE = 42  # characters of a name on one line
_STYLES = ("-", "--", "-.", ":")


@dataclasses.dataclass(frozen=True)
class Plot:
    """One plot and its description."""

    name: str
    title: str
    note: str
    svg: str


def make_plots(comparison: Comparison) -> list[Plot]:
    """All of them, in the order in which they are read."""
    settings: dict[Any, Any] = {"svg.fonttype": "none", "font.size": 9, "axes.spines.top": False,
                "axes.spines.right": False}  # fmt: skip
    with mpl.rc_context(settings):
        return list(_plots(comparison))


def _plots(comparison: Comparison) -> Iterator[Plot]:
    style = {
        agent: {"color": f"C{i % 10}", "linestyle": _STYLES[i // 10 % len(_STYLES)]}
        for i, agent in enumerate(comparison.matrix.agents)
    }
    yield _speed_ups(comparison)
    yield Plot(
        "profile",
        "Performance profile",
        "Share of runs that reach at least this fraction of the best known; bands: 95 % bootstrap. "
        "Higher is better.",
        _curves("profile", THRESHOLDS, comparison.profiles, style,
                ("best / found", "share of runs"), False),
    )  # fmt: skip
    for axis, found in comparison.anytime.items():
        yield _anytime(axis, found, style)
    if comparison.robustness is not None and comparison.robustness.overall:
        yield _robust(comparison)


def _new_axes(rows: int | None = None) -> tuple[Figure, Axes]:
    height = _HEIGHT if rows is None else 1.0 + 0.28 * rows
    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    return figure, figure.add_subplot()


def _svg(name: str, figure: Figure) -> str:
    """The element alone. Ids begin with the name, so that several stand in one page."""
    with mpl.rc_context({"svg.hashsalt": name, "svg.id": name}):
        FigureCanvasSVG(figure)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", text)
    return re.sub(
        r'<svg ([^>]*?)width="[^"]*" ', rf'<svg role="img" aria-label="{name}" \1', text, count=1
    )


def _curves(
    name: str,
    grid: Values,
    curves: Mapping[str, Curve],
    style: Mapping[str, dict[str, Any]],
    titles: tuple[str, str],
    is_logarithmic: bool,
) -> str:
    figure, axes = _new_axes()
    for agent, curve in curves.items():
        axes.fill_between(grid, curve.low, curve.high, color=style[agent]["color"], alpha=0.15,
                          linewidth=0)  # fmt: skip
        axes.plot(grid, curve.value, label=_label(agent), **style[agent])
    if is_logarithmic:
        axes.set_xscale("log")
    axes.set_xlabel(titles[0])
    axes.set_ylabel(titles[1])
    axes.set_ylim(-0.02, 1.05)
    axes.grid(alpha=0.3)
    if curves:
        _add_legend(figure, [_label(agent) for agent in curves])
    return _svg(name, figure)


def _add_legend(figure: Figure, labels: list[str]) -> None:
    """Beside the axes; below them, in as much more height as that takes, where names are long."""
    if max(map(len, labels)) <= _LONGEST_BESIDE:
        figure.legend(loc="outside right upper", frameon=False)
        return
    lines = sum(label.count("\n") + 1 for label in labels)
    figure.set_size_inches(_WIDTH, _HEIGHT + _LINE * (lines + 1))
    figure.legend(loc="outside lower left", frameon=False)


def _label(text: str) -> str:
    """A text in which matplotlib sees no formula, and hides no entry of a legend.

    A long one takes several lines, each but the last of them full.
    """
    text = "\n".join(text[i : i + _LONGEST_LINE] for i in range(0, len(text), _LONGEST_LINE))
    return text.replace("$", r"\$").replace("_", "\u200b_", 1) if text.startswith("_") else (
        text.replace("$", r"\$")
    )  # fmt: skip


def _anytime(axis: str, found: AnytimeCurves, style: Mapping[str, dict[str, Any]]) -> Plot:
    return Plot(
        f"anytime-{axis}",
        f"Best plan so far, by {axis}",
        "Interquartile mean over all runs of best known / best so far, 0 before the first plan; "
        "bands: 95 % bootstrap. A run that has ended keeps its last plan.",
        _curves(f"anytime-{axis}", found.grid, found.curves, style,
                (axis, "best / best so far"), True),
    )  # fmt: skip


def _horizontal(name: str, title: str, rows: list[tuple[str, float, float, float]]) -> str:
    """Points with ranges, the first row on top."""
    labels = [_label(row[0]) for row in rows]
    figure, axes = _new_axes(sum(label.count("\n") + 1 for label in labels))
    places = np.arange(len(rows))[::-1]
    for place, (_, value, low, high) in zip(places, rows, strict=True):
        axes.plot([low, high], [place, place], color="C0", linewidth=2, alpha=0.5)
        axes.plot([value], [place], "o", color="C0")
    axes.axvline(1.0, color="0.5", linewidth=1)
    axes.set_yticks(places, labels)
    axes.set_xlabel(_label(title))
    axes.grid(axis="x", alpha=0.3)
    return _svg(name, figure)


def _speed_ups(comparison: Comparison) -> Plot:
    rows = []
    for agent, a in comparison.aggregates.items():
        if a.speed_up is not None:
            e = a.speed_up
            low, high = (e.value, e.value) if e.low is None or e.high is None else (e.low, e.high)
            part = a.speed_up_workloads < len(comparison.matrix.workloads)
            rows.append(
                (f"{agent} ({a.speed_up_workloads})" if part else agent, e.value, low, high)
            )
    title = f"speed-up over {comparison.baseline}"
    return Plot(
        "speed-ups",
        "Speed-ups",
        "Geometric mean over workloads (their number in brackets where it is not all); bars: 95 % "
        "bootstrap.",
        _horizontal("speed-ups", title, rows),
    )


def _robust(comparison: Comparison) -> Plot:
    robustness = comparison.robustness
    assert robustness is not None
    rows = []
    for agent, row in robustness.overall.items():
        low, high = row.range() or (row.nominal, row.nominal)
        rows.append((agent, row.nominal, low, high))
    return Plot(
        "robust",
        "Speed-ups on perturbed machines",
        f"Of best plans: on the machine as it is, and the range over {len(robustness.worlds)} "
        "perturbations.",
        _horizontal("robust", f"speed-up over {robustness.baseline}", rows),
    )
