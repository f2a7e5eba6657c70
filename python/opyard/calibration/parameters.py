"""Parameters of a device's `cost` that a fit changes: where they stand, their unit and range."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

KeyPath = tuple[str, ...]


@dataclass(frozen=True)
class Parameter:
    """One number of a device file, fitted as its logarithm.

    Attributes:
        path: Keys from the device's root.
        low, high: The bounds, above 0.
        start: Where the fit begins; also what `pull` pulls to.
        unit: What stands behind the number; "" for a plain one.
        pull: The weight of ln(value / start) among the residuals.
    """

    path: KeyPath
    low: float
    high: float
    start: float
    unit: str = ""
    pull: float = 0.0

    def text(self, value: float) -> str | float:
        """`value` as the file holds it, to four digits."""
        rounded = float(f"{value:.4g}")
        return f"{rounded:g} {self.unit}" if self.unit else rounded


def set_in(device: dict[str, Any], path: KeyPath, value: Any) -> None:
    """Sets the value at `path`, making the maps on the way."""
    for key in path[:-1]:
        device = device.setdefault(key, {})
    device[path[-1]] = value


def with_values(
    device: dict[str, Any], parameters: Sequence[Parameter], logs: npt.NDArray[np.float64]
) -> dict[str, Any]:
    """A copy of `device` with exp(`logs`) for `parameters`, not rounded."""
    changed = copy.deepcopy(device)
    for parameter, value in zip(parameters, np.exp(logs), strict=True):
        text = f"{value:.17g} {parameter.unit}" if parameter.unit else float(value)
        set_in(changed, parameter.path, text)
    return changed


def with_rounded(
    device: dict[str, Any], parameters: Sequence[Parameter], logs: npt.NDArray[np.float64]
) -> dict[str, Any]:
    """The same, each as the file holds it."""
    changed = copy.deepcopy(device)
    for parameter, value in zip(parameters, np.exp(logs), strict=True):
        set_in(changed, parameter.path, parameter.text(float(value)))
    return changed
