"""Floating-point operations, traffic and shape blocks of ONNX ops; a multiply-add counts 2."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod

from opyard.export.errors import ExportError
from opyard.export.onnx_convolutions import CONVOLUTION_RULES
from opyard.export.onnx_facts import Facts, UnknownShapeError, Work
from opyard.export.onnx_flat import SHORT_BYTES, FlatModel, Node
from opyard.export.onnx_ops import IDENTITIES, ONNX_OPS, SETTINGS, TABLES, VIEWS
from opyard.export.onnx_products import PRODUCT_RULES
from opyard.export.onnx_types import UNDEFINED, Value

_COMPLEX = ("c64", "c128")
_COMPLEX_PRODUCT, _COMPLEX_SUM = 4, 2  # real operations for one


def _sum(facts: Facts) -> Work:
    return Work(facts.elements() * (facts.num_inputs - 1))


def _mean(facts: Facts) -> Work:
    return Work(facts.elements() * facts.num_inputs)


_RULES: dict[str, Callable[[Facts], Work]] = {
    **PRODUCT_RULES,
    **CONVOLUTION_RULES,
    "Mean": _mean,
    "Sum": _sum,
}


def work_of(node: Node, flat: FlatModel) -> Work | None:
    """The cost of one run of `node`; None where shapes that it depends on are not known.

    Raises:
        ExportError: the shapes of its inputs do not fit its op.
    """
    if node.op in IDENTITIES:
        return Work()
    facts = Facts(node, flat)
    try:
        if node.op in _RULES:
            return _times(_RULES[node.op](facts), _complex_factor(facts, _COMPLEX_PRODUCT))
        return _elementwise(facts)
    except UnknownShapeError:
        return None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        shapes = [list(flat.value(n).shape or ()) if n else None for n in node.inputs]
        raise ExportError(
            f"node {node.label} ({node.op}): its inputs have shapes {shapes}, which do not fit"
        ) from error


def _times(work: Work, factor: int) -> Work:
    return work if factor == 1 else Work(work.flops * factor, work.gemm, work.conv)


def _complex_factor(facts: Facts, factor: int) -> int:
    outputs = [facts.flat.value(name) for name in facts.node.outputs if name]
    return factor if outputs and outputs[0].dtype in _COMPLEX else 1


def _elementwise(facts: Facts) -> Work:
    known = ONNX_OPS.get(facts.op)
    names = facts.node.inputs if known and known.elements == "in" else facts.node.outputs
    counted = [name for name in names if name][: 1 if known else None]
    values = [facts.flat.value(name) for name in counted]
    if any(value.shape is None or value.element == UNDEFINED for value in values):
        raise UnknownShapeError
    if not _is_counted(facts.op, values):
        return Work()
    is_product = facts.op in ("Div", "Mul")
    factor = _complex_factor(facts, _COMPLEX_PRODUCT if is_product else _COMPLEX_SUM)
    elements = sum(prod(value.shape or ()) for value in values)
    return Work(factor * elements * (known.flops_per_element if known else 1))


def _is_counted(op: str, values: list[Value]) -> bool:
    """False for integer arithmetic, but for that of ops which quantise again."""
    return op.startswith("QLinear") or (bool(values) and values[0].is_floating)


def sizes_of(node: Node, flat: FlatModel) -> tuple[list[int], list[int]]:
    """Bytes of inputs and results; a result of unknown size is as large as the inputs together."""
    read = [_bytes(flat.value(name)) for name in reads_of(node, flat)]
    fallback = sum(read)
    made = [flat.value(name).bytes for name in node.outputs if name]
    return read, [fallback if size is None else size for size in made]


def reads_of(node: Node, flat: FlatModel) -> list[str]:
    """The tensors that `node` reads: not numbers, and not short constants that only say how."""
    settings = SETTINGS.get(node.op, ())
    return [
        name
        for position, name in enumerate(node.inputs)
        if name
        and not flat.is_number(name)
        and not (position in settings and _is_short_constant(name, flat))
    ]


def _is_short_constant(name: str, flat: FlatModel) -> bool:
    return name in flat.constants and _bytes(flat.value(name)) <= SHORT_BYTES


def _bytes(value: Value) -> int:
    return value.bytes or 0


def traffic_of(node: Node, flat: FlatModel) -> int:
    """Bytes that one run moves: what it reads of its inputs, and its results."""
    if node.op in VIEWS | IDENTITIES:
        return 0
    read, made = sizes_of(node, flat)
    total = sum(read) + sum(made)
    if node.op == "Stack":
        return 2 * sum(made)
    result = flat.value(node.outputs[0]) if node.outputs else Value(None, UNDEFINED)
    for position in TABLES.get(node.op, ()):
        if position < len(node.inputs) and node.inputs[position]:
            table = flat.value(node.inputs[position])
            touched = Value(result.shape, table.element).bytes
            total -= max(_bytes(table) - touched, 0) if touched is not None else 0
    return total


def cost_of(nodes: Iterable[Node], flat: FlatModel) -> tuple[int, int]:
    """FLOPs and bytes of all runs of `nodes`."""
    flops = moved = 0
    for node in nodes:
        work = work_of(node, flat)
        flops += node.repeats * (work.flops if work else 0)
        moved += node.repeats * traffic_of(node, flat)
    return flops, moved
