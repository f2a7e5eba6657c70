"""`opyard graph convert F.xls`: a placement problem of Moirai as a graph and a machine file."""

from __future__ import annotations

import argparse
import sys
from itertools import pairwise
from pathlib import Path

from opyard import _core
from opyard.export.arguments import Parser
from opyard.export.errors import ExportError
from opyard.export.graph_writer import GRAPH_SUFFIXES
from opyard.export.output_file import check_out, text_stream, write_whole
from opyard.moirai.reading import TOLERANCE_S, MoiraiProblem, read_problem

_SUFFIX = ".xls"
_MACHINE_SUFFIXES = (".yaml", ".yml")
_TOLERANCE = "tolerance_s"


def concerns_moirai(arguments: list[str]) -> bool:
    """True if `arguments` ask to convert an `.xls` file."""
    return arguments[:2] == ["graph", "convert"] and any(
        word.lower().endswith(_SUFFIX) and not word.startswith("-") and not before.startswith("--")
        for before, word in pairwise(arguments[1:])
    )


def run(arguments: list[str]) -> int:
    """Runs the command; returns its exit status: 0, or 2 for bad input."""
    args = _parser().parse_args(arguments[2:])
    try:
        text = _convert(args)
    except (ExportError, _core.InputError, ImportError) as error:
        print(f"opyard graph convert: {error}", file=sys.stderr)
        return 2
    print(text, file=text_stream(args.out))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="opyard graph convert",
        epilog="Example: opyard graph convert GoogLeNet.xls --out GoogLeNet.graph.json "
        "--hardware-out machines/GoogLeNet.yaml",
    )
    parser.add_argument("graph", metavar="IN", help="a placement problem of Moirai, .xls")
    parser.add_argument("--out", required=True, type=Path, metavar="OUT", help="the graph")
    parser.add_argument(
        "--hardware-out", required=True, type=Path, metavar="FILE", help="the machine, .yaml"
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"{_TOLERANCE}: the most that a transfer may differ from the file, in seconds, "
        f"{TOLERANCE_S:g} if not given",
    )
    return parser


def _convert(args: argparse.Namespace) -> str:
    check_out(args.out, GRAPH_SUFFIXES)
    check_out(args.hardware_out, _MACHINE_SUFFIXES)
    problem = read_problem(args.graph, _tolerance_s(args.option))
    _core.write_graph(problem.graph, args.out)
    write_whole(args.hardware_out, problem.machine_file.encode())
    return "\n".join(_summary(problem, args))


def _tolerance_s(words: list[str]) -> float:
    tolerance_s = TOLERANCE_S
    for word in words:
        name, _, value = word.partition("=")
        if name != _TOLERANCE:
            raise ExportError(f'--option: Moirai has no option "{name}"; it has {_TOLERANCE}')
        try:
            tolerance_s = float(value)
        except ValueError:
            raise ExportError(
                f'--option {_TOLERANCE}: found "{value}", expected a number of seconds'
            ) from None
    return tolerance_s


def _summary(problem: MoiraiProblem, args: argparse.Namespace) -> list[str]:
    graph, machine = problem.graph, problem.machine
    return [
        f"{graph.name} (moirai): wrote {graph.num_ops} ops, {graph.num_data_edges} data and "
        f"{graph.num_control_edges} control edges to {args.out}, {machine.num_devices} devices to "
        f"{args.hardware_out}",
        f"transfers: at most {problem.error_s * 1e9:.3g} ns from the file",
        f"memory: a unit of the file is {problem.unit_bytes} B; every device has room for all "
        f"tensors, {problem.room_bytes} B, besides",
    ]
