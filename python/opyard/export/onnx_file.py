"""Reads an ONNX model as the ops of an `opyard-graph/1` file.

* Initializers and constants become `Variable`s; short ones of whole numbers and
  single numbers (shapes, axes, factors) are folded away. Inputs are `Placeholder`s.
* `Identity` and, at inference, `Dropout` are folded; reshapes alias their input
  and cost nothing.
* Functions, branches and loops are opened (`onnx_opening.py`).
* A tensor whose shape stays unknown is taken to be as large as the inputs of its
  op together, and is named in the summary; so is an op type that is not listed in
  `onnx_ops.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from opyard.export.errors import ExportError
from opyard.export.graph_writer import Graph, Op, Output
from opyard.export.onnx_convolutions import filters_at
from opyard.export.onnx_facts import Block, Work, fits_block
from opyard.export.onnx_flat import FlatModel, Node
from opyard.export.onnx_kept import kept_nodes
from opyard.export.onnx_model import errors_on_one_line, load_model
from opyard.export.onnx_names import Names, module_of, wanted_names
from opyard.export.onnx_opening import Limits
from opyard.export.onnx_ops import ONNX_OPS, VIEWS
from opyard.export.onnx_products import PRODUCT_TYPES, SECOND_FACTORS
from opyard.export.onnx_recognition import stem_of
from opyard.export.onnx_types import STRING
from opyard.export.onnx_work import reads_of, sizes_of, traffic_of, work_of
from opyard.export.op_types import OPAQUE

_MOST_SHOWN = 4
_LARGEST_BYTES = 2**50  # 1 PiB: sums of a whole graph stay within 64 bits


@dataclass
class Summary:
    """The reader's summary of a file: what it did, and what the file lacked."""

    nodes_read: int = 0
    folded: Counter[str] = field(default_factory=Counter)
    unknown_ops: Counter[str] = field(default_factory=Counter)
    unknown_shapes: list[str] = field(default_factory=list)
    bounded_shapes: list[str] = field(default_factory=list)
    contradicted_shapes: list[str] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """One line per kind of finding."""
        lines = [f"folded: {count} x {what}" for what, count in sorted(self.folded.items())]
        lines += [
            f"not known: {count} x op type {op}, taken as opaque with 1 FLOP per element"
            for op, count in sorted(self.unknown_ops.items())
        ]
        for what, names in (
            (
                "shape of a tensor, taken to be as large as the inputs of its op",
                self.unknown_shapes,
            ),
            ("extent that depends on data, taken at its largest", self.bounded_shapes),
            ("shape that the file states otherwise, taken as it follows", self.contradicted_shapes),
            ("size of a tensor of texts, taken as nothing", self.strings),
        ):
            if names:
                lines.append(f"not known: {len(names)} x {what} ({_shown(names)})")
        lines += dict.fromkeys(self.notes)
        return [" ".join(line.split()) for line in lines]


def _shown(names: list[str]) -> str:
    return ", ".join(names[:_MOST_SHOWN]) + (", ..." if len(names) > _MOST_SHOWN else "")


@errors_on_one_line()
def read_onnx(
    path: Path, dims: Mapping[str, int] | None = None, limits: Limits | None = None
) -> tuple[Graph, Summary]:
    """Reads the model at `path`; `dims` gives its symbolic dimensions their extents.

    Raises:
        ExportError: onnx is missing, the file is no ONNX model, or a graph input
            has a dimension of unknown extent; the message is one line.
    """
    flat = load_model(path, dims, limits)
    reader = _Reader(flat)
    ops = reader.run()
    if not ops:
        raise ExportError(f'"{path}": nothing is computed: all results are constants')
    return Graph(stem_of(path), f"ONNX model {path.name}", ops), reader.summary


class _Reader:
    """Walks the nodes of one model in order."""

    def __init__(self, flat: FlatModel) -> None:
        self._flat = flat
        self._made: dict[str, tuple[Op, int]] = {}  # tensor → producer, port
        self._names = Names()
        self._ops: list[Op] = []
        self.summary = Summary(
            flat.nodes_read,
            Counter(flat.folded),
            bounded_shapes=list(dict.fromkeys(flat.bounded)),
            contradicted_shapes=list(dict.fromkeys(flat.contradicted)),
            notes=flat.notes,
        )

    def run(self) -> list[Op]:
        nodes = kept_nodes(self._flat, self.summary.folded)
        self._add_weights(nodes)
        for name in self._flat.inputs:
            self._add_source(name, "Placeholder")
        for node, name in zip(nodes, wanted_names(nodes), strict=True):
            self._add_op(node, name)
        for name in self._flat.outputs:
            if name in self._made:
                op, port = self._made[name]
                op.outputs[port].keep = True
        return self._ops

    def _add_weights(self, nodes: list[Node]) -> None:
        flat = self._flat
        named = {name for node in nodes for name in (*node.inputs, *node.waits_for)}
        read = {name for node in nodes for name in (*reads_of(node, flat), *node.waits_for)}
        results = [name for name in flat.outputs if not flat.is_number(name)]
        read = {name for name in read if not flat.is_number(name)}.union(results)
        for name, constant in flat.constants.items():
            if name in read:
                self._add_source(name, "Variable")
            elif constant.is_source:
                self.summary.folded[self._why_folded(name, name in named)] += 1

    def _why_folded(self, name: str, is_named: bool) -> str:
        is_floating = self._flat.value(name).is_floating
        if self._flat.is_number(name):
            return "constant of one number" if is_floating else "constant of whole numbers"
        return "setting of an op" if is_named else "weight that nothing reads"

    def _add_source(self, tensor: str, kind: str) -> None:
        value = self._flat.value(tensor)
        op = Op(self._names.unique(tensor), kind, value.dtype, phase="forward", bytes_accessed=0)
        op.outputs = [self._output(tensor, value.bytes or 0)]
        if kind == "Variable":
            op.outputs[0].alias = "params"
            op.param_bytes = op.outputs[0].bytes
        self._ops.append(op)
        self._made[tensor] = (op, 0)

    def _add_op(self, node: Node, name: str) -> None:
        flat = self._flat
        known = ONNX_OPS.get(node.op)
        if known is None:
            self.summary.unknown_ops[node.op] += 1
        reads = reads_of(node, flat)
        _, sizes = sizes_of(node, flat)
        op = Op(self._names.unique(name), _type_of(node, flat), phase="forward")
        op.module = module_of(name)
        op.inputs = [self._made[tensor] for tensor in reads]
        outputs = [tensor for tensor in node.outputs if tensor]
        op.outputs = [self._output(t, size) for t, size in zip(outputs, sizes, strict=True)]
        op.dtype = _arithmetic_dtype(node, flat)
        op.fusion_class = known.fusion_class if known and known.fusion_class != OPAQUE else None
        if node.op in VIEWS and reads and reads[0] == node.inputs[0]:
            op.outputs[0].alias, op.bytes_accessed = 0, 0
        else:
            self._set_work(op, node)
        op.inputs += [self._made[t] for t in node.waits_for if t in self._made and t not in reads]
        self._ops.append(op)
        self._made.update((tensor, (op, port)) for port, tensor in enumerate(outputs))

    def _set_work(self, op: Op, node: Node) -> None:
        work = work_of(node, self._flat)
        if work is None:  # one operation for each byte that is known
            work = Work(sum(output.bytes for output in op.outputs))
        op.flops, op.gemm, op.conv = _repeated(work, node.repeats)
        moved = node.repeats * traffic_of(node, self._flat)
        _check_size(op.name, moved)
        tensors = [producer.outputs[port] for producer, port in op.inputs] + op.outputs
        if node.waits_for or moved != sum(tensor.bytes for tensor in tensors):
            op.bytes_accessed = moved

    def _output(self, tensor: str, size: int) -> Output:
        value = self._flat.value(tensor)
        _check_size(tensor, size)
        if value.shape is None:
            self.summary.unknown_shapes.append(tensor)
        elif value.element == STRING:
            self.summary.strings.append(tensor)
        return Output(size, value.shape, value.dtype)


def _check_size(name: str, size: int) -> None:
    if size > _LARGEST_BYTES:
        raise ExportError(f'"{name}": found {size} bytes, expected {_LARGEST_BYTES} at most')


def _repeated(work: Work, times: int) -> tuple[int, dict[str, int] | None, Block | None]:
    """The work of all runs of an op in a loop that stands once, as one batch."""
    gemm, conv = work.gemm, work.conv
    if times != 1 and gemm is not None:
        gemm = gemm | {"batch": times * gemm.get("batch", 1)}
    if times != 1 and conv is not None:
        conv = conv | {"n": times * int(conv["n"])}
    if conv is not None and not fits_block(conv):
        conv = None
    if gemm is not None and max(gemm.values()) >= 2**31:
        gemm = None
    return times * work.flops, gemm if times else None, conv if times else None


def _type_of(node: Node, flat: FlatModel) -> str:
    known = ONNX_OPS.get(node.op)
    if known is None:
        return node.op
    if known.type.startswith("Conv2D"):
        shape = _shape_at(node, flat, filters_at(node.op))
        return known.type if shape is None else known.type.replace("2D", f"{len(shape) - 2}D")
    if node.op in SECOND_FACTORS:
        shape = _shape_at(node, flat, SECOND_FACTORS[node.op])
        return "BatchMatMul" if shape is not None and len(shape) > 2 else known.type
    return known.type


def _shape_at(node: Node, flat: FlatModel, position: int) -> tuple[int, ...] | None:
    return flat.value(node.inputs[position]).shape if position < len(node.inputs) else None


def _arithmetic_dtype(node: Node, flat: FlatModel) -> str:
    """The type of its arithmetic: of quantised factors, else of the first floating-point tensor."""
    position = PRODUCT_TYPES.get(node.op)
    if position is not None and position < len(node.inputs):
        return flat.value(node.inputs[position]).dtype
    values = [flat.value(name) for name in (*node.outputs, *node.inputs) if name]
    floating = [value for value in values if value.is_floating]
    return next((value.dtype for value in (*floating, *values)), "other")
