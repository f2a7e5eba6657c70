"""Bounded robust least squares on the logarithms of times."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from opyard.calibration.devices import graph_of, predict
from opyard.calibration.forms import Form
from opyard.calibration.parameters import set_in, with_rounded, with_values
from opyard.calibration.rows import Row
from opyard.calibration.scores import absolute_errors

_SOFT_RESIDUAL = 0.05  # beyond it errors count linearly: soft L1 of ln(predicted / measured)
_STEP = 1e-3  # of finite differences; waves make smaller ones blind
_STARTS = 3
_SPREAD = 0.5  # of ln(value) between the starts
_MOST_CALLS = 150
_ROUNDING_S = 0.3e-6  # of times in whole microseconds


@dataclass(frozen=True)
class Fitted:
    """A device with fitted numbers, and the cost of the fit."""

    device: dict[str, Any]
    cost: float


def fit_form(device: dict[str, Any], form: Form, rows: Sequence[Row], seed: int = 0) -> Fitted:
    """Fits the parameters of `form` to `rows`.

    Minimises the soft L1 norm of ln(predicted / measured), and pulls parameters to where they
    start as far as each asks for, by trust-region reflective least squares (scipy) from several
    starts. Deterministic.

    Args:
        device: The device; its other numbers stay.
        form: What is fitted.
        rows: The measured kernels, at least one.
        seed: Of the starts.
    """
    from scipy.optimize import least_squares

    base = _with_fixed(device, form)
    graph = graph_of(rows)
    measured = np.log([row.seconds for row in rows])
    weights = _weights(rows)
    pulls = np.array([parameter.pull for parameter in form.parameters])
    centre = np.log([parameter.start for parameter in form.parameters])
    low = np.log([parameter.low for parameter in form.parameters])
    high = np.log([parameter.high for parameter in form.parameters])

    def residuals(logs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        predicted = predict(graph, with_values(base, form.parameters, logs))
        return np.concatenate([weights * (np.log(predicted) - measured), pulls * (logs - centre)])

    best = None
    generator = np.random.default_rng(seed)
    for start in range(_STARTS):
        shift = generator.normal(0.0, _SPREAD, len(centre)) if start else 0.0
        found = least_squares(
            residuals,
            np.clip(centre + shift, low + 1e-6, high - 1e-6),
            bounds=(low, high),
            loss="soft_l1",
            f_scale=_SOFT_RESIDUAL,
            diff_step=_STEP,
            max_nfev=_MOST_CALLS,
        )
        if best is None or found.cost < best.cost:
            best = found
    assert best is not None
    return Fitted(with_rounded(base, form.parameters, best.x), float(best.cost))


def errors_of(device: dict[str, Any], rows: Sequence[Row]) -> npt.NDArray[np.float64]:
    """The absolute relative errors on `rows`, [rows]."""
    measured = np.array([row.seconds for row in rows])
    return absolute_errors(predict(graph_of(rows), device), measured)


def _with_fixed(device: dict[str, Any], form: Form) -> dict[str, Any]:
    """`device` with an empty block where the form has one of its own."""
    base = copy.deepcopy(device)
    if form.block:
        set_in(base, form.block, copy.deepcopy(form.fixed))
    return base


def _weights(rows: Sequence[Row]) -> npt.NDArray[np.float64]:
    """Less for times in whole microseconds that are only a few of them: they are rounded."""
    seconds = np.array([row.seconds for row in rows])
    in_us = seconds * 1e6
    is_whole = np.abs(in_us - np.round(in_us)) < 1e-9
    rounding = np.where(is_whole, _ROUNDING_S / seconds, 0.0)
    return 1.0 / np.hypot(1.0, rounding / _SOFT_RESIDUAL)
