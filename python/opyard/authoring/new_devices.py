"""The device type of a card that no file describes yet, from the figures of its data sheet."""

from __future__ import annotations

import re
from dataclasses import dataclass

from opyard import _core
from opyard.authoring.draft import DeviceType, assumed
from opyard.authoring.units import parse_flop_rate, parse_rate, parse_size

KINDS = ("gpu", "cpu", "tpu", "other")
DTYPES = (
    *("f64", "f32", "tf32", "f16", "bf16", "f8", "f4", "c128", "c64"),
    *("i64", "i32", "i16", "i8", "i4", "i2", "u8", "bool"),
)
_NAME = re.compile(r"[^ \"'\\/\x00-\x1f\x7f]{1,128}")
_GIVEN = assumed("given to `opyard profile new`: name the data sheet or the measurement here")
_LAUNCH = {"cpu": 0.5e-6}  # others: 5 us
_LAUNCH_SOURCES = {
    "cpu": "a framework issues an op of a processor in about half a microsecond",
}
# Fractions of the peak and of the bandwidth before anything was measured, as by default.
_COSTS = {
    "cpu": {"default_sustained_fraction": 0.8, "memory_efficiency": 0.6},
    "gpu": {"default_sustained_fraction": 0.9, "memory_efficiency": 0.8},
}


@dataclass
class DeviceAnswers:
    """The figures of a new device type."""

    kind: str
    memory_bytes: int
    memory_bandwidth: float  # bytes per second
    peak_flops: dict[str, float]  # by element type, FLOP per second


def new_device_type(name: str, answers: DeviceAnswers) -> DeviceType:
    """The device file of a new card; `opyard profile calibrate` fits its `cost` later."""
    kind = answers.kind
    launch = _LAUNCH_SOURCES.get(kind, "launches of this generation take 4 to 9.7 us, 5 us here")
    return DeviceType(
        name=name,
        kind=kind,
        memory_bytes=answers.memory_bytes,
        memory_bandwidth=answers.memory_bandwidth,
        peak_flops=answers.peak_flops,
        launch_overhead=_LAUNCH.get(kind, 5e-6),
        cost=dict(_COSTS["cpu" if kind == "cpu" else "gpu"]),
        provenance={
            "memory": _GIVEN,
            "memory_bandwidth": _GIVEN,
            "peak_flops": _GIVEN,
            "launch_overhead": assumed(launch),
            "cost": assumed(
                "usual fractions of the data sheet; `opyard profile measure` and `calibrate` "
                "replace them"
            ),
        },
        comment=[
            "Made by `opyard profile new` from the figures of a data sheet; no op was measured."
        ],
    )


def read_name(text: str, what: str) -> str:
    """A name as files take it."""
    if _NAME.fullmatch(text) is None or text.startswith("-"):
        raise _core.InputError(
            f'{what}: found "{text[:60]}", expected a name of at most 128 characters without '
            "spaces, quotes and slashes"
        )
    return text


def read_kind(text: str) -> str:
    """A kind of device."""
    if text not in KINDS:
        raise _core.InputError(f'--kind: found "{text[:60]}", expected one of {", ".join(KINDS)}')
    return text


def read_memory(text: str) -> int:
    """Bytes of memory."""
    return parse_size(text, "--memory")


def read_bandwidth(text: str) -> float:
    """Bytes a second."""
    return parse_rate(text, "--memory-bandwidth")


def read_peaks(text: str) -> dict[str, float]:
    """FLOP a second by element type, of `f32=15.7 TFLOP/s,f16=125 TFLOP/s`."""
    peaks: dict[str, float] = {}
    for part in text.split(","):
        dtype, _, rate = (word.strip() for word in part.partition("="))
        if dtype not in DTYPES:
            raise _core.InputError(
                f'--peak: found "{part.strip()[:60]}", expected TYPE=RATE with one of '
                f"{', '.join(DTYPES)}, such as f32=15.7TFLOP/s"
            )
        if dtype in peaks:
            raise _core.InputError(f"--peak: {dtype} stands there twice")
        peaks[dtype] = parse_flop_rate(rate, f"--peak {dtype}")
    return peaks
