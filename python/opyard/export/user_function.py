"""Calls the user's FUNCTION and says what it has to return.

The contract of `opyard export torch MODULE:FUNCTION`:

* FUNCTION takes no arguments and returns `(module, example_inputs)` or
  `(module, example_inputs, loss_fn)`.
* `module` is a `torch.nn.Module` in training mode as the user sets it.
* `example_inputs` is a tensor, a tuple or list of positional arguments, or a
  dict of keyword arguments of `module`; only shapes and dtypes matter.
* The loss is `loss_fn(module(...))`, or `module(...)` itself without
  `loss_fn`; it is one floating-point number that depends on parameters.
* Every parameter that requires a gradient gets one.

FUNCTION runs under a fake tensor mode, so no memory is allocated for weights
or data. If it needs real values (for example `.item()`), it runs again with
real tensors, which are then forgotten. Tensors that `loss_fn` or `module`
capture (labels, masks) become inputs of the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree

from opyard.export.errors import ExportError, one_line
from opyard.export.function_reference import load_function
from opyard.export.user_module import as_fake, has_lazy_tensors, initialise, make_fake, unwrap

SHAPES = "(module, example_inputs) or (module, example_inputs, loss_fn)"


@dataclass
class TrainingStep:
    """A module, its inputs and its loss.

    All tensors are fake and belong to `fake_mode`, or are real where that is None.
    """

    module: nn.Module
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    loss_fn: Callable[[Any], Any] | None
    fake_mode: FakeTensorMode | None


def _call_fake(function: Callable[[], Any], mode: FakeTensorMode, reference: str) -> object:
    """Calls `function` without memory for its tensors, or with, if it needs their values."""
    try:
        with mode:
            return function()
    except (Exception, SystemExit):  # any failure may come from the fake tensors: ask the real ones
        return _call_real(function, reference)


def _call_real(function: Callable[[], Any], reference: str) -> object:
    try:
        return function()
    except (Exception, SystemExit) as error:
        raise ExportError(f'"{reference}" failed: {one_line(error)}') from error


def _split_inputs(inputs: object, reference: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(inputs, torch.Tensor):
        return (inputs,), {}
    if isinstance(inputs, dict) and all(isinstance(key, str) for key in inputs):
        return (), dict(inputs)
    if isinstance(inputs, (tuple, list)):
        return tuple(inputs), {}
    raise ExportError(
        f'"{reference}" returned example_inputs of type {type(inputs).__name__}, expected '
        "a tensor, a tuple of positional or a dict of keyword arguments"
    )


def load_training_step(reference: str) -> TrainingStep:
    """Imports and calls the function of `reference`; raises ExportError."""
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    function = load_function(reference)
    module, inputs, loss_fn = _checked(_call_fake(function, mode, reference), reference)
    is_lazy = has_lazy_tensors(module)
    if is_lazy:  # such tensors take their shapes as real ones only
        module, inputs, loss_fn = _checked(_call_real(function, reference), reference)
    args, kwargs = _split_inputs(inputs, reference)
    args, kwargs = pytree.tree_map_only(
        torch.Tensor, lambda tensor: as_fake(tensor, mode), (args, kwargs)
    )
    if is_lazy:
        _initialise(module, args, kwargs, mode)
    make_fake(module, mode)
    if isinstance(loss_fn, nn.Module):
        make_fake(loss_fn, mode)
    return TrainingStep(module, args, kwargs, loss_fn, mode)


def call_training_step(reference: str) -> TrainingStep:
    """As `load_training_step`, with the tensors that the function makes; raises ExportError."""
    module, inputs, loss_fn = _checked(_call_real(load_function(reference), reference), reference)
    args, kwargs = _split_inputs(inputs, reference)
    return TrainingStep(module, args, kwargs, loss_fn, None)


def _checked(returned: object, reference: str) -> tuple[nn.Module, Any, Any]:
    """The result of FUNCTION, if it is what it has to be; the module is unwrapped."""
    if not isinstance(returned, (tuple, list)) or len(returned) not in (2, 3):
        kind = type(returned).__name__
        size = f" of {len(returned)}" if isinstance(returned, (tuple, list)) else ""
        raise ExportError(f'"{reference}" returned a {kind}{size}, expected {SHAPES}')
    module, inputs, loss_fn = (*returned, None)[:3]
    if not isinstance(module, nn.Module):
        kind = type(module).__name__
        raise ExportError(
            f'"{reference}" returned a module of type {kind}, expected a torch.nn.Module '
            f"in {SHAPES}"
        )
    if loss_fn is not None and not callable(loss_fn):
        kind = type(loss_fn).__name__
        raise ExportError(f'"{reference}" returned a loss_fn of type {kind}, expected a function')
    return unwrap(module), inputs, loss_fn


def _initialise(
    module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], mode: FakeTensorMode
) -> None:
    try:
        initialise(module, args, kwargs, mode)
    except Exception as error:  # whatever the user's module raises
        raise ExportError(
            f"the forward pass that gives lazy modules their shapes failed: {one_line(error)}"
        ) from error
