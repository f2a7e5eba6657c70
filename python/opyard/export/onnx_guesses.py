"""The largest shape of results whose extents depend on data: what a machine must have room for."""

from __future__ import annotations

from math import prod

from opyard.export.onnx_contrib import Partial
from opyard.export.onnx_types import Shape, Value


def guess(op: str, position: int, known: Partial, inputs: list[Value]) -> Shape | None:
    """The largest shape of the result at `position`; None for ops without a bound here."""
    source = inputs[0].shape if inputs else None
    if source is None:
        return None
    if op == "NonZero":
        return (len(source), prod(source))
    if op == "NonMaxSuppression":
        return _selected_boxes(inputs)
    if op == "Unique" and known.extents is None:
        return (prod(source),)
    if op in ("Slice", "TopK", "Compress", "Unique"):
        return _filled(known, source)
    return None


def _filled(known: Partial, source: Shape) -> Shape:
    """The input's extents where those of the result are not known; flattened if it has one axis."""
    extents = known.extents
    if extents is not None and len(extents) == len(source):
        return tuple(
            whole if extent is None else extent
            for extent, whole in zip(extents, source, strict=True)
        )
    return (prod(source),) if extents is not None and len(extents) == 1 else source


def _selected_boxes(inputs: list[Value]) -> Shape | None:
    """The shape of the selected boxes: of each batch and class, no more than there are boxes."""
    scores = inputs[1].shape if len(inputs) > 1 else None  # [batch, classes, boxes]
    return None if scores is None else (prod(scores), 3)
