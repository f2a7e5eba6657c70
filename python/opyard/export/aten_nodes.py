"""Properties of the nodes of a traced graph of ATen ops: the op and its tensors."""

from __future__ import annotations

import torch
from torch.fx import Node
from torch.fx.node import map_arg

from opyard.export.flops import Call

_UNMARKED_VIEWS = {"_unsafe_view", "unsafe_split", "_reshape_alias"}


def aten_name(node: Node) -> str:
    """The op without namespace and overload: "mm"."""
    packet = getattr(node.target, "_overloadpacket", None)
    return packet.__name__ if packet is not None else getattr(node.target, "__name__", "unknown")


def is_view(node: Node) -> bool:
    """Whether what `node` makes lies in the storage of its first input."""
    if aten_name(node) in _UNMARKED_VIEWS:
        return True
    schema = getattr(node.target, "_schema", None)
    if schema is None or not schema.returns:
        return False
    alias = schema.returns[0].alias_info
    return alias is not None and not alias.is_write


def makes_several(node: Node) -> bool:
    """Whether `node` makes a tuple of tensors, even if it is of one."""
    return isinstance(node.meta.get("val"), (tuple, list))


def tensors_of(value: object) -> list[torch.Tensor | None]:
    """The tensors of a result, None in the place of what is no tensor."""
    parts = value if isinstance(value, (tuple, list)) else [value]
    return [part if isinstance(part, torch.Tensor) else None for part in parts]


def input_tensors(node: Node) -> list[torch.Tensor]:
    """All tensors that `node` reads, in argument order."""
    tensors: list[torch.Tensor] = []
    map_arg(
        (node.args, node.kwargs),
        lambda source: tensors.extend(
            t for t in tensors_of(source.meta.get("val")) if t is not None
        ),
    )
    return tensors


def make_call(
    node: Node, name: str, inputs: list[torch.Tensor], outputs: list[torch.Tensor | None]
) -> Call:
    """The call of `node` as its arithmetic is counted."""
    args = map_arg(node.args, lambda source: source.meta.get("val"))
    tags = tuple(getattr(node.target, "tags", ()))
    return Call(name, tags, args, inputs, outputs)
