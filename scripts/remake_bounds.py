#!/usr/bin/env python3
"""Remakes the column `lower_bound_s` of a table of best known plans, without searches.

    .venv/bin/python scripts/remake_bounds.py docs/results/best_known.csv

`opyard results best-known` writes the bound that its own version proves, once, when a problem comes
into the table. A later version may prove more.
"""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path

import opyard


def bound_of(row: dict[str, str]) -> float:
    """A step time that no plan of the row's problem beats, in seconds."""
    return opyard.Problem(
        row["graph"],
        row["machine"],
        tasks=row["tasks"].split(","),
        objective=row["objective"],
        queue=row["queue"],
        fusion=row["fusion"],
        group="none",
    ).problem_bound_s


def remade(text: str) -> str:
    """The table with the bounds of today; all else stays."""
    rows = list(csv.DictReader(text.splitlines()))
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        seconds = bound_of(row)
        if seconds > float(row["makespan_s"]):
            raise SystemExit(f"{row['graph']}: {seconds} s is above the plan of the table")
        before = float(row["lower_bound_s"])
        print(f"{row['graph']}, {row['tasks']}: {before:.12f} -> {seconds:.12f}")
        writer.writerow({**row, "lower_bound_s": f"{seconds:.12f}"})
    return out.getvalue()


def main() -> None:
    """Writes the table in its place."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path)
    table = parser.parse_args().table
    table.write_text(remade(table.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
