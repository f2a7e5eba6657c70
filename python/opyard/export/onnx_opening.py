"""Opens a model: functions, branches and loops stand where they are used, all shapes are known.

The nodes are walked in order, each with what is known of its inputs; so the trip
count of a loop, the condition of a branch and the shape of a Reshape may follow
from shapes and constants that stand before them. What follows from constants of
whole numbers becomes a constant, not a node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from opyard.export.errors import ExportError, one_line
from opyard.export.onnx_constants import constant_of, sparse_constant, sparse_value, value_of
from opyard.export.onnx_contrib import Partial
from opyard.export.onnx_control_flow import CONTROL_FLOW
from opyard.export.onnx_flat import MOST_NODES, Constant, FlatModel, Frame, Node
from opyard.export.onnx_functions import Functions
from opyard.export.onnx_inference import partial_of
from opyard.export.onnx_names import Names
from opyard.export.onnx_ops import IDENTITIES
from opyard.export.onnx_plain import PlainNodes
from opyard.export.onnx_scope import Binding, Body, Scope, body_of, label_of
from opyard.export.onnx_sequences import SEQUENCES
from opyard.export.onnx_types import FLOAT, INT64, STRING, UNDEFINED, UNKNOWN, Value

if TYPE_CHECKING:
    import numpy as np
    import onnx

_STANDARD = ("", "ai.onnx")


@dataclass(frozen=True)
class Limits:
    """The limits of unrolling loops; longer ones stand once, with their work multiplied."""

    trips: int = 256
    nodes: int = 65536  # of all loops together


class Opening:
    """The flat model as it grows."""

    def __init__(self, functions: Functions, folder: Path, limits: Limits) -> None:
        self.flat = FlatModel()
        self.limits = limits
        self.unrolled = 0  # nodes of loops so far
        self.endless: dict[int, bool] = {}  # bodies of loops → true if they say go on, always
        self._functions = functions
        self._folder = folder
        self._bodies: dict[int, Body] = {}
        self._kept: dict[int, Binding] = {}  # constants of bodies that are opened several times
        self._protos: list[object] = []  # whose addresses are keys above
        self._data: dict[str, np.ndarray] = {}  # of constants and of what follows from them
        self._names = Names()
        self._plain = PlainNodes(self)
        self._walked = 0

    # --- Tensors ---

    def fresh(self, wanted: str, frame: Frame | None = None) -> str:
        """A name that no tensor has yet."""
        wanted = f"{frame.path}/{wanted}" if frame else wanted
        name = self._names.unique(wanted)
        self.flat.values[name] = UNKNOWN
        return name

    def add_constant(self, wanted: str, value: Value, constant: Constant) -> str:
        name = self.fresh(wanted)
        self.flat.values[name] = value
        self.flat.constants[name] = constant
        if constant.data is not None:
            self._data[name] = constant.data
        return name

    def add_number(self, wanted: str, array: np.ndarray, element: int) -> str:
        """A constant that follows from others and is known."""
        return self.add_constant(wanted, Value(array.shape, element), Constant(array, False))

    def data(self, name: Binding | None) -> np.ndarray | None:
        return self._data.get(name) if isinstance(name, str) else None

    def set_data(self, name: str, data: np.ndarray) -> None:
        self._data[name] = data

    def number(self, name: Binding | None) -> int | None:
        """The value of a tensor of one element, if it is known."""
        array = self.data(name)
        return None if array is None or array.size != 1 else int(array.reshape(-1)[0])

    # --- Bodies ---

    def body(self, graph: onnx.GraphProto) -> Body:
        body = self._bodies.get(id(graph))
        if body is None:
            body = self._bodies[id(graph)] = body_of(graph)
            self._protos.append(graph)
        return body

    def add_graph(self, graph: onnx.GraphProto, scope: Scope) -> None:
        """Adds the nodes of a graph, whose inputs are bound in `scope`."""
        body = self.body(graph)
        for value in (*graph.value_info, *graph.output):
            scope.declared.setdefault(value.name, partial_type(value.type))
        for tensor in graph.initializer:
            self._bind_kept(scope, tensor, tensor.name, partial(self._read, tensor))
        for sparse in graph.sparse_initializer:
            self._bind_kept(scope, sparse, sparse.values.name, partial(self._read_sparse, sparse))
        self.add_nodes(body.nodes, scope)

    def _read(self, tensor: onnx.TensorProto, name: str) -> tuple[Value, Constant]:
        return value_of(tensor, name), constant_of(tensor, self._folder)

    def _read_sparse(self, tensor: onnx.SparseTensorProto, name: str) -> tuple[Value, Constant]:
        return sparse_value(tensor, name), sparse_constant(tensor)

    def _bind_kept(
        self,
        scope: Scope,
        proto: object,
        name: str,
        read: Callable[[str], tuple[Value, Constant]],
    ) -> None:
        """One constant for all iterations of a body."""
        if id(proto) not in self._kept:
            self._protos.append(proto)
            self._kept[id(proto)] = self.add_constant(name, *read(name))
        scope.bindings[name] = self._kept[id(proto)]

    def add_nodes(self, nodes: Iterable[onnx.NodeProto], scope: Scope) -> None:
        for node in nodes:
            self._walked += 1
            if self._walked > MOST_NODES or len(self.flat.nodes) > MOST_NODES:
                raise ExportError(
                    f"found more than {MOST_NODES} nodes after opening functions and loops"
                )
            self._add(node, scope)

    def _add(self, node: onnx.NodeProto, scope: Scope) -> None:
        domain = "" if node.domain in _STANDARD else node.domain
        inputs = [self._found(node, name, scope) if name else None for name in node.input]
        function = self._functions.find(node)
        if function is not None:
            self._call(node, function, inputs, scope)
        elif domain or not self._add_special(node, inputs, scope):
            self._plain.add(node, domain, inputs, scope)

    def _add_special(
        self, node: onnx.NodeProto, inputs: list[Binding | None], scope: Scope
    ) -> bool:
        """Adds what is no plain node; false for a plain one."""
        try:
            if node.op_type in CONTROL_FLOW:
                CONTROL_FLOW[node.op_type](self, node, inputs, scope)
            elif node.op_type == "Constant":
                self._add_constant_node(node, scope)
            elif self._concerns_sequences(node, inputs):
                SEQUENCES[node.op_type](self, node, inputs, scope)
            else:
                return False
        except ExportError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ExportError(
                f'node "{label_of(node)}" ({node.op_type}) lacks an input, a result or an '
                f"attribute: {one_line(error)}"
            ) from error
        return True

    def _found(self, node: onnx.NodeProto, name: str, scope: Scope) -> Binding:
        found = scope.find(name)
        if found is None:
            raise ExportError(
                f'node "{label_of(node)}" ({node.op_type}) reads "{name}", which no node before it '
                "makes"
            )
        return found

    def _concerns_sequences(self, node: onnx.NodeProto, inputs: list[Binding | None]) -> bool:
        is_tensor = node.op_type == "Identity" and not (inputs and isinstance(inputs[0], list))
        return node.op_type in SEQUENCES and not is_tensor

    def _call(
        self,
        node: onnx.NodeProto,
        function: onnx.FunctionProto,
        inputs: list[Binding | None],
        scope: Scope,
    ) -> None:
        """Opens the call of a function."""
        given = {a.name: a for a in function.attribute_proto}
        given |= {a.name: a for a in scope.attributes_of(node)}
        inner = Scope(
            {opset.domain: opset.version for opset in function.opset_import} or scope.opsets,
            {n: bound for n, bound in zip(function.input, inputs, strict=False) if bound},
            {value.name: partial_type(value.type) for value in function.value_info},
            attributes=given,
            frame=Frame(label_of(node), scope.frame),
            gate=scope.gate,
            repeats=scope.repeats,
        )
        self.add_nodes(self._functions.body(function).nodes, inner)
        for formal, name in zip(function.output, node.output, strict=False):
            found = inner.find(formal)
            if name and found is not None:
                self.bind(scope, name, found)

    def bind(self, scope: Scope, name: str, found: Binding) -> None:
        """Gives what an opened node made its name outside, and what the file says of it."""
        scope.bindings[name] = found
        if isinstance(found, str) and self.flat.value(found).shape is None:
            declared = scope.declared.get(name)
            if declared is not None and declared.value.shape is not None:
                self.flat.values[found] = declared.value

    # --- Nodes ---

    def _add_constant_node(self, node: onnx.NodeProto, scope: Scope) -> None:
        name = node.output[0]
        attribute = next(iter(scope.attributes_of(node)), None)
        if attribute is None:
            raise ExportError(f'node "{label_of(node)}" (Constant) has no value')
        read = partial(self._read_attribute, attribute)
        if any(a.ref_attr_name for a in node.attribute):
            scope.bindings[name] = self.add_constant(name, *read(name))
        else:
            self._bind_kept(scope, node, name, read)

    def _read_attribute(self, attribute: onnx.AttributeProto, name: str) -> tuple[Value, Constant]:
        """The value of the attribute of a Constant."""
        import numpy as np
        from onnx import helper

        if attribute.name == "value":
            return self._read(attribute.t, name)
        if attribute.name == "sparse_value":
            return self._read_sparse(attribute.sparse_tensor, name)
        is_float = attribute.name.startswith("value_float")
        array = np.asarray(helper.get_attribute_value(attribute), np.float32 if is_float else None)
        if array.dtype.kind not in "fi":
            return Value(array.shape, STRING), Constant()
        return Value(array.shape, FLOAT if is_float else INT64), Constant(array)

    def add_node(self, node: Node, scope: Scope, opset: int = 1) -> None:
        """Adds a node that runs as often as its scope, and not before what decides on it."""
        node.opset, node.frame, node.repeats = opset, scope.frame, scope.repeats
        gate = scope.gate
        while gate is not None:
            is_behind = any(name in gate.made for name in node.inputs)
            if not is_behind and node.op not in IDENTITIES:
                node.waits_for += [name for name in gate.tensors if name not in node.waits_for]
            if is_behind or node.op not in IDENTITIES:
                gate.made.update(node.outputs)
            gate = gate.outer
        self.flat.nodes.append(node)


def partial_type(found: onnx.TypeProto) -> Partial:
    """The part of a tensor's type that a type of ONNX states."""
    if found.HasField("optional_type"):
        return partial_type(found.optional_type.elem_type)
    if not found.HasField("tensor_type"):
        return Partial(UNDEFINED, None)
    stated = partial_of(found.tensor_type)
    if stated.extents is None:
        return stated
    known = tuple(None if e is None or e < 0 else e for e in stated.extents)
    return Partial(stated.element, known)
