"""The graph of a plan: groups of ops with their devices and times, and the bytes between them."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from typing import Any

import igraph
import numpy as np
import numpy.typing as npt
from bokeh.models import ColumnDataSource, HoverTool, PanTool, Range1d, ResetTool, WheelZoomTool
from bokeh.plotting import figure
from markupsafe import Markup

from opyard.viewer import colours
from opyard.viewer.figures import FigureBundle, legend, tooltip
from opyard.viewer.op_groups import OpGroups, groups_of
from opyard.viewer.step import Step
from opyard.viewer.words import bytes_text, percent_text, time_text

_COLUMN_PX, _ROW_PX, _MARGIN_PX = 150, 52, 40
_WIDEST_PX = 8000  # browsers limit canvases, to twice as many pixels
_WIDEST = 3  # times the cards of the largest layer: beyond, edges get no room of their own
_CARD = (0.92, 0.62)  # of a column and of a row
_BAR = 0.2  # of a row: the part of a card that shows times
_LONGEST_LABEL = 20
_WITHIN, _BETWEEN = colours.GREY, colours.LIMIT


@dataclasses.dataclass
class Node:
    """A group of ops."""

    name: str
    num_ops: int = 0
    types: Counter[str] = dataclasses.field(default_factory=Counter)
    ps: Counter[str] = dataclasses.field(default_factory=Counter)
    """Device -> picoseconds that it runs ops of the group; a fused kernel counts for its ops in
    proportion to the times that they would take alone."""
    ops_on: Counter[str] = dataclasses.field(default_factory=Counter)
    """Device -> number of ops, those without a time included."""


@dataclasses.dataclass
class Edge:
    """The data between two groups, in both directions."""

    num_tensors: int = 0
    num_bytes: int = 0
    """Of tensors that one group makes and the other reads, each once for a direction."""
    crossing_bytes: int = 0
    """Of copies: of these tensors, once for each other device on which readers are."""


def nodes_of(step: Step, groups: OpGroups) -> list[Node]:
    """The nodes, in the order of the groups."""
    nodes = [Node(name) for name in groups.names]
    alone = step.problem.arrays()["op_seconds"]
    placement = step.plan.placement
    for op in step.ops.values():
        node = nodes[groups.of_op[op.index]]
        node.num_ops += 1
        node.types[op.type] += 1
        node.ops_on[step.devices[placement[op.index]]] += 1
    for span in step.kernels:
        members = [step.ops[name].index for name in span.ops if name in step.ops]
        weights = np.array([alone[member, placement[member]] for member in members])
        parts = weights / weights.sum() if weights.sum() > 0 else np.full(len(members), 1.0)
        for member, part in zip(members, parts / parts.sum(), strict=True):
            nodes[groups.of_op[member]].ps[span.row] += round(span.duration_ps * part)
    return nodes


def edges_of(step: Step, groups: OpGroups) -> dict[tuple[int, int], Edge]:
    """The edges, by the two groups in their order."""
    placement = step.plan.placement
    edges: dict[tuple[int, int], Edge] = defaultdict(Edge)
    for tensor in step.problem.graph.tensors:
        src = groups.of_op[tensor.producer]
        read: dict[int, set[int]] = defaultdict(set)
        for reader in tensor.consumers:
            read[groups.of_op[reader]].add(placement[reader])
        for dst, devices in read.items():
            if dst != src:
                edge = edges[min(src, dst), max(src, dst)]
                edge.num_tensors += 1
                edge.num_bytes += tensor.bytes
                copies = len(devices - {placement[tensor.producer]})
                edge.crossing_bytes += tensor.bytes * copies
    return dict(edges)


def places_of(num_nodes: int, edges: dict[tuple[int, int], Edge]) -> npt.NDArray[np.float64]:
    """Columns and layers [nodes, 2] by igraph's layout after Sugiyama, Tagawa and Toda (1981).

    Edges lead from the group whose forward ops end first to the other, whichever way data goes:
    so there is no cycle, though groups that forward and backward passes have in common read from
    each other.
    """
    graph = igraph.Graph(n=num_nodes, edges=sorted(edges), directed=True)
    layout = graph.layout_sugiyama(layers=_layers(num_nodes, sorted(edges)), hgap=1, vgap=1)
    places = np.array(layout.coords[:num_nodes], dtype=np.float64).reshape(-1, 2)
    if num_nodes == 0:
        return places
    apart = _apart(places - places.min(axis=0))
    _, sizes = np.unique(apart[:, 1], return_counts=True)
    return apart if np.ptp(apart[:, 0]) < _WIDEST * sizes.max() else _dense(apart, sizes.max())


def _dense(places: npt.NDArray[np.float64], columns: int) -> npt.NDArray[np.float64]:
    """The places without the room for edges that pass layers: each layer in the middle."""
    found = places.copy()
    for layer in np.unique(places[:, 1]):
        nodes = np.flatnonzero(places[:, 1] == layer)
        order = nodes[np.argsort(places[nodes, 0], kind="stable")]
        found[order, 0] = np.arange(len(order)) + (columns - len(order)) / 2
    return found


def _layers(num_nodes: int, edges: list[tuple[int, int]]) -> list[int]:
    """The layer of each node: one before its nearest reader, on the longest path where none reads.

    `edges` are sorted, and lead from lower to higher numbers.
    """
    layers = [0] * num_nodes
    for src, dst in edges:
        layers[dst] = max(layers[dst], layers[src] + 1)
    nearest: dict[int, int] = {}
    for src, dst in reversed(edges):
        nearest[src] = min(nearest.get(src, num_nodes), layers[dst] - 1)
        layers[src] = nearest[src]
    return layers


def _apart(places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The places with neighbours of a layer a column apart, which igraph brings nearer."""
    last: dict[float, float] = {}
    for node in np.lexsort((places[:, 0], places[:, 1])):
        x, layer = places[node]
        places[node, 0] = last[layer] = max(x, last.get(layer, x - 1) + 1)
    return places


def graph_view(step: Step, bundle: FigureBundle, name: str) -> tuple[Markup, str]:
    """Adds the graph to the page.

    Args:
        step: The step.
        bundle: Of the page.
        name: The name of the figure on the page.

    Returns:
        The figure with what its colours mean, and a note on what its nodes are.
    """
    groups = groups_of(step.problem.graph, step.plan.placement, step.devices)
    nodes, edges = nodes_of(step, groups), edges_of(step, groups)
    places = places_of(len(nodes), edges)
    curves = (_curve(places[a], places[b])[0].max() for a, b in edges)
    right = max([places[:, 0].max() + 0.5, *curves]) + 0.1
    height_px = round(_MARGIN_PX + _ROW_PX * (places[:, 1].max() + 1))
    plot = _plot(max(right, 3.5), height_px)
    _add_edges(plot, edges, nodes, places)
    _add_cards(plot, nodes, places, step)
    used = [name for name in step.devices if any(node.ops_on[name] for node in nodes)]
    known = colours.device_colours(step.devices)
    meaning = {device: known[device] for device in used}
    meaning |= {"data within a device": _WITHIN, "copies between devices": _BETWEEN}
    head = Markup('<p class="legends">{}</p><div class="wide">').format(legend(meaning))
    return head + bundle.add(name, plot, height_px=height_px) + Markup("</div>"), _note(groups)


def _note(groups: OpGroups) -> str:
    return (
        f"Each card is a group of ops ({groups.rule}), first what runs first. Its bar "
        "is as long as its kernels take, in the colours of their devices; the longest one "
        "is as wide as a card. A copy that several groups read counts for each of them."
    )


def _plot(right: float, height_px: int) -> figure:
    """An empty figure in which a column and a layer have the size of a card."""
    plot = figure(
        width=min(round(_MARGIN_PX + _COLUMN_PX * (right + 0.5)), _WIDEST_PX),
        height=height_px,
        x_range=Range1d(start=-0.5, end=right),
        y_range=Range1d(start=(height_px - _MARGIN_PX) / _ROW_PX - 0.5, end=-0.5),
        tools=[],
        toolbar_location="above",
        name="graph",
    )
    pan, wheel = PanTool(), WheelZoomTool(modifiers="ctrl")
    plot.add_tools(pan, wheel, ResetTool())
    plot.toolbar.active_drag = pan
    plot.toolbar.active_scroll = wheel
    plot.axis.visible = False
    plot.grid.visible = False
    return plot


def _add_edges(
    plot: figure,
    edges: dict[tuple[int, int], Edge],
    nodes: list[Node],
    places: npt.NDArray[np.float64],
) -> None:
    """Curves from card to card, as wide as their bytes are many; copies between devices on top."""
    ranked = sorted(edges.items(), key=lambda item: (item[1].crossing_bytes > 0, item[0]))
    if not ranked:
        return
    most = max(max(edge.num_bytes, edge.crossing_bytes) for _, edge in ranked) or 1
    curves = [_curve(places[a], places[b]) for (a, b), _ in ranked]
    source = ColumnDataSource(
        {
            "xs": [x for x, _ in curves],
            "ys": [y for _, y in curves],
            "colour": [_BETWEEN if edge.crossing_bytes else _WITHIN for _, edge in ranked],
            "width": [
                1 + 5 * (max(edge.num_bytes, edge.crossing_bytes) / most) ** 0.5
                for _, edge in ranked
            ],
            "name": [f"{nodes[a].name} and {nodes[b].name}" for (a, b), _ in ranked],
            "tensors": [f"{edge.num_tensors}, {bytes_text(edge.num_bytes)}" for _, edge in ranked],
            "copies": [bytes_text(edge.crossing_bytes) for _, edge in ranked],
        }
    )
    crossing = np.array([edge.crossing_bytes > 0 for _, edge in ranked])
    source.data["alpha"] = 0.2 + 0.3 * crossing + 0.1 * (np.array(source.data["width"]) - 1)
    lines = plot.multi_line(
        "xs", "ys", line_color="colour", line_width="width", line_alpha="alpha", source=source,
        line_cap="round", name="edges",
    )  # fmt: skip
    shown = tooltip("@name", [("tensors", "@tensors"), ("copies", "@copies")])
    plot.add_tools(
        HoverTool(
            renderers=[lines], tooltips=shown, description="edges: details", line_policy="interp"
        )
    )


def _curve(
    start: npt.NDArray[np.float64], end: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """A cubic Bézier curve from the lower edge of a card to the upper edge of another.

    It goes around what stands between cards of one column.
    """
    (x0, y0), (x1, y1) = start, end
    side = 0.0 if y1 - y0 < 2 or abs(x1 - x0) > 1 else 0.5 + min(y1 - y0, 12) / 8
    y0, y1 = y0 + _CARD[1] / 2, y1 - _CARD[1] / 2
    bend = max(abs(y1 - y0) / 2, 0.3)
    t = np.linspace(0, 1, 25)
    weights = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    across = np.array([x0, x0 + side, x1 + side, x1])
    return across @ weights, np.array([y0, y0 + bend, y1 - bend, y1]) @ weights


def _add_cards(
    plot: figure, nodes: list[Node], places: npt.NDArray[np.float64], step: Step
) -> None:
    """A card with its name for each node, and in it the bar of its times."""
    columns = _card_columns(nodes, places, step)
    source = ColumnDataSource(columns)
    cards = plot.rect(
        "x", "y", width=_CARD[0], height=_CARD[1], source=source, fill_color="#eceff3",
        line_color="colour", line_width=2, border_radius=3, name="cards",
    )  # fmt: skip
    _add_bars(plot, nodes, places, step)
    plot.text(
        "x", "y", text="label", source=source, text_color="#1d2129", text_align="center",
        text_baseline="bottom", y_offset=4, text_font_size="11px", name="labels",
    )  # fmt: skip
    shown = tooltip("@name", [("ops", "@ops"), ("time", "@time"), ("part", "@part")], note="note")
    plot.add_tools(HoverTool(renderers=[cards], tooltips=shown, description="groups: details"))


def _card_columns(nodes: list[Node], places: npt.NDArray[np.float64], step: Step) -> dict[str, Any]:
    known = colours.device_colours(step.devices)
    totals = [sum(node.ps.values()) for node in nodes]
    whole = sum(totals)
    return {
        "x": places[:, 0],
        "y": places[:, 1],
        "colour": [known[_main_device(node)] for node in nodes],
        "label": [
            name if len(name) <= _LONGEST_LABEL else f"…{name[1 - _LONGEST_LABEL :]}"
            for name in (node.name for node in nodes)
        ],
        "name": [node.name for node in nodes],
        "ops": [_several(node.types) for node in nodes],
        "time": [time_text(total) for total in totals],
        "part": [percent_text(total, whole) + " of all kernel time" for total in totals],
        "note": [
            Markup("<br>").join(
                Markup("{}: {} ops, {}").format(device, count, time_text(node.ps[device]))
                for device, count in node.ops_on.most_common()
            )
            for node in nodes
        ],
    }


def _main_device(node: Node) -> str:
    """The device with most of the time, or of the ops where none takes any."""
    return (node.ps.most_common(1) or node.ops_on.most_common(1))[0][0]


def _several(types: Counter[str]) -> str:
    """``"12: 4 Conv2D, 4 Relu, 4 others"``."""
    common = types.most_common(3)
    rest = types.total() - sum(count for _, count in common)
    words = [f"{count} {name}" for name, count in common] + ([f"{rest} others"] if rest else [])
    return f"{types.total()}: {', '.join(words)}"


def _add_bars(plot: figure, nodes: list[Node], places: npt.NDArray[np.float64], step: Step) -> None:
    """Times by device, one behind the other."""
    known = colours.device_colours(step.devices)
    longest = max((sum(node.ps.values()) for node in nodes), default=0) or 1
    left, right, y, colour = [], [], [], []
    for (x, row), node in zip(places.tolist(), nodes, strict=True):
        at = x - _CARD[0] / 2
        for device in step.devices:
            if node.ps[device]:
                left.append(at)
                at += _CARD[0] * node.ps[device] / longest
                right.append(at)
                y.append(row + _CARD[1] / 2 - _BAR / 2)
                colour.append(known[device])
    plot.hbar(
        y=y, left=left, right=right, height=_BAR, fill_color=colour, line_color=None, name="times"
    )
