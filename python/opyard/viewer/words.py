"""Times, bytes and shares of a whole in words."""

from __future__ import annotations

_TIMES = ((10**12, "s"), (10**9, "ms"), (10**6, "µs"), (10**3, "ns"), (1, "ps"))
_BYTES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def time_unit(most_ps: int) -> tuple[int, str]:
    """Picoseconds of a unit, and its name: the largest of which `most_ps` has at least one."""
    return next((unit for unit in _TIMES if most_ps >= unit[0]), _TIMES[-1])


def time_text(ps: int) -> str:
    """A time in picoseconds with four digits and its unit: ``"1.235 ms"``."""
    if ps == 0:
        return "0"
    scale, unit = time_unit(ps)
    return f"{_four_digits(ps / scale)} {unit}"


def bytes_text(count: int) -> str:
    """A number of bytes with four digits and its unit: ``"1.500 MiB"``."""
    scale, unit = next((unit for unit in _BYTES if count >= unit[0]), (1, "B"))
    return f"{count} B" if scale == 1 else f"{_four_digits(count / scale)} {unit}"


def rate_text(bytes_per_s: float) -> str:
    """A bandwidth in decimal units, as machine files have it: ``"12.35 GB/s"``."""
    scale, unit = (1e9, "GB/s") if bytes_per_s >= 1e9 else (1e6, "MB/s")
    return f"{bytes_per_s / scale:.4g} {unit}"


def percent_text(part: float, whole: float) -> str:
    """A part of a whole: ``"12.3 %"``, ``"0 %"`` of nothing."""
    return f"{100 * part / whole:.1f} %" if whole else "0 %"


def shortened(name: str, most: int) -> str:
    """A name of `most` characters at most, without its middle where it has more."""
    if len(name) <= most:
        return name
    head = (most - 1) // 2
    return f"{name[:head]}…{name[head + 1 - most :]}"


def _four_digits(value: float) -> str:
    return f"{value:.{3 if value < 10 else 2 if value < 100 else 1}f}"
