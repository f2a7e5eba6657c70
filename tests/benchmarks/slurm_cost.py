"""Measures what Slurm adds to a piece, for docs/scale-out.md; needs a Slurm that is idle.

python tests/python/executors/throwaway_slurm.py --usual-pace \
    python tests/benchmarks/slurm_cost.py quickstart --pieces 42
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from piece_cost import run_piece


def submit(words: list[str], folder: str) -> str:
    """Submits an array; returns its number."""
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    return ended.stdout.strip()


def seconds_of(job: str, start: float) -> float:
    """Waits until a job has ended; returns the seconds since `start`."""
    while True:
        listed = subprocess.run(
            ["squeue", "--noheader", f"--jobs={job}"], capture_output=True, text=True, check=False
        )
        if not listed.stdout:
            return time.monotonic() - start
        time.sleep(0.2)


def empty_array(count: int, at_once: int) -> float:
    """Seconds until an array of `count` jobs that do nothing has ended."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["sbatch", "--parsable", f"--array=1-{count}%{at_once}", "--output=/dev/null"]
        start = time.monotonic()
        return seconds_of(submit([*words, "--wrap=true"], folder), start)


def array_of_pieces(experiment: str, count: int, at_once: int) -> float:
    """Seconds until an array of pieces whose runs evaluate one plan each has ended."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["run", experiment, "--out", "made", "--executor", "slurm", "--no-training"]
        words += ["--pieces", str(count), "--at-once", str(at_once)]
        words += ["--set", "budget={evaluations: 1}"]
        command = [sys.executable, "-m", "opyard", *words]
        subprocess.run(command, cwd=folder, capture_output=True, check=True)
        pieces = Path(folder, "made", "pieces")
        log = f"--output={pieces}/logs/%A_%a.log"
        start = time.monotonic()
        job = submit(["sbatch", "--parsable", log, str(pieces / "pieces.sbatch")], folder)
        seconds = seconds_of(job, start)
        stores = list(pieces.glob("piece-*/results.sqlite"))
        if len(stores) != count:
            raise SystemExit(f"found {len(stores)} of {count} pieces")
        return seconds


def main() -> None:
    """Prints seconds of a job of an array, alone and with a piece in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("experiment")
    parser.add_argument("--pieces", type=int, required=True, help="as many as there are runs")
    parser.add_argument("--at-once", type=int, default=1)
    args = parser.parse_args()
    count, at_once = args.pieces, args.at_once
    empty = empty_array(count, at_once) * at_once / count
    print(f"a job of an array that does nothing: {empty:.2f} s of a slot", flush=True)
    piece = array_of_pieces(args.experiment, count, at_once) * at_once / count
    print(f"a job of an array that runs a piece: {piece:.2f} s of a slot", flush=True)
    start = time.monotonic()
    processor = [run_piece(args.experiment, f"{each}/{count}")[0] for each in range(1, 6)]
    alone = (time.monotonic() - start) / len(processor)
    print(f"a piece without Slurm: {alone:.2f} s, of the processor {sorted(processor)[2]:.2f} s")


if __name__ == "__main__":
    main()
