"""Compares the simulator's speed with tests/benchmarks/baseline.json: `./dev bench --quick`.

Speeds are taken as multiples of a pure-Python loop that is timed before and after in the same run,
so that the figures of two machines, or of a busy and an idle one, can be compared at all; each
figure is the median of three such rounds. `--write` makes the present figures the baseline. Status 1 if a case is slower than 0.7 of its baseline.
"""

import argparse
import json
import subprocess
from pathlib import Path
from statistics import median

from python_loop import ops_per_second

BASELINE = Path(__file__).with_name("baseline.json")
LEAST_RATIO = 0.7
KEYS = ("case", "ops", "devices", "sharing", "channels", "threads")


def name_of(case: dict) -> str:
    return " ".join(str(case[key]) for key in KEYS)


def measure(program: str) -> dict[str, float]:
    """Each case's speed as a multiple of the Python loop's, in one round."""
    before = ops_per_second()
    command = [program, "bench", "sim", "--quick", "--json"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = ops_per_second()
    unit = (before + after) / 2
    print(f"Python loop: {before / 1e6:.3f} M ops/s before, {after / 1e6:.3f} after")
    if min(before, after) < 0.8 * max(before, after):
        print("warning: the machine was not steady: these figures say little")
    return {name_of(case): case["ops_per_second"] / unit for case in json.loads(output)}


def measure_rounds(program: str, rounds: int) -> dict[str, float]:
    """Each case's median over the rounds."""
    found = [measure(program) for _ in range(rounds)]
    return {name: median(speeds[name] for speeds in found) for name in found[0]}


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
    parser.add_argument("--write", action="store_true", help="make this run the baseline")
    arguments = parser.parse_args()
    found = measure_rounds(arguments.program, rounds=3)
    baseline = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {}
    slower = compare(found, baseline)
    if arguments.write:
        rounded = {name: round(speed, 3) for name, speed in found.items()}
        BASELINE.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")
    elif slower:
        raise SystemExit(f"{slower} cases are slower than {LEAST_RATIO} of the baseline")


if __name__ == "__main__":
    main()
