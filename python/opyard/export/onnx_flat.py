"""An ONNX model without inner computations: nodes in order, every tensor with shape and type.

`onnx_opening.py` makes it; the readers of forward passes and training steps write it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from opyard.export.onnx_types import UNKNOWN, Value

if TYPE_CHECKING:
    import numpy as np

MOST_NODES = 1_048_576  # after opening, as of all importers (docs/importing.md)
# Constants up to this size become nothing, as in all importers.
SHORT_BYTES = 1024


@dataclass(eq=False)
class Frame:
    """A node whose computation stands in its place, or one iteration of a loop."""

    label: str
    parent: Frame | None
    is_iteration: bool = False

    @property
    def path(self) -> str:
        return f"{self.parent.path}/{self.label}" if self.parent else self.label


@dataclass(eq=False)
class Node:
    """One node; tensors have names that are unique in the model, "" for one that is left out."""

    op: str  # its type, after its domain where the standard has another op of that name
    label: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, Any] = field(default_factory=dict)
    opset: int = 1
    frame: Frame | None = None
    waits_for: list[str] = field(default_factory=list)  # tensors it needs but does not read
    repeats: int = 1  # how often it runs, in a loop that is not unrolled


@dataclass
class Constant:
    """A tensor that no node makes; `data` only of short ones."""

    data: np.ndarray | None = None
    # One that stands in the file, and may be a weight; else it follows from others.
    is_source: bool = True
    missing: str | None = None  # why its data are not known, if the file should hold them


@dataclass
class FlatModel:
    """The model that the readers write."""

    nodes: list[Node] = field(default_factory=list)
    values: dict[str, Value] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    nodes_read: int = 0
    notes: list[str] = field(default_factory=list)  # what was assumed, one line each
    folded: Counter[str] = field(default_factory=Counter)
    bounded: list[str] = field(default_factory=list)  # of an extent that depends on data
    contradicted: list[str] = field(default_factory=list)  # the file states another shape

    def value(self, name: str) -> Value:
        return self.values.get(name, UNKNOWN)

    def data(self, name: str) -> np.ndarray | None:
        constant = self.constants.get(name)
        return constant.data if constant else None

    def is_number(self, name: str) -> bool:
        """True for a constant that becomes nothing: whole numbers, or one without an axis."""
        if name not in self.constants:
            return False
        value = self.value(name)
        if value.bytes is None or value.bytes > SHORT_BYTES:
            return value.bytes is None
        return not value.is_floating or value.shape == () or not self.constants[name].is_source
