"""Reads CSV files of measured kernels (docs/formats.md, "Measured kernels")."""

from __future__ import annotations

import csv
import gzip
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from opyard.calibration.errors import CalibrationError

MOST_BYTES = 256 << 20
MOST_ROWS = 2_000_000
_MOST_PROBLEMS = 10
_NEEDED = ("dtype", "op", "measured_time_us")


@dataclass(frozen=True)
class Row:
    """One measured kernel: the cells of its line, its place, and its time in seconds."""

    cells: dict[str, str]
    place: str
    seconds: float

    @property
    def op(self) -> str:
        return self.cells["op"]

    @property
    def dtype(self) -> str:
        return self.cells["dtype"]

    @property
    def label(self) -> str:
        return self.cells.get("device", "")

    @property
    def passed(self) -> str:
        """The pass as the file names it; "" where the op has none."""
        return self.cells.get("pass", "")

    def number(self, name: str, default: float | None = None) -> float:
        """The cell `name` as a number that is not negative.

        Raises:
            CalibrationError: If it is missing and there is no default, or no such number.
        """
        text = self.cells.get(name, "")
        if text == "" and default is not None:
            return default
        value = _number_or_nan(text)
        if not 0 <= value < math.inf:
            found = f'"{text}"' if text else "nothing"
            raise CalibrationError(
                f"{self.place}: {name}: found {found}, expected a number that is not negative"
            )
        return value


def read_rows(paths: Sequence[Path], labels: Sequence[str] = ()) -> list[Row]:
    """Reads the rows of `paths` in order; with `labels`, those of these devices.

    Args:
        paths: CSV files, perhaps compressed (`.gz`).
        labels: Values of the column `device`. Without any, all rows must be of one.

    Raises:
        CalibrationError: If a file cannot be read, a row holds no positive time, rows are of
            several devices and no label says which, or none is left.
    """
    rows = [row for path in paths for row in _rows_of(path)]
    present = sorted({row.label for row in rows})
    missing = [label for label in labels if label not in present]
    if missing:
        raise CalibrationError(
            f"--label: found {', '.join(missing)}, expected one of {', '.join(present) or 'none'}"
        )
    if not labels and len(present) > 1:
        raise CalibrationError(
            f"rows of several devices ({', '.join(present)}): expected one; --label says which"
        )
    kept = [row for row in rows if not labels or row.label in labels]
    if not kept:
        raise CalibrationError(f"{', '.join(map(str, paths))}: no rows, expected measured kernels")
    return kept


def _rows_of(path: Path) -> list[Row]:
    reader = csv.DictReader(io.StringIO(_text_of(path), newline=""), strict=True)
    try:
        fields = list(reader.fieldnames or [])
        absent = [name for name in _NEEDED if name not in fields]
        if absent:
            raise CalibrationError(
                f"{path}:1: found the columns {', '.join(fields) or 'of an empty file'}, expected "
                f"{', '.join(absent)}, too"
            )
        return _checked(path, reader)
    except csv.Error as error:
        raise CalibrationError(f"{path}:{reader.line_num}: {error}") from error


def _text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            stream = gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file
            data = stream.read(MOST_BYTES + 1)
    except (OSError, EOFError) as error:
        raise CalibrationError(f"{path}: {error}") from error
    if len(data) > MOST_BYTES:
        raise CalibrationError(f"{path}: more than {MOST_BYTES >> 20} MiB, expected less")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CalibrationError(f"{path}: no UTF-8 text: {error.reason}") from error


def _checked(path: Path, reader: csv.DictReader[str]) -> list[Row]:
    rows: list[Row] = []
    problems: list[str] = []
    for cells in reader:
        if len(rows) >= MOST_ROWS or len(problems) >= _MOST_PROBLEMS:
            problems.append(f"{path}: stopped after {len(rows)} rows")
            break
        place = f"{path}:{reader.line_num}"
        given = {name: cell.strip() for name, cell in _pairs(cells)}
        time_us = _number_or_nan(given.get("measured_time_us", ""))
        if not 0 < time_us < math.inf:
            found = given.get("measured_time_us", "")
            problems.append(f'{place}: measured_time_us: found "{found}", expected a time above 0')
            continue
        rows.append(Row(given, place, time_us * 1e-6))
    if problems:
        raise CalibrationError("\n".join(problems))
    return rows


def _pairs(cells: dict[str, str]) -> Iterable[tuple[str, str]]:
    return (
        (name, cell)
        for name, cell in cells.items()
        if isinstance(name, str) and isinstance(cell, str)
    )


def _number_or_nan(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
