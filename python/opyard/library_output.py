"""Keeps what C libraries print out of the answers of subcommands.

METIS prints to standard output when a graph has fewer vertices than it is asked for parts.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def dropped_library_output() -> Iterator[None]:
    """Drops what C code prints to standard output meanwhile; Python prints nothing there then."""
    if sys.stdout is not None:
        sys.stdout.flush()
    try:
        kept = os.dup(1)
    except OSError:  # closed
        yield
        return
    _redirect(os.open(os.devnull, os.O_WRONLY))
    try:
        yield
    finally:
        ctypes.CDLL(None).fflush(None)  # C code has a buffer of its own
        _redirect(kept)


def _redirect(target: int) -> None:
    os.dup2(target, 1)
    os.close(target)
