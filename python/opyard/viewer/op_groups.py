"""Groups of ops that a picture of a graph shows as one node each."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from opyard import _core

MOST_GROUPS = 150


@dataclasses.dataclass(frozen=True)
class OpGroups:
    """A partition of the ops of a graph."""

    of_op: list[int]
    """The group of each op; groups count in the order of their last forward ops."""
    names: list[str]
    """Of each group."""
    rule: str
    """What the groups are: ``"modules at depth 2"``."""


@dataclasses.dataclass
class Edge:
    """The data between two groups, in both directions."""

    num_tensors: int = 0
    num_bytes: int = 0
    """Of tensors that one group makes and the other reads, each once for a direction."""
    crossing_bytes: int = 0
    """Of copies: of these tensors, once for each other device on which readers are."""


def edges_of(
    graph: _core.Graph, placement: Sequence[int], groups: OpGroups
) -> dict[tuple[int, int], Edge]:
    """The data between groups, by the two groups in their order; `placement` is of the ops."""
    edges: dict[tuple[int, int], Edge] = defaultdict(Edge)
    for tensor in graph.tensors:
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


def several(types: Counter[str]) -> str:
    """Ops by type: ``"12: 4 Conv2D, 4 Relu, 4 others"``."""
    common = types.most_common(3)
    rest = types.total() - sum(count for _, count in common)
    words = [f"{count} {name}" for name, count in common] + ([f"{rest} others"] if rest else [])
    return f"{types.total()}: {', '.join(words)}"


def groups_of(graph: _core.Graph, placement: Sequence[int], devices: Sequence[str]) -> OpGroups:
    """The finest partition of at most `MOST_GROUPS` by module, else by layer, else by chain.

    A module counts with its first names, to a depth that all have in common; an op without a module
    is of that of a producer of its inputs, else of a reader. Layers that follow each other are
    joined where there are too many. Without modules and layers, an op goes with its only producer
    if it is the only reader; where those chains are too many, ops of one device and of nearby
    levels (the longest paths from the inputs) are a group.

    Args:
        graph: The graph.
        placement: The device of each op, all the same for a graph without a plan.
        devices: The names of the devices; none for a graph without a plan.
    """
    ops = graph.ops
    order: list[int] = graph.arrays()["topological_order"].tolist()
    found = _module_keys(ops, order, graph) or _layer_keys(ops, order, graph)
    keys, rule = found or _chain_keys(ops, order, graph)
    if len(set(keys)) > MOST_GROUPS:
        keys, rule = _level_keys(order, graph, placement, devices)
    number = {key: i for i, key in enumerate(_in_order(keys, ops, _levels(order, graph)))}
    return OpGroups([number[key] for key in keys], list(number), rule)


def _in_order(keys: list[str], ops: Sequence[_core.Op], levels: list[int]) -> list[str]:
    """The groups by the greatest level of their forward ops, then those without forward ops."""
    last: dict[str, tuple[bool, int]] = {}
    for key, op in zip(keys, ops, strict=True):
        is_forward = op.phase not in ("backward", "update")
        place = (is_forward, levels[op.index])
        last[key] = max(last.get(key, place), place)
    return sorted(last, key=lambda key: (not last[key][0], last[key][1], key))


def _module_keys(
    ops: Sequence[_core.Op], order: list[int], graph: _core.Graph
) -> tuple[list[str], str] | None:
    modules = [op.module for op in ops]
    if not any(modules):
        return None
    _fill(modules, order, graph)
    paths = [(module or "").split(".") for module in modules]
    best: tuple[list[str], str] | None = None
    for depth in range(1, 1 + max(map(len, paths))):
        keys = [".".join(path[:depth]) or "the network itself" for path in paths]
        if best is not None and len(set(keys)) > MOST_GROUPS:
            break
        best = keys, f"modules at depth {depth}"
    return best


def _fill(values: list[Any], order: list[int], graph: _core.Graph) -> None:
    """Gives ops without a value that of a producer of an input, else of a reader."""
    producers, readers = _neighbours(graph)
    for index in order:
        if values[index] is None:
            near = (values[before] for before in sorted(producers[index]))
            values[index] = next((value for value in near if value is not None), None)
    for index in reversed(order):
        if values[index] is None:
            near = (values[after] for after in sorted(readers[index]))
            values[index] = next((value for value in near if value is not None), None)


def _layer_keys(
    ops: Sequence[_core.Op], order: list[int], graph: _core.Graph
) -> tuple[list[str], str] | None:
    layers = [op.layer for op in ops]
    _fill(layers, order, graph)
    known = sorted({layer for layer in layers if layer is not None})
    if len(known) < 2:
        return None
    joined = -(-len(known) // (MOST_GROUPS - 1))
    place = {layer: i // joined for i, layer in enumerate(known)}
    names = {}
    for i in range(0, len(known), joined):
        last = known[min(i + joined, len(known)) - 1]
        names[i // joined] = f"layer {known[i]}" if joined == 1 else f"layers {known[i]} to {last}"
    keys = ["no layer" if layer is None else names[place[layer]] for layer in layers]
    return keys, "layers" if joined == 1 else f"{joined} layers each"


def _chain_keys(
    ops: Sequence[_core.Op], order: list[int], graph: _core.Graph
) -> tuple[list[str], str]:
    producers, readers = _neighbours(graph)
    chain: list[list[int]] = [[] for _ in ops]
    for index in order:
        only = next(iter(producers[index])) if len(producers[index]) == 1 else None
        chain[index] = chain[only] if only is not None and len(readers[only]) == 1 else []
        chain[index].append(index)
    keys = [ops[members[0]].name for members in chain]
    return keys, "chains of ops"


def _level_keys(
    order: list[int], graph: _core.Graph, placement: Sequence[int], devices: Sequence[str]
) -> tuple[list[str], str]:
    level = _levels(order, graph)
    bands = max(1, MOST_GROUPS // len(set(placement)))
    width = -(-(max(level) + 1) // bands)
    where = [f" on {devices[device]}" if devices else "" for device in placement]
    keys = [
        f"levels {lvl // width * width} to {lvl // width * width + width - 1}{on}"
        for lvl, on in zip(level, where, strict=True)
    ]
    return keys, f"ops of {width} levels" + (" on one device" if devices else "")


def _levels(order: list[int], graph: _core.Graph) -> list[int]:
    """The number of ops on the longest path to each op."""
    producers, _ = _neighbours(graph)
    level = [0] * len(order)
    for index in order:
        level[index] = max((level[before] + 1 for before in producers[index]), default=0)
    return level


def _neighbours(graph: _core.Graph) -> tuple[list[set[int]], list[set[int]]]:
    """The ops that each op reads from, and those that read from it."""
    producers: list[set[int]] = [set() for _ in range(graph.num_ops)]
    readers: list[set[int]] = [set() for _ in range(graph.num_ops)]
    for src, dst in graph.arrays()["edge_index"].T.tolist():
        producers[dst].add(src)
        readers[src].add(dst)
    return producers, readers
