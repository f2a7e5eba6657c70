"""Applies gradients to variables in place, as PyTorch's optimizers do."""

from __future__ import annotations

from collections.abc import Callable

import torch

from opyard.execution.errors import ExecutionError

# Step sizes at which repeated steps of usual models stay finite; others are PyTorch's defaults.
_OPTIMIZERS: dict[str, Callable[[list[torch.Tensor]], torch.optim.Optimizer]] = {
    "sgd": lambda weights: torch.optim.SGD(weights, lr=1e-3),
    "momentum": lambda weights: torch.optim.SGD(weights, lr=1e-3, momentum=0.9),
    "nesterov": lambda weights: torch.optim.SGD(weights, lr=1e-3, momentum=0.9, nesterov=True),
    "adagrad": lambda weights: torch.optim.Adagrad(weights, lr=1e-3, foreach=False),
    "rmsprop": lambda weights: torch.optim.RMSprop(weights, lr=1e-4, foreach=False),
    "adam": lambda weights: torch.optim.Adam(weights, lr=1e-4, foreach=False),
    "adamw": lambda weights: torch.optim.AdamW(weights, lr=1e-4, foreach=False),
}


def make_optimizer(name: str, weights: list[torch.Tensor]) -> torch.optim.Optimizer:
    """The optimizer `name` of `opyard export torch --optimizer` for `weights`.

    Raises:
        ExecutionError: PyTorch has none of this name.
    """
    if name not in _OPTIMIZERS:
        raise ExecutionError(
            f"the graph's optimizer {name} is none of PyTorch's, so that its updates cannot run: "
            f"expected one of {', '.join(_OPTIMIZERS)}"
        )
    return _OPTIMIZERS[name](weights)


def make_update(name: str, weight: torch.Tensor) -> Callable[[torch.Tensor], None]:
    """A function that applies a gradient to `weight` and keeps the optimizer's state between."""
    weight.requires_grad_()
    optimizer = make_optimizer(name, [weight])

    def update(gradient: torch.Tensor) -> None:
        weight.grad = gradient
        optimizer.step()
        weight.grad = None

    return update
