"""Quantities as SimGrid's XML writes them: 98.095Mf, 41.279125MBps, 59.904us."""

from __future__ import annotations

import math
import re

_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)\s*([A-Za-z]*)\s*")
_DECIMAL = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_BINARY = {
    prefix: 2.0 ** (10 * power)
    for power, prefix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)
}
_PREFIXES = {**_DECIMAL, **_BINARY}
_TIMES = {"": 1.0, "ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_LONG_TIMES = {"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}


def flops_of(text: str) -> float | None:
    """FLOP a second of "1Gf", or None if it is no speed above 0."""
    return _positive(text, "f", ("flops",))


def rate_of(text: str) -> float | None:
    """Bytes a second of "125MBps" or "1Gbps", or None if it is no rate above 0."""
    in_bytes = _positive(text, "Bps")
    if in_bytes is not None:
        return in_bytes
    in_bits = _positive(text, "bps")
    return None if in_bits is None else in_bits / 8


def seconds_of(text: str) -> float | None:
    """Seconds of "50us", or None if it is no time."""
    match = _QUANTITY.fullmatch(text)
    factor = None if match is None else {**_TIMES, **_LONG_TIMES}.get(match[2])
    return None if match is None or factor is None else _finite(float(match[1]) * factor)


def _positive(text: str, unit: str, other_names: tuple[str, ...] = ()) -> float | None:
    """The value in `unit`; a bare number is in it, too, as in files of version 3."""
    match = _QUANTITY.fullmatch(text)
    if match is None:
        return None
    found = match[2]
    for name in (unit, *other_names):
        prefix = found.removesuffix(name) if found.endswith(name) else None
        if prefix in _PREFIXES:
            break
    else:
        prefix = "" if found == "" else None
    value = None if prefix is None else _finite(float(match[1]) * _PREFIXES[prefix])
    return value if value is not None and value > 0 else None


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
