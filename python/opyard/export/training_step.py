"""Completes a lowered step: what happens to the gradients, layers and co-location."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from opyard.export.graph_writer import Op, Output
from opyard.export.lowering import LoweredStep


@dataclass(frozen=True)
class Optimizer:
    """The cost of applying one gradient, per element of the parameter."""

    slots: int  # tensors of state, as large as the parameter
    flops: int


# Updates per element as in PyTorch's optimizers. Terms that depend on the step alone are computed
# once for all weights.
# `sgd`: w -= lr·g. `momentum`: v = mu·v + g, w -= lr·v. `nesterov`: v = mu·v + g,
# w -= lr·(g + mu·v). `adagrad`: s += g·g, w -= lr·g / (sqrt(s) + e).
# `rmsprop`: s = a·s + (1-a)·g·g, then as `adagrad`.
# `lion`: u = sign(b1·m + (1-b1)·g), m = b2·m + (1-b2)·g, w = d·w - lr·u.
# `adam`: m += (1-b1)·(g-m), v += (1-b2)·(g·g-v), w -= r·m / (sqrt(v) + e).
# `adamw`: first w = d·w, then as `adam`.
OPTIMIZERS: dict[str, Optimizer | None] = {
    "none": None,
    "sgd": Optimizer(slots=0, flops=2),
    "momentum": Optimizer(slots=1, flops=4),
    "nesterov": Optimizer(slots=1, flops=6),
    "adagrad": Optimizer(slots=1, flops=7),
    "rmsprop": Optimizer(slots=1, flops=9),
    "lion": Optimizer(slots=1, flops=10),
    "adam": Optimizer(slots=2, flops=12),
    "adamw": Optimizer(slots=2, flops=13),
}


def complete(step: LoweredStep, optimizer: str) -> list[Op]:
    """Returns the finished ops of `step`, in topological order.

    Without an optimizer the gradients are graph outputs. With one, each trained
    `Variable` gets an `ApplyGradient` on its own device, which waits for all
    readers of the weight, since it writes in place.
    """
    rule = OPTIMIZERS[optimizer]
    if rule is None:
        for op, port in step.gradients.values():
            op.outputs[port].keep = True
    else:
        _apply_gradients(step, rule)
    ops = _without_unread_views(step.ops)
    _complete_layers(ops)
    _label_colocation(ops, step.colocated)
    return ops


def _apply_gradients(step: LoweredStep, rule: Optimizer) -> None:
    readers = _readers_of_variables(step)
    ancestors = _ancestors(step.ops)
    position = {op: i for i, op in enumerate(step.ops)}
    for name, (gradient, port) in step.gradients.items():
        variable = step.variables[name]
        weight = variable.outputs[0]
        elements = step.sparse_gradients.get(name, prod(weight.shape or ()))
        touched = (
            weight.bytes if name not in step.sparse_gradients else gradient.outputs[port].bytes
        )
        variable.param_bytes = weight.bytes * (1 + rule.slots)
        update = Op(f"{name}/ApplyGradient", "ApplyGradient", dtype=weight.dtype, phase="update")
        update.inputs = [(variable, 0), (gradient, port)]
        update.outputs = [Output(weight.bytes, weight.shape, weight.dtype, alias=0)]
        update.flops = rule.flops * elements
        if rule.slots or name in step.sparse_gradients:
            # Reads and writes the state beside weight, gradient and weight; of a sparse gradient
            # the rows that it names.
            update.bytes_accessed = touched * (3 + 2 * rule.slots)
        update.fusion_class = "elementwise"
        update.module = variable.module
        done = ancestors[position[gradient]]
        update.control_inputs = [
            reader
            for reader in readers[variable]
            if reader is not gradient and not done >> position[reader] & 1
        ]
        step.ops.append(update)
        step.colocated.append((variable, update))


def _readers_of_variables(step: LoweredStep) -> dict[Op, list[Op]]:
    """For each Variable the ops that read it, through views of it or directly."""
    shown: dict[Op, Op] = {variable: variable for variable in step.variables.values()}
    readers: dict[Op, list[Op]] = {variable: [] for variable in shown}
    for op in step.ops:
        variables = [shown[producer] for producer, _ in op.inputs if producer in shown]
        if variables and _is_view(op):
            shown[op] = variables[0]
            continue
        for variable in dict.fromkeys(variables):
            readers[variable].append(op)
    return readers


def _is_view(op: Op) -> bool:
    return bool(op.outputs) and all(output.alias == 0 for output in op.outputs)


def _ancestors(ops: list[Op]) -> list[int]:
    """For each op the set of ops that surely run before it, as bits."""
    position = {op: i for i, op in enumerate(ops)}
    ancestors: list[int] = []
    for op in ops:
        before = 0
        for producer, _ in op.inputs:
            index = position[producer]
            before |= ancestors[index] | 1 << index
        ancestors.append(before)
    return ancestors


def _without_unread_views(ops: list[Op]) -> list[Op]:
    """Drops views that nobody reads; the walk is backwards, so chains go as a whole."""
    read: set[Op] = set()
    kept: list[Op] = []
    for op in reversed(ops):
        is_needed = op in read or any(output.keep for output in op.outputs)
        if _is_view(op) and op.bytes_accessed == 0 and not is_needed:
            continue
        read.update(producer for producer, _ in op.inputs)
        kept.append(op)
    return kept[::-1]


def _complete_layers(ops: list[Op]) -> None:
    """Gives every op a layer and numbers the layers without gaps.

    A sum of a parameter's gradients goes with the earliest of them; a Variable or
    input goes with the first op that reads it.
    """
    first_reader: dict[Op, Op] = {}
    for op in ops:
        if op.layer is None and op.phase != "update":
            known = [producer.layer for producer, _ in op.inputs if producer.layer is not None]
            op.layer = min(known, default=None)
        for producer, _ in op.inputs:
            first_reader.setdefault(producer, op)
    for op in reversed(ops):
        if op.layer is None and op in first_reader:
            op.layer = first_reader[op].layer
    for op in ops:
        if op.phase == "update":
            op.layer = op.inputs[0][0].layer
    _number_layers(ops)


def _number_layers(ops: list[Op]) -> None:
    """Numbers the layers in use without gaps; an op without one is of the first."""
    used = sorted({op.layer for op in ops if op.layer is not None})
    number = {layer: i for i, layer in enumerate(used)}
    for op in ops:
        op.layer = number.get(op.layer, 0)


def _label_colocation(ops: list[Op], pairs: list[tuple[Op, Op]]) -> None:
    """Labels connected pairs with the name of their first op."""
    position = {op: i for i, op in enumerate(ops)}
    leader: dict[Op, Op] = {}

    def find(op: Op) -> Op:
        while op in leader:
            op = leader[op]
        return op

    for left, right in pairs:
        first, second = sorted((find(left), find(right)), key=position.__getitem__)
        if first is not second:
            leader[second] = first
    for op in {op for pair in pairs for op in pair}:
        op.colocation = find(op).name
