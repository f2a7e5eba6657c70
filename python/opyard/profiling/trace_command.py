"""The command `opyard profile fit-trace TRACE --device BASE --out YAML`."""

from __future__ import annotations

import argparse
import csv
import datetime
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opyard import _core
from opyard.execution.errors import ExecutionError
from opyard.export.arguments import Parser
from opyard.profiling.device_values import yaml_text
from opyard.profiling.rows import COLUMNS, Row, check_device_name
from opyard.profiling.trace_fit import Finding, fit_device
from opyard.profiling.trace_rows import TraceReading, read_events

_BAD_INPUT = 2
_LISTED = 5  # kinds of ops that the answer names


def make_parser() -> argparse.ArgumentParser:
    """The parser of everything behind `opyard profile`."""
    parser = Parser(
        prog="opyard profile fit-trace",
        description="Reads a trace of PyTorch's profiler (export_chrome_trace, with record_shapes) "
        "of a step of yours: writes a device file, which is BASE with the launch time, the memory "
        "efficiency and the speed of heavy ops of the trace, and the times of kernels as "
        "opyard profile calibrate reads them. docs/measure-a-device.md says more.",
        epilog="Example: opyard profile fit-trace trace.json.gz --device a100-sxm4-80gb "
        "--out devices/mine.yaml --csv mine.csv",
    )
    parser.add_argument("trace", type=Path, metavar="TRACE", help="JSON, plain or .gz")
    parser.add_argument(
        "--device", required=True, metavar="BASE", help="device file or name to begin with"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="YAML", help="device file")
    parser.add_argument("--csv", type=Path, metavar="CSV", help="the kernels that were read")
    parser.add_argument("--name", help="of the device; default: that of BASE with -fitted")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """Runs the subcommand; `arguments` begin with "profile", "fit-trace". Returns the status."""
    args = make_parser().parse_args(list(arguments[2:]))
    try:
        answer = _fit(args)
    except (ExecutionError, _core.Error) as error:
        print(f"opyard profile fit-trace: {error}", file=sys.stderr)
        return _BAD_INPUT
    is_printed = [path for path in (args.out, args.csv) if path and _core.is_standard_output(path)]
    text_out = sys.stderr if is_printed else sys.stdout
    print(json.dumps(answer) if args.json else _text(answer), file=text_out)
    return 0


def _check(args: argparse.Namespace) -> None:
    """Refuses two answers on standard output."""
    words = {"--out -": args.out, "--csv -": args.csv}
    printed = [word for word, path in words.items() if path and _core.is_standard_output(path)]
    printed += ["--json"] if args.json else []
    if len(printed) > 1:
        raise ExecutionError(f"{' and '.join(printed)} print on standard output: choose one")


def _fit(args: argparse.Namespace) -> dict[str, Any]:
    _check(args)
    base = _core.device_values(args.device)
    name = args.name or f"{base['name']}-fitted"
    check_device_name(name)
    reading = read_events(_core.read_trace(args.trace), f'"{args.trace}"')
    if not reading.seconds:
        raise ExecutionError(f'"{args.trace}": no op of it was read: {_reasons(reading)}')
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    values, findings = fit_device(base, name, reading, {"date": today})
    _core.write_output(args.out, yaml_text(values).encode())
    if args.csv is not None:
        _core.write_output(args.csv, _csv_text(reading.rows(name)).encode())
    return _answer(args, name, reading, findings)


def _reasons(reading: TraceReading) -> str:
    return "; ".join(what for what, _ in reading.unread.most_common(_LISTED)) or "there is none"


def _csv_text(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _answer(
    args: argparse.Namespace, name: str, reading: TraceReading, findings: Sequence[Finding]
) -> dict[str, Any]:
    return {
        "device": name,
        "out": str(args.out),
        "csv": None if args.csv is None else str(args.csv),
        "measured": "kernels" if reading.has_kernels else "ops on the CPU",
        "rows": len(reading.seconds),
        "runs": sum(map(len, reading.seconds.values())),
        "read_s": reading.read_s,
        "total_s": reading.total_s,
        "fitted": [
            {"key": each.key, "value": each.value, "source": each.source} for each in findings
        ],
        "unread": [
            {"what": what, "runs": reading.unread_runs[what], "seconds": seconds}
            for what, seconds in reading.unread.most_common()
        ],
    }


def _text(answer: dict[str, Any]) -> str:
    share = answer["read_s"] / answer["total_s"] if answer["total_s"] else 0.0
    lines = [
        f"{answer['runs']} runs of {answer['rows']} different {answer['measured']}, "
        f"{share:.0%} of {answer['total_s'] * 1e3:.3f} ms"
    ]
    lines += [f"{each['key']}: {each['value']:.4g}, {each['source']}" for each in answer["fitted"]]
    if not answer["fitted"]:
        lines.append("nothing fitted: the trace shows no launches, large or heavy ops")
    unread = answer["unread"]
    if unread:
        lines.append(
            f"not read: {sum(each['runs'] for each in unread)} runs, "
            f"{sum(each['seconds'] for each in unread) * 1e3:.3f} ms, of them"
        )
        lines += [
            f"  {each['runs']} runs, {each['seconds'] * 1e3:.3f} ms: {each['what']}"
            for each in unread[:_LISTED]
        ]
    lines.append(f"{answer['out']}: the device {answer['device']}")
    if answer["csv"]:
        lines.append(f"{answer['csv']}: the kernels, for opyard profile calibrate")
    return "\n".join(lines)
