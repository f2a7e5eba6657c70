"""The functions that a model defines itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opyard.export.errors import ExportError
from opyard.export.onnx_flat import MOST_NODES
from opyard.export.onnx_scope import Body, body_of, graphs_of, label_of

if TYPE_CHECKING:
    import onnx

_DEEPEST = 64  # calls within calls
_Key = tuple[str, str, str]


class Functions:
    """Finds the function that a node calls."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._found = {(f.domain, f.name, f.overload): f for f in model.functions}
        self._bodies: dict[_Key, Body] = {}
        self._counts: dict[_Key, int] = {}
        self._graph = model.graph

    def find(self, node: onnx.NodeProto) -> onnx.FunctionProto | None:
        if not self._found:
            return None
        return self._found.get((node.domain, node.op_type, node.overload))

    def body(self, function: onnx.FunctionProto) -> Body:
        key = (function.domain, function.name, function.overload)
        if key not in self._bodies:
            self._bodies[key] = body_of(function)
        return self._bodies[key]

    def check(self) -> None:
        """Counts the nodes there are once all calls are opened.

        Raises:
            ExportError: there are too many, or a function calls itself.
        """
        if self._count(self._graph.node, 0) > MOST_NODES:
            raise ExportError(f"found more than {MOST_NODES} nodes after opening functions")

    def _count(self, nodes: object, depth: int) -> int:
        total = 0
        for node in nodes:
            total += 1 + sum(self._count(graph.node, depth) for graph in graphs_of(node))
            function = self.find(node)
            total += self._count_function(node, function, depth + 1) if function else 0
        return total

    def _count_function(
        self, node: onnx.NodeProto, function: onnx.FunctionProto, depth: int
    ) -> int:
        key = (function.domain, function.name, function.overload)
        if depth > _DEEPEST:
            raise ExportError(
                f'node "{label_of(node)}": function {function.name} calls itself, or calls lie '
                f"deeper than {_DEEPEST} levels"
            )
        if key not in self._counts:
            self._counts[key] = self._count(self.body(function).nodes, depth)
        return self._counts[key]
