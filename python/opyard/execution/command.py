"""The command `opyard execute PLAN --model MODULE:FUNCTION --graph G --hardware H --devices D`."""

from __future__ import annotations

import argparse
import json
import sys
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
from opyard.export.errors import ExportError

_BAD_INPUT = 2
_DIFFERS = 1


def make_parser() -> argparse.ArgumentParser:
    """The parser of everything behind `opyard`."""
    parser = Parser(
        prog="opyard execute",
        description="Runs a plan of a PyTorch step on real devices, one process each: times the "
        "step, and compares loss, gradients and updated variables with the undivided step's. "
        "docs/run-a-plan.md walks through it.",
        epilog="Example: opyard execute mine.plan.json --model mine:step --graph "
        "measured/model.graph.json --hardware measured/machine.yaml --devices cpu:0,cpu:1",
    )
    parser.add_argument("plan", metavar="PLAN")
    add_model(parser)
    parser.add_argument("--graph", required=True, metavar="G", help="the model's graph")
    parser.add_argument("--hardware", required=True, metavar="H", help="the plan's machine")
    add_devices(parser)
    parser.add_argument(
        "--repeat", type=int, default=20, metavar="N", help="steps timed; default: %(default)s"
    )
    parser.add_argument(
        "--warmup", type=int, default=3, metavar="N", help="steps before; default: %(default)s"
    )
    add_seed_and_timeout(parser)
    parser.add_argument(
        "--trace", type=Path, metavar="F", help="one step and its simulation, for ui.perfetto.dev"
    )
    parser.add_argument("--csv", type=Path, metavar="F", help="file that gets a row")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """Runs the subcommand; `arguments` begin with "execute". Returns the exit status."""
    args = make_parser().parse_args(list(arguments[1:]))
    try:
        _check(args)
        answer = _execute(args)
    except (ExecutionError, ExportError, _core.Error) as error:
        print(f"opyard execute: {error}", file=sys.stderr)
        return _BAD_INPUT
    print(json.dumps(answer) if args.json else _text(answer))
    return 0 if answer["matches_undivided"] else _DIFFERS


def _check(args: argparse.Namespace) -> None:
    """The checks before any work is done."""
    check_ranges(args, {"repeat": (1, 100_000), "warmup": (0, 100_000)})
    check_ranges(args, {"timeout": (1, 86_400)}, "seconds")
    for out in (args.trace, args.csv):
        problem = None if out is None else _core.find_output_problem(out)
        if problem is not None:
            raise ExecutionError(f'"{out}": {problem}')


def _execute(args: argparse.Namespace) -> dict[str, Any]:
    """Runs the plan; returns the answer, whose keys docs/formats.md lists."""
    from opyard.execution.devices import parse_devices
    from opyard.execution.execution import Session
    from opyard.execution.ordering import order_plan
    from opyard.execution.real_values import source_values
    from opyard.execution.trace_file import add_run
    from opyard.execution.workers import Workers

    devices = parse_devices(args.devices)
    graph, machine = _core.load_graph(args.graph), _core.load_machine(args.hardware)
    plan = _core.load_plan(args.plan, graph, machine)
    ordered = order_plan(graph, machine, plan, devices)
    model = trace_graph(args.model, graph)
    values = source_values(args.model, model, args.seed)
    with Workers(devices, args.timeout) as workers:
        session = Session(model.program, values, workers)
        execution = session.run(ordered.schedule, args.repeat, args.warmup)
    if args.trace is not None:
        trace = plan.trace(_core.Problem(graph, machine))
        text = json.dumps(add_run(trace, execution, model.program))
        _core.write_output(args.trace, text.encode())
    answer = {
        "median_s": execution.median_s,
        "spread_s": execution.spread_s,
        "repetitions": len(execution.step_s),
        "simulated_s": ordered.simulated_s,
        "matches_undivided": execution.matches_undivided,
        "difference": execution.difference.value,
        "differs_most": execution.difference.name or None,
        "transfers": execution.num_messages,
        "peak_memory_bytes": dict(
            zip(execution.device_names, execution.peak_memory_bytes, strict=True)
        ),
        "hardware": dict(zip(execution.device_names, execution.hardware_names, strict=True)),
        "notes": ordered.notes,
    }
    if args.csv is not None:
        _append(args, graph, machine, answer)
    return answer


def trace_graph(function: str, graph: _core.Graph) -> Any:
    """The trace of a model whose graph this is.

    Raises:
        ExecutionError: The graph is not that of the model.
        ExportError: The model cannot be traced.
    """
    from opyard.execution.graph_check import check_graph, is_forward, optimizer_of
    from opyard.execution.tracing import trace_model

    ops = graph.to_dict()["ops"]
    model = trace_model(function, optimizer_of(ops), is_forward(ops))
    check_graph(ops, model.ops)
    return model


def _append(
    args: argparse.Namespace, graph: _core.Graph, machine: _core.Machine, answer: dict[str, Any]
) -> None:
    from opyard.execution.rows import COLUMNS, append_row

    row = {key: answer[key] for key in COLUMNS if key in answer}
    row |= {
        "graph": graph.name,
        "hardware": machine.name,
        "plan": Path(args.plan).name.removesuffix(".json").removesuffix(".plan"),
        "devices": args.devices,
        "peak_memory_bytes": max(answer["peak_memory_bytes"].values()),
    }
    append_row(args.csv, row)


def _text(answer: dict[str, Any]) -> str:
    lines = [
        f"measured   {answer['median_s'] * 1e3:.3f} ms, median of {answer['repetitions']} steps; "
        f"{answer['spread_s'] * 1e3:.3f} ms between the quartiles",
        f"simulated  {answer['simulated_s'] * 1e3:.3f} ms",
    ]
    for device, peak in answer["peak_memory_bytes"].items():
        lines.append(f"{device:<10} peak {peak / 2**20:.1f} MiB; {answer['hardware'][device]}")
    if answer["matches_undivided"]:
        lines.append("loss, gradients and updated variables are those of the undivided step")
    else:
        lines.append(
            f"{answer['differs_most']} differs from that of the undivided step by "
            f"{answer['difference']:.3g} of its greatest value"
        )
    return "\n".join([*lines, *(f"note: {note}" for note in answer["notes"])])
