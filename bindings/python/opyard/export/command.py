"""The command `opyard export torch MODULE:FUNCTION --out F`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from opyard.export.errors import ExportError, one_line
from opyard.export.graph_writer import Graph, write_graph

OPTIMIZER_NAMES = ("none", "sgd", "momentum")
_SUFFIXES = (".json", ".json.gz")


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Adds `export` with its sub-command `torch` to the parser of `opyard`."""
    export = subparsers.add_parser("export", help="export a model as a graph")
    kinds = export.add_subparsers(dest="export_kind", required=True, metavar="KIND")
    parser = kinds.add_parser(
        "torch",
        help="trace a PyTorch training step",
        description="Traces forward and backward of one training step under fake tensors: no "
        "data, weights or GPU are needed. FUNCTION takes no arguments and returns (module, "
        "example_inputs) or (module, example_inputs, loss_fn). The loss is "
        "loss_fn(module(*example_inputs)), or what the module returns; it is one number, and "
        "every parameter that requires a gradient gets one. example_inputs is a tensor, a tuple "
        "or a dict of keyword arguments. Tensors captured by loss_fn become inputs.",
    )
    parser.add_argument("function", metavar="MODULE:FUNCTION")
    parser.add_argument(
        "--out", required=True, type=Path, metavar="F", help="ends in .json or .json.gz"
    )
    parser.add_argument("--name", help="name of the graph; default: FUNCTION")
    parser.add_argument(
        "--optimizer",
        choices=OPTIMIZER_NAMES,
        default="none",
        help="what applies the gradients; none (default) keeps them as graph outputs",
    )


def export_torch(function: str, name: str | None = None, optimizer: str = "none") -> Graph:
    """Traces the training step that `function`, "MODULE:FUNCTION", returns.

    Raises:
        ExportError: torch is missing, or the function breaks its contract
            (`user_function.py`); the message is one line.
    """
    try:
        import torch
    except ImportError as error:
        raise ExportError(
            "`opyard export torch` needs PyTorch, which is not installed here: "
            "pip install 'torch==2.13.*'"
        ) from error
    from opyard.export.lowering import lower
    from opyard.export.torch_graph import trace_step
    from opyard.export.training_step import complete
    from opyard.export.user_function import load_training_step

    ops = complete(lower(trace_step(load_training_step(function))), optimizer)
    version = torch.__version__.partition("+")[0]
    origin = f"opyard export torch {function} --optimizer {optimizer}; torch {version}"
    return Graph(name or function.rpartition(":")[2], origin, ops)


def run(args: argparse.Namespace) -> int:
    """Runs the parsed command; returns its exit status: 0, or 2 for bad input."""
    try:
        if not args.out.name.endswith(_SUFFIXES):
            raise ExportError(f'--out "{args.out}" ends in neither .json nor .json.gz')
        if not args.out.parent.is_dir():
            raise ExportError(f'--out "{args.out}": the folder does not exist')
        graph = export_torch(args.function, args.name, args.optimizer)
        write_graph(graph, args.out)
    except (ExportError, OSError) as error:
        text = str(error) if isinstance(error, ExportError) else one_line(error)
        print(f"opyard export torch: {text}", file=sys.stderr)
        return 2
    edges = sum(len(op.inputs) + len(op.control_inputs) for op in graph.ops)
    flops = sum(op.flops for op in graph.ops)
    print(f"{args.out}: {len(graph.ops)} ops, {edges} edges, {flops / 1e9:.2f} GFLOP")
    return 0
