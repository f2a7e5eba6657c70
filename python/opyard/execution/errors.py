"""The error of an execution or measurement that the user can mend."""

from __future__ import annotations


class ExecutionError(ValueError):
    """A plan cannot run, or a process of a run failed; the message is for the terminal."""
