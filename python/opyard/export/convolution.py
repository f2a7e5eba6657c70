"""Arithmetic and shape blocks of convolutions and of the parts of their gradient.

All counts are of the direct algorithm: a multiply-add is 2, padding counts like
data. The three passes of one convolution do the same number of multiply-adds.
A transposed convolution is the backward-data pass of an ordinary one whose
image is its output; its data gradient is that one's forward pass.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

_TRANSPOSED_PASS = {
    "forward": "backward_data",
    "backward_data": "forward",
    "backward_weight": "backward_weight",
}


@dataclass(frozen=True)
class Convolution:
    """Shapes of one ATen convolution; `output` is the shape of its result."""

    input: tuple[int, ...]
    weight: tuple[int, ...]
    output: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    transposed: bool
    groups: int

    @property
    def dimensions(self) -> int:
        """Spatial dimensions: 1, 2 or 3."""
        return len(self.weight) - 2

    @property
    def flops(self) -> int:
        """The FLOPs of each pass, without bias."""
        # Each element on the feature side meets weight[0]'s whole filter once.
        features = self.input if self.transposed else self.output
        filter_size = 1
        for extent in self.weight[1:]:
            filter_size *= extent
        elements = 1
        for extent in features:
            elements *= extent
        return 2 * elements * filter_size

    def block(self, direction: str) -> dict[str, int | str] | None:
        """The `conv` block of the pass; None in three dimensions or with dilation."""
        if self.dimensions > 2 or any(step != 1 for step in self.dilation):
            return None
        image, features = self.input, self.output
        if self.transposed:
            image, features = features, image
            direction = _TRANSPOSED_PASS[direction]
        height, width = _two(image[2:], 1)
        pad_h, pad_w = _two(self.padding, 0)
        stride_h, stride_w = _two(self.stride, 1)
        r, s = _two(self.weight[2:], 1)
        block: dict[str, int | str] = {"n": image[0], "c": image[1], "h": height, "w": width}
        block |= {"k": features[1], "r": r, "s": s, "pad_h": pad_h, "pad_w": pad_w}
        block |= {"stride_h": stride_h, "stride_w": stride_w}
        if self.groups != 1:
            block["groups"] = self.groups
        return block | {"pass": direction}


def _two(extents: tuple[int, ...], missing: int) -> tuple[int, int]:
    """Pads the extents of one dimension to two: a row of height 1."""
    return (missing, extents[0]) if len(extents) == 1 else (extents[0], extents[1])


def _spread(values: list[int], dimensions: int) -> tuple[int, ...]:
    return tuple(values) * dimensions if len(values) == 1 else tuple(values)


def make_convolution(
    image: torch.Tensor, weight: torch.Tensor, result: torch.Tensor, options: tuple
) -> Convolution:
    """Reads the arguments of `aten.convolution`; `options` starts at its `stride`.

    `options` = (stride, padding, dilation, transposed, output_padding, groups).
    """
    stride, padding, dilation, transposed, _, groups = options
    dimensions = weight.dim() - 2
    return Convolution(
        input=tuple(image.shape),
        weight=tuple(weight.shape),
        output=tuple(result.shape),
        stride=_spread(stride, dimensions),
        padding=_spread(padding, dimensions),
        dilation=_spread(dilation, dimensions),
        transposed=transposed,
        groups=groups,
    )
