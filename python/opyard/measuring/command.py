"""The command `opyard measure --model MODULE:FUNCTION --devices D,D --out DIR`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opyard import _core
from opyard.execution.command_options import (
    add_devices,
    add_model,
    add_seed_and_timeout,
    check_ranges,
)
from opyard.execution.errors import ExecutionError
from opyard.export.arguments import Parser
from opyard.export.command import OPTIMIZER_NAMES
from opyard.export.errors import ExportError, one_line

_BAD_INPUT = 2


def make_parser() -> argparse.ArgumentParser:
    """The parser of everything behind `opyard`."""
    parser = Parser(
        prog="opyard measure",
        description="Times the ops of a PyTorch step and the copies between devices: writes "
        "DIR/model.graph.json with the seconds of each op on each device, DIR/machine.yaml, and "
        "a file for each device. An interrupted command goes on where it stopped. "
        "docs/run-a-plan.md walks through it.",
        epilog="Example: opyard measure --model mine:step --devices cpu:0,cpu:1 --out measured",
    )
    add_model(parser)
    add_devices(parser)
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="folder")
    parser.add_argument(
        "--optimizer",
        choices=OPTIMIZER_NAMES,
        default="none",
        help="what applies the gradients, as of `opyard export torch`; default: none",
    )
    parser.add_argument("--forward", action="store_true", help="only the forward pass")
    parser.add_argument("--name", help="name of the graph; default: FUNCTION")
    parser.add_argument(
        "--seconds",
        type=float,
        default=30,
        metavar="S",
        help="of steps on each device, more if few do not fit; default: %(default)s",
    )
    add_seed_and_timeout(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """Runs the subcommand; `arguments` begin with "measure". Returns the exit status."""
    args = make_parser().parse_args(list(arguments[1:]))
    try:
        _check(args)
        answer = _measure(args)
    except (ExecutionError, ExportError, _core.Error) as error:
        print(f"opyard measure: {error}", file=sys.stderr)
        return _BAD_INPUT
    except OSError as error:
        print(f'opyard measure: --out "{args.out}": {one_line(error)}', file=sys.stderr)
        return _BAD_INPUT
    print(json.dumps(answer) if args.json else _text(args, answer))
    return 0


def _check(args: argparse.Namespace) -> None:
    """The checks before any work is done."""
    check_ranges(args, {"seconds": (0.1, 86_400), "timeout": (1, 86_400)}, "seconds")
    if args.forward and args.optimizer != "none":
        raise ExecutionError(
            f"--forward has no gradients that --optimizer {args.optimizer} could apply"
        )


def _measure(args: argparse.Namespace) -> dict[str, Any]:
    """Measures what is missing and writes the files; returns the answer."""
    from opyard.execution.devices import parse_devices
    from opyard.execution.execution import Session
    from opyard.execution.real_values import source_values
    from opyard.execution.tracing import trace_model
    from opyard.execution.workers import Workers
    from opyard.export.graph_writer import Graph
    from opyard.measuring import files
    from opyard.measuring.measurement import Effort, measure_all
    from opyard.measuring.store import Store, fingerprint_of

    began = time.monotonic()
    devices = parse_devices(args.devices)
    args.out.mkdir(parents=True, exist_ok=True)
    model = trace_model(args.model, args.optimizer, args.forward)
    values = source_values(args.model, model, args.seed)
    with Workers(devices, args.timeout) as workers:
        names = [device.name for device in devices]
        hardware = dict(zip(names, workers.hardware_names, strict=True))
        store = Store(args.out / "measurements.sqlite", fingerprint_of(model.program, hardware))
        session = Session(model.program, values, workers)
        effort = Effort(seconds_per_device=args.seconds)
        measure_all(model.program, session, workers, store, effort, _show)
    name = args.name or args.model.rpartition(":")[2]
    what = "--forward" if args.forward else f"--optimizer {args.optimizer}"
    graph = Graph(name, f"opyard measure --model {args.model} {what}", model.ops)
    files.write_measured_graph(args.out / "model.graph.json", graph, model.program, store, devices)
    files.write_machine(args.out, name, store, devices)
    return {
        "graph": str(args.out / "model.graph.json"),
        "machine": str(args.out / "machine.yaml"),
        "ops": len(model.ops),
        "step_s": {
            device.name: sum(files.measured_seconds(model.program, store, device).values())
            for device in devices
        },
        "hardware": hardware,
        "seconds": time.monotonic() - began,
    }


def _show(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _text(args: argparse.Namespace, answer: dict[str, Any]) -> str:
    lines = [
        f"{name:<10} {seconds * 1e3:.3f} ms for the undivided step; {answer['hardware'][name]}"
        for name, seconds in answer["step_s"].items()
    ]
    lines.append(
        f"{answer['graph']}: {answer['ops']} ops; {answer['machine']}; in {answer['seconds']:.0f} s"
    )
    return "\n".join(lines)
