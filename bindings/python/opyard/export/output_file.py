"""Writes a file whole or not at all, after a look at its name."""

from __future__ import annotations

import os
from pathlib import Path

from opyard.export.errors import ExportError


def check_out(out: Path, suffixes: tuple[str, str]) -> None:
    """Raises ExportError if `out` ends in neither of `suffixes` or its folder does not exist."""
    if not out.name.endswith(suffixes):
        raise ExportError(f'--out "{out}" ends in neither {suffixes[0]} nor {suffixes[1]}')
    if not out.parent.is_dir():
        raise ExportError(f'--out "{out}": the folder does not exist')


def write_whole(path: Path, data: bytes) -> None:
    """Writes `data` to `path` through a file beside it, so that no half file is left."""
    partial = path.with_name(path.name + f".{os.getpid()}.partial")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
