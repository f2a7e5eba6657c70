"""Runs the bodies of loops: every iteration by itself where that is possible, else once.

Iterations are unrolled as long as their number is known and within the limits. A
longer loop stands once, with its work times the trips; so does, with the trips that
the shapes of its results state or else one, a loop whose trip count is not known.
What was assumed is noted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from opyard.export.errors import ExportError
from opyard.export.onnx_bodies import Inputs, inner_scope, results_of
from opyard.export.onnx_flat import Constant, Frame, Node
from opyard.export.onnx_scope import Binding, Gate, Scope, label_of
from opyard.export.onnx_types import Value

if TYPE_CHECKING:
    import onnx

    from opyard.export.onnx_opening import Opening


_DEEPEST = 8  # loops within loops


@dataclass
class BodyLoop:
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


def run_loop(opening: Opening, loop: BodyLoop, scope: Scope) -> None:
    """Adds the iterations of `loop`, binds its results."""
    if scope.depth > _DEEPEST:
        raise ExportError(f'node "{loop.label}": loops lie deeper than {_DEEPEST} levels')
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


def _unroll(opening: Opening, loop: BodyLoop, around: Scope) -> str | None:
    """Every iteration by itself; returns why that is not possible, if it is not."""
    limits, begin = opening.limits, len(opening.flat.nodes)
    if loop.trips is None and not loop.has_condition:
        return "its trip count is not known"
    is_long = loop.trips is not None and loop.trips > limits.trips
    if is_long and _always_goes_on(opening, loop, around):
        return f"{loop.trips} trips are more than {limits.trips}"
    iteration, goes_on = 0, True
    while goes_on and (loop.trips is None or iteration < loop.trips):
        known = _next(opening, loop, around, iteration)
        if known is None:
            loop.trips = None
            return "its trip count is not known"
        goes_on = known
        iteration += 1
        made = len(opening.flat.nodes) - begin
        expected = made // iteration * min(loop.trips or iteration, limits.trips)
        if opening.unrolled + max(made, expected) > limits.nodes:
            return f"its iterations have more than {limits.nodes} nodes"
    if around.depth == 0:
        opening.unrolled += len(opening.flat.nodes) - begin
    return None


def _next(opening: Opening, loop: BodyLoop, around: Scope, iteration: int) -> bool | None:
    """Adds an iteration; whether there is one more, None if that is not known."""
    if iteration >= opening.limits.trips:
        return None
    frame = Frame(str(iteration), around.frame, is_iteration=True)
    condition = _iterate(opening, loop, inner_scope(around, frame, around.gate), iteration)
    if not loop.has_condition:
        return True
    known = opening.data(condition)
    return None if known is None else bool(known.any())


def _once(opening: Opening, loop: BodyLoop, around: Scope, problem: str) -> int:
    """The body one time; returns the trips that it stands for."""
    if any(isinstance(binding, list) for binding in loop.carried):
        raise ExportError(
            f'node "{loop.label}" ({loop.node.op_type}) carries a sequence of tensors: {problem}'
        )
    if not _always_goes_on(opening, loop, around):
        loop.trips = None
    known = loop.stated_trips if loop.trips is None else loop.trips
    trips = 1 if known is None else known
    gate = Gate(loop.gate, around.gate) if loop.gate else around.gate
    inner = inner_scope(around, Frame("body", around.frame, is_iteration=True), gate, trips)
    loop.carried = [_any_value(opening, binding, inner) for binding in loop.carried]
    _iterate(opening, loop, inner, None)
    taken = f"its body is taken once, its work times {trips}"
    if known is None:
        taken = "its body is taken once"
    opening.flat.notes.append(f"not unrolled: {loop.node.op_type} {loop.label}, {problem}: {taken}")
    return trips


def _always_goes_on(opening: Opening, loop: BodyLoop, around: Scope) -> bool:
    """True if no run of the body can end the loop before its trips are done."""
    if not loop.has_condition:
        return True
    if id(loop.graph) not in opening.endless:
        opening.endless[id(loop.graph)] = _probe(opening, loop, around)
    return opening.endless[id(loop.graph)]


def _probe(opening: Opening, loop: BodyLoop, around: Scope) -> bool:
    """Runs the body with values that may be any, and leaves nothing of it."""
    begin, carried, pieces = len(opening.flat.nodes), loop.carried, len(loop.pieces)
    inner = inner_scope(around, Frame("any", around.frame, is_iteration=True), None)
    loop.carried = [_any_value(opening, binding, inner) for binding in carried]
    condition = opening.data(_iterate(opening, loop, inner, None))
    del opening.flat.nodes[begin:], loop.pieces[pieces:]
    loop.carried = carried
    return condition is not None and bool(condition.any())


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
    opening: Opening, loop: BodyLoop, scope: Scope, iteration: int | None
) -> Binding | None:
    """Adds one run of the body; returns what it says of going on."""
    loop.bind(scope, iteration, loop.carried)
    opening.add_graph(loop.graph, scope)
    results = results_of(loop.graph, scope)
    condition = results.pop(0) if loop.has_condition else None
    loop.carried = results[: len(loop.carried)]
    pieces = results[len(loop.carried) :]
    if any(isinstance(piece, list) for piece in pieces):
        raise ExportError(f'node "{loop.label}": a sequence cannot be a stacked result')
    loop.pieces.append([piece for piece in pieces if isinstance(piece, str)])
    return condition


def _stack(
    opening: Opening, loop: BodyLoop, around: Scope, pieces: list[str], where: tuple[int, int, int]
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


def _no_pieces(loop: BodyLoop, position: int) -> Value:
    """The result of a loop that runs no time."""
    offset = len(loop.carried) + (1 if loop.has_condition else 0)
    return Value((0,), loop.graph.output[offset + position].type.tensor_type.elem_type or 1)
