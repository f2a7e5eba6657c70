"""The machine of a plan: devices, switches and links with what this plan makes them do."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import igraph
import numpy as np
import numpy.typing as npt
from bokeh.models import (
    ColumnDataSource,
    HoverTool,
    Label,
    PanTool,
    Range1d,
    ResetTool,
    WheelZoomTool,
)
from bokeh.plotting import figure
from markupsafe import Markup

from opyard.viewer import colours
from opyard.viewer.figures import FigureBundle, legend, tooltip
from opyard.viewer.step import Step
from opyard.viewer.words import bytes_text, percent_text, rate_text, shortened

_HEIGHT_PX, _MOST_LABELS = 520, 36
_LABEL = np.array([0.1, 0.09])  # half of the room that a bandwidth takes, of the figure's 2.5
_LOADS = {
    "nothing": colours.GREY,
    "below 10 %": "#4c82bd",
    "10 to 50 %": "#df8a2f",
    "50 % and more": colours.LIMIT,
}


@dataclasses.dataclass(frozen=True)
class LinkLoad:
    """A link and what a plan makes it do, over both of its directions."""

    name: str
    ends: tuple[str, ...]
    """Two, or more where devices have a link in common."""
    bandwidth_bytes_per_s: float
    latency_s: float
    duplex: str
    num_bytes: int
    busy: float
    """The part of the step in which the busier direction carries something, from 0 to 1."""

    @property
    def load(self) -> str:
        """The key of its colour."""
        words = list(_LOADS)
        return words[(self.num_bytes > 0) + (self.busy >= 0.1) + (self.busy >= 0.5)]


def link_loads(step: Step) -> list[LinkLoad]:
    """The links of the machine, in its order."""
    channels = {channel["name"]: channel for channel in step.report["channels"]}
    end_s = step.end_ps / 1e12
    found = []
    for link in step.problem.hardware.to_dict().get("links", []):
        name = link["name"]
        used = [channels[c] for c in (name, f"{name}<", f"{name}>") if c in channels]
        found.append(
            LinkLoad(
                name=name,
                ends=tuple(link["between"]),
                bandwidth_bytes_per_s=float(link["bandwidth"].split()[0]),
                latency_s=float(link["latency"].split()[0]),
                duplex=link["duplex"],
                num_bytes=sum(channel["bytes"] for channel in used),
                busy=max((channel["busy_s"] for channel in used), default=0.0) / (end_s or 1.0),
            )
        )
    return found


def machine_view(step: Step, bundle: FigureBundle, name: str) -> tuple[Markup, str]:
    """Adds the machine to the page.

    Args:
        step: The step.
        bundle: Of the page.
        name: The name of the figure on the page.

    Returns:
        The figure with what its colours mean, and a note on how to read it.
    """
    loads = link_loads(step)
    machine = step.problem.hardware.to_dict()
    switches = list(machine.get("switches", []))
    places = _places([*step.devices, *switches, *_hubs(loads)], loads)
    plot = _plot(places)
    _add_links(plot, loads, places)
    _add_switches(plot, switches, places)
    _add_devices(plot, step, machine, places)
    shown = {word: colour for word, colour in _LOADS.items() if any(x.load == word for x in loads)}
    text = Markup('<p class="legends">Links busy: {}</p>').format(legend(shown))
    return (text if loads else Markup()) + bundle.add(name, plot, height_px=_HEIGHT_PX), _note(
        step, loads
    )


def _note(step: Step, loads: list[LinkLoad]) -> str:
    text = (
        "Boxes are devices, filled as far as they are busy; points are switches. The more bytes a "
        "link carries, the wider it is; its colour says for how much of the step its busier "
        "direction is taken."
    )
    if step.transfers and not any(link.num_bytes for link in loads):
        text += " Transfers of this machine take no links, so that these show no load."
    return text


def _places(names: list[str], loads: list[LinkLoad]) -> dict[str, tuple[float, float]]:
    """Places within [-1, 1] by igraph's layout after Kamada and Kawai (1989), from a circle."""
    index = {name: i for i, name in enumerate(names)}
    edges = [(index[a], index[b]) for link in loads for a, b in _pairs(link)]
    graph = igraph.Graph(n=len(names), edges=edges)
    layout = graph.layout_kamada_kawai(seed=graph.layout_circle().coords)
    coords = np.array(layout.coords, dtype=np.float64).reshape(-1, 2)
    coords -= (coords.max(axis=0) + coords.min(axis=0)) / 2
    extent = np.maximum(np.abs(coords).max(axis=0), 1e-9)
    return dict(zip(names, map(tuple, (coords / extent).tolist()), strict=True))


def _hubs(loads: list[LinkLoad]) -> list[str]:
    """Places for the middle of links with more than two ends, by the name of the link."""
    return [_hub(link) for link in loads if len(link.ends) > 2]


def _hub(link: LinkLoad) -> str:
    return f"link {link.name}"


def _pairs(link: LinkLoad) -> list[tuple[str, ...]]:
    """The stretches of a link: one, or one from each end to the middle."""
    return [link.ends] if len(link.ends) == 2 else [(end, _hub(link)) for end in link.ends]


def _plot(places: dict[str, tuple[float, float]]) -> figure:
    plot = figure(
        x_range=Range1d(start=-1.25, end=1.25),
        y_range=Range1d(start=-1.25, end=1.25),
        height=_HEIGHT_PX,
        sizing_mode="stretch_width",
        tools=[],
        toolbar_location="above",
        name="machine",
    )
    pan, wheel = PanTool(), WheelZoomTool(modifiers="ctrl")
    plot.add_tools(pan, wheel, ResetTool())
    plot.toolbar.active_drag = pan
    plot.toolbar.active_scroll = wheel
    plot.axis.visible = False
    plot.grid.visible = False
    return plot


def _add_links(plot: figure, loads: list[LinkLoad], places: dict[str, tuple[float, float]]) -> None:
    """Lines as wide as their bytes are many; those between the same ends stand apart."""
    if not loads:
        return
    most = max(link.num_bytes for link in loads) or 1
    lines = _lines(loads, places)
    source = ColumnDataSource(
        {
            "xs": [line[:, 0] for line in lines],
            "ys": [line[:, 1] for line in lines],
            "colour": [_LOADS[link.load] for link in loads],
            "width": [1.5 + 7 * (link.num_bytes / most) ** 0.5 for link in loads],
            "name": [link.name for link in loads],
            "bandwidth": [
                f"{rate_text(link.bandwidth_bytes_per_s)}, {link.duplex} duplex" for link in loads
            ],
            "latency": [f"{link.latency_s * 1e6:.4g} µs" for link in loads],
            "bytes": [bytes_text(link.num_bytes) for link in loads],
            "busy": [percent_text(link.busy, 1) + " of the step" for link in loads],
        }
    )
    drawn = plot.multi_line(
        "xs", "ys", line_color="colour", line_width="width", line_alpha=0.8, source=source,
        name="links",
    )  # fmt: skip
    shown = tooltip(
        "@name",
        [
            ("bandwidth", "@bandwidth"),
            ("latency", "@latency"),
            ("carries", "@bytes"),
            ("busy", "@busy"),
        ],
    )
    plot.add_tools(
        HoverTool(
            renderers=[drawn], tooltips=shown, description="links: details", line_policy="interp"
        )
    )
    _add_bandwidths(plot, loads, lines, [np.array(place) for place in places.values()])


def _add_bandwidths(
    plot: figure,
    loads: list[LinkLoad],
    lines: list[npt.NDArray[np.float64]],
    taken: list[npt.NDArray[np.float64]],
) -> None:
    """Bandwidths in the middle of lines as far as `taken` leaves room, busy links first."""
    for line, link in sorted(zip(lines, loads, strict=True), key=lambda pair: -pair[1].num_bytes):
        middle = np.nanmean(line, axis=0)
        if all(np.any(np.abs(middle - other) > _LABEL) for other in taken):
            taken.append(middle)
            plot.add_layout(_text(*middle, rate_text(link.bandwidth_bytes_per_s), "10px", 0))


def _lines(
    loads: list[LinkLoad], places: dict[str, tuple[float, float]]
) -> list[npt.NDArray[np.float64]]:
    """The line [points, 2] of each link, in stretches with a NaN between them."""
    seen: Counter[frozenset[str]] = Counter()
    total = Counter(frozenset(link.ends) for link in loads)
    lines = []
    gap = np.full((1, 2), np.nan)
    for link in loads:
        if len(link.ends) > 2:
            parts = [np.array([places[end] for end in pair]) for pair in _pairs(link)]
            lines.append(np.concatenate([piece for part in parts for piece in (part, gap)][:-1]))
            continue
        pair = frozenset(link.ends)
        ends = np.array([places[end] for end in link.ends])
        along = ends[1] - ends[0]
        across = np.array([-along[1], along[0]]) / (np.linalg.norm(along) or 1.0)
        sign = 1 if link.ends[0] <= link.ends[1] else -1
        lines.append(ends + sign * across * 0.05 * (seen[pair] - (total[pair] - 1) / 2))
        seen[pair] += 1
    return lines


def _add_switches(
    plot: figure, switches: list[str], places: dict[str, tuple[float, float]]
) -> None:
    if not switches:
        return
    source = ColumnDataSource(
        {
            "x": [places[s][0] for s in switches],
            "y": [places[s][1] for s in switches],
            "name": switches,
        }
    )
    points = plot.scatter(
        "x", "y", size=12, marker="circle", fill_color=colours.GREY, line_color=None, source=source,
        name="switches",
    )  # fmt: skip
    shown = tooltip("@name", [("", "a switch")])
    plot.add_tools(HoverTool(renderers=[points], tooltips=shown, description="switches: details"))
    if len(switches) <= _MOST_LABELS:
        for name in switches:
            plot.add_layout(_text(*places[name], shortened(name, 14), "10px", 12))


def _add_devices(
    plot: figure, step: Step, machine: dict[str, Any], places: dict[str, tuple[float, float]]
) -> None:
    """Boxes with names; the filled part is that of the step in which the device is busy."""
    reports = step.report["devices"]
    end_s = step.end_ps / 1e12 or 1.0
    types = {
        device["name"]: device.get("type", device.get("kind", "")) for device in machine["devices"]
    }
    placed = Counter(step.devices[device] for device in step.plan.placement)
    known = colours.device_colours(step.devices)
    crowd = min(1.0, 12 / max(len(places), 1))
    width, height = 0.07 + 0.13 * crowd, 0.07 + 0.1 * crowd
    x = np.array([places[name][0] for name in step.devices])
    y = np.array([places[name][1] for name in step.devices])
    busy = np.array([device["busy_s"] for device in reports]) / end_s
    source = ColumnDataSource(
        {
            "x": x,
            "y": y,
            "left": x - width / 2,
            "right": x - width / 2 + width * np.minimum(busy, 1.0),
            "colour": [known[name] for name in step.devices],
            "name": step.devices,
            "type": [types[name] for name in step.devices],
            "ops": [placed[name] for name in step.devices],
            "busy": [percent_text(part, 1) + " of the step" for part in busy],
            "peak": [
                bytes_text(device["peak_memory_bytes"])
                + (
                    f" of {bytes_text(step.limits[device['name']])}"
                    if device["name"] in step.limits
                    else ""
                )
                for device in reports
            ],
        }
    )
    boxes = plot.rect(
        "x", "y", width=width, height=height, fill_color="#eceff3", line_color="colour",
        line_width=2, source=source, name="devices",
    )  # fmt: skip
    plot.hbar(
        y="y", left="left", right="right", height=height, fill_color="colour", line_color=None,
        source=source, name="busy",
    )  # fmt: skip
    shown = tooltip(
        "@name", [("type", "@type"), ("ops", "@ops"), ("busy", "@busy"), ("memory", "@peak")]
    )
    plot.add_tools(HoverTool(renderers=[boxes], tooltips=shown, description="devices: details"))
    if len(step.devices) <= _MOST_LABELS:
        for name, part in zip(step.devices, busy, strict=True):
            text = f"{shortened(name, 14)} {percent_text(part, 1)}"
            plot.add_layout(_text(*places[name], text, "12px", 4, height / 2))


def _text(x: float, y: float, text: str, size: str, offset_px: int, above: float = 0.0) -> Label:
    """A label in the colours of the scheme."""
    return Label(
        x=x, y=y + above, text=text, text_font_size=size, text_align="center",
        text_baseline="middle" if offset_px == 0 else "bottom", y_offset=offset_px,
    )  # fmt: skip
