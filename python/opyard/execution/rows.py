"""Rows of measured plans: a CSV file that grows by a row per run."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from opyard.execution.errors import ExecutionError

COLUMNS = (
    "graph",
    "hardware",
    "plan",
    "devices",
    "simulated_s",
    "median_s",
    "spread_s",
    "repetitions",
    "matches_undivided",
    "difference",
    "transfers",
    "peak_memory_bytes",
)


def append_row(path: Path, row: dict[str, Any]) -> None:
    """Appends `row`, which has all of `COLUMNS`; a new file gets its title line first.

    Raises:
        ExecutionError: The file has other columns, or cannot be written.
    """
    try:
        is_new = not path.exists() or path.stat().st_size == 0
        if not is_new:
            with path.open(encoding="utf-8", newline="") as file:
                found = next(csv.reader(file), [])
            if tuple(found) != COLUMNS:
                raise ExecutionError(
                    f'--csv "{path}" has the columns {", ".join(found)}, '
                    f"expected {', '.join(COLUMNS)}"
                )
        with path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            if is_new:
                writer.writeheader()
            writer.writerow(row)
    except OSError as error:
        raise ExecutionError(f'--csv "{path}": {error.strerror}') from error
