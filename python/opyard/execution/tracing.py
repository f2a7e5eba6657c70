"""Turns a model into a program: the trace of `opyard export torch`, with what each op runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from opyard.execution.errors import ExecutionError
from opyard.execution.program import Blank, Instruction, Program, Ref, TensorSpec
from opyard.export.aten_nodes import aten_name, is_view, makes_several, tensors_of
from opyard.export.errors import without_stack_traces
from opyard.export.graph_writer import Op
from opyard.export.lowering import LoweredStep, Value, Values, lower
from opyard.export.torch_graph import JointTrace, trace_step
from opyard.export.training_step import complete
from opyard.export.user_function import load_training_step


@dataclass
class TracedModel:
    """A model's step as a program, as ops of a graph, and its constants by op index."""

    program: Program
    ops: list[Op]
    constants: dict[int, torch.Tensor]


def trace_model(function: str, optimizer: str = "none", forward: bool = False) -> TracedModel:
    """Traces the step that `function`, "MODULE:FUNCTION" or "FILE.py:FUNCTION", returns.

    Its ops are those that `opyard export torch` writes, in the same order.

    Args:
        function: As for `opyard export torch`.
        optimizer: What applies the gradients, or "none".
        forward: Only the forward pass.

    Raises:
        ExportError: The function breaks its contract.
        ExecutionError: The step has an op that processes cannot run.
    """
    with without_stack_traces():
        trace = trace_step(load_training_step(function), is_trained=not forward)
    step = lower(trace)
    ops = complete(step, optimizer)
    return _Assembly(trace, step, ops).model(optimizer)


class _Assembly:
    """Makes instructions from the nodes of a lowered step."""

    def __init__(self, trace: JointTrace, step: LoweredStep, ops: list[Op]) -> None:
        self._trace = trace
        self._step = step
        self._ops = ops
        self._index = {op: i for i, op in enumerate(ops)}

    def model(self, optimizer: str) -> TracedModel:
        step = self._step
        program = Program(
            instructions=[self._instruction(op) for op in self._ops],
            optimizer=optimizer,
            losses=self._losses(),
            gradients={name: self._ref(value) for name, value in step.gradients.items()},
            variables={
                name: self._index[op] for name, op in step.variables.items() if op in self._index
            },
            updated={name: self._ref(value) for name, value in step.updated.items()},
        )
        return TracedModel(program, self._ops, self._constants())

    def _ref(self, value: Value) -> Ref:
        return Ref(self._index[value[0]], value[1])

    def _losses(self) -> list[Ref]:
        """What the step returns, without gradients and new values of buffers."""
        output = next(node for node in self._trace.graph_module.graph.nodes if node.op == "output")
        refs = []
        for source, descriptor in zip(output.args[0], output.meta["desc"], strict=True):
            if type(descriptor).__name__ == "PlainAOTOutput" and isinstance(source, Node):
                value = self._step.values.get(source)
                if isinstance(value, tuple):
                    refs.append(self._ref(value))
        return refs

    def _constants(self) -> dict[int, torch.Tensor]:
        constants = {}
        for op, node in self._step.nodes.items():
            if node.op == "get_attr" and op in self._index:
                constants[self._index[op]] = _constant(self._trace.graph_module, str(node.target))
            elif op.type == "Fill" and op.name.startswith("loss/Gradient") and op in self._index:
                value = node.meta["val"]
                constants[self._index[op]] = torch.ones(tuple(value.shape), dtype=value.dtype)
        return constants

    def _instruction(self, op: Op) -> Instruction:
        node = self._step.nodes.get(op)
        if node is None:
            made = Instruction(op.name, op.type, outputs=[])
            made.inputs = [self._ref(value) for value in op.inputs]
            weight = self._step.nodes[op.inputs[0][0]].meta["val"]
            made.outputs = [_spec_of(weight)]
        elif node.op == "call_function":
            made = self._call(op, node)
        else:
            made = Instruction(op.name, op.type, outputs=[_spec_of(node.meta["val"])])
        made.waits_for = [self._index[before] for before in op.control_inputs]
        return made

    def _call(self, op: Op, node: Node) -> Instruction:
        part = self._step.parts.get(op)
        results = tensors_of(node.meta.get("val"))
        made = Instruction(
            op.name,
            op.type,
            target=_target_of(node),
            part=part,
            makes_several=makes_several(node),
            is_random=torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()),
            is_view=is_view(node),
            outputs=[_spec_of(value) for value in (results if part is None else [results[part]])],
        )
        used = {self._ref(value) for value in op.inputs}

        def convert(source: Node) -> Any:
            converted = self._argument(self._step.values[source])
            if part is not None and isinstance(converted, Ref) and converted not in used:
                return Blank(_spec_of(source.meta["val"]))
            return converted

        made.args = [_map_nodes(argument, convert) for argument in node.args]
        made.kwargs = {key: _map_nodes(value, convert) for key, value in node.kwargs.items()}
        if part is not None:
            made.args[10] = [i == part for i in range(3)]
        made.inputs = list(dict.fromkeys(_refs_of([made.args, made.kwargs])))
        return made

    def _argument(self, values: Values) -> Any:
        if isinstance(values, list):
            return [None if value is None else self._ref(value) for value in values]
        return None if values is None else self._ref(values)


def _constant(module: torch.nn.Module, name: str) -> torch.Tensor:
    tensor = module
    for part in name.split("."):
        tensor = getattr(tensor, part)
    constant = getattr(tensor, "constant", None)  # of a fake tensor whose value is known
    known = constant if isinstance(constant, torch.Tensor) else tensor
    if type(known).__name__ == "FakeTensor":
        raise ExecutionError(
            f'the step holds a tensor of its own ("{name}") whose values the trace does not know: '
            "make it a buffer of the module or an input"
        )
    return known.detach()


def _spec_of(tensor: torch.Tensor | None) -> TensorSpec | None:
    if tensor is None:
        return None
    dtype = str(tensor.dtype).removeprefix("torch.")
    if tensor.layout != torch.strided:
        return TensorSpec(tuple(tensor.shape), (), dtype, is_sparse=True)
    return TensorSpec(tuple(tensor.shape), tensor.stride(), dtype)


def _target_of(node: Node) -> str:
    """The op's full name, "aten.mm.default"; what has none runs in no other process."""
    if not isinstance(node.target, torch._ops.OpOverload):
        raise ExecutionError(
            f'op "{aten_name(node)}" of the trace is no op of PyTorch\'s library, so that a '
            "process with a part of the step cannot run it"
        )
    return str(node.target)


def _map_nodes(argument: Any, convert: Callable[[Node], Any]) -> Any:
    """`argument` as plain values, with `convert(node)` in the place of each node."""
    if isinstance(argument, Node):
        return convert(argument)
    if isinstance(argument, (list, tuple)):
        return [_map_nodes(part, convert) for part in argument]
    return argument


def _refs_of(argument: Any) -> list[Ref]:
    if isinstance(argument, Ref):
        return [argument]
    if isinstance(argument, dict):
        argument = list(argument.values())
    if isinstance(argument, list):
        return [ref for part in argument for ref in _refs_of(part)]
    return []
