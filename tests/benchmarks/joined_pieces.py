"""Times the joining of the pieces of a large experiment, for docs/scale-out.md.

Makes pieces of a store by copying it, each with agents of other labels, so that every cell is
another one, and times `opyard results merge` on them:

    opyard run quickstart --out results/base --set 'seeds=[0, 1, 2, 3, 4, 5, 6, 7]'
    python tests/benchmarks/joined_pieces.py results/base --pieces 98
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_STORE = "results.sqlite"
_MERGE = (sys.executable, "-m", "opyard", "results", "merge")


def copy_pieces(base: Path, folder: Path, count: int) -> list[Path]:
    """Copies of the store of `base` as `count` pieces of one matrix."""
    with contextlib.closing(sqlite3.connect(base / _STORE)) as store:
        (text,) = store.execute("SELECT value FROM info WHERE key = 'matrix'").fetchone()
    matrix = json.loads(text)
    agents = matrix["agents"]
    matrix["agents"] = [
        {**agent, "label": f"{agent['label']}-{piece}"}
        for piece in range(1, count + 1)
        for agent in agents
    ]
    pieces = []
    for piece in range(1, count + 1):
        place = folder / f"piece-{piece}"
        place.mkdir()
        shutil.copy(base / _STORE, place / _STORE)
        with contextlib.closing(sqlite3.connect(place / _STORE)) as store, store:
            store.execute("UPDATE runs SET agent = agent || ?", (f"-{piece}",))
            for key, value in (("matrix", json.dumps(matrix)), ("shard", f"{piece}/{count}")):
                store.execute("INSERT OR REPLACE INTO info VALUES (?, ?)", (key, value))
        pieces.append(place)
    return pieces


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", type=Path, help="a results folder")
    parser.add_argument("--pieces", type=int, default=98)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pieces = copy_pieces(args.base, folder, args.pieces)
        sizes = sum((piece / _STORE).stat().st_size for piece in pieces)
        begin = time.monotonic()
        ended = subprocess.run(
            [*_MERGE, *map(str, pieces), "--out", str(folder / "joined"), "--json"],
            stdout=subprocess.PIPE,
            check=True,
        )
        seconds = time.monotonic() - begin
        answer = json.loads(ended.stdout)
        joined = (folder / "joined" / _STORE).stat().st_size
    runs = answer["runs"]
    print(f"{len(pieces)} pieces, {runs} runs, {answer['missing']} missing")
    print(f"joined in {seconds:.1f} s, {1000 * seconds / runs:.2f} s for 1,000 runs")
    print(
        f"{sizes / len(pieces) / 1000:.0f} kB a piece, {joined / runs / 1000:.1f} kB a run joined"
    )


if __name__ == "__main__":
    main()
