"""The progress of an executor on standard error."""

from __future__ import annotations

import sys
import time

_SECONDS_BETWEEN = 10.0  # lines that are no terminal's


class Progress:
    """One line that is rewritten on a terminal, and else a line now and then."""

    def __init__(self, *, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._is_terminal = sys.stderr.isatty()
        self._next = 0.0
        self._shown = ""

    def show(self, text: str, *, is_last: bool = False) -> None:
        """Shows `text` if it is new, and time for it or the last."""
        now = time.monotonic()
        if self._is_quiet or text == self._shown or (now < self._next and not is_last):
            return
        if self._is_terminal:
            print(f"\r{text.ljust(len(self._shown))}", end="", file=sys.stderr, flush=True)
            self._next = now + 0.2
        else:
            print(text, file=sys.stderr, flush=True)
            self._next = now + _SECONDS_BETWEEN
        self._shown = text

    def end(self) -> None:
        """Ends the line of a terminal."""
        if self._is_terminal and self._shown:
            print(file=sys.stderr)
        self._shown = ""
