"""Quantities with their units, as texts of a profile and back."""

from __future__ import annotations

import re

from opyard import _core

_RATES = ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s"))
_FLOP_RATES = ((1e12, "TFLOP/s"), (1e9, "GFLOP/s"), (1e6, "MFLOP/s"), (1.0, "FLOP/s"))
_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"), (1e-12, "ps"))
_BINARY = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_BINARY_PREFIXES = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50}
_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)\s*([A-Za-z/]+)\s*")


def rate_text(bytes_per_s: float) -> str:
    """23.9e9 as "23.9 GB/s"; a terabyte a second stays in gigabytes, as in data sheets."""
    return _text(bytes_per_s, _RATES[1:])


def flop_rate_text(flops_per_s: float) -> str:
    """15.7e12 as "15.7 TFLOP/s"."""
    return _text(flops_per_s, _FLOP_RATES)


def time_text(seconds: float) -> str:
    """1e-05 as "10 us"."""
    if 1e-7 <= seconds < 1e-6:
        return f"{seconds / 1e-6:.12g} us"
    return "0 us" if seconds == 0 else _text(seconds, _TIMES)


def size_text(size_bytes: int) -> str:
    """17179869184 as "16 GiB"; what is no whole number of KiB in bytes."""
    for factor, unit in _BINARY:
        if size_bytes >= factor and size_bytes % factor == 0:
            return f"{size_bytes // factor} {unit}"
    return f"{size_bytes} B"


def parse_rate(text: str, what: str) -> float:
    """Bytes a second of "900 GB/s", "100 Gb/s" or "2 GiB/s"."""
    value, unit = _split(text, what, "a rate such as 900 GB/s")
    if unit.endswith("b/s"):
        return _scaled(value, unit, "b/s", what, "a rate such as 100 Gb/s") / 8
    return _scaled(value, unit, "B/s", what, "a rate such as 900 GB/s")


def parse_size(text: str, what: str) -> int:
    """Bytes of "16 GiB" or "80 GB"."""
    value, unit = _split(text, what, "a size such as 16 GiB")
    return round(_scaled(value, unit, "B", what, "a size such as 16 GiB"))


def parse_flop_rate(text: str, what: str) -> float:
    """FLOP a second of "15.7 TFLOP/s"."""
    value, unit = _split(text, what, "a rate such as 15.7 TFLOP/s")
    return _scaled(value, unit, "FLOP/s", what, "a rate such as 15.7 TFLOP/s")


def parse_time(text: str, what: str) -> float:
    """Seconds of "10 us"; 0 is allowed."""
    match = _QUANTITY.fullmatch(text)
    factors = {unit: factor for factor, unit in _TIMES}
    if match is None or match[2] not in factors:
        raise _core.InputError(f'{what}: found "{text[:60]}", expected a time such as 10 us')
    return float(match[1]) * factors[match[2]]


def _text(value: float, units: tuple[tuple[float, str], ...]) -> str:
    factor, unit = next((pair for pair in units if value >= pair[0] * 0.999999), units[-1])
    number = f"{value / factor:.12g}"
    return f"{number} {unit}"


def _split(text: str, what: str, expected: str) -> tuple[float, str]:
    match = _QUANTITY.fullmatch(text)
    if match is None or float(match[1]) <= 0:
        raise _core.InputError(f'{what}: found "{text[:60]}", expected {expected}')
    return float(match[1]), match[2]


def _scaled(value: float, unit: str, base: str, what: str, expected: str) -> float:
    prefix = unit.removesuffix(base)
    factor = _PREFIXES.get(prefix, _BINARY_PREFIXES.get(prefix))
    if not unit.endswith(base) or factor is None:
        raise _core.InputError(f'{what}: found the unit "{unit[:60]}", expected {expected}')
    return value * factor
