"""A graph as cards, one for each group of ops, with curves for the bytes between them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import igraph
import numpy as np
import numpy.typing as npt
from bokeh.models import ColumnDataSource, HoverTool, Range1d
from bokeh.plotting import figure
from markupsafe import Markup

from opyard.viewer import colours
from opyard.viewer.figures import make_map, tooltip
from opyard.viewer.op_groups import Edge
from opyard.viewer.words import bytes_text

_COLUMN_PX, _ROW_PX, _MARGIN_PX = 150, 52, 40
_WIDEST_PX = 8000  # browsers limit canvases, to twice as many pixels
_WIDEST = 3  # times the cards of the largest layer: beyond, edges get no room of their own
_CARD = (0.92, 0.62)  # of a column and of a row
_BAR = 0.2  # of a row: the part of a card that shows a bar
_LONGEST_LABEL = 20
WITHIN, BETWEEN = colours.GREY, colours.LIMIT
"""Colours of edges without and with copies between devices."""


@dataclasses.dataclass(frozen=True)
class Card:
    """A group of ops as the figure shows it."""

    name: str
    colour: str
    """The colour of its border."""
    bar: Sequence[tuple[float, str]]
    """Lengths, in a unit of all cards, with their colours; the longest bar is as wide as a card."""
    facts: Mapping[str, str]
    """What a pointer shows: word -> text; all cards have the same words."""
    note: Markup
    """Stands below the facts."""


def graph_figure(
    cards: Sequence[Card], edges: Mapping[tuple[int, int], Edge], name: str
) -> tuple[figure, int]:
    """The figure, and its height in pixels.

    Args:
        cards: In the order of `edges`.
        edges: By two places of cards.
        name: Of the model.
    """
    places = places_of(len(cards), edges)
    curves = (_curve(places[a], places[b])[0].max() for a, b in edges)
    right = max([places[:, 0].max() + 0.5, *curves]) + 0.1
    height_px = round(_MARGIN_PX + _ROW_PX * (places[:, 1].max() + 1))
    plot = _plot(max(right, 3.5), height_px, name)
    _add_edges(plot, edges, cards, places)
    _add_cards(plot, cards, places)
    return plot, height_px


def places_of(num_nodes: int, edges: Mapping[tuple[int, int], Edge]) -> npt.NDArray[np.float64]:
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


def _plot(right: float, height_px: int, name: str) -> figure:
    """An empty figure in which a column and a layer have the size of a card."""
    plot = figure(
        width=min(round(_MARGIN_PX + _COLUMN_PX * (right + 0.5)), _WIDEST_PX),
        height=height_px,
        x_range=Range1d(start=-0.5, end=right),
        y_range=Range1d(start=(height_px - _MARGIN_PX) / _ROW_PX - 0.5, end=-0.5),
        tools=[],
        toolbar_location="above",
        name=name,
    )
    make_map(plot)
    return plot


def _add_edges(
    plot: figure,
    edges: Mapping[tuple[int, int], Edge],
    cards: Sequence[Card],
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
            "colour": [BETWEEN if edge.crossing_bytes else WITHIN for _, edge in ranked],
            "width": [
                1 + 5 * (max(edge.num_bytes, edge.crossing_bytes) / most) ** 0.5
                for _, edge in ranked
            ],
            "name": [f"{cards[a].name} and {cards[b].name}" for (a, b), _ in ranked],
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
    rows = [("tensors", "@tensors")] + ([("copies", "@copies")] if crossing.any() else [])
    plot.add_tools(
        HoverTool(
            renderers=[lines], tooltips=tooltip("@name", rows), description="edges: details",
            line_policy="interp",
        )
    )  # fmt: skip


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


def _add_cards(plot: figure, cards: Sequence[Card], places: npt.NDArray[np.float64]) -> None:
    """A card with its name for each group, and in it its bar."""
    words = list(cards[0].facts) if cards else []
    source = ColumnDataSource(
        {
            "x": places[:, 0],
            "y": places[:, 1],
            "colour": [card.colour for card in cards],
            "label": [
                name if len(name) <= _LONGEST_LABEL else f"…{name[1 - _LONGEST_LABEL :]}"
                for name in (card.name for card in cards)
            ],
            "name": [card.name for card in cards],
            "note": [card.note for card in cards],
            **{f"fact{i}": [card.facts[word] for card in cards] for i, word in enumerate(words)},
        }
    )
    drawn = plot.rect(
        "x", "y", width=_CARD[0], height=_CARD[1], source=source, fill_color="#eceff3",
        line_color="colour", line_width=2, border_radius=3, name="cards",
    )  # fmt: skip
    _add_bars(plot, cards, places)
    plot.text(
        "x", "y", text="label", source=source, text_color="#1d2129", text_align="center",
        text_baseline="bottom", y_offset=4, text_font={"value": "sans-serif"},
        text_font_size="11px", name="labels",
    )  # fmt: skip
    rows = [(word, f"@fact{i}") for i, word in enumerate(words)]
    shown = tooltip("@name", rows, note="note")
    plot.add_tools(HoverTool(renderers=[drawn], tooltips=shown, description="groups: details"))


def _add_bars(plot: figure, cards: Sequence[Card], places: npt.NDArray[np.float64]) -> None:
    """The parts of each bar, one behind the other."""
    longest = max((sum(length for length, _ in card.bar) for card in cards), default=0) or 1
    left, right, y, colour = [], [], [], []
    for (x, row), card in zip(places.tolist(), cards, strict=True):
        at = x - _CARD[0] / 2
        for length, of_part in card.bar:
            left.append(at)
            at += _CARD[0] * length / longest
            right.append(at)
            y.append(row + _CARD[1] / 2 - _BAR / 2)
            colour.append(of_part)
    plot.hbar(
        y=y, left=left, right=right, height=_BAR, fill_color=colour, line_color=None, name="times"
    )
