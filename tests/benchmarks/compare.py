"""Compares the simulator's speed with tests/benchmarks/baseline.json: `./dev bench --quick`.

Speeds are taken as multiples of a pure-Python loop that is timed between the rounds of the same
run, so that the figures of two machines can be compared at all. What else runs on a machine only
slows, so of case and loop the fastest run in all rounds counts. `--write` makes the present
figures the baseline. Status 1 if a case is slower than 0.7 of its baseline.
"""

import argparse
import json
import subprocess
from pathlib import Path

from python_loop import ops_per_second

BASELINE = Path(__file__).with_name("baseline.json")
LEAST_RATIO = 0.7
KEYS = ("case", "ops", "devices", "sharing", "channels", "threads")


def name_of(case: dict) -> str:
    return " ".join(str(case[key]) for key in KEYS)


def measure(program: str) -> dict[str, float]:
    """Ops per second of each case, in one round."""
    command = [program, "bench", "sim", "--quick", "--json"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {name_of(case): case["ops_per_second"] for case in json.loads(output)}


def measure_rounds(program: str, rounds: int) -> dict[str, float]:
    """The best speed of each case as a multiple of the loop's best."""
    loop = [ops_per_second()]
    best: dict[str, float] = {}
    for _ in range(rounds):
        for name, speed in measure(program).items():
            best[name] = max(speed, best.get(name, 0.0))
        loop.append(ops_per_second())
    print(f"Python loop: {min(loop) / 1e6:.3f} to {max(loop) / 1e6:.3f} M ops/s")
    if min(loop) < 0.8 * max(loop):
        print("warning: the machine was not steady: single figures may be too low")
    return {name: speed / max(loop) for name, speed in best.items()}


def compare(found: dict[str, float], baseline: dict[str, float]) -> int:
    slower = 0
    print(f"{'case':<45} {'x loop':>8} {'baseline':>9} {'ratio':>6}")
    for name, speed in found.items():
        before = baseline.get(name)
        ratio = f"{speed / before:6.2f}" if before else "   new"
        print(f"{name:<45} {speed:8.2f} {before or 0.0:9.2f} {ratio}")
        slower += bool(before) and speed < LEAST_RATIO * before
    return slower


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="an opyard built with optimisation")
    parser.add_argument("--rounds", type=int, default=4, help="a minute each; default: %(default)s")
    parser.add_argument("--write", action="store_true", help="make this run the baseline")
    arguments = parser.parse_args()
    found = measure_rounds(arguments.program, arguments.rounds)
    baseline = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {}
    slower = compare(found, baseline)
    if arguments.write:
        rounded = {name: round(speed, 3) for name, speed in found.items()}
        BASELINE.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")
    elif slower:
        raise SystemExit(f"{slower} cases are slower than {LEAST_RATIO} of the baseline")


if __name__ == "__main__":
    main()
