"""The command `opyard export torch|jax|tensorflow MODULE:FUNCTION --out F`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from opyard.export.errors import ExportError, one_line, without_stack_traces
from opyard.export.graph_writer import GRAPH_SUFFIXES, Graph, write_graph
from opyard.export.output_file import check_out, text_stream
from opyard.export.traced_functions import SUFFIXES, export_traced

OPTIMIZER_NAMES = (
    "none",
    "sgd",
    "momentum",
    "nesterov",
    "adagrad",
    "rmsprop",
    "lion",
    "adam",
    "adamw",
)


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Adds `export` with its sub-commands to the parser of `opyard`."""
    export = subparsers.add_parser(
        "export",
        help="export a model as a graph",
        epilog="Example: opyard export torch mine:step --out mine.graph.json",
    )
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
        epilog="Example: opyard export torch mine:step --out mine.graph.json --optimizer adam",
    )
    parser.add_argument("function", metavar="MODULE:FUNCTION", help="or FILE.py:FUNCTION")
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
    parser.add_argument(
        "--forward",
        action="store_true",
        help="only the forward pass: inference, no gradients; the loss_fn may be absent",
    )
    for framework, title in (("jax", "JAX"), ("tensorflow", "TensorFlow")):
        traced = kinds.add_parser(
            framework,
            help=f"trace a {title} function into a file for `opyard graph convert`",
            description="FUNCTION takes no arguments and returns (step, example_args): what is "
            "compiled, for example a whole training step, and its arguments or their shapes.",
            epilog=f"Example: opyard export {framework} mine:step --out "
            f"mine{SUFFIXES[framework][0]}",
        )
        traced.add_argument("function", metavar="MODULE:FUNCTION")
        suffixes = " or ".join(SUFFIXES[framework])
        traced.add_argument(
            "--out", required=True, type=Path, metavar="F", help=f"ends in {suffixes}"
        )


def export_torch(
    function: str, name: str | None = None, optimizer: str = "none", forward: bool = False
) -> Graph:
    """Traces the training step that `function`, "MODULE:FUNCTION" or "FILE.py:FUNCTION", returns.

    With `forward` only its forward pass.

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

    if forward and optimizer != "none":
        raise ExportError(f"--forward has no gradients that --optimizer {optimizer} could apply")
    with without_stack_traces():
        trace = trace_step(load_training_step(function), is_trained=not forward)
    ops = complete(lower(trace), optimizer)
    version = torch.__version__.partition("+")[0]
    what = "--forward" if forward else f"--optimizer {optimizer}"
    origin = f"opyard export torch {function} {what}; torch {version}"
    return Graph(name or function.rpartition(":")[2], origin, ops)


def run(args: argparse.Namespace) -> int:
    """Runs the parsed command; returns its exit status: 0, or 2 for bad input."""
    try:
        if args.export_kind == "torch":
            text = _run_torch(args)
        else:
            size = export_traced(args.export_kind, args.function, args.out)
            text = f"{args.out}: {size} bytes; opyard graph convert {args.out} --out GRAPH.json"
    except (ExportError, OSError) as error:
        text = str(error) if isinstance(error, ExportError) else one_line(error)
        print(f"opyard export {args.export_kind}: {text}", file=sys.stderr)
        return 2
    print(text, file=text_stream(args.out))
    return 0


def _run_torch(args: argparse.Namespace) -> str:
    """Exports what `args` ask for; returns what was made, in one line."""
    check_out(args.out, GRAPH_SUFFIXES)
    graph = export_torch(args.function, args.name, args.optimizer, args.forward)
    write_graph(graph, args.out)
    edges = sum(len(op.inputs) + len(op.control_inputs) for op in graph.ops)
    flops = sum(op.flops for op in graph.ops)
    return f"{args.out}: {len(graph.ops)} ops, {edges} edges, {flops / 1e9:.2f} GFLOP"
