"""Errors that end an executor's work early."""

from __future__ import annotations


class ExecutorError(Exception):
    """The work cannot begin or go on; the text says why and what to do."""

    def __init__(self, text: str, status: int = 2) -> None:
        """`status` is the exit status: 2 for bad input, 1 for work that failed."""
        super().__init__(text)
        self.status = status


class CommandFailedError(Exception):
    """A command of opyard that was started has failed.

    `errors` is what it wrote to standard error, or "" where that went to ours.
    """

    def __init__(self, status: int, errors: str = "") -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.errors = errors
