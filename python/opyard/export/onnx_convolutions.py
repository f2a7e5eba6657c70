"""Work of ONNX's convolutions, windows, samplings and transforms; padding as it comes out."""

from __future__ import annotations

from collections.abc import Callable
from math import log2, prod

from opyard.export.onnx_facts import Block, Facts, Work, fits_block
from opyard.export.onnx_types import Shape

Rule = Callable[[Facts], Work]
# Where the filters stand, and the bias.
_FILTERS = {"QLinearConv": (3, 8), "QLinearConvTranspose": (3, 8), "DeformConv": (1, 3)}
_FILTERS |= {"ConvInteger": (1, 99)}
_CHANNELS_LAST = ("NhwcConv", "NhwcFusedConv")


def filters_at(op: str) -> int:
    """Which input of a convolution its filters are."""
    return _FILTERS.get(op, (1, 2))[0]


def _conv(facts: Facts) -> Work:
    position, bias = _FILTERS.get(facts.op, (1, 2))
    weight = facts.shape(position)  # [filters, channels / groups, extents]
    flops = 2 * facts.elements() * prod(weight[1:])
    flops += facts.elements() if facts.has(bias) else 0
    if facts.op in _CHANNELS_LAST or facts.op == "DeformConv":
        return Work(flops)
    return Work(flops, conv=_block(facts, facts.shape(0), weight))


def _conv_transpose(facts: Facts) -> Work:
    position, bias = _FILTERS.get(facts.op, (1, 2))
    # Every element of the image is multiplied with the filters [channels, filters / groups, ...].
    flops = 2 * prod(facts.shape(0)) * prod(facts.shape(position)[1:])
    return Work(flops + (facts.elements() if facts.has(bias) else 0))


def _causal_conv(facts: Facts) -> Work:
    return Work(2 * facts.elements() * prod(facts.shape(1)[1:]))


def padding(facts: Facts, image: Shape, window: Shape) -> list[tuple[int, int]]:
    """The padding before and behind each axis of space, `auto_pad` worked out."""
    rank = len(window)
    rule = facts.attributes.get("auto_pad", "NOTSET")
    if rule == "VALID":
        return [(0, 0)] * rank
    if not rule.startswith("SAME"):
        pads = list(facts.attributes.get("pads", [0] * (2 * rank)))
        return list(zip(pads[:rank], pads[rank:], strict=True))
    found = []
    for places, extent, span, stride in zip(
        facts.output()[2:], image, _spans(facts, window), _strides(facts, rank), strict=True
    ):
        missing = max((places - 1) * stride + span - extent, 0)
        less, more = missing // 2, missing - missing // 2
        found.append((less, more) if rule == "SAME_UPPER" else (more, less))
    return found


def _strides(facts: Facts, rank: int) -> list[int]:
    return list(facts.attributes.get("strides", [1] * rank))


def _spans(facts: Facts, window: Shape) -> list[int]:
    """The extents of a window with the gaps that dilation leaves."""
    dilations = facts.attributes.get("dilations", [1] * len(window))
    return [step * (w - 1) + 1 for w, step in zip(window, dilations, strict=True)]


def _block(facts: Facts, image: Shape, weight: Shape) -> Block | None:
    """None in three dimensions, with dilation, and where the sides are padded differently."""
    rank = len(weight) - 2
    if rank not in (1, 2) or _spans(facts, weight[2:]) != list(weight[2:]):
        return None
    pads = padding(facts, image[2:], weight[2:])
    if any(before != behind for before, behind in pads):
        return None

    def two(extents: list[int], missing: int) -> list[int]:
        return [missing] * (2 - rank) + extents

    names = ("n", "c", "h", "w", "k", "r", "s", "pad_h", "pad_w", "stride_h", "stride_w")
    values = [*image[:2], *two(list(image[2:]), 1), weight[0], *two(list(weight[2:]), 1)]
    values += [*two([before for before, _ in pads], 0), *two(_strides(facts, rank), 1)]
    block: Block = dict(zip(names, values, strict=True))
    groups = facts.attributes.get("group", 1)
    block |= ({"groups": groups} if groups != 1 else {}) | {"pass": "forward"}
    return block if fits_block(block) else None


def _pool(facts: Facts) -> Work:
    return Work(facts.elements() * prod(facts.attributes.get("kernel_shape", [1])))


def _lrn(facts: Facts) -> Work:
    # Squares summed over `size` channels, then scale, power, division.
    return Work(facts.elements() * (facts.attributes.get("size", 1) + 4))


def _grid_sample(facts: Facts) -> Work:
    # A multiply-add for each neighbour of each axis of space.
    mode = facts.attributes.get("mode", "linear")
    rank = len(facts.output()) - 2
    neighbours = {"nearest": 0, "bicubic": 4**rank, "cubic": 4**rank}.get(mode, 2**rank)
    return Work(2 * facts.elements() * neighbours)


def _roi_align(facts: Facts) -> Work:
    samples = max(facts.attributes.get("sampling_ratio", 0), 1) ** 2
    return Work(8 * samples * facts.elements())


def _transform_flops(length: int, is_real: bool) -> float:
    """The FLOPs of a fast Fourier transform: 5 n log2 n, half of that for real numbers."""
    return (2.5 if is_real else 5.0) * length * log2(max(length, 1))


def _dft(facts: Facts) -> Work:
    signal = facts.shape(0)  # [batch, extents, 1 or 2]
    axis = facts.number(2)
    axis = (
        facts.attributes.get("axis", 1 if facts.node.opset < 20 else -2) if axis is None else axis
    )
    axis %= len(signal)
    length = facts.number(1) or signal[axis]
    count = prod(signal[:-1]) // max(signal[axis], 1)
    return Work(round(count * _transform_flops(length, signal[-1] == 1)))


def _stft(facts: Facts) -> Work:
    signal, result = facts.shape(0), facts.output()  # result: [batch, frames, bins, 2]
    length = facts.number(3) or (facts.shape(2)[0] if facts.has(2) else 2 * (result[2] - 1))
    is_real = len(signal) < 3 or signal[2] == 1
    window = length if facts.has(2) else 0
    return Work(round(result[0] * result[1] * (_transform_flops(length, is_real) + window)))


def _det(facts: Facts) -> Work:
    extents = facts.shape(0)
    return Work(2 * prod(extents[:-2]) * extents[-1] ** 3 // 3)  # of a factorisation


CONVOLUTION_RULES: dict[str, Rule] = {
    "AveragePool": _pool,
    "CausalConvWithState": _causal_conv,
    "Conv": _conv,
    "ConvInteger": _conv,
    "ConvTranspose": _conv_transpose,
    "ConvTransposeWithDynamicPads": _conv_transpose,
    "DFT": _dft,
    "DeformConv": _conv,
    "Det": _det,
    "FusedConv": _conv,
    "GridSample": _grid_sample,
    "LRN": _lrn,
    "LpPool": _pool,
    "MaxPool": _pool,
    "NhwcConv": _conv,
    "NhwcFusedConv": _conv,
    "QLinearAveragePool": _pool,
    "QLinearConv": _conv,
    "QLinearConvTranspose": _conv_transpose,
    "RoiAlign": _roi_align,
    "STFT": _stft,
}
