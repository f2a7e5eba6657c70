"""Latency and bandwidth of a link, from times of copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LinkFit:
    """t = latency + bytes / bandwidth, with the median error of the fit as a fraction."""

    latency_s: float
    bandwidth_bytes_per_s: float
    median_error: float

    def seconds(self, num_bytes: int) -> float:
        """The time of a copy of `num_bytes`."""
        return self.latency_s + num_bytes / self.bandwidth_bytes_per_s


def fit_link(copies: Sequence[tuple[int, float]]) -> LinkFit:
    """Fits the medians by size, by least squares of relative errors.

    Args:
        copies: Bytes and seconds of each copy, of two sizes or more.
    """
    sizes = np.array(sorted({size for size, _ in copies}), dtype=float)
    times = np.array([np.median([s for b, s in copies if b == size]) for size in sizes])
    rows = np.stack([np.ones_like(sizes), sizes], axis=1) / times[:, None]
    latency, per_byte = np.linalg.lstsq(rows, np.ones_like(times), rcond=None)[0]
    if latency <= 0:  # then the line goes through the origin
        latency, per_byte = 0.0, float(np.sum(sizes / times) / np.sum((sizes / times) ** 2))
    if per_byte <= 0:  # copies of all sizes take as long: the largest says what passes at least
        latency, per_byte = float(times.min()), float(times[-1] / sizes[-1])
    errors = np.abs(latency + sizes * per_byte - times) / times
    return LinkFit(float(latency), float(1 / per_byte), float(np.median(errors)))
