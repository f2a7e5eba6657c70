"""Measured kernels as rows of a CSV file, the columns of `opyard profile calibrate`."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opyard.execution.errors import ExecutionError

# The shape of a kernel. In gemm, K is the inner dimension; in conv2d, K is the number of filters.
SHAPE_COLUMNS = (
    *("M", "N", "K", "transA", "transB", "batch"),
    *("C", "H", "W", "R", "S", "pad_h", "pad_w", "stride_h", "stride_w", "groups"),
    *("hidden", "timesteps", "elements", "bytes"),
    *("heads", "seq_q", "seq_kv", "head_dim", "kernels", "peer"),
)
COLUMNS = ("device", "dtype", "op", "pass", "measured_time_us", "min_us", "n_runs", *SHAPE_COLUMNS)
_LONGEST_NAME = 128
_LONGEST_FILE = 256 * 2**20

_NAME = re.compile(r"[^ \"'\\/\x00-\x1f\x7f]{1,128}")

Row = dict[str, str]


@dataclass(frozen=True)
class Case:
    """One kernel with its shape; `pass_` is empty where an op has one pass only."""

    op: str
    dtype: str
    pass_: str
    shape: tuple[tuple[str, int | str], ...]

    def __getitem__(self, column: str) -> int:
        return int(dict(self.shape)[column])

    def text(self, column: str) -> str:
        """The value of a column that is no number, or an empty text."""
        return str(dict(self.shape).get(column, ""))

    def __str__(self) -> str:
        extents = " ".join(f"{column}={value}" for column, value in self.shape)
        return " ".join(filter(None, (self.op, self.pass_, self.dtype, extents)))


def make_case(op: str, dtype: str, pass_: str = "", **shape: int | str) -> Case:
    """A case with `shape` in the order of the columns."""
    unknown = set(shape) - set(SHAPE_COLUMNS)
    assert not unknown, unknown
    ordered = tuple((name, shape[name]) for name in SHAPE_COLUMNS if name in shape)
    return Case(op, dtype, pass_, ordered)


def row_of(device: str, case: Case, seconds: Sequence[float]) -> Row:
    """The row of a case on `device` from the seconds of its runs."""
    ordered = sorted(seconds)
    middle = len(ordered) // 2
    median = (ordered[middle] + ordered[~middle]) / 2
    return {
        "device": device,
        "dtype": case.dtype,
        "op": case.op,
        "pass": case.pass_,
        "measured_time_us": f"{median * 1e6:.6g}",
        "min_us": f"{ordered[0] * 1e6:.6g}",
        "n_runs": str(len(ordered)),
        **{column: str(value) for column, value in case.shape},
    }


def key_of(row: Mapping[str, str]) -> tuple[str, ...]:
    """The identity of a row: device, type, op, pass and shape."""
    columns = ("device", "dtype", "op", "pass", *SHAPE_COLUMNS)
    return tuple(row.get(column, "") for column in columns)


def check_device_name(name: str) -> None:
    """Raises ExecutionError for a name that no device file may have."""
    if _NAME.fullmatch(name) is None or len(name.encode()) > _LONGEST_NAME:
        raise ExecutionError(
            f'--name: found "{name}", expected 1 to 128 bytes without spaces, quotes and slashes'
        )


class RowFile:
    """A CSV file that grows by one row at a time, so that a killed command loses one at most.

    Args:
        path: The file; it may be absent. A last line that was cut short is removed.

    Raises:
        ExecutionError: The file holds something else.
        OSError: The file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.rows: list[Row] = []
        if path.exists() and not path.is_file():
            raise ExecutionError(f'--out "{path}": found no regular file, expected one that grows')
        text = self._whole_lines() if path.exists() else ""
        if text:
            self.rows = list(_rows_in(text, path))
        else:
            with path.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerow(COLUMNS)

    def append(self, row: Row) -> None:
        """Adds a row to the file."""
        with self._path.open("a", encoding="utf-8", newline="") as file:
            csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n").writerow(row)
        self.rows.append(row)

    def _whole_lines(self) -> str:
        if self._path.stat().st_size > _LONGEST_FILE:
            raise ExecutionError(f'"{self._path}": found more than 256 MiB')
        data = self._path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        try:
            text = whole.decode()
            data.decode()
        except UnicodeDecodeError as error:
            raise ExecutionError(f'"{self._path}": expected a CSV file, found {error}') from error
        if not whole and data:
            _check_title(data.decode(), self._path)
        if len(whole) < len(data):
            _check_title(text, self._path)
            with self._path.open("r+b") as file:
                file.truncate(len(whole))
        return text


def _check_title(text: str, path: Path) -> None:
    """Raises ExecutionError unless the first line is, or begins as, the line of titles."""
    title = ",".join(COLUMNS)
    first, newline, _ = text.partition("\n")
    if first != title and (newline or not title.startswith(first)):
        raise ExecutionError(
            f'"{path}":1: found another file, expected one of opyard profile measure, '
            f"whose columns are {title}"
        )


def _rows_in(text: str, path: Path) -> Iterator[Row]:
    _check_title(text, path)
    reader = csv.reader(text.splitlines())
    next(reader)
    try:
        for values in reader:
            yield _row_in(values, f'"{path}":{reader.line_num}')
    except csv.Error as error:
        raise ExecutionError(f'"{path}":{reader.line_num}: {error}') from error


def _row_in(values: Sequence[str], place: str) -> Row:
    if len(values) != len(COLUMNS):
        raise ExecutionError(f"{place}: found {len(values)} columns, expected {len(COLUMNS)}")
    row = {column: value for column, value in zip(COLUMNS, values, strict=True) if value}
    try:
        microseconds = float(row.get("measured_time_us", ""))
    except ValueError:
        microseconds = math.nan
    if not 0 < microseconds < math.inf:
        found = row.get("measured_time_us", "nothing")
        raise ExecutionError(f"{place}: measured_time_us: found {found}, expected a time above 0")
    return row
