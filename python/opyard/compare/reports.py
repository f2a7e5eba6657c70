"""Values that agents report of their updates, as stores and files of trainings hold them."""

from __future__ import annotations

import csv
import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from opyard.compare.statistics import Values

CURVE_NAME = "curve.csv"


@dataclasses.dataclass(frozen=True)
class Report:
    """One value of one run, update by update."""

    updates: Values
    values: Values


Reports = Mapping[str, Report]  # by the name of the value


def read_curve(path: Path) -> dict[str, Report]:
    """The file `curve.csv` of a training; nothing where it is gone or another kind of file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    rows = list(csv.DictReader(text.splitlines()))
    if not rows or "update" not in rows[0]:
        return {}
    return {
        name: report
        for name in rows[0]
        if name is not None and name != "update" and (report := _column(rows, name))
    }


def _column(rows: list[dict[str, str]], name: str) -> Report | None:
    found = []
    for row in rows:
        try:
            pair = (float(row["update"]), float(row[name]))
        except (TypeError, ValueError):
            continue
        if all(map(math.isfinite, pair)):
            found.append(pair)
    return Report(*np.array(found, dtype=np.float64).T) if found else None
