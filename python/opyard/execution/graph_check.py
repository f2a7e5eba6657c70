"""Checks that a graph is that of a model, and finds with which options it was traced."""

from __future__ import annotations

from math import prod
from typing import Any

from opyard.execution.errors import ExecutionError
from opyard.export.graph_writer import Op
from opyard.export.training_step import OPTIMIZERS


def optimizer_of(ops: list[dict[str, Any]]) -> str:
    """The optimizer whose updates the ops of a graph file hold, by their FLOPs; or "none"."""
    by_flops = {rule.flops: name for name, rule in OPTIMIZERS.items() if rule is not None}
    updates = [op for op in ops if op["type"] == "ApplyGradient"]
    for op in updates:
        elements = prod(op["outputs"][0].get("shape", ()))
        flops, rest = divmod(int(op.get("flops", 0)), elements)
        if not rest and flops in by_flops:
            return by_flops[flops]
    if updates:
        raise ExecutionError(
            f'the graph\'s update "{updates[0]["name"]}" is that of no optimizer of '
            "`opyard export torch --optimizer`"
        )
    return "none"


def is_forward(ops: list[dict[str, Any]]) -> bool:
    """Whether a graph is a forward pass alone."""
    return not any(op.get("phase") == "backward" for op in ops)


def check_graph(ops: list[dict[str, Any]], traced: list[Op]) -> None:
    """Raises ExecutionError where the graph's ops are not those of the model, in their order.

    Measured seconds, co-location, and other attributes that do not change what runs may differ.
    """
    index = {op: i for i, op in enumerate(traced)}
    for i, (found, expected) in enumerate(zip(ops, traced, strict=False)):
        inputs = [[index[producer], port] for producer, port in expected.inputs]
        for what, value, wanted in (
            ("name", found["name"], expected.name),
            ("type", found["type"], expected.type),
            ("inputs", [list(pair) for pair in found.get("inputs", [])], inputs),
            ("bytes", _bytes(found), [output.bytes for output in expected.outputs]),
        ):
            if value != wanted:
                raise ExecutionError(
                    f"the graph is not that of the model: op {i} has {what} {value}, "
                    f"expected {wanted}"
                )
    if len(ops) != len(traced):
        raise ExecutionError(
            f"the graph is not that of the model: it has {len(ops)} ops, expected {len(traced)}"
        )


def _bytes(op: dict[str, Any]) -> list[int]:
    return [output["bytes"] for output in op.get("outputs", [])]
