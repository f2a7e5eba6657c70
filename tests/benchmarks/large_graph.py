"""A million ops, loaded and run: python large_graph.py [OPS]  (Linux: memory is read from /proc)

Prints the seconds that loading and one run of a random plan take, and the resident memory of graph
and problem in bytes per op: while they are made, at most, and once they stand.
"""

import ctypes
import os
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

import opyard

MACHINE = """\
schema_version: 1
name: roomy
devices: [{name: gpu, type: p100-pcie-16gb, memory: 1024 TiB, count: 4}]
switches: [hub]
links:
"""
LINK = (
    "  - {{name: l{0}, between: [gpu{0}, hub], bandwidth: 16 GB/s, latency: 5 us, duplex: full}}\n"
)


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def resident_bytes() -> int:
    """Without what the allocator only keeps for later."""
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    num_ops = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(MACHINE + "".join(LINK.format(i) for i in range(4)))
        file.flush()
        measure(num_ops, file.name)


def measure(num_ops: int, machine: str) -> None:
    before = resident_bytes()
    begin = time.perf_counter()
    problem = opyard.Problem(
        f"random:layered?n={num_ops}&seed=1&variables=0&backward=0", machine, fusion="none"
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
