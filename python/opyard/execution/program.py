"""A training step as instructions, one per op of its graph, that any process can run.

Plain values: a program is made once, where the model is, and sent to the processes that
run parts of it, which need neither the model nor its code.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Ref(NamedTuple):
    """A tensor of the step: output `port` of the op with index `op`."""

    op: int
    port: int


@dataclass(frozen=True)
class TensorSpec:
    """Shape, strides in elements, and PyTorch's name of the element type of a dense tensor."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: str  # "float32"
    is_sparse: bool = False


@dataclass(frozen=True)
class Blank:
    """An argument of which an op reads only shape and element type."""

    spec: TensorSpec


@dataclass
class Instruction:
    """One op as processes run it.

    An op is a source, whose tensor is there before the step; a call of an ATen op; or an
    update, which applies a gradient to a variable in place.
    """

    name: str
    type: str
    target: str | None = None  # "aten.mm.default"; None for sources and updates
    args: list[Any] = field(default_factory=list)  # values, Ref, Blank, and lists of them
    kwargs: dict[str, Any] = field(default_factory=dict)
    part: int | None = None  # the one result that the op makes, of a call with several
    makes_several: bool = False
    is_random: bool = False
    is_view: bool = False
    outputs: list[TensorSpec | None] = field(default_factory=list)
    inputs: list[Ref] = field(default_factory=list)  # each tensor that it reads, once
    waits_for: list[int] = field(default_factory=list)  # ops that run before it

    @property
    def is_source(self) -> bool:
        """Whether its tensor is there before the step begins."""
        return self.target is None and not self.inputs

    @property
    def is_update(self) -> bool:
        """Whether it applies a gradient: inputs are the variable and the gradient."""
        return self.target is None and bool(self.inputs)


@dataclass
class Program:
    """The instructions of one step; the index of an op is its place in the list.

    Instructions stand in topological order.
    """

    instructions: list[Instruction]
    optimizer: str  # a key of OPTIMIZERS in `opyard.export.training_step`
    losses: list[Ref]  # what the step returns: the loss, or the outputs of a forward pass
    gradients: dict[str, Ref]  # name of the parameter → its gradient
    variables: dict[str, int]  # name of a parameter or buffer → its op
    updated: dict[str, Ref]  # name of a buffer → its value after the step

    @property
    def kept(self) -> set[Ref]:
        """The tensors that live to the end of the step; gradients where nothing applies them."""
        gradients = self.gradients.values() if self.optimizer == "none" else ()
        return {*self.losses, *gradients, *self.updated.values()}
