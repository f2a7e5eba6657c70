"""Which measurements the shipped devices are calibrated on, and which borrow from another.

The measurements are of others and are not part of opyard.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_OPEN = "fidelity/open"
_DEEPBENCH = "baidu-research/DeepBench at da81ba78"
_VIDUR = "microsoft/vidur at 7d475133, PyTorch traces of facebookresearch/HolisticTraceAnalysis"
_AICONFIGURATOR = "ai-dynamo/aiconfigurator at 095f58a"


@dataclass(frozen=True)
class Source:
    """Rows of CSV files by their labels, and where they come from."""

    files: tuple[str, ...]
    labels: tuple[str, ...]
    origin: str

    def paths(self, data: Path) -> list[Path]:
        return [data / file for file in self.files]


def _open(*ops: str) -> tuple[str, ...]:
    return tuple(f"{_OPEN}/op_{op}.csv" for op in ops)


_KERNELS_2025 = "plans_measured/kernels/op_gemm_2025.csv"

# All blocks that the rows give.
CALIBRATED = {
    "m40-12gb": Source(_open("gemm", "conv", "rnn"), ("M40",), _DEEPBENCH),
    "titan-xp-12gb": Source(_open("gemm", "conv", "rnn"), ("TitanXp",), _DEEPBENCH),
    "a40-48gb": Source(_open("gemm", "elementwise"), ("A40",), _VIDUR),
    "a100-sxm4-80gb": Source(
        (*_open("gemm", "elementwise"), _KERNELS_2025),
        ("A100-80GB", "a100_sxm"),
        f"{_VIDUR}, {_AICONFIGURATOR}",
    ),
    "h100-sxm5-80gb": Source(
        (*_open("gemm", "elementwise"), _KERNELS_2025),
        ("H100-SXM", "h100_sxm"),
        f"{_VIDUR}, {_AICONFIGURATOR}",
    ),
    "h200-sxm-141gb": Source((_KERNELS_2025,), ("h200_sxm",), _AICONFIGURATOR),
    "b200-sxm-180gb": Source((_KERNELS_2025,), ("b200_sxm",), _AICONFIGURATOR),
    "l40s-48gb": Source((_KERNELS_2025,), ("l40s",), _AICONFIGURATOR),
    "rtx-pro-6000-96gb": Source((_KERNELS_2025,), ("rtx_pro_6000_server",), _AICONFIGURATOR),
    # Products and convolutions of these two have older fits, with which all tables were made.
    "p100-pcie-16gb": Source(_open("rnn"), ("P100-PCIe",), _DEEPBENCH),
    "v100-sxm2-16gb": Source(_open("rnn"), ("V100",), _DEEPBENCH),
}

# What is scored and not fitted: older fits, and kernels of training traces, in whole microseconds.
SCORED = {
    "a100-sxm4-40gb": Source(_open("elementwise"), ("A100-40GB",), _VIDUR),
    "p100-pcie-16gb": Source(_open("gemm", "conv", "rnn"), ("P100-PCIe",), _DEEPBENCH),
    "v100-sxm2-16gb": Source(
        _open("gemm", "conv", "rnn", "elementwise"), ("V100",), f"{_DEEPBENCH}; {_VIDUR}"
    ),
}


@dataclass(frozen=True)
class Loan:
    """Blocks that a device takes from a calibrated one: (block there, block here)."""

    lender: str
    blocks: tuple[tuple[str, str], ...]
    reason: str


def _same(*blocks: str) -> tuple[tuple[str, str], ...]:
    return tuple((block, block) for block in blocks)


_BF16_AS_F16 = (("gemm.bf16", "gemm.f16"),)
_HOPPER = _same("gemm.f16", "gemm.bf16", "gemm.f8", "types")
LOANS = {
    "p40-24gb": Loan("titan-xp-12gb", _same("gemm", "conv", "rnn"), "the same processor"),
    "p100-sxm2-16gb": Loan("p100-pcie-16gb", _same("rnn"), "the same processor"),
    "v100-sxm2-32gb": Loan("v100-sxm2-16gb", _same("gemm", "conv", "rnn"), "the same processor"),
    "v100-pcie-16gb": Loan(
        "v100-sxm2-16gb", _same("gemm", "conv", "rnn"), "the same processor at another clock"
    ),
    "a40-48gb": Loan("a40-48gb", (("gemm.f16", "gemm.bf16"),), "the same units"),
    "rtx-3090-24gb": Loan(
        "a40-48gb", (*_same("gemm.f16"), ("gemm.f16", "gemm.bf16")), "the same processor"
    ),
    "a100-sxm4-40gb": Loan("a100-sxm4-80gb", _same("gemm.f16", "gemm.bf16"), "the same processor"),
    "a100-pcie-80gb": Loan(
        "a100-sxm4-80gb", _same("gemm.f16", "gemm.bf16", "types"), "the same processor"
    ),
    "h100-pcie-80gb": Loan("h100-sxm5-80gb", _HOPPER, "the same processor at another clock"),
    "gh200-96gb": Loan("h100-sxm5-80gb", _HOPPER, "the same processor"),
    "h200-sxm-141gb": Loan("h200-sxm-141gb", _BF16_AS_F16, "the same units"),
    "b200-sxm-180gb": Loan("b200-sxm-180gb", _BF16_AS_F16, "the same units"),
    "rtx-pro-6000-96gb": Loan("rtx-pro-6000-96gb", _BF16_AS_F16, "the same units"),
    "l40s-48gb": Loan("l40s-48gb", _BF16_AS_F16, "the same units"),
    "l4-24gb": Loan(
        "l40s-48gb",
        (*_same("gemm.bf16", "gemm.f8"), *_BF16_AS_F16),
        "the same generation, smaller",
    ),
    "rtx-4090-24gb": Loan(
        "l40s-48gb", (*_same("gemm.bf16", "gemm.f8"), *_BF16_AS_F16), "the same processor"
    ),
}
