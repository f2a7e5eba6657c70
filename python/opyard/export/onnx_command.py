"""`opyard graph convert` from and to ONNX; all other formats are the C++ program's."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from opyard import _core
from opyard.export.arguments import Parser
from opyard.export.errors import ExportError, one_line
from opyard.export.graph_writer import GRAPH_SUFFIXES, write_graph
from opyard.export.onnx_arguments import models_in
from opyard.export.onnx_dimensions import parse_dims
from opyard.export.onnx_file import Summary, read_onnx
from opyard.export.onnx_model import require_onnx
from opyard.export.onnx_opening import Limits
from opyard.export.onnx_placement import read_json, write_onnx
from opyard.export.onnx_recognition import has_onnx_name, is_onnx, stem_of
from opyard.export.onnx_training import TrainingSummary, read_training_step
from opyard.export.output_file import check_out, text_stream

_UNROLL = "unroll"
_MOST_TRIPS = 65536
_OTHER_SUFFIXES = (".onnx", *(f"{end}{gz}" for end in (".graphml", ".dot") for gz in ("", ".gz")))


def with_graphs(arguments: list[str], folder: Path) -> list[str] | None:
    """The arguments with a graph in `folder` for each model; None if one cannot be read.

    What a model lacks is reported on standard error, as of all graphs that are imported.
    """
    words = list(arguments)
    for index, option, path in models_in(arguments):
        out = folder / str(index) / f"{stem_of(path)}.graph.json"
        out.parent.mkdir()
        try:
            graph, summary = read_onnx(path)
            write_graph(graph, out)
        except (ExportError, OSError) as error:
            text = one_line(error) if isinstance(error, OSError) else str(error)
            command = f"opyard graph convert {path} --out {out.name}"
            hint = f" to {command}" if "--dim" in text else ""
            print(f"opyard {arguments[0]}: {text}{hint}", file=sys.stderr)
            return None
        for line in summary.lines():
            if not line.startswith("folded:"):
                print(f"warning: {path}: {line}", file=sys.stderr)
        words[index] = f"{option}{out}"
    return words


def run(arguments: list[str]) -> int:
    """Runs the command; returns its exit status: 0, or 2 for bad input."""
    args = _parser().parse_args(arguments[2:])
    try:
        if _is_model(args.graph) and args.train:
            text = _import_training(args)
        elif _is_model(args.graph):
            text = _import(args)
        else:
            text = _export(args)
    except (ExportError, _core.InputError, OSError) as error:
        text = one_line(error) if isinstance(error, OSError) else str(error)
        print(f"opyard graph convert: {text}", file=sys.stderr)
        return 2
    print(text, file=text_stream(args.out))
    return 0


def _is_model(path: str) -> bool:
    return has_onnx_name(Path(path)) or is_onnx(Path(path))


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
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"{_UNROLL}: longest loop whose iterations stand one by one, "
        f"{Limits().trips} if not given",
    )
    parser.add_argument("--plan", type=Path, help="the plan whose devices an ONNX file shows")
    return parser


def _limits(words: list[str]) -> Limits:
    limits = Limits()
    for word in words:
        name, _, value = word.partition("=")
        if name != _UNROLL:
            raise ExportError(f'--option: ONNX has no option "{name}"; it has {_UNROLL}')
        is_whole = value.isascii() and value.isdecimal() and len(value) < 10
        if not is_whole or int(value) > _MOST_TRIPS:
            raise ExportError(
                f'--option {_UNROLL}: found "{value}", expected a whole number from 0 to '
                f"{_MOST_TRIPS}"
            )
        limits = Limits(trips=int(value))
    return limits


def _check_out(args: argparse.Namespace) -> None:
    """Raises ExportError if an imported model cannot go to `--out`, and says which way leads there.

    What writes GraphML, DOT and ONNX reads graph files alone.
    """
    if args.plan is not None:
        raise ExportError(
            f"--plan: found an ONNX model as IN, expected the graph that the plan is of: opyard "
            f"graph convert {args.graph} --out {stem_of(Path(args.graph))}.graph.json"
        )
    try:
        check_out(args.out, GRAPH_SUFFIXES)
    except ExportError as error:
        if args.out.name.endswith(_OTHER_SUFFIXES):
            raise ExportError(
                f"{error}, as an ONNX model is read; graph convert makes {args.out.name} of such "
                "a file"
            ) from error
        raise


def _import(args: argparse.Namespace) -> str:
    _check_out(args)
    limits = _limits(args.option)
    graph, summary = read_onnx(Path(args.graph), parse_dims(args.dim), limits)
    write_graph(graph, args.out)
    edges = sum(len(op.inputs) for op in graph.ops)
    return _what_was_read(graph.name, summary, (len(graph.ops), edges), args.out)


def _import_training(args: argparse.Namespace) -> str:
    _check_out(args)
    dims, limits = parse_dims(args.dim), _limits(args.option)
    graph, summary = read_training_step(Path(args.graph), args.train, dims, limits)
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


def _export(args: argparse.Namespace) -> str:
    """Writes the graph IN as an ONNX file, and says so."""
    require_onnx()
    given = [("--train", args.train), ("--dim", args.dim), ("--option", args.option)]
    for name, value in given:
        if value:
            raise ExportError(f"{name} reads an ONNX model; IN is none")
    graph = _core.load_graph(args.graph)
    plan = read_json(args.plan) if args.plan else None
    write_onnx(graph.to_dict(), args.out, plan)
    return f"{args.out}: {_devices(plan)}open it in Netron"


def _devices(plan: dict | None) -> str:
    devices = len(set(plan["placement"])) if plan else 0
    return f"{devices} device{'s' * (devices > 1)} in the metadata; " if plan else ""
