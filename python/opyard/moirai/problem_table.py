"""The table of a placement problem of Moirai: tasks, what they wait for, times, and memory."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from opyard.moirai.errors import FileErrors
from opyard.moirai.sheet import Cell, Sheet

_MOST_DEVICES = 10  # pc10 is from device 1 to device 0
_MOST_MS = 4.6e9
_LARGEST_WHOLE = 2**53
_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_MS = f"ms from 0 to {_MOST_MS:g}"


@dataclass(frozen=True)
class Transfer:
    """What one task sends to another."""

    source: int
    """Index of a task."""
    target: int
    """Index of a task."""
    ms: list[float]
    """Time of each pair of devices, source first, row by row; 0 within a device."""
    row: int
    """Row of the sheet that it stands in, from 0."""


@dataclass
class ProblemTable:
    """A placement problem as its file says it."""

    place: str
    """The file and its sheet, for messages."""
    num_devices: int
    ids: list[int] = field(default_factory=list)
    """Numbers of the tasks in the file; everything else here uses their indices."""
    task_ms: list[list[float]] = field(default_factory=list)
    """Per task, its time on each device."""
    memory: list[int] = field(default_factory=list)
    """Per task, in the unit of `capacities`."""
    capacities: list[int] = field(default_factory=list)
    """Per device."""
    transfers: list[Transfer] = field(default_factory=list)
    waits: list[tuple[int, int]] = field(default_factory=list)
    """Source and target of what passes nothing on."""


def columns_of(num_devices: int) -> list[str]:
    """The titles of the columns, in order."""
    devices = range(num_devices)
    return [
        *("task", "c_task", "dir_succ", "dir_succ_add"),
        *(f"p{k}" for k in devices),
        *(f"pc{k}{m}" for k in devices for m in devices),
        "mi",
        *(f"m{k}" for k in devices),
    ]


def table_of(sheet: Sheet, file: str) -> ProblemTable:
    """Reads the table: a row of titles, a row per task, up to the first row that is empty.

    Raises:
        opyard.InputError: With all that is wrong.
    """
    return _Reader(sheet, f'"{file}" sheet "{sheet.name}"').read()


class _Reader:
    def __init__(self, sheet: Sheet, place: str) -> None:
        self._errors = FileErrors(place)
        self._rows = _rows_of_table(sheet.rows)
        titles = self._rows[0] if self._rows else []
        num_devices = sum(1 for title in titles if re.fullmatch(r"p\d+", str(title), re.ASCII))
        self._columns = columns_of(max(1, min(num_devices, _MOST_DEVICES)))
        self._table = ProblemTable(place, max(1, min(num_devices, _MOST_DEVICES)))
        self._c_tasks: set[int] = set()

    def read(self) -> ProblemTable:
        self._check_titles()
        self._errors.raise_if_any()
        if len(self._rows) < 2:
            self._errors.add(1, "task", "nothing", "a row per task")
        for row in range(1, len(self._rows)):
            self._read_task(row)
        self._check_ids()
        self._errors.raise_if_any()
        index_of = {number: index for index, number in enumerate(self._table.ids)}
        for row in range(1, len(self._rows)):
            self._read_successors(row, index_of)
        self._errors.raise_if_any()
        return self._table

    def _check_titles(self) -> None:
        titles = self._rows[0] if self._rows else []
        for index in range(max(len(titles), len(self._columns))):
            found = titles[index] if index < len(titles) else ""
            expected = self._columns[index] if index < len(self._columns) else ""
            if found != expected:
                wanted = f'the title "{expected}"' if expected else "no further column"
                self._errors.add(0, str(index + 1), found, wanted)

    def _cell(self, row: int, column: str) -> Cell:
        cells = self._rows[row]
        index = self._columns.index(column)
        return cells[index] if index < len(cells) else ""

    def _read_task(self, row: int) -> None:
        table, devices = self._table, range(self._table.num_devices)
        table.ids.append(self._whole(row, "task"))
        table.task_ms.append([self._ms(row, f"p{k}") for k in devices])
        table.memory.append(self._whole(row, "mi"))
        for column in (f"m{k}" for k in devices):
            if row == 1:
                table.capacities.append(self._whole(row, column))
            elif (found := self._cell(row, column)) != "":
                self._errors.add(row, column, found, "nothing: capacities stand in row 2")

    def _check_ids(self) -> None:
        seen: set[int] = set()
        for row, number in enumerate(self._table.ids, 1):
            if number in seen:
                self._errors.add(row, "task", number, "a number that no row above has")
            seen.add(number)

    def _read_successors(self, row: int, index_of: dict[int, int]) -> None:
        successors = self._wholes(row, "dir_succ")
        c_tasks = self._wholes(row, "c_task")
        both = self._wholes(row, "dir_succ_add")
        for number, times in Counter(successors).items():
            if number not in index_of:
                self._errors.add(row, "dir_succ", number, "the number of a task")
            if times > 1:
                self._errors.add(row, "dir_succ", number, "each successor once")
        for number in c_tasks:
            if number in index_of or number in self._c_tasks:
                self._errors.add(row, "c_task", number, "a number of its own")
            self._c_tasks.add(number)
        if sorted(both) != sorted(successors + c_tasks):
            expected = ",".join(map(str, sorted(successors + c_tasks)))
            self._errors.add(
                row,
                "dir_succ_add",
                self._cell(row, "dir_succ_add"),
                f'the numbers of c_task and dir_succ, "{expected}"',
            )
        if c_tasks and len(c_tasks) != len(successors):
            self._errors.add(
                row, "c_task", self._cell(row, "c_task"), f"{len(successors)}, one per successor"
            )
            return
        self._add_edges(row, [index_of.get(number, 0) for number in successors], len(c_tasks))

    def _add_edges(self, row: int, targets: list[int], num_transfers: int) -> None:
        columns = [column for column in self._columns if column.startswith("pc")]
        times = [self._transfer_times(row, column, num_transfers) for column in columns]
        if num_transfers == 0:
            self._table.waits += [(row - 1, target) for target in targets]
            return
        for number, target in enumerate(targets):
            ms = [column[number] for column in times]
            self._table.transfers.append(Transfer(row - 1, target, ms, row))

    def _transfer_times(self, row: int, column: str, count: int) -> list[float]:
        cell = self._cell(row, column)
        numbers = _numbers(cell)
        is_within = column[2] == column[3]
        highest = 0.0 if is_within else _MOST_MS
        is_legal = numbers is not None and len(numbers) == count
        if numbers is None or not is_legal or any(number > highest for number in numbers):
            what = "0, within a device" if is_within else _MS
            wanted = f"{count} times with commas between them, one per c_task: {what}"
            self._errors.add(row, column, cell, wanted if count else "nothing: no c_task")
            return [0.0] * count
        return numbers

    def _wholes(self, row: int, column: str) -> list[int]:
        cell = self._cell(row, column)
        numbers = _numbers(cell)
        if numbers is None or not all(map(_is_whole, numbers)):
            self._errors.add(row, column, cell, "whole numbers from 0 with commas between them")
            return []
        return [int(number) for number in numbers]

    def _whole(self, row: int, column: str) -> int:
        cell = self._cell(row, column)
        numbers = _numbers(cell)
        if numbers is None or len(numbers) != 1 or not _is_whole(numbers[0]):
            self._errors.add(row, column, cell, f"a whole number from 0 to {_LARGEST_WHOLE}")
            return 0
        return int(numbers[0])

    def _ms(self, row: int, column: str) -> float:
        cell = self._cell(row, column)
        numbers = _numbers(cell)
        if numbers is None or len(numbers) != 1 or numbers[0] > _MOST_MS:
            self._errors.add(row, column, cell, _MS)
            return 0.0
        return numbers[0]


def _rows_of_table(rows: list[list[Cell]]) -> list[list[Cell]]:
    """Rows up to the first empty one, each without the empty cells at its end."""
    table = []
    for row in rows:
        length = max((index + 1 for index, cell in enumerate(row) if cell != ""), default=0)
        if length == 0:
            break
        table.append(row[:length])
    return table


def _numbers(cell: Cell) -> list[float] | None:
    """The numbers of a cell, none of them below 0; None if it holds anything else."""
    if isinstance(cell, float):
        return [cell] if cell >= 0 else None
    texts = [text.strip() for text in cell.split(",")] if cell else []
    return [float(text) for text in texts] if all(map(_NUMBER.fullmatch, texts)) else None


def _is_whole(number: float) -> bool:
    return number.is_integer() and number <= _LARGEST_WHOLE
