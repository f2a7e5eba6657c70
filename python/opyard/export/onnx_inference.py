"""Shapes and values of the results of one node, from those of its inputs.

Shapes are those of ONNX's own inference, node by node, with the values of short
inputs at hand; ops that ONNX does not define have rules in `onnx_contrib.py`.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

from opyard.export.errors import one_line
from opyard.export.onnx_constants import MOST_ELEMENTS
from opyard.export.onnx_contrib import Extents, Partial, infer_contrib
from opyard.export.onnx_types import FLOAT, UNDEFINED, Value

if TYPE_CHECKING:
    import numpy as np
    import onnx

# Arithmetic on shapes, and what it is made of.
_FOLDED_OPS = frozenset(
    [
        "Abs",
        "Add",
        "And",
        "ArgMax",
        "ArgMin",
        "Cast",
        "CastLike",
        "Ceil",
        "Clip",
        "Compress",
        "Concat",
        "ConstantOfShape",
        "CumSum",
        "Div",
        "Equal",
        "Exp",
        "Expand",
        "Flatten",
        "Floor",
        "Gather",
        "GatherElements",
        "GatherND",
        "Greater",
        "GreaterOrEqual",
        "Identity",
        "Less",
        "LessOrEqual",
        "Log",
        "Max",
        "Mean",
        "Min",
        "Mod",
        "Mul",
        "Neg",
        "NonZero",
        "Not",
        "OneHot",
        "Or",
        "Pad",
        "Pow",
        "Range",
        "Reciprocal",
        "ReduceMax",
        "ReduceMean",
        "ReduceMin",
        "ReduceProd",
        "ReduceSum",
        "Relu",
        "Reshape",
        "Round",
        "ScatterElements",
        "ScatterND",
        "Sigmoid",
        "Sign",
        "Slice",
        "Split",
        "Sqrt",
        "Squeeze",
        "Sub",
        "Sum",
        "Tile",
        "TopK",
        "Transpose",
        "Trilu",
        "Unique",
        "Unsqueeze",
        "Where",
        "Xor",
    ]
)
# Ops of ONNX Runtime whose results have the shapes of an op of ONNX's own, of these inputs.
_LIKE = {
    "ConvTransposeWithDynamicPads": ("ConvTranspose", (0, 1)),
    "DynamicQuantizeLSTM": ("LSTM", (0, 1, 2)),
    "FusedConv": ("Conv", (0, 1, 2)),
    "QLinearAveragePool": ("AveragePool", (0,)),
    "QLinearConvTranspose": ("ConvTranspose", (0, 3)),
}
_WRONG_TYPE = "unsupported type"  # in what ONNX's inference says
_NEWEST = 999  # the newest version that the package knows
_OF_UNKNOWN_LENGTH = frozenset({"Compress", "NonZero", "Unique"})


@dataclass(frozen=True)
class Question:
    """One node, and what is known of its inputs; one that is left out is None."""

    op: str
    domain: str
    opset: int
    attributes: tuple[onnx.AttributeProto, ...]
    inputs: tuple[Value | None, ...]
    data: tuple[np.ndarray | None, ...]
    num_outputs: int

    def proto(self, domain: str, known: Container[str] | None = None) -> onnx.NodeProto:
        """The node with tensors of its own, i0, i1, ... to o0, o1, ..., and `known` attributes."""
        import onnx

        node = onnx.NodeProto(op_type=self.op, domain=domain)
        node.input.extend("" if v is None else f"i{i}" for i, v in enumerate(self.inputs))
        node.output.extend(f"o{i}" for i in range(self.num_outputs))
        node.attribute.extend(a for a in self.attributes if known is None or a.name in known)
        return node


@dataclass
class Answer:
    """The known part of the results; `problem` is why it is not all."""

    outputs: list[Partial]
    data: list[np.ndarray] | None = None
    problem: str | None = None


def infer(question: Question) -> Answer:
    """The results of the node, as far as they follow from its inputs."""
    answer = _shapes(question)
    size = _size_problem(answer)
    if size is not None:
        return Answer([Partial(known.element, None) for known in answer.outputs], None, size)
    if question.op in ("Shape", "Size") and question.inputs and question.inputs[0]:
        answer.data = _extents_of(question)
    elif question.op in _FOLDED_OPS and question.inputs and not question.domain:
        answer.data = _evaluated(question, answer)
    if answer.data is not None and len(answer.data) == question.num_outputs:
        answer.outputs = [
            Partial(known.element, tuple(array.shape))
            for known, array in zip(answer.outputs, answer.data, strict=True)
        ]
        return answer
    return Answer(answer.outputs, problem=answer.problem)


def _size_problem(answer: Answer) -> str | None:
    for known in answer.outputs:
        if any(extent is not None and extent < 0 for extent in known.extents or ()):
            return f"gives a result of shape {list(known.extents or ())}, expected extents from 0"
    return None


def _shapes(question: Question) -> Answer:
    nothing = [Partial(UNDEFINED, None)] * question.num_outputs
    try:
        contrib = infer_contrib(question)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        return Answer(nothing, problem=one_line(error))
    if contrib is not None:
        return Answer((contrib + nothing)[: question.num_outputs])
    if question.domain and question.op in _LIKE:
        return _as_floats(_like(question), nothing)
    schema = _schema(question)
    if schema is None:
        return Answer(nothing)
    answer = _of_schema(question, schema, nothing)
    if answer.problem is not None and _WRONG_TYPE in answer.problem:
        return _as_floats(question, nothing)  # ONNX Runtime takes more types than ONNX
    return answer


def _like(question: Question) -> Question:
    op, positions = _LIKE[question.op]
    inputs = tuple(question.inputs[i] for i in positions if i < len(question.inputs))
    return replace(question, op=op, domain="", opset=_NEWEST, inputs=inputs, data=())


def _as_floats(question: Question, nothing: list[Partial]) -> Answer:
    """The shapes that the op would give, if all inputs of the first one's type were floats."""
    first = question.inputs[0] if question.inputs else None
    if first is None:
        return Answer(nothing)
    changes = [value is not None and value.element == first.element for value in question.inputs]
    question = replace(
        question,
        inputs=tuple(
            replace(value, element=FLOAT) if value and is_changed else value
            for value, is_changed in zip(question.inputs, changes, strict=True)
        ),
        data=tuple(
            None if is_changed else array
            for array, is_changed in zip(question.data, changes, strict=False)
        ),
    )
    schema = _schema(question)
    if schema is None:
        return Answer(nothing)
    answer = _of_schema(question, schema, nothing)
    answer.outputs = [Partial(first.element, known.extents) for known in answer.outputs]
    return answer


def _schema(question: Question) -> onnx.defs.OpSchema | None:
    """The op's definition: of its version, else the newest, else of ONNX's own of that name."""
    import onnx

    wanted = (
        (question.op, question.opset, question.domain),
        (question.op, question.domain),
        (question.op, ""),
    )
    for arguments in wanted:
        try:
            return onnx.defs.get_schema(*arguments)
        except onnx.defs.SchemaError:
            continue
    return None


def _of_schema(question: Question, schema: onnx.defs.OpSchema, nothing: list[Partial]) -> Answer:
    import onnx
    from onnx import numpy_helper

    types = {f"i{i}": _type_of(v) for i, v in enumerate(question.inputs) if v is not None}
    try:
        data = {
            f"i{i}": numpy_helper.from_array(array, f"i{i}")
            for i, array in enumerate(question.data)
            if array is not None
        }
        found = onnx.shape_inference.infer_node_outputs(
            schema,
            question.proto(schema.domain, schema.attributes),
            types,
            data,
            opset_imports=[onnx.helper.make_opsetid(schema.domain, question.opset)],
        )
    except Exception as error:  # the package raises several kinds, some of C++
        return Answer(nothing, problem=one_line(error))
    return Answer([_partial(found.get(f"o{i}")) for i in range(question.num_outputs)])


def _type_of(value: Value) -> onnx.TypeProto:
    import onnx

    return onnx.helper.make_tensor_type_proto(value.element, value.shape)


def _partial(found: onnx.TypeProto | None) -> Partial:
    if found is None or not found.HasField("tensor_type"):
        return Partial(UNDEFINED, None)
    return partial_of(found.tensor_type)


def partial_of(tensor: onnx.TypeProto.Tensor) -> Partial:
    """The extents that stand in a type; None for each that does not."""
    if not tensor.HasField("shape"):
        return Partial(tensor.elem_type, None)
    extents = tuple(d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim)
    return Partial(tensor.elem_type, extents)


def _extents_of(question: Question) -> list[np.ndarray] | None:
    import numpy as np

    value = question.inputs[0]
    if value is None or value.shape is None:
        return None
    if question.op == "Size":
        return [np.asarray(prod(value.shape), np.int64)]
    limits = {a.name: a.i for a in question.attributes}
    return [np.asarray(value.shape[limits.get("start", 0) : limits.get("end")], np.int64)]


def _evaluated(question: Question, answer: Answer) -> list[np.ndarray] | None:
    """The values of the results, where they are few and follow from few."""
    if any(
        value is not None and array is None
        for value, array in zip(question.inputs, question.data, strict=True)
    ):
        return None
    is_bounded = all(_is_short(known.extents) for known in answer.outputs)
    return _run(question) if is_bounded or question.op in _OF_UNKNOWN_LENGTH else None


def _is_short(extents: Extents | None) -> bool:
    if extents is None:
        return False
    known = [extent for extent in extents if extent is not None]
    return len(known) == len(extents) and prod(known) <= MOST_ELEMENTS


def _run(question: Question) -> list[np.ndarray] | None:
    import numpy as np
    import onnx
    from onnx.reference import ReferenceEvaluator

    node = question.proto("")
    inputs = [onnx.helper.make_value_info(n, onnx.TypeProto()) for n in node.input if n]
    outputs = [onnx.helper.make_value_info(n, onnx.TypeProto()) for n in node.output]
    model = onnx.helper.make_model(
        onnx.helper.make_graph([node], "node", inputs, outputs),
        opset_imports=[onnx.helper.make_opsetid("", max(question.opset, 1))],
    )
    feeds = {f"i{i}": array for i, array in enumerate(question.data) if array is not None}
    try:
        with np.errstate(all="ignore"):
            found = ReferenceEvaluator(model).run(None, feeds)
    except Exception:  # any kind: what cannot be evaluated is not known
        return None
    arrays = [np.asarray(array) for array in found]
    return arrays if all(array.size <= MOST_ELEMENTS for array in arrays) else None
