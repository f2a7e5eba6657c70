"""The forms of blocks of the cost model that a fit tries, by the class of kernels.

The equations are those of docs/modelling.md, section 2; bounds keep weakly identified numbers
within what devices can do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from opyard.authoring.units import parse_rate
from opyard.calibration.kernels import DTYPES, PASSES, STREAM_TYPES, elementwise_of
from opyard.calibration.parameters import KeyPath, Parameter
from opyard.calibration.rows import Row

FEW_ROWS = 8
# Tiles of libraries, larger ones first. A product takes the fastest of a list.
_COMMON = ["256x128", "128x128", "128x64", "64x64", "64x32"]
_MANY = ["256x256", *_COMMON, "32x32", "64x16"]
_TILINGS: tuple[tuple[list[str], bool], ...] = (
    (_COMMON, True),
    (_MANY, True),
    (_COMMON, False),
    (["128x128"], False),
    (["128x64"], False),
    (["64x128"], False),
    (["64x64"], False),
)


@dataclass(frozen=True)
class Form:
    """One form of a block.

    Attributes:
        name: For messages.
        block: The path of the block in the device file.
        parameters: What is fitted.
        fixed: Keys of the block that stand as they are.
    """

    name: str
    block: KeyPath
    parameters: tuple[Parameter, ...]
    fixed: dict[str, Any] = field(default_factory=dict)


def block_of(row: Row) -> KeyPath:
    """The block of the device file that this row's class is fitted to."""
    dtype = DTYPES[row.dtype][0]
    passed = PASSES.get(row.passed, "forward")
    if row.op == "gemm":
        return ("cost", "gemm", dtype)
    if row.op == "conv2d":
        return ("cost", "conv", dtype, passed)
    if row.op == "attention":
        return ("cost", "attention", dtype, passed)
    entry = elementwise_of(row.op)
    if entry is not None:
        return ("cost", "types", entry.type)
    return ("cost", "rnn", dtype, passed)


def forms_of(block: KeyPath, device: dict[str, Any], num_rows: int) -> list[Form]:
    """The forms of `block` to choose from, the plainest first."""
    kind = block[1]
    if block[-1] in STREAM_TYPES:
        return []
    if num_rows < FEW_ROWS and kind != "types":
        return [_form_of_few(block)]
    if kind == "gemm":
        return _gemm_forms(block, device, num_rows)
    if kind == "conv":
        return [Form("implicit product", block, (*_conv(block), *_kernel(block, device)[:3]))]
    if kind == "attention":
        efficiency = _efficiency(block, e_max=0.5, pull=0.03)
        return [Form("products and softmax", block, (*efficiency, *_kernel(block, device)[:3]))]
    if kind == "rnn":
        return [Form("steps", block, _rnn(block, device))]
    return [Form("traffic", block, (_of(block, "traffic", 0.1, 20, 1.0, pull=0.02),))]


def base_form(device: dict[str, Any], *, has_launch: bool, has_stream: bool) -> Form:
    """Launch, bandwidth and the cache of the whole device, from its elementwise kernels.

    Args:
        device: The device.
        has_launch: The launch is measured, and stays.
        has_stream: Kernels that measure the memory are among the rows; else its bandwidth stays.
    """
    parameters = []
    if not has_launch:
        parameters.append(Parameter(("launch_overhead",), 0.05, 100, 3.0, "us", pull=0.01))
    if has_stream:
        parameters.append(Parameter(("cost", "memory_efficiency"), 0.2, 1.0, 0.8, pull=0.02))
    tier = device.get("cost", {}).get("l2")
    if tier is not None:
        bandwidth = _gb_per_s(device)
        parameters.append(
            Parameter(
                ("cost", "l2", "bandwidth"),
                0.2 * bandwidth,
                10 * bandwidth,
                2 * bandwidth,
                "GB/s",
                pull=0.02,
            )
        )
    return Form("launch and bandwidth", (), tuple(parameters))


def _form_of_few(block: KeyPath) -> Form:
    """One number or two, where there are few rows; the others has its default."""
    parameters = [_of(block, "e_max", 0.02, 4.0, 0.6, pull=0.03)]
    if block[1] == "rnn":
        parameters.append(_of(block, "step_overhead", 0.2, 1000, 10.0, unit="us", pull=0.03))
    return Form("efficiency alone", block, tuple(parameters))


def _gb_per_s(device: dict[str, Any]) -> float:
    return parse_rate(str(device["memory_bandwidth"]), "memory_bandwidth") / 1e9


def _of(block: KeyPath, key: str, low: float, high: float, start: float, **rest: Any) -> Parameter:
    return Parameter((*block, key), low, high, start, **rest)


def _efficiency(block: KeyPath, e_max: float = 0.8, pull: float = 0.0) -> tuple[Parameter, ...]:
    return (
        _of(block, "e_max", 0.02, 4.0, e_max, pull=pull),
        _of(block, "h_m", 0.1, 5000, 60, pull=pull),
        _of(block, "h_n", 0.1, 1000, 30, pull=pull),
        _of(block, "h_k", 0.1, 5000, 60, pull=pull),
    )


def _kernel(block: KeyPath, device: dict[str, Any], pull: float = 0.01) -> tuple[Parameter, ...]:
    """Terms of the kernels of a block; that of the cache last, where there is one."""
    terms = (
        _of(block, "overhead", 0.01, 60, 1.0, unit="us", pull=pull),
        _of(block, "softmax_q", 1.0, 8.0, 3.0, pull=pull),
        _of(block, "memory_efficiency", 0.1, 1.0, 0.8, pull=pull),
    )
    if device.get("cost", {}).get("l2") is None:
        return terms
    bandwidth = _gb_per_s(device)
    low, high, start = 0.1 * bandwidth, 10 * bandwidth, 2 * bandwidth
    return (*terms, _of(block, "l2_bandwidth", low, high, start, unit="GB/s", pull=pull))


def _gemm_forms(block: KeyPath, device: dict[str, Any], num_rows: int) -> list[Form]:
    kernel = _kernel(block, device)
    if block[2] in ("f8", "i8"):
        kernel = (*kernel, _of(block, "quantize_bandwidth", 50, 30000, 600, unit="GB/s"))
    forms = [Form("saturation", block, (*_efficiency(block), *kernel))]
    if device.get("cost", {}).get("compute_units", 1) <= 1 or num_rows < 40:
        return forms
    for tiles, is_split in _TILINGS:
        tiled = [
            _of(block, "e_max", 0.02, 4.0, 0.9),
            _of(block, "h_tile", 0.1, 1000, 30, pull=0.01),
            _of(block, "h_k", 0.1, 3000, 60, pull=0.01),
        ]
        if is_split:
            tiled.append(_of(block, "split_overhead", 0.1, 20, 2.0, unit="us", pull=0.01))
        name = f"tiles {tiles[0]} to {tiles[-1]}" + (", K divided" if is_split else "")
        forms.append(Form(name, block, (*tiled, *kernel), {"tiles": tiles}))
    return forms


def _conv(block: KeyPath) -> tuple[Parameter, ...]:
    pull = 0.03  # some forty rows for nine numbers
    return (
        *_efficiency(block, e_max=0.6, pull=pull),
        _of(block, "winograd_gain", 0.01, 1.5, 0.5, pull=pull),
        _of(block, "stride_loss", 0.001, 3.0, 0.3, pull=pull),
    )


def _rnn(block: KeyPath, device: dict[str, Any]) -> tuple[Parameter, ...]:
    pull = 0.05
    bandwidth = _gb_per_s(device)
    return (
        _of(block, "e_max", 0.02, 4.0, 0.6, pull=pull),
        _of(block, "h_m", 1.0, 3000, 100, pull=pull),
        _of(block, "h_n", 0.5, 1000, 30, pull=pull),
        _of(block, "step_overhead", 0.2, 200, 10.0, unit="us", pull=pull),
        _of(
            block,
            "weight_bandwidth",
            0.1 * bandwidth,
            10 * bandwidth,
            bandwidth,
            unit="GB/s",
            pull=pull,
        ),
    )
