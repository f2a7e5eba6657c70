"""Measures a piece's own cost: its start, graphs and store, for docs/scale-out.md.

python tests/benchmarks/piece_cost.py quickstart --pieces 42
python tests/benchmarks/piece_cost.py go-small --pieces 616
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def run_piece(experiment: str, shard: str) -> tuple[float, int]:
    """Processor seconds and bytes of a piece whose runs evaluate one plan each."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "piece")
        words = ["run", experiment, "--shard", shard, "--out", str(out), "--quiet", "--no-training"]
        before = os.times()
        subprocess.run(
            [sys.executable, "-m", "opyard", *words, "--set", "budget={evaluations: 1}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        after = os.times()
        seconds = (
            after.children_user
            - before.children_user
            + after.children_system
            - before.children_system
        )
        return seconds, (out / "results.sqlite").stat().st_size


def main() -> None:
    """Prints the medians of five pieces."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("experiment")
    parser.add_argument("--pieces", type=int, required=True, help="as many as there are runs")
    args = parser.parse_args()
    found = [run_piece(args.experiment, f"{piece}/{args.pieces}") for piece in range(1, 6)]
    seconds, size = sorted(found)[2]
    print(f"{args.experiment}: {seconds:.2f} CPU s, {size / 1000:.0f} kB a piece of one run")


if __name__ == "__main__":
    main()
