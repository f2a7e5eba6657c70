"""Results folders, which one process at a time writes to."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from opyard.executors.errors import ExecutorError

# What a training and a tuning keep: the state that they go on from first, then what may be ahead
# of it.
FILES = {
    "train": ("training.opyard", "curve.csv", "weights.opyard"),
    "tune": ("tuning-state.json", "tuned.json"),
}


def refuse_unless_resumed(subcommand: str, results: Path, *, resume: bool) -> None:
    """Raises ExecutorError if there is a training or tuning that is not to be gone on with."""
    if not resume and any((results / name).exists() for name in FILES[subcommand]):
        raise ExecutorError(
            f"{results}: holds the files of an earlier opyard {subcommand}; expected another "
            "--out, or --resume to go on with it"
        )


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keeps other processes of opyard out of a folder, by the lock that they all take.

    Raises:
        ExecutorError: Another process has it, or it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise ExecutorError(f"{folder}: cannot make this folder: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise ExecutorError(
            f"{folder}: another opyard is writing here; wait for it to end, or give another --out"
        ) from error
    try:
        yield
    finally:
        os.close(descriptor)
