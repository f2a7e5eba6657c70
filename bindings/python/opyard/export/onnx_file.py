"""Reads an ONNX model as the ops of an `opyard-graph/1` file.

* Initializers and constants of floating type become `Variable`s; constants of
  whole numbers (shapes, axes) are folded away. Graph inputs are `Placeholder`s.
* `Identity` and, at inference, `Dropout` are folded; reshapes alias their input
  and cost nothing.
* Shapes come from ONNX's own inference. A tensor whose shape stays unknown is
  taken to be as large as the inputs of its op together, and is named in the
  summary; so is an op type that is not listed in `onnx_ops.py`.
* The bodies of `If`, `Loop` and `Scan` are not opened: each is one opaque op.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from opyard.export.errors import ExportError
from opyard.export.graph_writer import Graph, Op, Output
from opyard.export.onnx_model import (
    CONSTANT_OPS,
    attributes_of,
    label_of,
    load_model,
    values_of,
)
from opyard.export.onnx_ops import IDENTITIES, ONNX_OPS, VIEWS
from opyard.export.onnx_work import FLOATING, Node, Value, work_of
from opyard.export.op_types import OPAQUE

if TYPE_CHECKING:
    import onnx

_BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2}
_BYTES |= {"f8": 1, "i8": 1, "u8": 1, "bool": 1, "other": 8}


@dataclass
class Summary:
    """What the reader did with the file, and what the file did not tell it."""

    nodes_read: int = 0
    folded: Counter[str] = field(default_factory=Counter)
    unknown_ops: Counter[str] = field(default_factory=Counter)
    unknown_shapes: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """One line per kind of finding."""
        lines = [f"folded: {count} x {what}" for what, count in sorted(self.folded.items())]
        lines += [
            f"not known: {count} x op type {op}, taken as opaque with 1 FLOP per element"
            for op, count in sorted(self.unknown_ops.items())
        ]
        if self.unknown_shapes:
            shown = ", ".join(self.unknown_shapes[:4])
            lines.append(
                f"not known: {len(self.unknown_shapes)} x shape of a tensor, taken to be as "
                f"large as the inputs of its op ({shown})"
            )
        return lines


def read_onnx(path: Path, dims: Mapping[str, int] | None = None) -> tuple[Graph, Summary]:
    """Reads the model at `path`; `dims` gives its symbolic dimensions their extents.

    Raises:
        ExportError: onnx is missing, the file is no ONNX model, or a graph input
            has a dimension of unknown extent; the message is one line.
    """
    model = load_model(path, dims)
    reader = _Reader(model)
    ops = reader.run()
    origin = f"ONNX model {path.name}"
    return Graph(path.name.removesuffix(".onnx"), origin, ops), reader.summary


class _Reader:
    """Walks the nodes of one model in order."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._graph = model.graph
        self._values = values_of(model.graph)
        self._made: dict[str, tuple[Op, int]] = {}  # tensor → producer, port
        self._folded: set[str] = set()  # tensors that no op makes
        self._names: set[str] = set()
        self._ops: list[Op] = []
        self.summary = Summary(nodes_read=len(model.graph.node))

    def run(self) -> list[Op]:
        self._add_weights()
        for value in self._graph.input:
            if value.name not in self._made and value.name not in self._folded:
                self._add_source(value.name, "Placeholder")
        for node in self._graph.node:
            self._add_node(node)
        for value in self._graph.output:
            if value.name in self._made:
                op, port = self._made[value.name]
                op.outputs[port].keep = True
        return self._ops

    def _value(self, name: str) -> Value:
        return self._values.get(name, Value(None, "other"))

    def _add_weights(self) -> None:
        read = _names_read(self._graph) | {value.name for value in self._graph.output}
        for tensor in self._graph.initializer:
            if tensor.name not in read:
                self._fold(tensor.name, "weight that nothing reads")
            elif self._value(tensor.name).dtype in FLOATING:
                self._add_source(tensor.name, "Variable")
            else:
                self._fold(tensor.name, "constant of whole numbers")

    def _fold(self, name: str, what: str) -> None:
        self._folded.add(name)
        self.summary.folded[what] += 1

    def _add_source(self, tensor: str, kind: str) -> None:
        value = self._value(tensor)
        op = Op(self._unique(tensor), kind, dtype=value.dtype, phase="forward", bytes_accessed=0)
        op.outputs = [self._output(tensor, fallback_bytes=0)]
        if kind == "Variable":
            op.outputs[0].alias = "params"
            op.param_bytes = op.outputs[0].bytes
        self._ops.append(op)
        self._made[tensor] = (op, 0)

    def _add_node(self, proto: onnx.NodeProto) -> None:
        outputs = [name for name in proto.output if name]
        present = [name for name in proto.input if name in self._made]
        if proto.op_type in IDENTITIES and present:
            self._made[proto.output[0]] = self._made[present[0]]
            self.summary.folded[proto.op_type] += 1
        elif proto.op_type in CONSTANT_OPS and not present:
            for name in outputs:
                if self._value(name).dtype in FLOATING:
                    self._add_source(name, "Variable")
                else:
                    self._fold(name, "constant of whole numbers")
        else:
            self._add_op(proto, outputs)

    def _add_op(self, proto: onnx.NodeProto, outputs: list[str]) -> None:
        known = ONNX_OPS.get(proto.op_type)
        if known is None:
            self.summary.unknown_ops[proto.op_type] += 1
        self._check_inputs(label_of(proto), proto)
        inputs = [self._made[name] for name in proto.input if name in self._made]
        read = sum(op.outputs[port].bytes for op, port in inputs)
        op = Op(
            self._unique(proto.name or outputs[0]), _type_of(proto, self._value), phase="forward"
        )
        op.inputs = inputs
        op.outputs = [self._output(name, fallback_bytes=read) for name in outputs]
        op.dtype = _arithmetic_dtype([self._value(name) for name in [*outputs, *proto.input]])
        op.fusion_class = _fusion_class(proto.op_type)
        if proto.op_type in VIEWS and inputs:
            op.outputs[0].alias, op.bytes_accessed = 0, 0
        else:
            self._set_work(op, proto, outputs)
        self._ops.append(op)
        self._made.update((name, (op, port)) for port, name in enumerate(outputs))

    def _check_inputs(self, label: str, proto: onnx.NodeProto) -> None:
        for name in proto.input:
            if name and name not in self._made and name not in self._folded:
                raise ExportError(
                    f'node "{label}" ({proto.op_type}) reads "{name}", which no node before it '
                    "makes"
                )

    def _set_work(self, op: Op, proto: onnx.NodeProto, outputs: list[str]) -> None:
        node = Node(
            proto.op_type,
            attributes_of(proto),
            [self._value(name) if name else None for name in proto.input],
            [self._value(name) for name in outputs],
        )
        try:
            work = work_of(node)
        except (IndexError, TypeError, ValueError) as error:
            raise ExportError(
                f"node {op.name} ({proto.op_type}): its inputs have shapes "
                f"{[value.shape if value else None for value in node.inputs]}, which do not fit"
            ) from error
        if work is None:  # one operation for each byte that is known
            op.flops = sum(output.bytes for output in op.outputs)
        else:
            op.flops, op.gemm, op.conv = work.flops, work.gemm, work.conv

    def _output(self, tensor: str, fallback_bytes: int) -> Output:
        value = self._value(tensor)
        if value.shape is None:
            self.summary.unknown_shapes.append(tensor)
            return Output(fallback_bytes, None, value.dtype)
        return Output(prod(value.shape) * _BYTES[value.dtype], value.shape, value.dtype)

    def _unique(self, wanted: str) -> str:
        name, number = wanted, 0
        while name in self._names:
            number += 1
            name = f"{wanted}_{number}"
        self._names.add(name)
        return name


def _names_read(graph: onnx.GraphProto) -> set[str]:
    """Tensors that nodes read, those in the bodies of control flow included."""
    names: set[str] = set()
    for node in graph.node:
        names.update(node.input)
        for attribute in node.attribute:
            for body in [attribute.g, *attribute.graphs]:
                names |= _names_read(body) if body.node else set()
    return names


def _type_of(proto: onnx.NodeProto, value_of: object) -> str:
    known = ONNX_OPS.get(proto.op_type)
    if known is None:
        return proto.op_type
    shape = value_of(proto.input[1]).shape if len(proto.input) > 1 else None
    if proto.op_type in ("Conv", "ConvTranspose") and shape is not None:
        return known.type.replace("2D", f"{len(shape) - 2}D")
    if proto.op_type == "MatMul" and shape is not None and len(shape) > 2:
        return "BatchMatMul"
    return known.type


def _fusion_class(op_type: str) -> str | None:
    known = ONNX_OPS.get(op_type)
    return None if known is None or known.fusion_class == OPAQUE else known.fusion_class


def _arithmetic_dtype(values: list[Value]) -> str:
    floating = [value.dtype for value in values if value.dtype in FLOATING]
    return (floating or [value.dtype for value in values] or ["other"])[0]
