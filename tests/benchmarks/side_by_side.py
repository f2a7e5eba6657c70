"""SimGrid and opyard on the same graphs, placements and machine: python side_by_side.py

Max-min fair sharing on a star, FIFO queues, one transfer per tensor and destination. Needs SimGrid
(Debian: libsimgrid-dev) and g++. SimGrid runs with every correction factor off and with the exact
solver: its default ("Lazy") is not max-min with latencies. Only the simulation itself is timed, in
SimGrid's program and in opyard's evaluator on one thread; each run has a placement of its own.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import opyard

HERE = Path(__file__).parent
BANDWIDTH_BYTES_PER_S = 16e9
LATENCY_S = 1e-5
OPTIONS = [
    "network/model:CM02",
    "network/optim:Full",
    "network/crosstraffic:0",
    "network/TCP-gamma:0",
    "network/weight-S:0",
    "network/bandwidth-factor:1",
    "network/latency-factor:1",
]
NUM_PLACEMENTS = 3
CASES = [(1_000, 2), (1_000, 8), (10_000, 2), (10_000, 8)]  # ops, devices


class Case:
    """One random layered graph of two inputs per op, and some placements of it."""

    def __init__(self, num_ops: int, num_devices: int) -> None:
        rng = random.Random(num_ops)
        width = round(num_ops**0.5)
        self.num_devices = num_devices
        self.seconds = [round(rng.uniform(1e-4, 1e-3), 9) for _ in range(num_ops)]
        self.bytes = [4 * rng.randrange(10_000, 1_000_000) for _ in range(num_ops)]
        self.inputs = [
            sorted({rng.randrange(op - op % width - width, op - op % width) for _ in range(2)})
            if op >= width
            else []
            for op in range(num_ops)
        ]
        self.placements = [
            [rng.randrange(num_devices) for _ in range(num_ops)] for _ in range(NUM_PLACEMENTS)
        ]

    def write_graph(self, path: Path) -> None:
        ops = [
            {
                "name": f"op{op}",
                "type": "MatMul",
                "inputs": [[producer, 0] for producer in self.inputs[op]],
                "outputs": [{"bytes": self.bytes[op]}],
                "seconds": {"*": self.seconds[op]},
            }
            for op in range(len(self.seconds))
        ]
        graph = {"format": "opyard-graph/1", "name": "layered", "ops": ops}
        path.write_text(json.dumps(graph), encoding="utf-8")

    def write_machine(self, path: Path) -> None:
        links = "".join(
            f"  - {{name: l{i}, between: [gpu{i}, hub], bandwidth: 16 GB/s, latency: 10 us, "
            "duplex: full}\n"
            for i in range(self.num_devices)
        )
        path.write_text(
            "schema_version: 1\nname: star\n"
            f"devices: [{{name: gpu, type: p100-pcie-16gb, count: {self.num_devices}}}]\n"
            f"switches: [hub]\nlinks:\n{links}"
            "transfers: {sharing: fair}\nmemory: {on_exceed: ignore}\n",
            encoding="utf-8",
        )

    def write_dag(self, path: Path, placement: list[int]) -> None:
        edges = [(p, op) for op, producers in enumerate(self.inputs) for p in producers]
        lines = [f"{len(self.seconds)} {self.num_devices} {len(edges)}"]
        lines += [f"{s!r} {d}" for s, d in zip(self.seconds, placement, strict=True)]
        lines += [f"{p} {op} {self.bytes[p]}" for p, op in sorted(edges)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run_opyard(case: Case, folder: Path) -> tuple[list[float], float]:
    """The makespans, and the seconds per simulation."""
    case.write_graph(folder / "case.graph.json")
    case.write_machine(folder / "star.yaml")
    problem = opyard.Problem(str(folder / "case.graph.json"), str(folder / "star.yaml"))
    plans = [opyard.Plan(placement) for placement in case.placements]
    evaluator = opyard.Evaluator(problem, threads=1)
    evaluator.evaluate(plans[:1])
    begin = time.perf_counter()
    results = evaluator.evaluate(plans)
    seconds = (time.perf_counter() - begin) / len(plans)
    return [result["makespan_s"] for result in results], seconds


def run_simgrid(case: Case, program: Path, folder: Path) -> tuple[list[float], float]:
    makespans, spent = [], 0.0
    for placement in case.placements:
        case.write_dag(folder / "case.txt", placement)
        numbers = [str(folder / "case.txt"), repr(BANDWIDTH_BYTES_PER_S), repr(LATENCY_S)]
        options = [f"--cfg={option}" for option in OPTIONS]
        command = [str(program), *numbers, *options, "--log=root.thresh:error"]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        makespan, seconds = map(float, output.split())
        makespans.append(makespan)
        spent += seconds
    return makespans, spent / len(case.placements)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = folder / "star_dag"
        source = HERE / "simgrid" / "star_dag.cc"
        compiler = ["g++", "-std=c++17", "-O2", str(source), "-lsimgrid", "-o", str(program)]
        if subprocess.run(compiler, check=False).returncode != 0:
            sys.exit("needs g++ and SimGrid: apt-get install g++ libsimgrid-dev")
        print("| ops | devices | SimGrid, us | opyard, us | ratio | makespans differ by |")
        print("|---:|---:|---:|---:|---:|---:|")
        for num_ops, num_devices in CASES:
            case = Case(num_ops, num_devices)
            theirs, their_seconds = run_simgrid(case, program, folder)
            ours, our_seconds = run_opyard(case, folder)
            differ = max(abs(a - b) / a for a, b in zip(theirs, ours, strict=True))
            print(
                f"| {num_ops} | {num_devices} | {their_seconds * 1e6:,.0f} "
                f"| {our_seconds * 1e6:,.0f} | {their_seconds / our_seconds:.1f}x | {differ:.1e} |"
            )


if __name__ == "__main__":
    main()
