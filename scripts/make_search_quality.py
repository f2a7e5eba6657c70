"""Writes tests/python/search_quality.csv from the runs of the experiment search-quality.

Usage: python scripts/make_search_quality.py RESULTS

A row is a problem with the least step time that any run found. Rows that stand keep theirs where it
is less: several experiments may add to what is known.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import stored_runs

TABLE = Path(__file__).resolve().parent.parent / "tests" / "python" / "search_quality.csv"
FIELDS = ["graph", "hardware", "best_known_s"]


def _stored() -> dict[tuple[str, str], float]:
    if not TABLE.exists():
        return {}
    with TABLE.open(newline="") as lines:
        return {
            (row["graph"], row["hardware"]): float(row["best_known_s"])
            for row in csv.DictReader(lines)
        }


def main(results: str) -> None:
    """Joins the best of the runs in the folder `results` with the table."""
    best = _stored()
    for run in stored_runs.read_runs(Path(results)):
        if run.milliseconds is not None:
            problem = (run.graph, run.machine)
            best[problem] = min(best.get(problem, float("inf")), run.milliseconds * 1e-3)
    with TABLE.open("w", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(FIELDS)
        for (graph, hardware), seconds in sorted(best.items()):
            writer.writerow([graph, hardware, f"{seconds:.12g}"])


if __name__ == "__main__":
    main(sys.argv[1])
