#!/usr/bin/env python3
"""Lays out public sets of graphs as experiments/configs/{stg,sinnen,doppler}.yaml expect them.

    python scripts/public_sets.py FROM [--out public_sets]

FROM holds the sets as they were collected: stg/50/*.stg and sinnen/*.gxl, each set with a table
`optima.csv` of lengths in units of time. The graphs are copied, and each table becomes one that the
key `optima` of an experiment reads (docs/formats.md, "Optima"). doppler/compute_graph/*.txt have no
such table and are copied. The sets are not ours to give away: keep the copies out of the
repository.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Columns:
    """The names of the columns of a set's table."""

    graph: str
    least: str  # no schedule is shorter
    best: str  # a schedule is as short


SETS = {
    "stg": Columns(graph="graph", least="lower", best="best"),
    "sinnen": Columns(graph="file", least="proven_length", best="published_length"),
}


def seconds(units: int) -> str:
    """A length in units of time, of which one is a millisecond, without rounding."""
    return f"{units // 1000}.{units % 1000:03d}"


def optima(table: Path, columns: Columns) -> list[dict[str, str]]:
    """The rows of `table` as an experiment reads them."""
    with table.open(newline="", encoding="utf-8") as file:
        return [
            {
                "graph": row[columns.graph],
                "machine": f"processors-{row['processors']}",
                "makespan_s": seconds(int(row[columns.best])),
                "proven": "true" if row[columns.least] == row[columns.best] else "false",
            }
            for row in csv.DictReader(file)
        ]


def lay_out(source: Path, out: Path, columns: Columns) -> str:
    """Copies the graphs of one set and writes its table; says what it did."""
    rows = optima(source / "optima.csv", columns)
    graphs = sorted({row["graph"] for row in rows})
    for graph in graphs:
        (out / graph).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / graph, out / graph)
    with (out / "optima.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    proven = sum(row["proven"] == "true" for row in rows)
    return f"{out}: {len(graphs)} graphs, {len(rows)} step times, {proven} proven optimal"


def copy_graphs(source: Path, out: Path) -> str:
    """Copies the graphs of DOPPLER; says what it did."""
    graphs = sorted(source.glob("*.txt"))
    out.mkdir(parents=True, exist_ok=True)
    for graph in graphs:
        shutil.copyfile(graph, out / graph.name)
    return f"{out}: {len(graphs)} graphs"


def main() -> int:
    """Lays out every set that FROM holds; status 1 if it holds none."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", metavar="FROM", type=Path)
    parser.add_argument("--out", type=Path, default=Path("public_sets"))
    arguments = parser.parse_args()
    found = 0
    for name, columns in SETS.items():
        if (arguments.source / name / "optima.csv").is_file():
            print(lay_out(arguments.source / name, arguments.out / name, columns))
            found += 1
        else:
            print(f"{arguments.source / name}: no optima.csv, left out", file=sys.stderr)
    doppler = arguments.source / "doppler" / "compute_graph"
    if doppler.is_dir():
        print(copy_graphs(doppler, arguments.out / "doppler"))
        found += 1
    else:
        print(f"{doppler}: no folder, left out", file=sys.stderr)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
