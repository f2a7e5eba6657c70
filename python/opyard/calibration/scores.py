"""Errors of predicted times by class of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from opyard.calibration.rows import Row


@dataclass(frozen=True)
class ClassScore:
    """Rows of one op, element type and pass, as the file names them; errors as fractions."""

    op: str
    dtype: str
    passed: str
    rows: int
    mape: float
    median_ape: float

    def to_dict(self) -> dict[str, Any]:
        values = asdict(self)
        values["pass"] = values.pop("passed")
        return values


def absolute_errors(
    predicted: npt.NDArray[np.float64], measured: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """|predicted − measured| / measured, [rows]."""
    return np.abs(predicted - measured) / measured


def class_key(row: Row) -> tuple[str, str, str]:
    """What rows of one class have alike."""
    return row.op, row.dtype, row.passed


def scores_by_class(rows: Sequence[Row], predicted: npt.NDArray[np.float64]) -> list[ClassScore]:
    """A score for each class, sorted.

    Args:
        rows: Measured kernels.
        predicted: [len(rows)] seconds.
    """
    measured = np.array([row.seconds for row in rows])
    errors = absolute_errors(predicted, measured)
    members: dict[tuple[str, str, str], list[int]] = {}
    for index, row in enumerate(rows):
        members.setdefault(class_key(row), []).append(index)
    return [
        ClassScore(*key, len(own), float(errors[own].mean()), float(np.median(errors[own])))
        for key, own in sorted(members.items())
    ]


def scores_text(scores: Sequence[ClassScore]) -> str:
    """A table for the terminal."""
    head = f"{'op':<26}{'dtype':<18}{'pass':<16}{'rows':>6}{'MAPE [%]':>10}{'median [%]':>12}"
    lines = [
        f"{score.op:<26}{score.dtype:<18}{score.passed or '-':<16}{score.rows:>6}"
        f"{100 * score.mape:>10.1f}{100 * score.median_ape:>12.1f}"
        for score in scores
    ]
    return "\n".join([head, *lines])
