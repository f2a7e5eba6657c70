"""The tensors that a step begins with: parameters, buffers, inputs, and what the loss captures."""

from __future__ import annotations

import torch

from opyard.execution.errors import ExecutionError
from opyard.execution.program import TensorSpec
from opyard.execution.tracing import TracedModel
from opyard.export.torch_graph import named_inputs
from opyard.export.user_function import call_training_step


def source_values(function: str, model: TracedModel, seed: int = 0) -> dict[int, torch.Tensor]:
    """The tensors of the sources of `model`, by op, from a call of `function` after seeding.

    Args:
        function: The function that `model` was traced from.
        model: The trace.
        seed: Of PyTorch's generators, for the values of weights and inputs.

    Returns:
        Tensors on the CPU, copied: nothing that the function made changes with them.

    Raises:
        ExportError: The function fails.
        ExecutionError: It made other tensors than when it was traced.
    """
    torch.manual_seed(seed)
    step = call_training_step(function)
    named = {name: tensor.cpu() for name, tensor in named_inputs(step).items()}
    values = {op: tensor.cpu() for op, tensor in model.constants.items()}
    variables = {op: name for name, op in model.program.variables.items()}
    for op, instruction in enumerate(model.program.instructions):
        if instruction.is_source and op not in values:
            name = variables.get(op, instruction.name)
            values[op] = _checked(name, named, instruction.outputs[0])
    return values


def _checked(name: str, named: dict[str, torch.Tensor], spec: TensorSpec | None) -> torch.Tensor:
    if name not in named or spec is None:
        raise ExecutionError(f'the model has "{name}" when it is traced, but not when it runs')
    tensor = named[name]
    if tuple(tensor.shape) != spec.shape:
        raise ExecutionError(
            f'"{name}" has shape {list(tensor.shape)} when it runs, and {list(spec.shape)} when '
            "it is traced: the function has to make the same each time"
        )
    return tensor
