"""The commands `opyard profile calibrate` and `opyard profile score`."""

from __future__ import annotations

import argparse
import csv
import datetime
import io
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from opyard import _core
from opyard.calibration import calibrate as calibration
from opyard.calibration.calibrate import Calibration, calibrate
from opyard.calibration.device_text import device_text
from opyard.calibration.devices import graph_of, predict, read_device
from opyard.calibration.errors import CalibrationError
from opyard.calibration.kernels import is_known
from opyard.calibration.rows import Row, read_rows
from opyard.calibration.scores import scores_by_class, scores_text
from opyard.export.arguments import Parser
from opyard.export.output_file import write_whole

_BAD_INPUT = 2
_NOTHING_HELD = 1
_EXTRA = "pip install opyard[calibrate]"


def run_calibrate(arguments: Sequence[str]) -> int:
    """Runs `profile calibrate`; returns the exit status: 1 if every block was refused."""
    return _run(_calibrate, _calibrate_parser(), arguments)


def run_score(arguments: Sequence[str]) -> int:
    """Runs `profile score`; returns the exit status."""
    return _run(_score, _score_parser(), arguments)


def _run(work: Any, parser: argparse.ArgumentParser, arguments: Sequence[str]) -> int:
    args = parser.parse_args(list(arguments[2:]))
    try:
        return int(work(args))
    except ModuleNotFoundError as error:
        print(f"{parser.prog}: needs {error.name}: {_EXTRA}", file=sys.stderr)
    except (CalibrationError, _core.Error) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
    except OSError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
    return _BAD_INPUT


def _add_measurements(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--measurements",
        required=True,
        action="append",
        type=Path,
        metavar="CSV",
        help="measured kernels, perhaps .gz; may be given again",
    )
    parser.add_argument(
        "--label",
        action="append",
        default=[],
        metavar="L",
        help="only rows of this device, as the column `device` names it; may be given again",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")


def _calibrate_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="opyard profile calibrate",
        description="Fits the cost model's parameters of a device to measured kernels and writes "
        "the device file with them. Prints the errors on 30 % of the shapes, which the fit does "
        "not see; what is written is then fitted to all rows. A block of 30 rows or more whose "
        "median error there is beyond 25 % is refused and stays as it was.",
        epilog="Example: opyard profile calibrate --measurements rows.csv --device mine.yaml "
        "--out fitted.yaml",
    )
    _add_measurements(parser)
    parser.add_argument(
        "--device", required=True, metavar="PROFILE", help="a device file, or a shipped device"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="YAML", help="file to write")
    parser.add_argument("--name", metavar="N", help="name of the new device; default: the same")
    return parser


def _score_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="opyard profile score",
        description="Compares what the cost model predicts on a device with measured kernels: "
        "rows, mean and median absolute error for each op, element type and pass.",
        epilog="Example: opyard profile score a100-sxm4-80gb --measurements rows.csv",
    )
    parser.add_argument("profile", metavar="YAML", help="a device file, or a shipped device")
    _add_measurements(parser)
    parser.add_argument(
        "--predictions", type=Path, metavar="CSV", help="also write the rows with `predicted_us`"
    )
    return parser


def _calibrate(args: argparse.Namespace) -> int:
    device = read_device(args.device)
    if args.name:
        device["name"] = args.name
    rows = read_rows(args.measurements, args.label)
    labels = ", ".join(sorted({row.label or "a device without a name" for row in rows}))
    _show(f"{len(rows)} rows of {labels}, for {device['name']}")
    found = calibrate(device, rows, lambda text: _show(f"  {text}"))
    files = ", ".join(path.name for path in args.measurements)
    files += f" ({', '.join(args.label)})" if args.label else ""
    today = datetime.date.today().isoformat()
    entries = calibration.provenance_of(found, files, today)
    written = bool(entries)
    if written:
        text = device_text(calibration.with_provenance(found.device, entries))
        write_whole(args.out, text.encode())
    print(json.dumps(_answer(args, found, written)) if args.json else _text(args, found, written))
    _warn(found)
    return 0 if written else _NOTHING_HELD


def _show(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _warn(found: Calibration) -> None:
    """Says what was not written, and what was although its error is large or not known."""
    few = [report.name for report in found.reports if not report.form]
    if few:
        print(f"warning: not fitted, too few rows: {', '.join(few)}", file=sys.stderr)
    for report in found.reports:
        if report.form and not report.is_written:
            print(f"warning: {report.name}: not written: {report.reason}", file=sys.stderr)
        elif report.form and not report.median <= calibration.REFUSED_MEDIAN:
            what = "not known" if math.isnan(report.median) else f"{report.median:.0%}"
            text = f"warning: {report.name}: written, though its median error is {what}"
            print(text, file=sys.stderr)


def _answer(args: argparse.Namespace, found: Calibration, written: bool) -> dict[str, Any]:
    return {
        "out": str(args.out) if written else None,
        "blocks": [
            {
                "block": report.name,
                "form": report.form,
                "rows": report.rows,
                "held_back": report.held_back,
                "mape": None if math.isnan(report.mape) else report.mape,
                "median_ape": None if math.isnan(report.median) else report.median,
                "written": report.is_written,
                "reason": report.reason,
            }
            for report in found.reports
        ],
        "skipped": found.skipped,
    }


def _text(args: argparse.Namespace, found: Calibration, written: bool) -> str:
    head = f"{'block':<34}{'rows':>6}{'held back':>11}{'MAPE [%]':>10}{'median [%]':>12}  form"
    lines = [head]
    for report in (report for report in found.reports if report.form):
        mark = report.form if report.is_written else f"refused: {report.reason}"
        lines.append(
            f"{report.name:<34}{report.rows:>6}{report.held_back:>11}{_percent(report.mape):>10}"
            f"{_percent(report.median):>12}  {mark}"
        )
    lines += [f"not used: {count} rows: {reason}" for reason, count in found.skipped.items()]
    lines.append(f"wrote {args.out}" if written else "nothing written: every block was refused")
    return "\n".join(lines)


def _percent(fraction: float) -> str:
    return "-" if math.isnan(fraction) else f"{100 * fraction:.1f}"


def _score(args: argparse.Namespace) -> int:
    device = read_device(args.profile)
    rows = read_rows(args.measurements, args.label)
    known = [row for row in rows if is_known(row)]
    predicted = predict(graph_of(known), device) if known else np.zeros(0)
    scores = scores_by_class(known, predicted)
    if args.predictions is not None:
        write_whole(args.predictions, _predictions(rows, known, predicted).encode())
    left_out = len(rows) - len(known)
    if args.json:
        print(json.dumps({"rows": len(known), "classes": [score.to_dict() for score in scores]}))
    else:
        print(scores_text(scores))
    if left_out:
        print(f"warning: {left_out} rows of ops without an equation", file=sys.stderr)
    return 0


def _predictions(rows: Sequence[Row], known: Sequence[Row], predicted: Any) -> str:
    """The rows as they came, and `predicted_us`, which is empty where there is no equation."""
    seconds = {id(row): float(value) for row, value in zip(known, predicted, strict=True)}
    names = list(dict.fromkeys(name for row in rows for name in row.cells))
    text = io.StringIO()
    writer = csv.DictWriter(text, [*names, "predicted_us"], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        value = seconds.get(id(row))
        cell = "" if value is None else f"{value * 1e6:.6g}"
        writer.writerow({**row.cells, "predicted_us": cell})
    return text.getvalue()
