"""The command `opyard compare --measured CSV...`: measured times of plans beside simulated ones."""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opyard import _core
from opyard.compare.errors import CompareError
from opyard.export.arguments import Parser

_BAD_INPUT = 2
_TITLES = ("graph", "devices", "plans", "spread", "MAPE", "bias", "tau", "top-1 regret")


def make_parser() -> argparse.ArgumentParser:
    """The parser of everything behind `opyard`."""
    parser = Parser(
        prog="opyard compare",
        description="Puts the measured step times of plans, rows that `opyard execute --csv` "
        "wrote, beside the simulated ones: errors (MAPE and signed bias), Kendall's tau of the "
        "two orders of plans, and what the plan that simulates fastest loses to the one that "
        "measures fastest. docs/run-a-plan.md walks through it.",
        epilog="Example: opyard compare --measured rows.csv --out report",
    )
    parser.add_argument(
        "--measured", nargs="+", type=Path, required=True, metavar="CSV", help="files of rows"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="folder for measured.svg, measured.csv"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """Runs the subcommand; `arguments` begin with "compare". Returns the exit status: 0 or 2."""
    args = make_parser().parse_args(list(arguments[1:]))
    try:
        _check()
        answer = _answer(args)
    except (CompareError, _core.Error) as error:
        print(f"opyard compare: {error}", file=sys.stderr)
        return _BAD_INPUT
    print(json.dumps(answer, allow_nan=False) if args.json else _text(answer))
    return 0


def _check() -> None:
    lacking = [name for name in ("scipy", "matplotlib") if importlib.util.find_spec(name) is None]
    if lacking:
        raise CompareError(
            f"--measured needs {' and '.join(lacking)}, which is not installed here: "
            "pip install 'opyard[report]'"
        )


def _answer(args: argparse.Namespace) -> dict[str, Any]:
    from opyard.compare.measured import agreement_of, groups_of, read_measured

    plans, left_out = read_measured(args.measured)
    if not plans:
        raise CompareError("--measured: found no row of a step with right results")
    groups = groups_of(plans)
    answer = {
        "groups": [
            {"graph": graph, "hardware": hardware, "devices": devices}
            | dataclasses.asdict(agreement_of(group))
            for (graph, hardware, devices), group in groups.items()
        ],
        "left_out": left_out,
    }
    if args.out is not None:
        _write(args.out, answer, groups)
    return answer


def _write(folder: Path, answer: dict[str, Any], groups: dict[Any, Any]) -> None:
    from opyard.compare.measured_plot import scatter_svg
    from opyard.compare.output import csv_text

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CompareError(f'--out "{folder}": {error.strerror}') from error
    _core.write_output(folder / "measured.svg", scatter_svg(groups).encode())
    _core.write_output(folder / "measured.csv", csv_text(answer["groups"]).encode())


def table_rows(answer: dict[str, Any]) -> list[list[str]]:
    """The groups of an answer as cells, under their titles."""
    rows = [list(_TITLES)]
    for group in answer["groups"]:
        tau = group["kendall_tau"]
        rows.append(
            [
                group["graph"],
                group["devices"],
                str(group["num_plans"]),
                f"{group['spread']:.2f}",
                f"{group['mape']:.1%}",
                f"{group['bias']:+.1%}",
                "-" if tau is None else f"{tau:.2f}",
                f"{group['top1_regret']:.1%}",
            ]
        )
    return rows


def _text(answer: dict[str, Any]) -> str:
    rows = table_rows(answer)
    widths = [max(len(row[i]) for row in rows) for i in range(len(_TITLES))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in rows]
    if answer["left_out"]:
        lines.append(f"{answer['left_out']} rows of steps with wrong results are left out")
    return "\n".join(line.rstrip() for line in lines)
