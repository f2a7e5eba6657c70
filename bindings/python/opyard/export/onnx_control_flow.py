"""Opens branches and loops where they stand.

* `If`: the branch of a condition that is known, else the dearest. What only the
  other one reads is waited for, too.
* `Loop`, `Scan`: every iteration by itself as long as the trip count is known and
  within the limits; longer ones once, with their work times the trips. A loop
  whose trip count is not known stands once. What was assumed is noted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from opyard.export.errors import ExportError
from opyard.export.onnx_flat import Constant, Frame, Node
from opyard.export.onnx_scope import Binding, Gate, Scope, graphs_of, label_of
from opyard.export.onnx_types import BOOL, INT64, Value
from opyard.export.onnx_work import cost_of

if TYPE_CHECKING:
    import onnx

    from opyard.export.onnx_opening import Opening

Inputs = list[Binding | None]


def _graph_of(node: onnx.NodeProto, name: str) -> onnx.GraphProto:
    for attribute in node.attribute:
        if attribute.name == name and attribute.HasField("g"):
            return attribute.g
    raise ExportError(f'node "{label_of(node)}" ({node.op_type}) has no body "{name}"')


def _tensors(bindings: Inputs) -> list[str]:
    """All tensors behind names, those of sequences one by one."""
    found = []
    for binding in bindings:
        found += binding if isinstance(binding, list) else [binding] if binding else []
    return list(dict.fromkeys(found))


def _outer(node: onnx.NodeProto, opening: Opening, scope: Scope) -> list[str]:
    """The tensors that the bodies of `node` read from around it."""
    reads = [name for graph in graphs_of(node) for name in opening.body(graph).reads]
    return _tensors([scope.find(name) for name in reads])


def _inner(scope: Scope, frame: Frame, gate: Gate | None, repeats: int = 1) -> Scope:
    return Scope(
        scope.opsets,
        outer=scope,
        attributes=scope.attributes,
        frame=frame,
        gate=gate,
        repeats=scope.repeats * repeats,
    )


def _results(graph: onnx.GraphProto, scope: Scope) -> list[Binding]:
    found = []
    for value in graph.output:
        binding = scope.find(value.name)
        if binding is None:
            raise ExportError(f'a body gives "{value.name}", which no node of it makes')
        found.append(binding)
    return found


# --- If ---


def _open_if(opening: Opening, node: onnx.NodeProto, inputs: Inputs, scope: Scope) -> None:
    if len(inputs) != 1:
        raise ExportError(f'node "{label_of(node)}" (If): found {len(inputs)} inputs, expected 1')
    branches = {name: _graph_of(node, name) for name in ("then_branch", "else_branch")}
    condition = opening.data(inputs[0])
    frame = Frame(label_of(node), scope.frame)
    if condition is not None:
        graph = branches["then_branch" if condition.any() else "else_branch"]
        inner = _inner(scope, frame, scope.gate)
        opening.add_graph(graph, inner)
        results = _results(graph, inner)
    else:
        results = _dearest(opening, node, branches, _tensors(inputs), _inner(scope, frame, None))
    for name, found in zip(node.output, results, strict=False):
        if name:
            opening.bind(scope, name, found)


def _dearest(
    opening: Opening,
    node: onnx.NodeProto,
    branches: dict[str, onnx.GraphProto],
    condition: list[str],
    around: Scope,
) -> list[Binding]:
    """Keeps the branch with most FLOPs, then bytes; the nodes of the other one go again."""
    begin = len(opening.flat.nodes)
    tried = []
    for name, graph in branches.items():
        outer = around.outer
        gate = Gate(condition, outer.gate if outer else None)
        inner = replace(around, bindings={}, declared={}, gate=gate)
        opening.add_graph(graph, inner)
        nodes = opening.flat.nodes[begin:]
        del opening.flat.nodes[begin:]
        tried.append((cost_of(nodes, opening.flat), name, nodes, _results(graph, inner)))
    (best, name, nodes, results) = tried[0] if tried[0][0] >= tried[1][0] else tried[1]
    if nodes:
        reads = [*condition, *_outer(node, opening, around)]
        known = {*nodes[-1].inputs, *nodes[-1].waits_for}
        nodes[-1].waits_for += [tensor for tensor in reads if tensor not in known]
    opening.flat.nodes += nodes
    opening.flat.notes.append(
        f"not known: condition of If {label_of(node)}, its dearest branch {name} is taken "
        f"({best[0]} FLOPs against {min(tried[0][0], tried[1][0])[0]})"
    )
    return results


# --- Loops ---


@dataclass
class _Loop:
    """A loop of either kind, and how its body is bound in an iteration."""

    node: onnx.NodeProto
    graph: onnx.GraphProto
    carried: Inputs
    stacked_axes: list[int]  # of its stacked results, where the iterations are counted
    bind: Callable[[Scope, int | None, Inputs], None]  # iteration None: any
    trips: int | None  # None: not known, or the condition ends it
    has_condition: bool
    gate: list[str]  # tensors that decide on its iterations
    is_open: bool = True  # false where a condition that is not known may end it at once
    stated_trips: int | None = None  # what the shapes of its results say
    pieces: list[list[str]] = field(default_factory=list)  # of stacked results, per iteration

    @property
    def label(self) -> str:
        return label_of(self.node)


def _run(opening: Opening, loop: _Loop, scope: Scope) -> None:
    """Adds the iterations of `loop`, binds its results."""
    begin = len(opening.flat.nodes)
    around = replace(scope, bindings={}, declared={}, outer=scope)
    around.frame = Frame(loop.label, scope.frame)
    first = list(loop.carried)
    problem = _unroll(opening, loop, around) if loop.is_open else "its condition is not known"
    trips = len(loop.pieces)
    if problem is not None:
        del opening.flat.nodes[begin:]
        loop.carried, loop.pieces = first, []
        trips = _once(opening, loop, around, problem)
    results = list(loop.carried)
    for position, axis in enumerate(loop.stacked_axes):
        pieces = [piece[position] for piece in loop.pieces]
        results.append(_stack(opening, loop, around, pieces, (axis, position, trips)))
    for name, found in zip(loop.node.output, results, strict=False):
        if name and found:
            opening.bind(scope, name, found)


def _unroll(opening: Opening, loop: _Loop, around: Scope) -> str | None:
    """Every iteration by itself; returns why that is not possible, if it is not."""
    limits, begin = opening.limits, len(opening.flat.nodes)
    if loop.trips is not None and loop.trips > limits.trips:
        return f"{loop.trips} trips are more than {limits.trips}"
    if loop.trips is None and not loop.has_condition:
        return "its trip count is not known"
    iteration, goes_on = 0, True
    while goes_on and (loop.trips is None or iteration < loop.trips):
        if iteration >= limits.trips:
            return "its trip count is not known"
        frame = Frame(str(iteration), around.frame, is_iteration=True)
        condition = _iterate(opening, loop, _inner(around, frame, around.gate), iteration)
        if loop.has_condition:
            known = opening.data(condition)
            if known is None:
                loop.trips = None
                return "its condition is not known"
            goes_on = bool(known.any())
        iteration += 1
        made = len(opening.flat.nodes) - begin
        expected = made // iteration * (loop.trips or iteration)
        if opening.unrolled + max(made, expected) > limits.nodes:
            return f"its iterations have more than {limits.nodes} nodes"
    if around.frame is not None and not _is_within_loop(around.frame.parent):
        opening.unrolled += len(opening.flat.nodes) - begin
    return None


def _is_within_loop(frame: Frame | None) -> bool:
    while frame is not None:
        if frame.is_iteration:
            return True
        frame = frame.parent
    return False


def _once(opening: Opening, loop: _Loop, around: Scope, problem: str) -> int:
    """The body one time; returns the trips that it stands for."""
    if any(isinstance(binding, list) for binding in loop.carried):
        raise ExportError(
            f'node "{loop.label}" ({loop.node.op_type}) carries a sequence of tensors: {problem}'
        )
    known = loop.stated_trips if loop.trips is None else loop.trips
    trips = 1 if known is None else known
    gate = Gate(loop.gate, around.gate) if loop.gate else around.gate
    inner = _inner(around, Frame("body", around.frame, is_iteration=True), gate, trips)
    loop.carried = [_any_value(opening, binding, inner) for binding in loop.carried]
    _iterate(opening, loop, inner, None)
    taken = f"its body is taken once, its work times {trips}"
    if known is None:
        taken = "its body is taken once"
    opening.flat.notes.append(f"not unrolled: {loop.node.op_type} {loop.label}, {problem}: {taken}")
    return trips


def _any_value(opening: Opening, binding: Binding | None, scope: Scope) -> Binding | None:
    """A tensor as `binding` whose value is not that of the first iteration alone."""
    if not isinstance(binding, str) or opening.data(binding) is None:
        return binding
    value = opening.flat.value(binding)
    if opening.flat.is_number(binding):
        return opening.add_constant(binding, value, Constant(None, is_source=False))
    made = opening.fresh(binding)
    opening.flat.values[made] = value
    opening.add_node(Node("Identity", binding, [binding], [made]), scope)
    return made


def _iterate(
    opening: Opening, loop: _Loop, scope: Scope, iteration: int | None
) -> Binding | None:
    """Adds one run of the body; returns what it says of going on."""
    loop.bind(scope, iteration, loop.carried)
    opening.add_graph(loop.graph, scope)
    results = _results(loop.graph, scope)
    condition = results.pop(0) if loop.has_condition else None
    loop.carried = results[: len(loop.carried)]
    pieces = results[len(loop.carried) :]
    if any(isinstance(piece, list) for piece in pieces):
        raise ExportError(f'node "{loop.label}": a sequence cannot be a stacked result')
    loop.pieces.append([piece for piece in pieces if isinstance(piece, str)])
    return condition


def _stack(
    opening: Opening, loop: _Loop, around: Scope, pieces: list[str], where: tuple[int, int, int]
) -> str | None:
    """The results of all iterations behind each other, along a new axis."""
    axis, position, trips = where
    name = loop.node.output[len(loop.carried) + position : len(loop.carried) + position + 1]
    if not name or not name[0]:
        return None
    made = opening.fresh(name[0], around.frame)
    if not pieces:
        opening.flat.values[made] = _no_pieces(loop, position)
        opening.flat.constants[made] = Constant(None, is_source=False)
        return made
    piece = opening.flat.value(pieces[0])
    shape = None
    if piece.shape is not None:
        axis %= len(piece.shape) + 1
        shape = (*piece.shape[:axis], trips, *piece.shape[axis:])
    opening.flat.values[made] = Value(shape, piece.element)
    attributes = {"axis": axis}
    opening.add_node(Node("Stack", str(name[0]), pieces, [made], attributes), around)
    return made


def _no_pieces(loop: _Loop, position: int) -> Value:
    """Of a loop that runs no time."""
    offset = len(loop.carried) + (1 if loop.has_condition else 0)
    return Value((0,), loop.graph.output[offset + position].type.tensor_type.elem_type or 1)


def _open_loop(opening: Opening, node: onnx.NodeProto, inputs: Inputs, scope: Scope) -> None:
    graph = _graph_of(node, "body")
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
    if start is not None and not start.any():
        trips = 0
    is_open = (condition is None or start is not None) and (limit is None or trips is not None)
    loop = _Loop(
        node,
        graph,
        carried,
        [0] * stacked,
        bind,
        None if trips is None else max(trips, 0),
        True,
        _tensors([limit, condition]),
        is_open,
        _stated_trips(node, scope, stacked),
    )
    _run(opening, loop, scope)


def _stated_trips(node: onnx.NodeProto, scope: Scope, stacked: int) -> int | None:
    """What the file says of the results that have an entry per iteration."""
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

    graph = _graph_of(node, "body")
    given = {a.name: helper.get_attribute_value(a) for a in node.attribute if a.name != "body"}
    count = given.get("num_scan_inputs", 0)
    if scope.opsets.get("", 9) < 9 or not 0 < count <= len(inputs):
        raise ExportError(
            f'node "{label_of(node)}" (Scan): found operator set {scope.opsets.get("", 1)} and '
            f"{count} inputs to scan, expected operator set 9 or later and 1 to {len(inputs)}"
        )
    carried, scanned = inputs[: len(inputs) - count], _tensors(inputs[len(inputs) - count :])
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
    loop = _Loop(
        node,
        graph,
        carried,
        list(given.get("scan_output_axes", [0] * stacked)),
        bind,
        trips,
        has_condition=False,
        gate=[],
    )
    _run(opening, loop, scope)


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
    "If": _open_if,
    "Loop": _open_loop,
    "Scan": _open_scan,
}
