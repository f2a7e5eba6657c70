"""The interface of the rules that write one ONNX node with the graph builder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opyard import _core

if TYPE_CHECKING:
    import numpy as np

Tensor = _core.BuiltTensor
Shape = tuple[int, ...]


class RefusedError(ValueError):
    """The reason why one node cannot be written with the builder."""


@dataclass(frozen=True)
class Call:
    """One node, with its tensors."""

    builder: _core.GraphBuilder
    attributes: dict[str, Any]
    names: list[str]  # of all inputs, "" for one that is left out
    tensors: list[Tensor | None]  # the first inputs, as many as the rule reads
    constants: list[np.ndarray | None]  # of all inputs; None if not known or long
    shapes: list[Shape | None]  # of the results, as far as ONNX infers them
    dtype: str  # of the first result
    opset: int

    def shape(self, result: int = 0) -> Shape:
        """The shape of a result, for a rule that needs it."""
        shape = self.shapes[result]
        if shape is None:
            raise RefusedError("the shape of its result is not known")
        return shape

    def reshaped(self, tensor: Tensor, shape: Shape) -> Tensor:
        return tensor if tensor.shape == shape else self.builder.reshape(tensor, shape)

    def stretched(self, tensor: Tensor, shape: Shape) -> Tensor:
        return tensor if tensor.shape == shape else self.builder.tile(tensor, shape)

    def numbers(self, name: str, position: int) -> list[int] | None:
        """Whole numbers that stand in an attribute or, in later opsets, in an input."""
        if name in self.attributes:
            found = self.attributes[name]
            return list(found) if isinstance(found, list | tuple) else [found]
        if not self.has(position):
            return None
        if self.constants[position] is None:
            raise RefusedError(f"its {name} is no constant")
        return [int(number) for number in self.constants[position].reshape(-1)]

    def has(self, position: int) -> bool:
        """True if the node does not leave out the input there."""
        return position < len(self.names) and bool(self.names[position])

    def number(self, name: str, position: int, default: float) -> float:
        found = self.attributes.get(name)
        if found is None and self.has(position):
            if self.constants[position] is None:
                raise RefusedError(f"its {name} is no constant")
            found = self.constants[position].reshape(-1)[0]
        return default if found is None else float(found)

    def axis(self, default: int, rank: int) -> int:
        return self.attributes.get("axis", default) % max(rank, 1)


@dataclass(frozen=True)
class Rule:
    """A rule for a node; `reads` is how many of its first inputs are tensors, None for all."""

    apply: Callable[[Call], Tensor | list[Tensor]]
    reads: int | None = None
