"""The meanings of names where a node stands: in the model, in a body, in a function."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from opyard.export.errors import ExportError
from opyard.export.onnx_contrib import Partial
from opyard.export.onnx_flat import Frame

if TYPE_CHECKING:
    import onnx

Binding = str | list[str]  # a tensor of the flat model, or those of a sequence


def tensors_of(bindings: Iterable[Binding | None]) -> list[str]:
    """All tensors behind names, those of sequences one by one."""
    found: list[str] = []
    for binding in bindings:
        found += binding if isinstance(binding, list) else [binding] if binding else []
    return list(dict.fromkeys(found))


@dataclass(eq=False)
class Gate:
    """Tensors that decide whether the nodes behind it run, and what these nodes make."""

    tensors: list[str]
    outer: Gate | None
    made: set[str] = field(default_factory=set)


@dataclass(eq=False)
class Scope:
    """Where a node stands. A body sees the names around it, a function does not."""

    opsets: dict[str, int]
    bindings: dict[str, Binding] = field(default_factory=dict)
    declared: dict[str, Partial] = field(default_factory=dict)
    outer: Scope | None = None
    attributes: dict[str, onnx.AttributeProto] | None = None  # of the call of a function
    frame: Frame | None = None
    gate: Gate | None = None
    repeats: int = 1

    @property
    def depth(self) -> int:
        """The number of loops that run around here."""
        frame, found = self.frame, 0
        while frame is not None:
            found += frame.is_iteration
            frame = frame.parent
        return found

    def find(self, name: str) -> Binding | None:
        """The binding of `name`, None if nothing made it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.bindings:
                return scope.bindings[name]
            scope = scope.outer
        return None

    def attributes_of(self, node: onnx.NodeProto) -> list[onnx.AttributeProto]:
        """The node's attributes, those taken from a function's call included."""
        found = []
        for attribute in node.attribute:
            if not attribute.ref_attr_name:
                found.append(attribute)
                continue
            given = (self.attributes or {}).get(attribute.ref_attr_name)
            if given is not None:
                found.append(type(attribute).FromString(given.SerializeToString()))
                found[-1].name = attribute.name
        return found


@dataclass(eq=False)
class Body:
    """A graph or a function: nodes in an order in which each stands after what it reads."""

    nodes: list[onnx.NodeProto]
    inputs: list[str]
    outputs: list[str]
    reads: list[str]  # names from around it, in the order of their first use
    source: onnx.GraphProto | onnx.FunctionProto


def body_of(source: onnx.GraphProto | onnx.FunctionProto) -> Body:
    """Sorts the nodes of `source`.

    Raises:
        ExportError: two nodes make one tensor, or nodes wait for each other.
    """
    is_function = not hasattr(source, "initializer")
    nodes = list(source.node)
    inputs = list(source.input) if is_function else [value.name for value in source.input]
    outputs = list(source.output) if is_function else [value.name for value in source.output]
    own = set(inputs)
    if not is_function:
        own.update(tensor.name for tensor in source.initializer)
        own.update(tensor.values.name for tensor in source.sparse_initializer)
    needs = [_names_read(node) for node in nodes]
    makers = _makers(nodes)
    order = _sorted(nodes, needs, makers)
    reads = [name for need in (*needs, outputs) for name in need]
    outer = [name for name in dict.fromkeys(reads) if name not in own and name not in makers]
    return Body([nodes[i] for i in order], inputs, outputs, outer, source)


def graphs_of(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    """The bodies that stand in a node's attributes."""
    found = []
    for attribute in node.attribute:
        found += [attribute.g] if attribute.HasField("g") else []
        found += attribute.graphs
    return found


def _names_read(node: onnx.NodeProto) -> list[str]:
    """Tensors that a node reads, those that its bodies read from around it included."""
    names = [name for name in node.input if name]
    for graph in graphs_of(node):
        names += body_of(graph).reads
    return names


def _makers(nodes: list[onnx.NodeProto]) -> dict[str, int]:
    makers: dict[str, int] = {}
    for index, node in enumerate(nodes):
        for name in node.output:
            if name and makers.setdefault(name, index) != index:
                raise ExportError(
                    f'tensor "{name}" is made by two nodes, "{label_of(nodes[makers[name]])}" and '
                    f'"{label_of(node)}"'
                )
    return makers


def _sorted(
    nodes: list[onnx.NodeProto], needs: list[list[str]], makers: dict[str, int]
) -> Iterable[int]:
    """The nodes' own order if it is one, else each as soon as what it reads is made."""
    before = [{makers[name] for name in need if name in makers} for need in needs]
    if all(all(j < i for j in earlier) for i, earlier in enumerate(before)):
        return range(len(nodes))
    order = _order(before)
    if len(order) < len(nodes):
        left = min(set(range(len(nodes))).difference(order))
        raise ExportError(f'node "{label_of(nodes[left])}" waits for itself: its inputs need it')
    return order


def _order(before: list[set[int]]) -> list[int]:
    """Each index once those of `before` have come, the smallest first; without cycles."""
    behind: list[list[int]] = [[] for _ in before]
    for index, earlier in enumerate(before):
        for maker in earlier:
            behind[maker].append(index)
    waiting = [len(earlier) for earlier in before]
    ready = [index for index, count in enumerate(waiting) if count == 0]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        order.append(heapq.heappop(ready))
        for index in behind[order[-1]]:
            waiting[index] -= 1
            if waiting[index] == 0:
                heapq.heappush(ready, index)
    return order


def label_of(node: onnx.NodeProto) -> str:
    """The name of a node in messages: its own name, else its first output."""
    return str(node.name or next((name for name in node.output if name), node.op_type))


def attribute_value(attribute: onnx.AttributeProto) -> object:
    """A number, a word or a list of them; None for tensors and graphs."""
    from onnx import AttributeProto, helper

    if attribute.type in (AttributeProto.TENSOR, AttributeProto.GRAPH, AttributeProto.GRAPHS):
        return None
    value = helper.get_attribute_value(attribute)
    return value.decode(errors="replace") if isinstance(value, bytes) else value
