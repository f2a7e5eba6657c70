"""Which nodes of a flat model become ops: not those that hand on, nor dead arithmetic."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from opyard.export.onnx_flat import FlatModel, Node
from opyard.export.onnx_ops import IDENTITIES


def kept_nodes(flat: FlatModel, folded: Counter[str]) -> list[Node]:
    """The nodes that do something, reading what others hand on from where it is made.

    The results of `flat` are renamed likewise; `folded` counts what is left out.
    """
    read = {name for node in flat.nodes for name in (*node.inputs, *node.waits_for)}
    read.update(flat.outputs)
    source: dict[str, str] = {}
    kept = []
    for node in flat.nodes:
        inputs = [source.get(name, name) for name in node.inputs]
        if _hands_on(node, read):
            source[node.outputs[0]] = inputs[0]
            folded[node.op] += 1
            continue
        waits_for = list(dict.fromkeys(source.get(name, name) for name in node.waits_for))
        kept.append(replace(node, inputs=inputs, waits_for=waits_for))
    flat.outputs[:] = [source.get(name, name) for name in flat.outputs]
    return _alive(kept, flat, folded)


def _hands_on(node: Node, read: set[str]) -> bool:
    """True for identities without a mask that something reads."""
    return (
        node.op in IDENTITIES
        and bool(node.inputs and node.inputs[0] and node.outputs[0])
        and not read.intersection(node.outputs[1:])
    )


def _alive(nodes: list[Node], flat: FlatModel, folded: Counter[str]) -> list[Node]:
    """Leaves out what follows from constants alone and nothing reads."""
    constant = set(flat.constants)
    follows = []
    for node in nodes:
        is_constant = bool(node.inputs) and all(n in constant for n in node.inputs if n)
        follows.append(is_constant)
        constant.update(node.outputs if is_constant else ())
    read = set(flat.outputs)
    alive = []
    for node, is_constant in zip(reversed(nodes), reversed(follows), strict=True):
        if is_constant and not read.intersection(name for name in node.outputs if name):
            folded["arithmetic on shapes and constants"] += 1
            continue
        read.update(node.inputs, node.waits_for)
        alive.append(node)
    return alive[::-1]
