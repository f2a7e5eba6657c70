"""The kernels that `opyard profile measure` times, and the order in which it does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from opyard.profiling.layers import CONVOLUTIONS, Convolution
from opyard.profiling.rows import Case, make_case

# Bytes of an element.
ELEMENT_BYTES = {"f64": 8, "f32": 4, "tf32": 4, "f16": 2, "bf16": 2, "f8": 1}
CONVOLUTION_PASSES = ("fwd", "bwd_data", "bwd_weight")
RECURRENT_OPS = ("lstm", "gru", "rnn_vanilla")
# Reads and writes of each element of the output by ops whose traffic is that of their tensors.
TENSORS_OF = {
    **{"add": 3, "mul": 3, "relu": 2, "gelu": 2, "tanh": 2, "sum": 1},
    **{"softmax": 2, "layer_norm": 2, "batch_norm": 2, "transpose": 2, "embedding": 2},
}
ROW = 1024  # elements of a row in softmax, layer_norm, embedding and transpose
PAIRS = {"add+relu": 3, "mul+add": 4, "gelu+mul": 3}  # tensors that the fused kernel touches
_GIB = 2**30
_GOLDEN_RATIO = (1 + 5**0.5) / 2


@dataclass(frozen=True)
class Limits:
    """The sizes of kernels on one kind of device."""

    gemm_extent: int
    gemm_flops: float
    convolution_flops: float
    batches: tuple[int, ...]  # of convolutions, one after the other
    stream_bytes: int  # of one array in copy and triad
    elements: tuple[int, ...]  # of elementwise ops
    recurrent: tuple[tuple[int, int, int], ...]  # hidden, batch, timesteps
    attention: tuple[tuple[int, int, int, int, int], ...]  # batch, heads, seq_q, seq_kv, head_dim
    copy_bytes: int = 256 * 2**20


GPU = Limits(
    gemm_extent=8192,
    gemm_flops=1.2e12,
    convolution_flops=4e11,
    batches=(16, 32, 64),
    stream_bytes=_GIB,
    elements=(2**14, 2**18, 2**22, 2**26),
    recurrent=(
        *((512, 16, 25), (512, 64, 25), (1024, 32, 50)),
        *((1536, 64, 50), (2048, 128, 25), (256, 64, 150)),
    ),
    attention=(
        *((8, 12, 128, 128, 64), (8, 12, 512, 512, 64), (4, 16, 1024, 1024, 64)),
        *((2, 16, 2048, 2048, 128), (1, 32, 1, 1024, 128), (8, 12, 384, 384, 64)),
    ),
)
CPU = Limits(
    gemm_extent=2048,
    gemm_flops=2e10,
    convolution_flops=2e9,
    batches=(1, 2, 4),
    stream_bytes=256 * 2**20,
    elements=(2**12, 2**16, 2**20, 2**24),
    recurrent=(
        *((64, 4, 10), (128, 16, 25), (256, 16, 25)),
        *((256, 64, 10), (512, 16, 25), (512, 64, 10)),
    ),
    attention=(
        *((1, 4, 64, 64, 32), (1, 8, 128, 128, 64), (2, 12, 128, 128, 64)),
        *((1, 8, 256, 256, 64), (1, 8, 1, 512, 64), (4, 12, 64, 64, 64)),
    ),
)
# Limits of the kernels that --quick takes.
QUICK_FLOPS = 2e8
QUICK_BYTES = 2**24


def needed_cases(limits: Limits, dtypes: Sequence[str], quick: bool) -> list[Case]:
    """The launches, the triad and the products that a device file is made of."""
    first = [make_case("launch", "f32"), make_case("dispatch", "f32")]
    return [*first, *_largest(limits, dtypes, quick)]


def cases_for(
    limits: Limits, dtypes: Sequence[str], *, memory: int, peers: Sequence[str], quick: bool
) -> list[Case]:
    """All cases, `needed_cases` first, the rest mixed.

    Each prefix of the rest holds about the same share of every group, so that a small budget
    measures some of everything.

    Args:
        limits: Those of the kind of device.
        dtypes: Element types, as `ELEMENT_BYTES` has them.
        memory: Bytes of the device; no kernel takes more than half of them.
        peers: Other devices that copies go to; "host" among them.
        quick: Only a few small ones of each group, and no fused ones.
    """
    first = needed_cases(limits, dtypes, quick)
    groups = [_streams(limits, memory), _copies(limits, peers)]
    for dtype in dtypes:
        groups += _groups_of(limits, dtype)
    if quick:
        groups = [_quick(group) for group in groups]
    else:  # compiling takes longer than all of the others
        groups += [list(_pairs(limits, dtype)) for dtype in dtypes if dtype not in ("tf32", "f8")]
    return [*first, *(case for case in _mixed(groups) if case not in first)]


def _largest(limits: Limits, dtypes: Sequence[str], quick: bool) -> Iterator[Case]:
    """The triad and the products from which the bandwidth and the peaks of a device are read."""
    yield _triad(limits.stream_bytes // 4)
    for dtype in dtypes:
        for part in (4,) if quick else (1, 2):
            extent = limits.gemm_extent // part
            yield _gemm(dtype, extent, extent, extent, "N", "N")


def _groups_of(limits: Limits, dtype: str) -> list[list[Case]]:
    gemms = list(_gemms(limits, dtype))
    if dtype == "f8":  # no other kernels take it
        return [gemms]
    if dtype == "tf32":  # a way to compute products of f32
        return [gemms, list(_convolutions(limits, dtype))]
    return [
        gemms,
        list(_convolutions(limits, dtype)),
        list(_recurrent(limits, dtype)),
        list(_attention(limits, dtype)),
        list(_elementwise(limits, dtype)),
    ]


def flops_of(case: Case) -> float:
    """FLOPs of a product or a convolution; 0 for others."""
    if case.op == "gemm":
        batch = case["batch"] if case.text("batch") else 1
        return 2.0 * case["M"] * case["N"] * case["K"] * batch
    if case.op == "conv2d":
        filters = case["K"] * case["C"] // case["groups"] * case["R"] * case["S"]
        return 2.0 * case["N"] * filters * _outputs(case)
    return 0.0


def _outputs(case: Case) -> int:
    height = (case["H"] + 2 * case["pad_h"] - case["R"]) // case["stride_h"] + 1
    width = (case["W"] + 2 * case["pad_w"] - case["S"]) // case["stride_w"] + 1
    return height * width


def _streams(limits: Limits, memory: int) -> list[Case]:
    """Copies and triads from 4 KiB an array, each four times the one before."""
    cases = []
    size = 4096
    while size <= min(limits.stream_bytes, memory // 6):
        cases += [_copy(size), _triad(size)]
        size *= 4
    return cases


def _copy(size: int) -> Case:
    return make_case("copy", "f32", elements=size // 4, bytes=2 * size)


def _triad(size: int) -> Case:
    return make_case("triad", "f32", elements=size // 4, bytes=3 * size)


def _copies(limits: Limits, peers: Sequence[str]) -> list[Case]:
    cases = []
    size = 1024
    while size <= limits.copy_bytes:
        for peer in peers:
            if peer == "host":
                cases += [make_case(f"copy_{way}", "f32", bytes=size) for way in ("h2d", "d2h")]
            else:
                cases.append(make_case("copy_peer", "f32", bytes=size, peer=peer))
        size *= 4
    return cases


def _gemm(dtype: str, m: int, n: int, k: int, left: str, right: str, batch: int = 1) -> Case:
    more = {"batch": batch} if batch > 1 else {}
    if dtype == "f8":  # its kernels take the right operand by columns
        left, right = "N", "T"
    return make_case("gemm", dtype, M=m, N=n, K=k, transA=left, transB=right, **more)


def _gemms(limits: Limits, dtype: str, count: int = 54, batched: int = 6) -> Iterator[Case]:
    """Products whose extents spread evenly over their logarithms, some of odd extents."""
    ways = ("NN", "NT", "TN")
    made = 0
    index = 1
    while made < count + batched:
        extents = [_extent(index, base, limits.gemm_extent) for base in (2, 3, 5)]
        index += 1
        batch = 1 if made < count else 8 << (made - count) % 3
        m, n, k = (max(16, extent // (4 if batch > 1 else 1)) for extent in extents)
        if dtype != "f8" and made % 5 == 4:
            m, n, k = m - 1, n - 3, k - 5
        if 2.0 * m * n * k * batch > limits.gemm_flops or (dtype == "f8" and batch > 1):
            made += batch > 1
            continue
        left, right = ways[made % 3]
        yield _gemm(dtype, m, n, k, left, right, batch)
        made += 1


def _extent(index: int, base: int, largest: int) -> int:
    """The `index`-th extent of van der Corput's sequence in `base`, a multiple of 16."""
    fraction, step = 0.0, 1.0
    while index:
        step /= base
        fraction += step * (index % base)
        index //= base
    return max(16, round(16 * (largest / 16) ** fraction / 16) * 16)


def _convolutions(limits: Limits, dtype: str) -> Iterator[Case]:
    for index, layer in enumerate(CONVOLUTIONS):
        case = _convolution(layer, dtype, limits.batches[index % len(limits.batches)], "fwd")
        if flops_of(case) > limits.convolution_flops:
            case = _convolution(layer, dtype, limits.batches[0], "fwd")
        for pass_ in CONVOLUTION_PASSES:
            yield make_case("conv2d", dtype, pass_, **dict(case.shape))


def _convolution(layer: Convolution, dtype: str, batch: int, pass_: str) -> Case:
    return make_case(
        "conv2d",
        dtype,
        pass_,
        N=batch,
        C=layer.channels,
        H=layer.extent,
        W=layer.extent,
        K=layer.filters,
        R=layer.height,
        S=layer.width,
        pad_h=layer.height // 2,
        pad_w=layer.width // 2,
        stride_h=layer.stride,
        stride_w=layer.stride,
        groups=layer.groups,
    )


def _recurrent(limits: Limits, dtype: str) -> Iterator[Case]:
    for op in RECURRENT_OPS:
        for hidden, batch, timesteps in limits.recurrent[:: 1 if op == "lstm" else 3]:
            for pass_ in ("fwd", "bwd_all"):
                shape = {"hidden": hidden, "batch": batch, "timesteps": timesteps}
                yield make_case(op, dtype, pass_, **shape)


def _attention(limits: Limits, dtype: str) -> Iterator[Case]:
    names = ("batch", "heads", "seq_q", "seq_kv", "head_dim")
    for extents in limits.attention:
        for pass_ in ("fwd", "bwd_all"):
            shape = dict(zip(names, extents, strict=True))
            yield make_case("attention", dtype, pass_, **shape)


def _elementwise(limits: Limits, dtype: str) -> Iterator[Case]:
    for op, tensors in TENSORS_OF.items():
        for elements in limits.elements:
            size = tensors * elements * ELEMENT_BYTES[dtype]
            yield make_case(op, dtype, elements=elements, bytes=size)


def _pairs(limits: Limits, dtype: str) -> Iterator[Case]:
    for kernels, tensors in PAIRS.items():
        for elements in limits.elements[1:]:
            size = elements * ELEMENT_BYTES[dtype]
            unfused = {"elements": elements, "bytes": (tensors + 2) * size, "kernels": kernels}
            yield make_case("unfused", dtype, **unfused)
            yield make_case("fused", dtype, **(unfused | {"bytes": tensors * size}))


def _quick(group: Sequence[Case]) -> list[Case]:
    """About a sixth of a group, as far as it is small; all passes of what is taken."""
    small = [
        case
        for case in group
        if flops_of(case) <= QUICK_FLOPS
        and (not case.text("bytes") or case["bytes"] <= QUICK_BYTES)
    ]
    shapes = list(dict.fromkeys(case.shape for case in small))
    taken = set(shapes[:: max(1, -(-len(shapes) // 3))])
    return [case for case in small if case.shape in taken]


def _is_quick(case: Case) -> bool:
    size = case["bytes"] if case.text("bytes") else 0
    return flops_of(case) <= QUICK_FLOPS and size <= QUICK_BYTES


def _mixed(groups: Sequence[Sequence[Case]]) -> list[Case]:
    """The cases of all groups, each group spread over the whole list.

    Multiples of the golden ratio, without their whole parts, are spread evenly whatever stretch or
    stride of a group is measured, so that each prefix holds small and large cases of all ops.
    """
    placed = [
        (index * _GOLDEN_RATIO % 1, number, case)
        for number, group in enumerate(groups)
        for index, case in enumerate(group)
    ]
    return [case for _, _, case in sorted(placed, key=lambda place: place[:2])]
