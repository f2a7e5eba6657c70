"""A million ops, loaded and run: python large_graph.py [OPS]  (Linux: memory is read from /proc)

Prints the seconds that loading and one run of a random plan take, and the resident memory of graph
and problem in bytes per op: while they are made, at most, and once they stand.
"""

import ctypes
import os
import random
import resource
import sys
import time
from pathlib import Path

import opyard

MACHINE = "p100x4-pcie"


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def resident_bytes() -> int:
    """Without what the allocator only keeps for later."""
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    num_ops = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    before = resident_bytes()
    begin = time.perf_counter()
    problem = opyard.Problem(
        f"random:layered?n={num_ops}&seed=1&variables=0&backward=0", MACHINE, fusion="none"
    )
    loaded_s = time.perf_counter() - begin
    at_most, standing = peak_bytes() - before, resident_bytes() - before
    rng = random.Random(1)
    plan = opyard.Plan([rng.randrange(4) for _ in range(num_ops)])
    evaluator = opyard.Evaluator(problem, threads=1)
    begin = time.perf_counter()
    (result,) = evaluator.evaluate([plan])
    run_s = time.perf_counter() - begin
    print(
        f"{num_ops} ops: {result['outcome']}; loaded in {loaded_s:.1f} s, {standing / num_ops:.0f} "
        f"bytes per op (at most {at_most / num_ops:.0f}); first run {run_s:.2f} s"
    )


if __name__ == "__main__":
    main()
