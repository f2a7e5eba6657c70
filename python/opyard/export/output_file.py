"""Writes what a subcommand was asked for, after a check of its name."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from opyard import _core
from opyard.export.errors import ExportError


def check_out(out: Path, suffixes: tuple[str, str]) -> None:
    """Raises ExportError if nothing can be written to `out`, or a file that ends in no suffix."""
    problem = _core.find_output_problem(out)
    if problem is not None:
        raise ExportError(f'--out "{out}": {problem}')
    is_file = not _core.is_standard_output(out) and (out.is_file() or not out.exists())
    if is_file and not out.name.endswith(suffixes):
        raise ExportError(f'--out "{out}" ends in neither {suffixes[0]} nor {suffixes[1]}')


def write_whole(path: Path, data: bytes) -> None:
    """Writes `data` to where `path` leads; "-" is standard output.

    Raises:
        ExportError: it cannot be written.
    """
    try:
        _core.write_output(path, data)
    except _core.InputError as error:
        raise ExportError(str(error)) from error


def text_stream(out: Path) -> TextIO:
    """The stream for the text of a subcommand: standard error if `out` is standard output."""
    return sys.stderr if _core.is_standard_output(out) else sys.stdout
