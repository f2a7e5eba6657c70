"""Makes the user's module one that can be traced: unwrapped, initialised, without memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch import nn
from torch._dynamo.eval_frame import OptimizedModule
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily
from torch.nn.parallel import DataParallel, DistributedDataParallel
from torch.nn.parameter import UninitializedTensorMixin, is_lazy


def unwrap(module: nn.Module) -> nn.Module:
    """The module without the wrappers of `torch.compile` and data parallelism, at every level."""
    module = _inner(module)
    for parent in list(module.modules()):
        for name, child in parent._modules.items():
            if child is not None:
                parent._modules[name] = _inner(child)
        parent._compiled_call_impl = None  # of module.compile()
    return module


def _inner(module: nn.Module) -> nn.Module:
    while isinstance(module, (OptimizedModule, DataParallel, DistributedDataParallel)):
        is_compiled = isinstance(module, OptimizedModule)
        module = module._orig_mod if is_compiled else module.module
    return module


def has_lazy_tensors(module: nn.Module) -> bool:
    """Whether shapes of parameters or buffers wait for the first forward pass."""
    return any(is_lazy(tensor) for tensor in _tensors_of(module))


def _tensors_of(module: nn.Module) -> Iterator[torch.Tensor]:
    yield from module.parameters()
    yield from module.buffers()


def initialise(
    module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], mode: FakeTensorMode
) -> None:
    """Runs the forward pass of `module`, whose lazy tensors are real, to give them their shapes."""
    with mode, torch.no_grad(), _real_materialisation():
        module(*args, **kwargs)


@contextmanager
def _real_materialisation() -> Iterator[None]:
    """A real tensor cannot take the storage of a fake one."""
    materialize = UninitializedTensorMixin.materialize

    def materialize_really(self: Any, *args: Any, **kwargs: Any) -> None:
        with unset_fake_temporarily():
            materialize(self, *args, **kwargs)

    with mock.patch.object(UninitializedTensorMixin, "materialize", materialize_really):
        yield


def as_fake(tensor: torch.Tensor, mode: FakeTensorMode) -> torch.Tensor:
    """`tensor` without memory, in `mode`; a deep copy of a fake tensor has another mode."""
    if not isinstance(tensor, FakeTensor):
        return mode.from_tensor(tensor)
    if tensor.fake_mode is mode:
        return tensor
    with mode:
        return torch.empty_strided(
            tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device
        )


def make_fake(module: nn.Module, mode: FakeTensorMode) -> None:
    """Replaces parameters and buffers by fake ones of `mode`; shared ones stay shared."""
    fakes: dict[int, torch.Tensor] = {}
    for child in module.modules():
        for tensors in (child._parameters, child._buffers):
            for name, tensor in tensors.items():
                if tensor is None:
                    continue
                if id(tensor) not in fakes:
                    fakes[id(tensor)] = _fake_weight(tensor, mode)
                tensors[name] = fakes[id(tensor)]


def _fake_weight(tensor: torch.Tensor, mode: FakeTensorMode) -> torch.Tensor:
    data = tensor.detach()
    fake = as_fake(data, mode)
    if fake is data:
        return tensor
    is_parameter = isinstance(tensor, nn.Parameter)
    return nn.Parameter(fake, requires_grad=tensor.requires_grad) if is_parameter else fake
