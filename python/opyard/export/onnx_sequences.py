"""Sequences of tensors, whose elements are known one by one: ops on them make no copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from opyard.export.errors import ExportError
from opyard.export.onnx_flat import MOST_NODES, Frame, Node
from opyard.export.onnx_scope import Binding, Scope, graphs_of, label_of
from opyard.export.onnx_types import BOOL, INT64, Shape, Value

if TYPE_CHECKING:
    import onnx

    from opyard.export.onnx_opening import Opening

Inputs = list[Binding | None]
_Rule = Callable[["Opening", "onnx.NodeProto", Inputs, Scope], None]


def _refuse(node: onnx.NodeProto, why: str) -> ExportError:
    return ExportError(f'node "{label_of(node)}" ({node.op_type}): {why}')


def _sequence(node: onnx.NodeProto, found: Binding | None) -> list[str]:
    if not isinstance(found, list):
        raise _refuse(node, "found a tensor, expected a sequence")
    return found


def _tensor(node: onnx.NodeProto, found: Binding | None) -> str:
    if not isinstance(found, str):
        raise _refuse(node, "found a sequence, expected a tensor")
    return found


def _attributes(node: onnx.NodeProto, scope: Scope) -> dict[str, int]:
    return {a.name: a.i for a in scope.attributes_of(node)}


def _position(
    opening: Opening, node: onnx.NodeProto, inputs: Inputs, place: int, length: int
) -> int:
    """The element that input `place` names, counted from behind if it is negative."""
    position = opening.number(inputs[place])
    if position is None:
        raise _refuse(node, "which element it means depends on data")
    if not -length <= position < max(length, 1):
        raise _refuse(node, f"found position {position}, expected one of {length} elements")
    return position % max(length, 1)


def _construct(opening: Opening, node: onnx.NodeProto, inputs: Inputs, scope: Scope) -> None:
    scope.bindings[node.output[0]] = [_tensor(node, found) for found in inputs]


def _insert(opening: Opening, node: onnx.NodeProto, inputs: Inputs, scope: Scope) -> None:
    elements = list(_sequence(node, inputs[0]))
    place = len(elements)
    if len(inputs) > 2 and inputs[2] is not None:
        given = opening.number(inputs[2])
        if given != place:
            place = _position(opening, node, inputs, 2, len(elements))
    elements.insert(place, _tensor(node, inputs[1]))
    scope.bindings[node.output[0]] = elements


def _erase(opening: Opening, node: onnx.NodeProto, inputs: Inputs, scope: Scope) -> None:
    elements = list(_sequence(node, inputs[0]))
    if not elements:
        raise _refuse(node, "found a sequence without elements")
    has_place = len(inputs) > 1 and inputs[1] is not None
    place = _position(opening, node, inputs, 1, len(elements)) if has_place else -1
    del elements[place]
    scope.bindings[node.output[0]] = elements


def _at(opening: Opening, node: onnx.NodeProto, inputs: Inputs, scope: Scope) -> None:
    elements = _sequence(node, inputs[0])
    if not elements:
        raise _refuse(node, "found a sequence without elements")
    place = _position(opening, node, inputs, 1, len(elements))
    scope.bindings[node.output[0]] = elements[place]


def _length(opening: Opening, node: onnx.NodeProto, inputs: Inputs, scope: Scope) -> None:
    import numpy as np

    length = np.asarray(len(_sequence(node, inputs[0])), np.int64)
    scope.bindings[node.output[0]] = opening.add_number(node.output[0], length, INT64)


def _sizes(opening: Opening, node: onnx.NodeProto, inputs: Inputs, extent: int) -> list[int]:
    """The sizes of a split's pieces: of one size, the last may be smaller, or of several."""
    if len(inputs) < 2 or inputs[1] is None:
        return [1] * extent
    given = opening.data(inputs[1])
    if given is None:
        raise _refuse(node, "the sizes of its parts depend on data")
    if given.ndim:
        return [int(size) for size in given]
    size = int(given)
    if size < 1:
        raise _refuse(node, f"found parts of size {size}, expected 1 or more")
    return [min(size, extent - begin) for begin in range(0, extent, size)]


def _split(opening: Opening, node: onnx.NodeProto, inputs: Inputs, scope: Scope) -> None:
    source = _tensor(node, inputs[0])
    value, attributes = opening.flat.value(source), _attributes(node, scope)
    shape = value.shape
    if not shape:
        raise _refuse(node, "the shape of what it splits is not known")
    axis = attributes.get("axis", 0) % len(shape)
    is_dropped = len(inputs) < 2 and not attributes.get("keepdims", 1)
    if shape[axis] > MOST_NODES:
        raise _refuse(node, f"found {shape[axis]} parts, expected {MOST_NODES} at most")
    sizes = _sizes(opening, node, inputs, shape[axis])
    if sum(sizes) != shape[axis] or min(sizes, default=1) < 0:
        raise _refuse(node, f"found parts of {sizes[:8]}, expected {shape[axis]} in all")
    made = []
    for number, size in enumerate(sizes):
        extents = () if is_dropped else (size,)
        name = opening.fresh(f"{node.output[0]}:{number}")
        opening.flat.values[name] = Value(
            (*shape[:axis], *extents, *shape[axis + 1 :]), value.element
        )
        made.append(name)
    opening.add_node(Node("Split", label_of(node), [source], made, {"axis": axis}), scope)
    scope.bindings[node.output[0]] = made


def _concat(opening: Opening, node: onnx.NodeProto, inputs: Inputs, scope: Scope) -> None:
    elements, attributes = _sequence(node, inputs[0]), _attributes(node, scope)
    shapes = [opening.flat.value(name).shape for name in elements]
    if not elements:
        raise _refuse(node, "found a sequence without elements")
    is_new = bool(attributes.get("new_axis", 0))
    known = [shape for shape in shapes if shape is not None]
    axis = attributes.get("axis", 0)
    shape = None
    if len(known) == len(shapes):
        axis %= max(len(known[0]) + is_new, 1)
        shape = _joined(node, known, axis, is_new)
    made = opening.fresh(node.output[0])
    opening.flat.values[made] = Value(shape, opening.flat.value(elements[0]).element)
    op = "Stack" if is_new else "Concat"
    opening.add_node(Node(op, label_of(node), elements, [made], {"axis": axis}), scope)
    scope.bindings[node.output[0]] = made


def _joined(node: onnx.NodeProto, shapes: list[Shape], axis: int, is_new: bool) -> Shape:
    first = shapes[0]
    if is_new:
        return (*first[:axis], len(shapes), *first[axis:])
    if any(len(shape) <= axis for shape in shapes):
        raise _refuse(node, f"found a tensor without axis {axis}")
    return (*first[:axis], sum(shape[axis] for shape in shapes), *first[axis + 1 :])


def _map(opening: Opening, node: onnx.NodeProto, inputs: Inputs, scope: Scope) -> None:
    """Opens the body once per element; inputs that are tensors go into each."""
    graph = graphs_of(node)[0]
    elements = _sequence(node, inputs[0])
    frame = Frame(label_of(node), scope.frame)
    made: list[list[str]] = [[] for _ in node.output]
    for number in range(len(elements)):
        inner = Scope(
            scope.opsets,
            outer=scope,
            attributes=scope.attributes,
            frame=Frame(str(number), frame, is_iteration=True),
            gate=scope.gate,
            repeats=scope.repeats,
        )
        for formal, given in zip(graph.input, inputs, strict=True):
            binding = given[number] if isinstance(given, list) else given
            if binding:
                inner.bindings[formal.name] = binding
        opening.add_graph(graph, inner)
        for results, formal in zip(made, graph.output, strict=False):
            results.append(_tensor(node, inner.find(formal.name)))
    scope.bindings.update((name, made[i]) for i, name in enumerate(node.output) if name)


def _hand_on(opening: Opening, node: onnx.NodeProto, inputs: Inputs, scope: Scope) -> None:
    if not inputs or inputs[0] is None:
        raise _refuse(node, "an optional value that is absent is not read")
    scope.bindings[node.output[0]] = inputs[0]


def _has(opening: Opening, node: onnx.NodeProto, inputs: Inputs, scope: Scope) -> None:
    import numpy as np

    is_there = bool(inputs) and inputs[0] is not None
    found = opening.add_number(node.output[0], np.asarray(is_there), BOOL)
    scope.bindings[node.output[0]] = found


SEQUENCES: dict[str, _Rule] = {
    "ConcatFromSequence": _concat,
    "Identity": _hand_on,
    "Optional": _hand_on,
    "OptionalGetElement": _hand_on,
    "OptionalHasElement": _has,
    "SequenceAt": _at,
    "SequenceConstruct": _construct,
    "SequenceEmpty": _construct,
    "SequenceErase": _erase,
    "SequenceInsert": _insert,
    "SequenceLength": _length,
    "SequenceMap": _map,
    "SplitToSequence": _split,
}
