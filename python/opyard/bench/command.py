"""The command `opyard bench env`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from opyard import _core
from opyard.bench.env_cases import EnvBench
from opyard.bench.measurement import Speed, measure
from opyard.bench.ratios import Ratio, ratios_of
from opyard.compare.table import Entry, Table
from opyard.compare.text_formats import terminal_text
from opyard.export.arguments import Parser

_BAD_INPUT = 2
_GRAPH = "random:layered?n=100&seed=1"
_MACHINE = "p100x2-pcie"


def make_parser() -> argparse.ArgumentParser:
    """The parser of everything behind `opyard`."""
    parser = Parser(
        prog="opyard bench env",
        description="Steps per second of the environments, single and as vectors, beside the "
        "engine alone, gymnasium's SyncVectorEnv and an environment that does nothing. All take "
        "turns; of each the best round counts.",
        epilog="Example: opyard bench env --envpool ../with-envpool/bin/python",
    )
    parser.add_argument(
        "--graph", default=_GRAPH, metavar="GRAPH", help="graph file, name or family (%(default)s)"
    )
    parser.add_argument(
        "--hardware", default=_MACHINE, metavar="MACHINE", help="machine file or name (%(default)s)"
    )
    parser.add_argument(
        "--num-envs",
        type=int,
        default=64,
        metavar="N",
        help="environments of a vector, and plans of a batch; default: %(default)s",
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=2,
        metavar="N",
        help="the most that a vector has; default: %(default)s",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=0.5,
        metavar="S",
        help="of each measurement; default: %(default)s",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=5,
        metavar="N",
        help="measurements of each case, of which the best counts; default: %(default)s",
    )
    parser.add_argument(
        "--envpool",
        type=Path,
        metavar="PYTHON",
        help="a Python with EnvPool, whose CartPole is measured, too",
    )
    parser.add_argument("--json", action="store_true", help="one JSON array, without ratios")
    return parser


def run(arguments: Sequence[str]) -> int:
    """Runs the subcommand; `arguments` begin with "bench", "env".

    Returns the exit status: 0 or 2.
    """
    args = make_parser().parse_args(list(arguments[2:]))
    try:
        speeds = measure_all(args)
    except _core.Error as error:
        _show("")
        print(f"opyard bench env: {error}", file=sys.stderr)
        return _BAD_INPUT
    _show("")
    if args.json:
        print(json.dumps([dataclasses.asdict(speed) for speed in speeds]))
        return 0
    print(terminal_text(_table_of(speeds)))
    print(terminal_text(_table_of_ratios(ratios_of(speeds))))
    return 0


def measure_all(args: argparse.Namespace) -> list[Speed]:
    """The speeds that the arguments ask for.

    Raises:
        opyard.InputError: An argument is out of range, or a file cannot be read.
    """
    for name, low, high in (("num_envs", 1, 65536), ("threads", 1, 1024), ("rounds", 1, 1000)):
        _check(name, getattr(args, name), low, high)
    _check("seconds", args.seconds, 0.001, 60)
    graph = _core.load_graph(args.graph)
    bench = EnvBench(
        graph, _core.load_machine(args.hardware), args.num_envs, args.threads, args.envpool
    )
    return measure(bench.cases(), len(graph), args.seconds, args.rounds, _show)


def _check(name: str, found: float, low: float, high: float) -> None:
    if not low <= found <= high:
        option = name.replace("_", "-")
        raise _core.InputError(f"--{option}: found {found:g}, expected {low:g} to {high:g}")


def _show(text: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def _table_of(speeds: Sequence[Speed]) -> Table:
    rows = [
        (
            speed.env,
            [
                Entry(speed.mode),
                Entry(str(speed.num_envs)),
                Entry(str(speed.threads)),
                Entry(f"{speed.steps_per_second:,.0f}"),
            ],
        )
        for speed in speeds
    ]
    title = f"Steps per second, a graph of {speeds[0].graph_ops} ops"
    columns = ["mode", "environments", "threads", "steps/s"]
    return Table("speeds", title, columns, rows, heading="environment")


def _table_of_ratios(ratios: Sequence[Ratio]) -> Table:
    rows = [
        (
            ratio.what,
            [
                Entry(f"{ratio.value:.2f}{ratio.unit}"),
                Entry(f"{'at most' if ratio.is_most else 'at least'} {ratio.bar:g}{ratio.unit}"),
                Entry("" if ratio.is_met else "missed"),
            ],
        )
        for ratio in ratios
    ]
    return Table("ratios", "Ratios", ["measured", "bar", ""], rows, heading="ratio")
