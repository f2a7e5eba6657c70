"""Facts about one node for the rules on costs, and the costs that they give."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from opyard.export.onnx_flat import FlatModel, Node
from opyard.export.onnx_types import UNDEFINED, Shape, Value

_LARGEST = 2**31 - 1  # of a number in a shape block (docs/formats.md)
Block = dict[str, int | str]


class UnknownShapeError(ValueError):
    """A shape on which the work depends is not known."""


@dataclass(frozen=True)
class Work:
    """The cost of one run."""

    flops: int = 0
    gemm: dict[str, int] | None = None
    conv: Block | None = None


@dataclass(frozen=True)
class Facts:
    """One node with the shapes and types of its tensors."""

    node: Node
    flat: FlatModel

    @property
    def op(self) -> str:
        return self.node.op

    @property
    def attributes(self) -> dict[str, Any]:
        return self.node.attributes

    @property
    def num_inputs(self) -> int:
        return sum(1 for name in self.node.inputs if name)

    def has(self, position: int) -> bool:
        return position < len(self.node.inputs) and bool(self.node.inputs[position])

    def input(self, position: int) -> Value:
        return self.flat.value(self.node.inputs[position])

    def shape(self, position: int = 0) -> Shape:
        """The shape of an input; raises IndexError where it is left out."""
        if not self.has(position):
            raise IndexError(f"input {position} is left out")
        return _known(self.input(position))

    def number(self, position: int) -> int | None:
        """The value of an input of one element, where it is known."""
        data = self.flat.data(self.node.inputs[position]) if self.has(position) else None
        return int(data.reshape(-1)[0]) if data is not None and data.size == 1 else None

    def output(self, position: int = 0) -> Shape:
        return _known(self.flat.value(self.node.outputs[position]))

    def elements(self) -> int:
        """The number of elements of the first result."""
        return prod(self.output())


def _known(value: Value) -> Shape:
    if value.shape is None or value.element == UNDEFINED:
        raise UnknownShapeError
    return value.shape


def gemm_work(m: int, n: int, k: int, batch: int = 1, extra: int = 0) -> Work:
    """`batch` products of [m, k] and [k, n]."""
    block = {"m": m, "n": n, "k": k} | ({"batch": batch} if batch != 1 else {})
    fits = all(1 <= number <= _LARGEST for number in block.values())
    return Work(2 * batch * m * n * k + extra, gemm=block if fits else None)


def fits_block(block: Block) -> bool:
    """True if a file can hold the numbers of a convolution: none empty, no filter too large."""
    numbers = {name: value for name, value in block.items() if isinstance(value, int)}
    can_be_zero = ("pad_h", "pad_w")
    return (
        all(0 <= value <= _LARGEST for value in numbers.values())
        and all(value or name in can_be_zero for name, value in numbers.items())
        and numbers["r"] <= numbers["h"] + 2 * numbers["pad_h"]
        and numbers["s"] <= numbers["w"] + 2 * numbers["pad_w"]
    )
