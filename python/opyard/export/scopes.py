"""Remembers which module, and which layer, each traced op belongs to.

Layers count the modules without children in the order in which the forward
pass first enters them. An op outside of any such module belongs to the layer
entered last. AOTAutograd copies the note of a forward op to its backward ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch.fx.traceback as fx_traceback
from torch import nn
from torch.fx import Node
from torch.utils.hooks import RemovableHandle

Scope = tuple[str, int | None]  # path of the module, layer where one is known


class ScopeRecorder:
    """Writes the current scope into the metadata that the tracer copies into each node."""

    def __init__(self) -> None:
        self._paths: list[str] = []
        self._layers: dict[str, int] = {}
        self._current_layers: list[int] = [0]

    def watch(self, root: nn.Module, prefix: str) -> list[RemovableHandle]:
        """Registers hooks on `root` and the modules below; returns their handles."""
        handles: list[RemovableHandle] = []
        for name, module in root.named_modules():
            path = ".".join(part for part in (prefix, name) if part)
            is_leaf = next(module.children(), None) is None
            enter = self._enter_hook(path, is_leaf)
            handles.append(module.register_forward_pre_hook(enter))
            handles.append(module.register_forward_hook(self._leave_hook(is_leaf)))
        return handles

    def restart(self) -> None:
        """Forgets the open modules, not the layers: AOTAutograd runs the forward pass twice."""
        self._paths = []
        self._current_layers = [0]
        self._publish()

    @contextmanager
    def scope(self, path: str) -> Iterator[None]:
        """Names a part of the step that is no module, as a layer of its own."""
        self._enter(path, is_leaf=True)
        yield
        self._leave(is_leaf=True)

    def _enter(self, path: str, *, is_leaf: bool) -> None:
        self._paths.append(path)
        if is_leaf:
            layer = self._layers.setdefault(path, len(self._layers))
            self._current_layers.append(layer)
        self._publish()

    def _leave(self, *, is_leaf: bool) -> None:
        self._paths.pop()
        if is_leaf:
            # Ops that follow outside of a leaf belong to this layer.
            self._current_layers[:] = self._current_layers[-1:]
        self._publish()

    def _enter_hook(self, path: str, is_leaf: bool) -> Callable[..., None]:
        return lambda module, args: self._enter(path, is_leaf=is_leaf)

    def _leave_hook(self, is_leaf: bool) -> Callable[..., None]:
        return lambda module, args, output: self._leave(is_leaf=is_leaf)

    def _publish(self) -> None:
        path = self._paths[-1] if self._paths else ""
        fx_traceback.current_meta["nn_module_stack"] = {path: (path, self._current_layers[-1])}


def scope_of(node: Node) -> Scope | None:
    """The scope of a traced node; None for what autograd adds between ops of two modules."""
    stack = node.meta.get("fwd_nn_module_stack")
    if stack is None and not is_backward(node):
        stack = node.meta.get("nn_module_stack")
    if not stack:
        return None
    path, layer = next(reversed(stack.values()))
    return path, layer


def is_backward(node: Node) -> bool:
    """Whether the node belongs to the backward pass."""
    return node.meta.get("partitioner_tag") == "is_backward"


def mark_backward(node: Node) -> None:
    """Makes `node`, a copy of a forward op, one of the backward pass in the same module."""
    node.meta["fwd_nn_module_stack"] = node.meta.get("nn_module_stack")
    node.meta["partitioner_tag"] = "is_backward"
