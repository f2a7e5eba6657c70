"""Sizes of tensors and bandwidths of links that give measured transfer times.

A link takes bytes / bandwidth, so that the times t(e, a) of transfers e on pairs of devices a are
products of a factor of e and a factor of a. So are those of the paper's networks, up to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]

_SLOWEST_BYTES_PER_S = 10e9  # a byte is 0.1 ns there, far below the rounding of a file
_NO_TIME_S = 1e-18
_HALVINGS = 60


@dataclass(frozen=True)
class TransferFit:
    """The closest sizes and bandwidths."""

    bytes: npt.NDArray[np.int64]  # [num_transfers]
    bandwidth_bytes_per_s: _Floats  # [num_pairs]
    seconds: _Floats  # [num_transfers, num_pairs], bytes / bandwidth


def fit_transfers(seconds: _Floats) -> TransferFit:
    """The sizes and bandwidths with the least greatest error in seconds, up to whole bytes.

    `seconds`: [num_transfers, num_pairs], from 0. The scale of both factors is free: the slowest
    pair has 10 GB/s.
    """
    num_transfers, num_pairs = seconds.shape
    factors = np.ones(num_pairs)
    sizes = np.zeros(num_transfers)
    is_sent = seconds.max(axis=1, initial=0.0) > 0  # the others are 0 bytes
    if is_sent.any():
        error_s, factors = _least_error(seconds[is_sent])
        lows = (seconds[is_sent] - error_s) / factors
        highs = (seconds[is_sent] + error_s) / factors
        sizes[is_sent] = (lows.max(axis=1).clip(min=0.0) + highs.min(axis=1)) / 2
    whole = np.rint(sizes * _SLOWEST_BYTES_PER_S).astype(np.int64)
    bandwidth = _SLOWEST_BYTES_PER_S / factors
    return TransferFit(whole, bandwidth, whole[:, None] / bandwidth)


def _least_error(seconds: _Floats) -> tuple[float, _Floats]:
    """The least greatest error in seconds, by bisection, and factors of the pairs that reach it."""
    low, high = 0.0, float(seconds.max())
    factors = _factors_within(seconds, high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        found = _factors_within(seconds, middle)
        if found is None:
            low = middle
        else:
            high, factors = middle, found
    assert factors is not None  # an error as large as every time is always enough
    return high, factors


def _factors_within(seconds: _Floats, error_s: float) -> _Floats | None:
    """Factors of the pairs, the greatest 1, that keep every time within `error_s`; None if none do.

    With logarithms x of the factors of pairs and y of those of transfers every time asks for
    log(t - error) <= y + x <= log(t + error). Without y these are bounds of differences
    x(a) - x(b), which shortest paths solve: Cormen et al., Introduction to Algorithms, 24.4.
    """
    low = np.log(np.maximum(seconds - error_s, _NO_TIME_S))
    high = np.log(seconds + error_s + _NO_TIME_S)
    differences = np.stack([(high[:, [a]] - low).min(axis=0) for a in range(seconds.shape[1])])
    for middle in range(len(differences)):  # Floyd and Warshall
        around = differences[:, [middle]] + differences[[middle], :]
        differences = np.minimum(differences, around)
    if (differences.diagonal() < 0).any():
        return None
    logarithms = (differences[:, 0] - differences[0, :]) / 2  # amid what is allowed
    return np.exp(logarithms - logarithms.max())
