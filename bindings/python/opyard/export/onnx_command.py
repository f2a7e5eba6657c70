"""`opyard graph convert` from and to ONNX; all other formats are the C++ program's."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from opyard import _core
from opyard.export.arguments import Parser
from opyard.export.errors import ExportError, one_line
from opyard.export.graph_writer import GRAPH_SUFFIXES, write_graph
from opyard.export.onnx_file import Summary, read_onnx
from opyard.export.onnx_model import require_onnx
from opyard.export.onnx_placement import read_json, write_onnx
from opyard.export.onnx_training import TrainingSummary, read_training_step
from opyard.export.output_file import check_out, text_stream

_SUFFIX = ".onnx"


def concerns_onnx(arguments: list[str]) -> bool:
    """True if `arguments` ask to convert from or to ONNX."""
    return arguments[:2] == ["graph", "convert"] and any(
        argument.endswith(_SUFFIX) for argument in arguments[2:]
    )


def run(arguments: list[str]) -> int:
    """Runs the command; returns its exit status: 0, or 2 for bad input."""
    args = _parser().parse_args(arguments[2:])
    try:
        if args.graph.endswith(_SUFFIX) and args.train:
            text = _import_training(args)
        elif args.graph.endswith(_SUFFIX):
            text = _import(args)
        else:
            status, text = _export(args)
            if status != 0:
                return status
    except (ExportError, _core.InputError, OSError) as error:
        text = one_line(error) if isinstance(error, OSError) else str(error)
        print(f"opyard graph convert: {text}", file=sys.stderr)
        return 2
    print(text, file=text_stream(args.out))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="opyard graph convert",
        epilog="Example: opyard graph convert model.onnx --train adam --out step.graph.json",
    )
    parser.add_argument("graph", metavar="IN", help="an ONNX model, or what is written as one")
    parser.add_argument("--out", required=True, type=Path, metavar="OUT")
    parser.add_argument(
        "--dim",
        action="append",
        default=[],
        metavar="NAME=N",
        help="extent of a symbolic dimension of the model",
    )
    parser.add_argument(
        "--train",
        choices=("sgd", "momentum", "adam"),
        help="make a training step of the ONNX model: backward pass, and updates by this rule",
    )
    parser.add_argument("--plan", type=Path, help="the plan whose devices an ONNX file shows")
    return parser


def _dims(words: list[str]) -> dict[str, int]:
    dims = {}
    for word in words:
        name, equals, extent = word.rpartition("=")
        if not equals or not extent.isdecimal() or not name:
            raise ExportError(f'--dim: found "{word}", expected NAME=N with a whole N, 1 or more')
        dims[name] = int(extent)
    return dims


def _import(args: argparse.Namespace) -> str:
    check_out(args.out, GRAPH_SUFFIXES)
    graph, summary = read_onnx(Path(args.graph), _dims(args.dim))
    write_graph(graph, args.out)
    edges = sum(len(op.inputs) for op in graph.ops)
    return _what_was_read(graph.name, summary, (len(graph.ops), edges), args.out)


def _import_training(args: argparse.Namespace) -> str:
    check_out(args.out, GRAPH_SUFFIXES)
    graph, summary = read_training_step(Path(args.graph), args.train, _dims(args.dim))
    _core.write_graph(graph, args.out)
    edges = graph.num_data_edges + graph.num_control_edges
    return _what_was_read(graph.name, summary, (graph.num_ops, edges), args.out)


def _what_was_read(
    name: str, summary: Summary | TrainingSummary, size: tuple[int, int], out: Path
) -> str:
    first = (
        f"{name} (onnx): read {summary.nodes_read} nodes, wrote {size[0]} ops, {size[1]} edges "
        f"to {out}"
    )
    return "\n".join([first, *summary.lines()])


def _export(args: argparse.Namespace) -> tuple[int, str]:
    """Returns the exit status of reading the graph, and what was made."""
    require_onnx()
    if args.train:
        raise ExportError("--train reads an ONNX model; IN is none")
    with tempfile.TemporaryDirectory() as folder:
        step = Path(folder) / "graph.json"
        status = _core.run_command_line(["graph", "convert", args.graph, "--out", str(step)])
        if status != 0:
            return status, ""
        plan = read_json(args.plan) if args.plan else None
        write_onnx(read_json(step), args.out, plan)
    return 0, f"{args.out}: {_devices(plan)}open it in Netron"


def _devices(plan: dict | None) -> str:
    return f"{len(set(plan['placement']))} devices in the metadata; " if plan else ""
