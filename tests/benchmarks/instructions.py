"""Instructions per simulated op, case by case: `./dev bench instructions`

Runs `engine_runs` under callgrind twice a case, with N plans and with 2 N; what the second took
more, divided by N plans and their ops, is what an op takes. Nothing else on the machine matters,
and equal binaries give equal figures, so a change of a per cent is real. `--write FILE` keeps the
figures; `--against FILE` compares with figures kept before, of the same compiler: status 1 if a
case takes 1.02 times as many or gives another result.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_RATIO = 1.02


def count(program: str, case: str, runs: int) -> tuple[int, int, str]:
    """Instructions of the whole process, ops of the graph, and a checksum of the results."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={Path(folder) / 'out'}"]
        done = subprocess.run(
            [*command, program, case, str(runs)], check=True, capture_output=True, text=True
        )
    instructions = re.search(r"Collected : (\d+)", done.stderr)
    if instructions is None:
        raise RuntimeError(f"callgrind counted nothing:\n{done.stderr}")
    num_ops, checksum = done.stdout.split()
    return int(instructions.group(1)), int(num_ops), checksum


def measure(program: str, case: str, runs: int) -> dict:
    """Instructions per op, and what the runs gave."""
    few, num_ops, _ = count(program, case, runs)
    many, _, checksum = count(program, case, 2 * runs)
    return {"instructions": (many - few) / (runs * num_ops), "checksum": checksum}


def against(found: dict, before: dict | None) -> tuple[str, bool]:
    """The end of a line of the table, and whether the case got worse."""
    if before is None:
        return "     new", False
    ratio = found["instructions"] / before["instructions"]
    differs = found["checksum"] != before["checksum"]
    return f"{ratio:8.4f}" + ("  other results" if differs else ""), differs or ratio > MOST_RATIO


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="engine_runs of a Release build")
    parser.add_argument("cases", nargs="*", help="default: all")
    parser.add_argument("--runs", type=int, default=4, help="N, at most 8; default: %(default)s")
    parser.add_argument("--write", type=Path, help="keep the figures in this file")
    parser.add_argument("--against", type=Path, help="compare with the figures in this file")
    options = parser.parse_args()
    before = json.loads(options.against.read_text()) if options.against else {}
    cases = options.cases or subprocess.check_output([options.program], text=True).split()
    found = {}
    num_worse = 0
    print(f"{'case':<14} {'instructions/op':>16}" + ("   ratio" if before else ""), flush=True)
    for case in cases:
        found[case] = measure(options.program, case, options.runs)
        end, is_worse = against(found[case], before.get(case)) if before else ("", False)
        num_worse += is_worse
        print(f"{case:<14} {found[case]['instructions']:16.1f}{end}", flush=True)
    if options.write:
        options.write.write_text(json.dumps(found, indent=2) + "\n")
    sys.exit(num_worse > 0)


if __name__ == "__main__":
    main()
