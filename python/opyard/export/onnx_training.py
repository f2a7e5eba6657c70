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
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

from opyard import _core
from opyard.export.errors import ExportError, one_line
from opyard.export.onnx_call import Call, RefusedError, Tensor
from opyard.export.onnx_flat import FlatModel, Node
from opyard.export.onnx_model import errors_on_one_line, load_model
from opyard.export.onnx_names import module_of, wanted_names
from opyard.export.onnx_opening import Limits
from opyard.export.onnx_recognition import stem_of
from opyard.export.onnx_training_ops import RULES
from opyard.export.onnx_types import FLOATING, Value


@dataclass
class TrainingSummary:
    """The reader's summary of a file."""

    nodes_read: int = 0
    loss: str = ""
    folded: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The loss, then one line per kind of node that became no op."""
        folded = [f"folded: {count} x {op}" for op, count in sorted(self.folded.items())]
        return [f"loss: {self.loss}", *folded, *dict.fromkeys(self.notes)]


@errors_on_one_line()
def read_training_step(
    path: Path,
    optimizer: str,
    dims: Mapping[str, int] | None = None,
    limits: Limits | None = None,
) -> tuple[_core.Graph, TrainingSummary]:
    """Reads the model at `path` as a step that trains it by `optimizer`.

    Raises:
        ExportError: as `load_model`; or nodes of the model cannot be differentiated,
            all of which the one-line message names.
    """
    flat = load_model(path, dims, limits)
    origin = f"ONNX model {path.name}, trained by {optimizer}"
    forward = _Forward(flat, _core.GraphBuilder(stem_of(path), origin))
    forward.run(path)
    loss = forward.add_loss(path)
    return forward.builder.train(loss, optimizer), forward.summary


class _Forward:
    """Writes the nodes of one model in order."""

    def __init__(self, flat: FlatModel, builder: _core.GraphBuilder) -> None:
        self.builder = builder
        self.summary = TrainingSummary(flat.nodes_read, "", Counter(flat.folded), flat.notes)
        self._flat = flat
        self._made: dict[str, Tensor] = {}
        self._inputs = set(flat.inputs)
        self._folded: set[str] = set()  # results of nodes on constants
        self._lost: set[str] = set()  # results of nodes that could not be written
        self._side_results: set[str] = set()  # masks and statistics, which no rule makes
        self._without_rule: dict[str, list[str]] = {}  # op type → nodes
        self._refused: list[str] = []

    def run(self, path: Path) -> None:
        for node, name in zip(self._flat.nodes, wanted_names(self._flat.nodes), strict=True):
            if self._is_constant(node):
                self._folded.update(node.outputs)
                self.summary.folded[node.op] += 1
            elif node.op not in RULES:
                self._without_rule.setdefault(node.op, []).append(name)
                self._lost.update(node.outputs)
            elif node.repeats != 1:
                self._refuse(node, name, "stands in a loop that is not unrolled")
            elif self._side_results.intersection(node.inputs):
                self._refuse(node, name, "reads the mask or the statistics of another node")
            elif self._lost.intersection(node.inputs):
                self._lost.update(node.outputs)
            else:
                self._try_to_write(node, name)
        problems = [
            f"no gradient rule for {op} ({', '.join(names)})"
            for op, names in sorted(self._without_rule.items())
        ] + self._refused
        if problems:
            raise ExportError(f'"{path}" cannot be trained: {"; ".join(problems)}')

    def _is_constant(self, node: Node) -> bool:
        return not any(self._is_live(name) for name in node.inputs if name)

    def _is_live(self, name: str) -> bool:
        """True for what the step computes, its inputs and what may be a weight."""
        known = (self._made, self._inputs, self._lost, self._side_results)
        return self._is_weight(name) or any(name in names for names in known)

    def _is_weight(self, name: str) -> bool:
        constant = self._flat.constants.get(name)
        return constant is not None and constant.is_source and self._value(name).is_floating

    def _value(self, name: str) -> Value:
        return self._flat.value(name)

    def _try_to_write(self, node: Node, name: str) -> None:
        try:
            self._write(node, name)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            reason = str(error) if isinstance(error, RefusedError) else one_line(error)
            self._refuse(node, name, reason)

    def _refuse(self, node: Node, name: str, reason: str) -> None:
        self._refused.append(f"node {name} ({node.op}): {reason}")
        self._lost.update(node.outputs)

    def _write(self, node: Node, name: str) -> None:
        rule = RULES[node.op]
        read = node.inputs if rule.reads is None else node.inputs[: rule.reads]
        tensors = [self._tensor(tensor) if tensor else None for tensor in read]
        outputs = [tensor for tensor in node.outputs if tensor]
        call = Call(
            builder=self.builder,
            attributes=node.attributes,
            names=node.inputs,
            tensors=tensors,
            constants=[self._flat.data(tensor) for tensor in node.inputs],
            shapes=[self._value(tensor).shape for tensor in outputs],
            dtype=self._value(outputs[0]).dtype,
            opset=node.opset,
        )
        with self.builder.scope(name, module_of(name)):
            made = rule.apply(call)
        made = made if isinstance(made, list) else [made]
        for result, tensor, shape in zip(outputs, made, call.shapes, strict=False):
            if shape is not None and tensor.shape != shape:
                raise RefusedError(f"gives shape {list(tensor.shape)}, expected {list(shape)}")
            self._made[result] = tensor
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
            elif self._is_weight(name) and shape:
                make = self.builder.weight
            else:
                make = self.builder.constant
            self._made[name] = make(name, shape, dtype)
        return self._made[name]

    def add_loss(self, path: Path) -> Tensor:
        """The scalar that is trained."""
        name = self._flat.outputs[0]
        result = self._made.get(name)
        if result is None or result.dtype not in FLOATING:
            raise ExportError(f'"{path}": its first output {name} is no floating-point result')
        with self.builder.scope("loss", ""):
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
