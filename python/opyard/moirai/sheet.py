"""The first sheet of an Excel 97 file as rows of texts and numbers."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from opyard import _core

Cell: TypeAlias = str | float
"""A text, a number, or "" for an empty cell."""

_MOST_BYTES = 32 * 2**20
_MOST_CHARACTERS = 16 * 2**20  # of all cells: a text that many cells share is stored once
_MOST_CELLS = 4 * 2**20


@dataclass(frozen=True)
class Sheet:
    """A sheet; its rows end with their last cell, so that they differ in length."""

    name: str
    rows: list[list[Cell]]


def read_sheet(path: Path) -> Sheet:
    """Reads the first sheet of `path`.

    Raises:
        opyard.InputError: The file cannot be read, is no `.xls` file, or is too large.
        ImportError: xlrd is not installed.
    """
    try:
        import xlrd
    except ImportError as error:
        raise ImportError(
            "files of Moirai need xlrd, which is not installed: pip install 'opyard[moirai]'"
        ) from error
    data = _read_bytes(path)
    try:
        book = xlrd.open_workbook(
            file_contents=data, logfile=io.StringIO(), on_demand=True, ragged_rows=True
        )
        sheet = book.sheet_by_index(0)
    except Exception as error:  # of a damaged file xlrd raises whatever its parts run into
        reason = " ".join(str(error).split())[:200]
        raise _core.InputError(
            f'"{path}": cannot be read as an .xls file of Excel 97 to 2003 '
            f"({type(error).__name__}: {reason}), expected a file of Moirai"
        ) from error
    _check_size(path, sheet)
    return Sheet(sheet.name, [[_cell(each) for each in row] for row in sheet.get_rows()])


def _read_bytes(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise _core.InputError(f'"{path}": found no regular file, expected an .xls file')
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        if isinstance(error, _core.InputError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise _core.InputError(f'"{path}": cannot be read: {reason}') from error
    if len(data) > _MOST_BYTES:
        raise _core.InputError(f'"{path}": found more than {_MOST_BYTES} bytes, expected fewer')
    return data


def _check_size(path: Path, sheet: Any) -> None:
    lengths = [sheet.row_len(row) for row in range(sheet.nrows)]
    if sum(lengths) > _MOST_CELLS:
        raise _core.InputError(
            f'"{path}" sheet "{sheet.name}": found {sum(lengths)} cells, expected at most '
            f"{_MOST_CELLS}"
        )
    num_characters = sum(
        len(value)
        for row in range(sheet.nrows)
        for value in sheet.row_values(row)
        if isinstance(value, str)
    )
    if num_characters > _MOST_CHARACTERS:
        raise _core.InputError(
            f'"{path}" sheet "{sheet.name}": found {num_characters} characters in its cells, '
            f"expected at most {_MOST_CHARACTERS}"
        )


def _cell(cell: Any) -> Cell:
    import xlrd

    if cell.ctype == xlrd.XL_CELL_NUMBER:
        return float(cell.value)
    if cell.ctype == xlrd.XL_CELL_TEXT:
        return str(cell.value).strip()
    if cell.ctype in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK):
        return ""
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "an error"))
    kind = "a date" if cell.ctype == xlrd.XL_CELL_DATE else "a truth value"
    return f"{kind}: {cell.value}"
