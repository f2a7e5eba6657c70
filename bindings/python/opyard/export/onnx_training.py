"""Makes a training step of an ONNX model: forward, backward and update.

The forward pass is written with the graph builder (`onnx_training_ops.py`), which
differentiates it. A scalar first output is the loss; else the loss is the mean
cross-entropy of that output against labels, with the classes on the last of up to
three axes and on the second of more. Initializers and constants of floating type
are trained if they have an axis; a constant without one is a constant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from opyard import _core
from opyard.export.errors import ExportError, one_line
from opyard.export.onnx_call import Call, RefusedError, Tensor
from opyard.export.onnx_model import (
    CONSTANT_OPS,
    attributes_of,
    label_of,
    load_model,
    values_of,
)
from opyard.export.onnx_training_ops import RULES
from opyard.export.onnx_work import FLOATING, Value

if TYPE_CHECKING:
    import numpy as np
    import onnx

_SHAPE_OPS = frozenset({"Shape", "Size"})
_LONGEST_CONSTANT = 1024  # elements; longer ones are no axes, extents or bounds


@dataclass
class TrainingSummary:
    """What the reader did with the file."""

    nodes_read: int = 0
    loss: str = ""
    folded: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """The loss, then one line per kind of node that became no op."""
        folded = [f"folded: {count} x {op}" for op, count in sorted(self.folded.items())]
        return [f"loss: {self.loss}", *folded]


def read_training_step(
    path: Path, optimizer: str, dims: Mapping[str, int] | None = None
) -> tuple[_core.Graph, TrainingSummary]:
    """Reads the model at `path` as a step that trains it by `optimizer`.

    Raises:
        ExportError: as `load_model`; or nodes of the model cannot be differentiated,
            all of which the one-line message names.
    """
    model = load_model(path, dims)
    name = path.name.removesuffix(".onnx")
    origin = f"ONNX model {path.name}, trained by {optimizer}"
    forward = _Forward(model, _core.GraphBuilder(name, origin))
    forward.run(path)
    loss = forward.add_loss(path)
    return forward.builder.train(loss, optimizer), forward.summary


class _Forward:
    """Writes the nodes of one model in order."""

    def __init__(self, model: onnx.ModelProto, builder: _core.GraphBuilder) -> None:
        self.builder = builder
        self.summary = TrainingSummary(nodes_read=len(model.graph.node))
        self._graph = model.graph
        self._opset = max((s.version for s in model.opset_import if not s.domain), default=1)
        self._values = values_of(model.graph)
        self._made: dict[str, Tensor] = {}
        self._constants = _constants_of(model.graph)
        self._weights = {tensor.name for tensor in model.graph.initializer}
        self._inputs = {value.name for value in model.graph.input} - self._weights
        self._folded: set[str] = set()  # constants that follow from constants
        self._lost: set[str] = set()  # results of nodes that could not be written
        self._side_results: set[str] = set()  # masks and statistics, which no rule makes
        self._without_rule: dict[str, list[str]] = {}  # op type → nodes
        self._refused: list[str] = []

    def run(self, path: Path) -> None:
        for proto in self._graph.node:
            self._check_inputs(proto)
            if self._is_constant(proto):
                self._fold(proto)
            elif proto.op_type not in RULES:
                self._without_rule.setdefault(str(proto.op_type), []).append(label_of(proto))
                self._lost.update(proto.output)
            elif self._side_results.intersection(proto.input):
                self._refuse(proto, "reads the mask or the statistics of another node")
            elif self._lost.intersection(proto.input):
                self._lost.update(proto.output)
            else:
                self._try_to_write(proto)
        problems = [
            f"no gradient rule for {op} ({', '.join(nodes)})"
            for op, nodes in sorted(self._without_rule.items())
        ] + self._refused
        if problems:
            raise ExportError(f'"{path}" cannot be trained: {"; ".join(problems)}')

    def _check_inputs(self, proto: onnx.NodeProto) -> None:
        known = (self._made, self._weights, self._inputs, self._folded)
        known += (self._lost, self._side_results)
        for name in proto.input:
            if name and not any(name in names for names in known):
                raise ExportError(
                    f'node "{label_of(proto)}" ({proto.op_type}) reads "{name}", which no node '
                    "before it makes"
                )

    def _is_constant(self, proto: onnx.NodeProto) -> bool:
        inputs = [name for name in proto.input if name]
        return proto.op_type in _SHAPE_OPS or not any(self._is_live(name) for name in inputs)

    def _is_live(self, name: str) -> bool:
        """True for what the step computes, its inputs and what may be a weight."""
        is_weight = name in self._weights and self._value(name).dtype in FLOATING
        known = (self._made, self._inputs, self._lost, self._side_results)
        return is_weight or any(name in names for names in known)

    def _fold(self, proto: onnx.NodeProto) -> None:
        is_source = proto.op_type in CONSTANT_OPS
        for name in proto.output:
            is_weight = is_source and self._value(name).dtype in FLOATING
            (self._weights if is_weight else self._folded).add(name)
        self.summary.folded[proto.op_type] += 1

    def _value(self, name: str) -> Value:
        return self._values.get(name, Value(None, "other"))

    def _try_to_write(self, proto: onnx.NodeProto) -> None:
        try:
            self._write(proto)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            reason = str(error) if isinstance(error, RefusedError) else one_line(error)
            self._refuse(proto, reason)

    def _refuse(self, proto: onnx.NodeProto, reason: str) -> None:
        self._refused.append(f"node {label_of(proto)} ({proto.op_type}): {reason}")
        self._lost.update(proto.output)

    def _write(self, proto: onnx.NodeProto) -> None:
        rule = RULES[proto.op_type]
        read = proto.input if rule.reads is None else proto.input[: rule.reads]
        tensors = [self._tensor(name) if name else None for name in read]
        outputs = [name for name in proto.output if name]
        call = Call(
            builder=self.builder,
            attributes=attributes_of(proto),
            names=list(proto.input),
            tensors=tensors,
            constants=[self._constants.get(name) for name in proto.input],
            shapes=[self._value(name).shape for name in outputs],
            dtype=self._value(outputs[0]).dtype,
            opset=self._opset,
        )
        with self.builder.scope(label_of(proto)):
            made = rule.apply(call)
        made = made if isinstance(made, list) else [made]
        for name, tensor, shape in zip(outputs, made, call.shapes, strict=False):
            if shape is not None and tensor.shape != shape:
                raise RefusedError(f"gives shape {list(tensor.shape)}, expected {list(shape)}")
            self._made[name] = tensor
        self._side_results.update(outputs[len(made) :])

    def _shape(self, name: str) -> tuple[int, ...]:
        shape = self._value(name).shape
        if shape is None:
            raise RefusedError(f"the shape of {name} is not known")
        return shape

    def _tensor(self, name: str) -> Tensor:
        """The tensor `name`, which its first reader brings into the graph."""
        if name not in self._made:
            dtype, shape = self._value(name).dtype, self._shape(name)
            if name in self._inputs:
                make = self.builder.placeholder
            elif name in self._weights and dtype in FLOATING and shape:
                make = self.builder.weight
            else:
                make = self.builder.constant
            self._made[name] = make(name, shape, dtype)
        return self._made[name]

    def add_loss(self, path: Path) -> Tensor:
        """The scalar that is trained."""
        name = self._graph.output[0].name
        result = self._made.get(name)
        if result is None or result.dtype not in FLOATING:
            raise ExportError(f'"{path}": its first output {name} is no floating-point result')
        with self.builder.scope("loss"):
            if prod(result.shape) == 1:
                self.summary.loss = f"{name}, the model's first output"
                return result if result.shape == () else self.builder.reshape(result, ())
            return self._add_cross_entropy(name, result)

    def _add_cross_entropy(self, name: str, result: Tensor) -> Tensor:
        rank = len(result.shape)
        if rank > 3:  # classes before the extents of space
            result = self.builder.transpose(result, [0, *range(2, rank), 1])
        classes = result.shape[-1]
        rows = prod(result.shape) // classes
        if rank != 2:
            result = self.builder.reshape(result, (rows, classes))
        labels = self.builder.placeholder("labels", (rows,), "i32")
        self.summary.loss = (
            f"mean cross-entropy of {name}, the first output, against {rows} labels of {classes}"
        )
        return self.builder.mean_cross_entropy(result, labels)


def _constants_of(graph: onnx.GraphProto) -> dict[str, np.ndarray]:
    """The short constants that stand in the file."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    tensors = {tensor.name: tensor for tensor in graph.initializer}
    arrays = {}
    for node in graph.node:
        for attribute in node.attribute if node.op_type == "Constant" else ():
            if attribute.name == "value":
                tensors[node.output[0]] = attribute.t
            elif attribute.name in ("value_int", "value_ints", "value_float", "value_floats"):
                arrays[node.output[0]] = np.asarray(helper.get_attribute_value(attribute))
    for name, tensor in tensors.items():
        is_here = tensor.data_location != TensorProto.EXTERNAL
        if is_here and prod(tensor.dims) <= _LONGEST_CONSTANT:
            with suppress(KeyError, TypeError, ValueError):  # damaged: whoever needs it refuses
                arrays[name] = numpy_helper.to_array(tensor)
    return arrays
