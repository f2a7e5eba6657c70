"""A machine as boxes, points and lines: devices, switches and links."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence

import igraph
import numpy as np
import numpy.typing as npt
from bokeh.models import (
    ColumnDataSource,
    HoverTool,
    Label,
    Range1d,
)
from bokeh.plotting import figure

from opyard import _core
from opyard.viewer import colours
from opyard.viewer.figures import make_map, tooltip
from opyard.viewer.words import bytes_text, percent_text, rate_text, shortened

_MOST_LABELS = 36
_LABEL = np.array([0.1, 0.09])  # half of the room that a bandwidth takes, of the figure's 2.5
LOADS = {
    "nothing": colours.GREY,
    "below 10 %": "#4c82bd",
    "10 to 50 %": "#df8a2f",
    "50 % and more": colours.LIMIT,
}
"""Loads of links -> their colours."""


@dataclasses.dataclass(frozen=True)
class LinkLoad:
    """A link and what a plan, if there is one, makes it do, over both of its directions."""

    name: str
    ends: tuple[str, ...]
    """Two, or more where devices have a link in common."""
    bandwidth_bytes_per_s: float
    latency_s: float
    duplex: str
    num_bytes: int = 0
    busy: float = 0.0
    """The part of the step in which the busier direction carries something, from 0 to 1."""

    @property
    def load(self) -> str:
        """The key of its colour."""
        words = list(LOADS)
        return words[(self.num_bytes > 0) + (self.busy >= 0.1) + (self.busy >= 0.5)]


@dataclasses.dataclass(frozen=True)
class Box:
    """A device as the figure shows it."""

    name: str
    label: str
    """Stands above the box."""
    colour: str
    filled: float
    """The part of the box that has its colour, from 0 to 1."""
    facts: Mapping[str, str]
    """What a pointer shows: word -> text; all boxes have the same words."""


def links_of(machine: _core.Machine) -> list[LinkLoad]:
    """The links of a machine without loads, in its order."""
    return [
        LinkLoad(
            name=link["name"],
            ends=tuple(link["between"]),
            bandwidth_bytes_per_s=float(link["bandwidth"].split()[0]),
            latency_s=float(link["latency"].split()[0]),
            duplex=link["duplex"],
        )
        for link in machine.to_dict().get("links", [])
    ]


def device_types(machine: _core.Machine) -> dict[str, str]:
    """Device -> what its type is called."""
    devices = machine.to_dict()["devices"]
    return {device["name"]: device.get("type", device.get("kind", "")) for device in devices}


def machine_figure(
    machine: _core.Machine,
    links: Sequence[LinkLoad],
    boxes: Sequence[Box],
    *,
    height_px: int,
    has_loads: bool,
) -> figure:
    """The figure.

    Args:
        machine: The machine.
        links: Its links.
        boxes: Its devices, in its order.
        height_px: The height of the figure, in pixels.
        has_loads: Whether a pointer shows the loads of links.
    """
    switches = machine.to_dict().get("switches", [])
    places = _places([*(box.name for box in boxes), *switches, *_hubs(links)], links)
    plot = _plot(height_px)
    if links:
        _add_links(plot, links, places, has_loads)
    _add_switches(plot, switches, places)
    _add_boxes(plot, boxes, places)
    return plot


def _places(names: list[str], links: Sequence[LinkLoad]) -> dict[str, tuple[float, float]]:
    """Places within [-1, 1] by igraph's layout after Kamada and Kawai (1989), from a circle."""
    index = {name: i for i, name in enumerate(names)}
    edges = [(index[a], index[b]) for link in links for a, b in _pairs(link)]
    graph = igraph.Graph(n=len(names), edges=edges)
    layout = graph.layout_kamada_kawai(seed=graph.layout_circle().coords)
    coords = np.array(layout.coords, dtype=np.float64).reshape(-1, 2)
    coords -= (coords.max(axis=0) + coords.min(axis=0)) / 2
    extent = np.maximum(np.abs(coords).max(axis=0), 1e-9)
    return dict(zip(names, map(tuple, (coords / extent).tolist()), strict=True))


def _hubs(links: Sequence[LinkLoad]) -> list[str]:
    """Places for the middle of links with more than two ends, by the name of the link."""
    return [_hub(link) for link in links if len(link.ends) > 2]


def _hub(link: LinkLoad) -> str:
    return f"link {link.name}"


def _pairs(link: LinkLoad) -> list[tuple[str, ...]]:
    """The stretches of a link: one, or one from each end to the middle."""
    return [link.ends] if len(link.ends) == 2 else [(end, _hub(link)) for end in link.ends]


def _plot(height_px: int) -> figure:
    plot = figure(
        x_range=Range1d(start=-1.25, end=1.25),
        y_range=Range1d(start=-1.25, end=1.25),
        height=height_px,
        sizing_mode="stretch_width",
        tools=[],
        toolbar_location="above",
        name="machine",
    )
    make_map(plot)
    return plot


def _add_links(
    plot: figure,
    links: Sequence[LinkLoad],
    places: dict[str, tuple[float, float]],
    has_loads: bool,
) -> None:
    """Lines as wide as their bytes are many; those between the same ends stand apart."""
    most = max(link.num_bytes for link in links) or 1
    lines = _lines(links, places)
    source = ColumnDataSource(
        {
            "xs": [line[:, 0] for line in lines],
            "ys": [line[:, 1] for line in lines],
            "colour": [LOADS[link.load] for link in links],
            "width": [1.5 + 7 * (link.num_bytes / most) ** 0.5 for link in links],
            "name": [link.name for link in links],
            "bandwidth": [
                f"{rate_text(link.bandwidth_bytes_per_s)}, {link.duplex} duplex" for link in links
            ],
            "latency": [f"{link.latency_s * 1e6:.4g} µs" for link in links],
            "bytes": [bytes_text(link.num_bytes) for link in links],
            "busy": [percent_text(link.busy, 1) + " of the step" for link in links],
        }
    )
    drawn = plot.multi_line(
        "xs", "ys", line_color="colour", line_width="width", line_alpha=0.8, source=source,
        name="links",
    )  # fmt: skip
    rows = [("bandwidth", "@bandwidth"), ("latency", "@latency")]
    rows += [("carries", "@bytes"), ("busy", "@busy")] if has_loads else []
    plot.add_tools(
        HoverTool(
            renderers=[drawn], tooltips=tooltip("@name", rows), description="links: details",
            line_policy="interp",
        )
    )  # fmt: skip
    _add_bandwidths(plot, links, lines, [np.array(place) for place in places.values()])


def _add_bandwidths(
    plot: figure,
    links: Sequence[LinkLoad],
    lines: list[npt.NDArray[np.float64]],
    taken: list[npt.NDArray[np.float64]],
) -> None:
    """Bandwidths in the middle of lines as far as `taken` leaves room, busy links first."""
    for line, link in sorted(zip(lines, links, strict=True), key=lambda pair: -pair[1].num_bytes):
        middle = np.nanmean(line, axis=0)
        if all(np.any(np.abs(middle - other) > _LABEL) for other in taken):
            taken.append(middle)
            plot.add_layout(_text(*middle, rate_text(link.bandwidth_bytes_per_s), "10px", 0))


def _lines(
    links: Sequence[LinkLoad], places: dict[str, tuple[float, float]]
) -> list[npt.NDArray[np.float64]]:
    """The line [points, 2] of each link, in stretches with a NaN between them."""
    seen: Counter[frozenset[str]] = Counter()
    total = Counter(frozenset(link.ends) for link in links)
    lines = []
    gap = np.full((1, 2), np.nan)
    for link in links:
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
    plot: figure, switches: Sequence[str], places: dict[str, tuple[float, float]]
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


def _add_boxes(plot: figure, boxes: Sequence[Box], places: dict[str, tuple[float, float]]) -> None:
    """Boxes with their labels, as far as there is room for them."""
    crowd = min(1.0, 12 / max(len(places), 1))
    width, height = 0.07 + 0.13 * crowd, 0.07 + 0.1 * crowd
    x = np.array([places[box.name][0] for box in boxes])
    words = list(boxes[0].facts)
    source = ColumnDataSource(
        {
            "x": x,
            "y": np.array([places[box.name][1] for box in boxes]),
            "left": x - width / 2,
            "right": x - width / 2 + width * np.array([box.filled for box in boxes]),
            "colour": [box.colour for box in boxes],
            "name": [box.name for box in boxes],
            **{f"fact{i}": [box.facts[word] for box in boxes] for i, word in enumerate(words)},
        }
    )
    drawn = plot.rect(
        "x", "y", width=width, height=height, fill_color="#eceff3", line_color="colour",
        line_width=2, source=source, name="devices",
    )  # fmt: skip
    plot.hbar(
        y="y", left="left", right="right", height=height, fill_color="colour", line_color=None,
        source=source, name="busy",
    )  # fmt: skip
    shown = tooltip("@name", [(word, f"@fact{i}") for i, word in enumerate(words)])
    plot.add_tools(HoverTool(renderers=[drawn], tooltips=shown, description="devices: details"))
    if len(boxes) <= _MOST_LABELS:
        for box in boxes:
            plot.add_layout(_text(*places[box.name], box.label, "12px", 4, height / 2))


def _text(x: float, y: float, text: str, size: str, offset_px: int, above: float = 0.0) -> Label:
    """A label in the colours of the scheme."""
    return Label(
        x=x, y=y + above, text=text, text_font_size=size, text_align="center",
        text_baseline="middle" if offset_px == 0 else "bottom", y_offset=offset_px,
    )  # fmt: skip
