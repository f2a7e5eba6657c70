"""The timeline of a step: critical path, devices, links and memory over one axis of time."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from bokeh.models import (
    BoxZoomTool,
    ColumnDataSource,
    FixedTicker,
    HoverTool,
    PanTool,
    Range1d,
    ResetTool,
    WheelZoomTool,
)
from bokeh.plotting import figure
from markupsafe import Markup, escape

from opyard.viewer import colours
from opyard.viewer.figures import FigureBundle, legend, tooltip
from opyard.viewer.kernel_colours import Colouring, kernel_colours
from opyard.viewer.memory_lanes import LANE, add_lanes, reaches_limit
from opyard.viewer.step import Span, Step
from opyard.viewer.waits import reasons
from opyard.viewer.words import bytes_text, shortened, time_text, time_unit

_ROW_PX, _AXIS_PX = 24, 78
_MOST_LINKS = 24
_MOST_OPS = 4  # of a fused kernel, in what a pointer shows
_LONGEST_LABEL = 24
_BAR = 0.8  # of the height of a row
PATH_ROW = "critical path"
_PATH_COLOURS = {"transfer": colours.TRANSFER, "signal": colours.TRANSFER}


@dataclasses.dataclass(frozen=True)
class Rows:
    """The rows of a timeline from the top down."""

    labels: list[str]
    spans: list[str]
    """Rows of spans: the critical path, devices, links."""
    memory: list[str]
    """Devices that hold memory; their lanes stand below all spans."""
    hidden: list[str]
    """Links that are not shown: all but the busiest."""

    @property
    def height(self) -> float:
        """Of all rows; that of a row of spans is 1."""
        return len(self.spans) + LANE * len(self.memory)

    @property
    def places(self) -> list[float]:
        """The middle of each row, from the top down."""
        lanes = [LANE * (len(self.memory) - i - 0.5) for i in range(len(self.memory))]
        return [self.y(row) for row in self.spans] + lanes

    def y(self, row: str) -> float:
        """The middle of a row of spans; places go up from 0."""
        return self.height - self.spans.index(row) - 0.5

    def bottom_of(self, device: str) -> float:
        """The least place of the memory of a device."""
        return LANE * (len(self.memory) - 1 - self.memory.index(device))


def rows_of(step: Step) -> Rows:
    """The rows that hold something; of many links the busiest."""
    devices = [name for name in step.devices if any(span.row == name for span in step.kernels)]
    busy: dict[str, int] = {}
    for span in step.transfers:
        busy[span.row] = busy.get(span.row, 0) + span.duration_ps
    kept = sorted(busy, key=lambda name: (-busy[name], name))[:_MOST_LINKS]
    spans = [*([PATH_ROW] if step.path else []), *devices, *(name for name in busy if name in kept)]
    memory = list(step.memory)
    labels = [*spans, *(_memory_label(step, name) for name in memory)]
    return Rows(labels, spans, memory, [name for name in busy if name not in kept])


def height_of(step: Step) -> int:
    """The height of the figure in pixels, its menu left out."""
    return _AXIS_PX + round(_ROW_PX * rows_of(step).height)


def _memory_label(step: Step, device: str) -> str:
    peak = max(held for _, held in step.memory[device])
    limit = step.limits.get(device)
    return f"{device} memory {100 * peak / limit:.0f} %" if limit else f"{device} memory"


def timeline(step: Step, bundle: FigureBundle, name: str) -> Markup:
    """Adds the timeline to the page.

    Args:
        step: The step.
        bundle: Of the page.
        name: The name of the figure on the page.

    Returns:
        The menu of colours, the figure and what its colours mean.
    """
    rows = rows_of(step)
    if not rows.labels or step.end_ps == 0:
        return Markup("<p>Nothing that takes time has run.</p>")
    scale, unit = time_unit(step.end_ps)
    plot = _plot(rows, step.end_ps / scale, unit)
    choices = kernel_colours(step)
    times = [("at", f"@left{{0.000000}} {unit}"), ("for", f"@length{{0.000000}} {unit}@cut")]
    _add_bars(
        plot,
        "path",
        _path_columns(step, rows, scale),
        tooltip("@name", [("kind", "@kind"), *times]),
    )
    of_kernels = [("type", "@type"), ("on", "@row"), ("phase", "@phase")]
    _add_bars(
        plot,
        "kernels",
        _kernel_columns(step, rows, scale, choices),
        tooltip("@name", [*of_kernels, *times, ("accesses", "@bytes_text")], note="note"),
    )
    of_transfers = [("bytes", "@bytes_text"), ("way", "@way"), ("over", "@row")]
    _add_bars(
        plot,
        "transfers",
        _transfer_columns(step, rows, scale),
        tooltip("@name", [*of_transfers, *times], note="note"),
    )
    add_lanes(plot, step, {name: rows.bottom_of(name) for name in rows.memory}, scale)
    height_px = height_of(step)
    plot.height = height_px
    menu = bundle.choice(
        name,
        "Kernels coloured by",
        {text: {"kernels-bars": {"fill_color": {"field": _column_of(text)}}} for text in choices},
        {text: legend({**found.meaning, **_others(step)}) for text, found in choices.items()},
    )
    help_text = Markup(
        '<p class="hint">Drag to move, Ctrl and wheel to zoom, or mark a stretch with the box'
        " tool; the arrow that turns back shows the whole step.</p>"
    )
    return menu + bundle.add(name, plot, height_px=height_px) + help_text


def _others(step: Step) -> dict[str, str]:
    """The colours of what is no kernel."""
    return {
        **({"transfers": colours.TRANSFER} if step.transfers else {}),
        **({"waits": colours.WAIT} if step.path else {}),
        **({"memory": colours.MEMORY} if step.memory else {}),
        **(
            {"its limit": colours.LIMIT} if any(reaches_limit(step, d) for d in step.memory) else {}
        ),
    }


def _plot(rows: Rows, end: float, unit: str) -> figure:
    """The empty figure: axes, rows and tools."""
    whole = Range1d(start=0, end=end, bounds=(0, end), min_interval=end * 1e-7, name="time")
    plot = figure(
        x_range=whole,
        y_range=Range1d(start=-0.1, end=rows.height + 0.1, bounds="auto"),
        sizing_mode="stretch_width",
        tools=[],
        toolbar_location="above",
        x_axis_label=unit,
        name="timeline",
    )
    plan = PanTool(dimensions="width")
    wheel = WheelZoomTool(dimensions="width", modifiers="ctrl")
    plot.add_tools(plan, wheel, BoxZoomTool(dimensions="width"), ResetTool())
    plot.toolbar.active_drag = plan
    plot.toolbar.active_scroll = wheel
    plot.yaxis.ticker = FixedTicker(ticks=rows.places)
    plot.yaxis.major_label_overrides = {
        place: shortened(label, _LONGEST_LABEL)
        for place, label in zip(rows.places, rows.labels, strict=True)
    }
    plot.yaxis.axis_line_color = None
    plot.ygrid.visible = False
    plot.min_border_right = 16
    return plot


def _add_bars(
    plot: figure, name: str, columns: Mapping[str, npt.ArrayLike | Sequence[str]], shown: str
) -> None:
    """Bars of one kind, and what a pointer shows of them."""
    if len(columns["left"]) == 0:  # type: ignore[arg-type]
        return
    source = ColumnDataSource(dict(columns))
    bars = plot.hbar(
        y="y", left="left", right="right", height="height", fill_color="colour",
        line_color=None, hover_line_color="#000000", source=source, name=name,
    )  # fmt: skip
    bars.glyph.name = f"{name}-bars"
    plot.add_tools(HoverTool(renderers=[bars], tooltips=shown, description=f"{name}: details"))


def _place_columns(spans: Sequence[Span], rows: Rows, scale: int) -> dict[str, npt.ArrayLike]:
    """Where the bars of spans stand; bars of lanes part the height of their row."""
    lanes: dict[str, int] = {}
    for span in spans:
        lanes[span.row] = max(lanes.get(span.row, 1), span.lane + 1)
    y = {row: rows.y(row) for row in lanes}
    heights = np.array([_BAR / lanes[span.row] for span in spans])
    offsets = np.array([span.lane for span in spans]) + 0.5
    middles = np.array([y[span.row] for span in spans]) + _BAR / 2 - offsets * heights
    return {
        "left": np.array([span.start_ps for span in spans]) / scale,
        "right": np.array([span.finish_ps for span in spans]) / scale,
        "length": (np.array([span.duration_ps for span in spans]) / scale).astype(np.float32),
        "y": middles.astype(np.float32),
        "height": heights.astype(np.float32),
    }


def _text_columns(spans: Sequence[Span]) -> dict[str, list[str]]:
    """What a pointer shows of all kinds of spans."""
    cut = [", until the step failed" if "cut" in span.facts else "" for span in spans]
    return {
        "name": [span.name for span in spans],
        "row": [span.row for span in spans],
        "cut": cut,
    }


def _kernel_columns(
    step: Step, rows: Rows, scale: int, choices: Mapping[str, Colouring]
) -> dict[str, npt.ArrayLike | Sequence[str]]:
    spans = step.kernels
    coloured = {_column_of(text): colours.rgba(way.of_kernel) for text, way in choices.items()}
    return {
        **_place_columns(spans, rows, scale),
        **_text_columns(spans),
        **coloured,
        "colour": coloured["phase"],
        "type": [str(span.facts.get("type", "")) for span in spans],
        "phase": [str(span.facts.get("phase", "none")) for span in spans],
        "bytes_text": [bytes_text(span.facts.get("bytes", 0)) for span in spans],
        "note": [reason + _fused(span) for span, reason in zip(spans, reasons(step), strict=True)],
    }


def _column_of(way: str) -> str:
    """The column of a way to colour kernels."""
    return way.replace(" ", "_")


def _fused(span: Span) -> Markup:
    """The ops of a kernel of several."""
    if len(span.ops) == 1:
        return Markup()
    more = f" and {len(span.ops) - _MOST_OPS} more" if len(span.ops) > _MOST_OPS else ""
    return Markup("<br>fused: {}{}").format(", ".join(span.ops[:_MOST_OPS]), more)


def _transfer_columns(
    step: Step, rows: Rows, scale: int
) -> dict[str, npt.ArrayLike | Sequence[str]]:
    spans = [span for span in step.transfers if span.row not in rows.hidden]
    waits = [span.start_ps - span.facts["offered_ps"] for span in spans]
    return {
        **_place_columns(spans, rows, scale),
        **_text_columns(spans),
        "colour": colours.rgba(colours.TRANSFER for _ in spans),
        "bytes_text": [bytes_text(span.facts["bytes"]) for span in spans],
        "way": [f"{span.facts['from']} to {span.facts['to']}" for span in spans],
        "note": [
            f"waited {escape(time_text(wait))} for its channels" if wait else "started when offered"
            for wait in waits
        ],
    }


def _path_columns(step: Step, rows: Rows, scale: int) -> dict[str, npt.ArrayLike | Sequence[str]]:
    spans = step.path
    phases = {span.name: span.facts.get("phase", "no phase") for span in step.kernels}

    def colour(span: Span) -> str:
        if span.facts["kind"] == "kernel":
            return colours.PHASES[phases.get(span.name, "no phase")]
        return _PATH_COLOURS.get(span.facts["kind"], colours.WAIT)

    return {
        **_place_columns(spans, rows, scale),
        **_text_columns(spans),
        "colour": colours.rgba(colour(span) for span in spans),
        "kind": [span.facts["kind"].replace("_", " ") for span in spans],
    }
