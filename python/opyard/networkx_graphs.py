"""Graphs of networkx, by way of GraphML, which both sides read and write."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeAlias

import numpy as np

from opyard import _core

_NAME = "graph of networkx"
# The attributes of a graph that mean something here, and those that hold what nodes and edges have
# by default in the file that a graph was read from.
_OF_GRAPHS = ("format", "name", "origin", "measured")
_DEFAULTS = ("node_default", "edge_default")

# Graphs of networkx are of no type that is known here: it may not be installed.
NetworkxGraph: TypeAlias = Any


def graph_of(source: NetworkxGraph, seconds_per_cost: float, bytes_per_size: float) -> _core.Graph:
    """The graph that `Graph.from_networkx` returns.

    Raises:
        opyard.InputError: As of `Graph.from_networkx`.
        TypeError: `source` is no graph of networkx.
    """
    if not callable(getattr(source, "is_directed", None)):
        raise TypeError(f"source: found {type(source).__name__}, expected a networkx.DiGraph")
    import networkx

    if not isinstance(source, networkx.Graph):
        raise TypeError(f"source: found {type(source).__name__}, expected a networkx.DiGraph")
    if not source.is_directed():
        raise _core.InputError("source: found an undirected graph, expected a networkx.DiGraph")
    lines = list(networkx.generate_graphml(_plain_copy(source)))
    try:
        return _core.read_graphml(
            "\n".join(lines).encode("utf-8", "replace"),
            _NAME,
            seconds_per_cost=seconds_per_cost,
            bytes_per_size=bytes_per_size,
        )
    except _core.InputError as error:
        raise _core.InputError(_with_elements(str(error), lines)) from None


def networkx_of(graph: _core.Graph) -> NetworkxGraph:
    """The graph that `Graph.to_networkx` returns.

    Raises:
        ImportError: networkx is not there.
    """
    try:
        import networkx
    except ImportError as error:
        raise ImportError("to_networkx needs networkx: pip install 'opyard[networkx]'") from error
    made = networkx.parse_graphml(_core.graphml_text(graph))
    return networkx.convert_node_labels_to_integers(made)


def _plain_copy(source: NetworkxGraph) -> NetworkxGraph:
    """A copy whose keys are texts and whose attributes GraphML holds."""
    import networkx

    plain = networkx.MultiDiGraph()
    key_of = {node: _key_text(node) for node in source}
    if len(set(key_of.values())) < len(key_of):
        texts = list(key_of.values())
        again = next(text for text in texts if texts.count(text) > 1)
        raise _core.InputError(f"node {again!r}: found two keys with this text, expected one")
    for name, value in source.graph.items():
        if name in _DEFAULTS:
            plain.graph[name] = _attributes(value, lambda: "the graph")
        elif name in _OF_GRAPHS:
            plain.graph |= _attributes({name: value}, lambda: "the graph")
    plain.graph["name"] = plain.graph.get("name") or "graph"
    for node, given in source.nodes(data=True):
        place = f"node {key_of[node]!r}"
        plain.add_node(key_of[node], **_attributes(given, lambda place=place: place))
    for start, end, given in source.edges(data=True):
        place = f"edge {key_of[start]!r} -> {key_of[end]!r}"
        attributes = _attributes(given, lambda place=place: place)
        plain.add_edges_from([(key_of[start], key_of[end], attributes)])
    return plain


def _key_text(node: Hashable) -> str:
    text = str(node)
    return text if text.isprintable() else repr(node)


def _attributes(given: Mapping[Any, Any], place: Callable[[], str]) -> dict[str, Any]:
    """Attributes as texts, numbers and bools; None stands for none."""
    plain: dict[str, Any] = {}
    for name, value in given.items():
        if name == "seconds" and isinstance(value, Mapping):
            plain |= {
                f"seconds.{where}": _plain(each, place, name) for where, each in value.items()
            }
        elif value is not None:
            plain[str(name)] = _plain(value, place, name)
    return plain


def _plain(value: Any, place: Callable[[], str], name: Any) -> str | int | float | bool:
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        raise _core.InputError(f"{place()}: {name}: found {value}, expected a finite number")
    if isinstance(value, str | bool | int | float):
        return value
    try:
        return json.dumps(value, allow_nan=False)  # a list or a block of shapes
    except (TypeError, ValueError, RecursionError):
        raise _core.InputError(
            f"{place()}: {name}: found {type(value).__name__}, expected text, a number, a bool, a "
            "list or a dict of these"
        ) from None


def _with_elements(message: str, lines: list[str]) -> str:
    """The message of a reader with nodes and edges in the place of lines of the GraphML text."""
    nodes = [line for line, text in enumerate(lines, 1) if text.lstrip().startswith("<node ")]
    message = re.sub(
        rf"(?m)^{_NAME}:(\d+):\d+(?:: |#/)",
        lambda match: f"{_element_at(int(match[1]), lines)}: ",
        message,
    )
    return re.sub(
        rf"(?m)^{_NAME}: imported graph/ops/(\d+)/",
        lambda match: f"{_element_at(nodes[int(match[1])], lines)}: ",
        message,
    )


def _element_at(line: int, lines: list[str]) -> str:
    """`node 'a'` or `edge 'a' -> 'b'`: the element that line number `line`, from 1, is of."""
    for text in reversed(lines[:line]):
        if found := re.match(r'\s*<node id="(.*?)"', text):
            return f"node {html.unescape(found[1])!r}"
        if found := re.match(r'\s*<edge source="(.*?)" target="(.*?)"', text):
            return f"edge {html.unescape(found[1])!r} -> {html.unescape(found[2])!r}"
    return "the graph"
