"""opyard, a tight C++ loop and SimGrid on the same graphs, plans and machine: `./dev bench rivals`

Layered graphs of two inputs an op on a star of devices, every op on a random device with a random
priority of 0 to 19, one transfer per tensor and destination. Only the simulation itself is timed,
on one thread: of the loop (`rivals/tight_loop.cc`: this one kind of machine, no memory) and of
SimGrid (`rivals/simgrid_star.cc`) in their programs, of opyard through the Python evaluator, with
memory counted. Each run has a plan of its own; the three take turns, and of each the best round
counts. SimGrid runs with every correction factor off and with the exact solver: its default
("Lazy") is not max-min with latencies. Needs SimGrid (Debian: libsimgrid-dev) and g++.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import opyard

RIVALS = Path(__file__).with_name("rivals")
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
OP_COUNTS = (1_000, 10_000, 80_000)
DEVICE_COUNTS = (2, 8)
OPS_PER_ROUND = 400_000  # of opyard and the loop; SimGrid runs one plan a round
HEAD = (
    "| links | ops | devices | loop, us | opyard, us | SimGrid, us | opyard : loop "
    "| SimGrid : opyard | makespans differ by |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|"
)


@dataclass
class Plan:
    device: list[int]
    priority: list[int]


class Case:
    """One random layered graph, and plans for it."""

    def __init__(self, sharing: str, num_ops: int, num_devices: int) -> None:
        rng = random.Random(num_ops)
        width = round(num_ops**0.5)
        self.sharing = sharing
        self.num_devices = num_devices
        self.picoseconds = [rng.randrange(10**8, 10**9) for _ in range(num_ops)]
        self.bytes = [4 * rng.randrange(10_000, 1_000_000) for _ in range(num_ops)]
        self.inputs = [
            sorted({rng.randrange(op - op % width - width, op - op % width) for _ in range(2)})
            if op >= width
            else []
            for op in range(num_ops)
        ]
        self.plans = [
            Plan(
                [rng.randrange(num_devices) for _ in range(num_ops)],
                [rng.randrange(20) for _ in range(num_ops)],
            )
            for _ in range(max(OPS_PER_ROUND // num_ops, 4))
        ]

    def write_graph(self, path: Path) -> None:
        ops = [
            {
                "name": f"op{op}",
                "type": "MatMul",
                "inputs": [[producer, 0] for producer in self.inputs[op]],
                "outputs": [{"bytes": self.bytes[op]}],
                "seconds": {"*": self.picoseconds[op] * 1e-12},
            }
            for op in range(len(self.inputs))
        ]
        graph = {"format": "opyard-graph/1", "name": "layered", "ops": ops}
        path.write_text(json.dumps(graph), encoding="utf-8")

    def write_machine(self, path: Path) -> None:
        links = "".join(
            f"  - {{name: l{i}, between: [gpu{i}, hub], bandwidth: {BANDWIDTH_BYTES_PER_S / 1e9} "
            f"GB/s, latency: {LATENCY_S / 2 * 1e6} us, duplex: full}}\n"
            for i in range(self.num_devices)
        )
        path.write_text(
            "schema_version: 1\nname: star\ndevices: [{name: gpu, type: p100-pcie-16gb, memory: "
            f"1024 TiB, count: {self.num_devices}}}]\nswitches: [hub]\nlinks:\n{links}"
            f"transfers: {{sharing: {self.sharing}}}\n",
            encoding="utf-8",
        )

    def write_words(self, path: Path) -> None:
        """The form that the programs in `rivals` read."""
        edges = sorted((p, op) for op, producers in enumerate(self.inputs) for p in producers)
        lines = [
            f"{self.sharing} {BANDWIDTH_BYTES_PER_S!r} {LATENCY_S!r}",
            f"{len(self.inputs)} {self.num_devices} {len(edges)} {len(self.plans)}",
            " ".join(map(str, self.picoseconds)),
            *(f"{p} {op} {self.bytes[p]}" for p, op in edges),
        ]
        for plan in self.plans:
            lines += [" ".join(map(str, plan.device)), " ".join(map(str, plan.priority))]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@dataclass
class Round:
    """The results of one round of one program: the makespans of its first plans, and its speed."""

    makespans: list[float]
    seconds_per_run: float


def run_program(command: list[str]) -> Round:
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [tuple(map(float, line.split())) for line in output.splitlines()]
    return Round([row[0] for row in rows], sum(row[1] for row in rows) / len(rows))


class Opyard:
    """The evaluator of one case, on one thread."""

    def __init__(self, case: Case, folder: Path) -> None:
        case.write_graph(folder / "case.graph.json")
        case.write_machine(folder / "star.yaml")
        problem = opyard.Problem(str(folder / "case.graph.json"), str(folder / "star.yaml"))
        self.plans = [opyard.Plan(p.device, op_priority=p.priority) for p in case.plans]
        self.evaluator = opyard.Evaluator(problem, threads=1)
        self.evaluator.evaluate(self.plans[-1:])

    def run(self) -> Round:
        begin = time.perf_counter()
        results = self.evaluator.evaluate(self.plans)
        seconds = (time.perf_counter() - begin) / len(self.plans)
        return Round([result["makespan_s"] for result in results], seconds)


def measure(case: Case, programs: Path, folder: Path, rounds: int) -> str:
    """The row of the table."""
    words = folder / "case.txt"
    case.write_words(words)
    ours = Opyard(case, folder)
    options = [*(f"--cfg={option}" for option in OPTIONS), "--log=root.thresh:error"]
    best = [float("inf")] * 3
    differ = 0.0
    for i in range(rounds):
        found = [
            run_program([str(programs / "tight_loop"), str(words)]),
            ours.run(),
            run_program([str(programs / "simgrid_star"), str(words), str(i), *options]),
        ]
        best = [min(b, f.seconds_per_run) for b, f in zip(best, found, strict=True)]
        mine = found[1].makespans
        others = [*zip(found[0].makespans, mine, strict=True), (found[2].makespans[0], mine[i])]
        differ = max([differ, *(abs(a - b) / b for a, b in others)])
    loop, our, simgrid = best
    return (
        f"| {case.sharing} | {len(case.inputs)} | {case.num_devices} | {loop * 1e6:,.0f} "
        f"| {our * 1e6:,.0f} | {simgrid * 1e6:,.0f} | {our / loop:.2f} | {simgrid / our:.1f} "
        f"| {differ:.0e} |"
    )


def compile_programs(folder: Path) -> None:
    for name, libraries in (("tight_loop", []), ("simgrid_star", ["-lsimgrid"])):
        source = str(RIVALS / f"{name}.cc")
        include = f"-I{RIVALS.parents[2]}"
        command = [
            "g++",
            "-std=c++17",
            "-O3",
            include,
            source,
            *libraries,
            "-o",
            str(folder / name),
        ]
        if subprocess.run(command, check=False).returncode != 0:
            sys.exit("needs g++ and SimGrid: apt-get install g++ libsimgrid-dev")


def rows(rounds: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compile_programs(folder)
        for sharing in ("serial", "fair"):
            for num_ops in OP_COUNTS:
                for num_devices in DEVICE_COUNTS:
                    yield measure(Case(sharing, num_ops, num_devices), folder, folder, rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, choices=(1, 2, 3, 4), metavar="1-4")
    arguments = parser.parse_args()
    print(HEAD)
    for row in rows(arguments.rounds):
        print(row, flush=True)


if __name__ == "__main__":
    main()
