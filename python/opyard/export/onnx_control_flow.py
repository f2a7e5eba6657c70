"""Opens branches and loops where they stand: which op is opened by what."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from opyard.export.errors import ExportError
from opyard.export.onnx_bodies import Inputs, graph_at
from opyard.export.onnx_branches import open_if
from opyard.export.onnx_flat import Constant, Node
from opyard.export.onnx_loops import BodyLoop, run_loop
from opyard.export.onnx_scope import Scope, label_of, tensors_of
from opyard.export.onnx_types import BOOL, INT64, Value

if TYPE_CHECKING:
    import onnx

    from opyard.export.onnx_opening import Opening


_MOST_TRIPS = 2**31 - 1


def _open_loop(opening: Opening, node: onnx.NodeProto, inputs: Inputs, scope: Scope) -> None:
    graph = graph_at(node, "body")
    limit, condition = [*inputs, None, None][:2]
    carried = inputs[2:]
    if len(graph.input) != len(carried) + 2 or len(graph.output) < len(carried) + 1:
        raise ExportError(
            f'node "{label_of(node)}" (Loop) carries {len(carried)} tensors, its body takes '
            f"{len(graph.input) - 2} and gives {len(graph.output) - 1}"
        )
    start = opening.data(condition)
    stacked = len(graph.output) - len(carried) - 1
    names = [value.name for value in graph.input]

    def bind(inner: Scope, iteration: int | None, values: Inputs) -> None:
        inner.bindings[names[0]] = _counter(opening, names[0], iteration)
        inner.bindings[names[1]] = _true(opening, names[1])
        inner.bindings.update((n, v) for n, v in zip(names[2:], values, strict=True) if v)

    trips = opening.number(limit)
    if trips is not None and trips > _MOST_TRIPS:
        trips, limit = None, None  # a bound that no run reaches: its condition ends it
    if start is not None and not start.any():
        trips = 0
    is_open = (condition is None or start is not None) and (limit is None or trips is not None)
    loop = BodyLoop(
        node,
        graph,
        carried,
        [0] * stacked,
        bind,
        None if trips is None else max(trips, 0),
        True,
        tensors_of([limit, condition]),
        is_open,
        _stated_trips(node, scope, stacked),
    )
    run_loop(opening, loop, scope)


def _stated_trips(node: onnx.NodeProto, scope: Scope, stacked: int) -> int | None:
    """The number of iterations that the file states for results with an entry per iteration."""
    for name in list(node.output)[len(node.output) - stacked :] if stacked else ():
        declared = scope.declared.get(name)
        if declared is not None and declared.extents and declared.extents[0] is not None:
            return declared.extents[0]
    return None


def _counter(opening: Opening, name: str, iteration: int | None) -> str:
    import numpy as np

    if iteration is None:
        return opening.add_constant(name, Value((), INT64), Constant(None, is_source=False))
    return opening.add_number(name, np.asarray(iteration, np.int64), INT64)


def _true(opening: Opening, name: str) -> str:
    import numpy as np

    return opening.add_number(name, np.asarray(True), BOOL)


def _open_scan(opening: Opening, node: onnx.NodeProto, inputs: Inputs, scope: Scope) -> None:
    from onnx import helper

    graph = graph_at(node, "body")
    given = {a.name: helper.get_attribute_value(a) for a in node.attribute if a.name != "body"}
    count = given.get("num_scan_inputs", 0)
    if scope.opsets.get("", 9) < 9 or not 0 < count <= len(inputs):
        raise ExportError(
            f'node "{label_of(node)}" (Scan): found operator set {scope.opsets.get("", 1)} and '
            f"{count} inputs to scan, expected operator set 9 or later and 1 to {len(inputs)}"
        )
    carried, scanned = inputs[: len(inputs) - count], tensors_of(inputs[len(inputs) - count :])
    names = [value.name for value in graph.input]
    stacked = len(graph.output) - len(carried)
    if len(names) != len(inputs) or len(scanned) != count or stacked < 0:
        raise ExportError(f'node "{label_of(node)}" (Scan): its body has other inputs or results')
    axes = list(given.get("scan_input_axes", [0] * count))

    def bind(inner: Scope, iteration: int | None, values: Inputs) -> None:
        inner.bindings.update((n, v) for n, v in zip(names, values, strict=False) if v)
        slices = zip(names[len(carried) :], scanned, axes, strict=True)
        for name, whole, axis in slices:
            inner.bindings[name] = _slice(opening, inner, (name, whole), axis, iteration)

    shape = opening.flat.value(scanned[0]).shape
    trips = shape[axes[0]] if shape and -len(shape) <= axes[0] < len(shape) else None
    loop = BodyLoop(
        node,
        graph,
        carried,
        list(given.get("scan_output_axes", [0] * stacked)),
        bind,
        trips,
        has_condition=False,
        gate=[],
    )
    run_loop(opening, loop, scope)


def _slice(
    opening: Opening, scope: Scope, names: tuple[str, str], axis: int, iteration: int | None
) -> str:
    """The part of a scanned input that one iteration reads."""
    import numpy as np

    name, whole = names
    value = opening.flat.value(whole)
    shape = value.shape
    if shape is not None:
        axis %= len(shape)
        shape = (*shape[:axis], *shape[axis + 1 :])
    made = opening.fresh(name, scope.frame)
    opening.flat.values[made] = Value(shape, value.element)
    index = opening.add_number(f"{name}:index", np.asarray(iteration or 0, np.int64), INT64)
    opening.add_node(Node("Gather", name, [whole, index], [made], {"axis": axis}), scope)
    return made


CONTROL_FLOW: dict[str, Callable[[Opening, onnx.NodeProto, Inputs, Scope], None]] = {
    "If": open_if,
    "Loop": _open_loop,
    "Scan": _open_scan,
}
