"""The scatter plot of measured against simulated step times."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from opyard.compare.measured import MeasuredPlan

_SIZE = (5.6, 5.0)  # inches


def scatter_svg(groups: Mapping[tuple[str, str, str], Sequence[MeasuredPlan]]) -> str:
    """An SVG file: a point per plan, a colour per graph and devices, the line of equal times."""
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "opyard", "font.size": 9}):
        figure = Figure(figsize=_SIZE, layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        for (graph, _, devices), plans in groups.items():
            axes.scatter(
                [plan.simulated_s * 1e3 for plan in plans],
                [plan.measured_s * 1e3 for plan in plans],
                s=14,
                alpha=0.7,
                label=f"{graph} on {devices}",
            )
        axes.axline((1, 1), (10, 10), color="grey", linewidth=0.8)
        axes.set(xscale="log", yscale="log", xlabel="simulated, ms", ylabel="measured, ms")
        axes.legend(frameon=False)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()
