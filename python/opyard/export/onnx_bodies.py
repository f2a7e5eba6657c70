"""The bodies of control flow: where they stand, what they read and give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opyard.export.errors import ExportError
from opyard.export.onnx_flat import Frame
from opyard.export.onnx_scope import Binding, Gate, Scope, graphs_of, label_of, tensors_of

if TYPE_CHECKING:
    import onnx

    from opyard.export.onnx_opening import Opening

Inputs = list[Binding | None]


def graph_at(node: onnx.NodeProto, name: str) -> onnx.GraphProto:
    """The body in attribute `name`; raises ExportError if there is none."""
    for attribute in node.attribute:
        if attribute.name == name and attribute.HasField("g"):
            return attribute.g
    raise ExportError(f'node "{label_of(node)}" ({node.op_type}) has no body "{name}"')


def outer_reads(node: onnx.NodeProto, opening: Opening, scope: Scope) -> list[str]:
    """The tensors that the bodies of `node` read from around it."""
    reads = [name for graph in graphs_of(node) for name in opening.body(graph).reads]
    return tensors_of([scope.find(name) for name in reads])


def inner_scope(scope: Scope, frame: Frame, gate: Gate | None, repeats: int = 1) -> Scope:
    """Where the nodes of a body stand, which runs `repeats` times."""
    return Scope(
        scope.opsets,
        outer=scope,
        attributes=scope.attributes,
        frame=frame,
        gate=gate,
        repeats=scope.repeats * repeats,
    )


def results_of(graph: onnx.GraphProto, scope: Scope) -> list[Binding]:
    """The results of a body, once its nodes are added."""
    found = []
    for value in graph.output:
        binding = scope.find(value.name)
        if binding is None:
            raise ExportError(f'a body gives "{value.name}", which no node of it makes')
        found.append(binding)
    return found
