"""Errors of a file, gathered so that one message names all of them."""

from __future__ import annotations

from opyard import _core

_MOST_LINES = 20


class FileErrors:
    """What is wrong with the table of one file."""

    def __init__(self, place: str) -> None:
        """`place`: the file and its sheet, with which each line begins."""
        self._place = place
        self._lines: list[str] = []
        self._count = 0

    def add(self, row: int, column: str, found: object, expected: str) -> None:
        """Notes an error; `row` counts from 0, in the message from 1 as spreadsheets do."""
        self._count += 1
        if len(self._lines) < _MOST_LINES:
            shown = f'"{found[:60]}"' if isinstance(found, str) else found
            self._lines.append(
                f'{self._place} row {row + 1} column "{column[:60]}": found {shown}, '
                f"expected {expected}"
            )

    def raise_if_any(self) -> None:
        """Raises opyard.InputError with all that was noted, if anything was."""
        if self._count > len(self._lines):
            self._lines.append(f"… and {self._count - len(self._lines)} more errors")
        if self._lines:
            raise _core.InputError("\n".join(self._lines))
