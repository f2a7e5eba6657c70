"""The commands `opyard task new` and `opyard task score`."""

from __future__ import annotations

import argparse
import itertools
import json
import secrets
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from opyard import _core
from opyard.compare.table import Entry, Table
from opyard.compare.text_formats import terminal_text
from opyard.export.arguments import Parser
from opyard.export.errors import ExportError
from opyard.library_output import dropped_library_output
from opyard.tasks.frameworks import FRAMEWORKS
from opyard.tasks.guards import guards
from opyard.tasks.hidden import with_best_known
from opyard.tasks.new_folder import write_folder
from opyard.tasks.sandbox import Limits
from opyard.tasks.scoring import ScoreTable, score_tables
from opyard.tasks.standard import STANDARD
from opyard.tasks.workloads import Workload

_BAD_INPUT = 2
_FAILED = 1
_MOST_EVALUATIONS = 2**40


def run_new(arguments: Sequence[str]) -> int:
    """Runs `task new`; `arguments` begin with "task", "new". Returns the exit status: 0 or 2."""
    return _run(_new, new_parser(), arguments)


def run_score(arguments: Sequence[str]) -> int:
    """Runs `task score`; returns the exit status: 0, 1 if the program fails somewhere, or 2."""
    return _run(_score, score_parser(), arguments)


def new_parser() -> argparse.ArgumentParser:
    """The parser of `task new`."""
    parser = Parser(
        prog="opyard task new",
        description="Writes the folder of a program search: a seed program, an evaluator, the "
        "workloads with their best known step times, and the framework's configuration, in which "
        "the model is left open.",
        epilog="Example: opyard task new search --for openevolve",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder to make")
    parser.add_argument(
        "--for",
        dest="framework",
        required=True,
        choices=FRAMEWORKS,
        metavar="FRAMEWORK",
        help="openevolve or skydiscover",
    )
    parser.add_argument(
        "--graph",
        action="append",
        metavar="GRAPH",
        help="graph of an own workload instead of the standard ones; may be given again: all "
        "graphs on all machines",
    )
    parser.add_argument(
        "--hardware", action="append", metavar="MACHINE", help="its machine; may be given again"
    )
    return _with_budget(parser, 20000, "of auto, for the best known plans of own workloads")


def score_parser() -> argparse.ArgumentParser:
    """The parser of `task score`."""
    parser = Parser(
        prog="opyard task score",
        description="Scores a program beside the seed program, HEFT, METIS, one device and auto: "
        "best known over found step times, and their geometric means.",
        epilog="Example: opyard task score search search/initial_program.py --hidden",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of opyard task new")
    parser.add_argument("program", type=Path, metavar="PROGRAM", help="program to score")
    parser.add_argument(
        "--hidden",
        action="store_true",
        help="also on graphs and machines that no search has seen, made from the seed",
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="of the hidden workloads; default: a new one"
    )
    return _with_budget(parser, 2000, "of auto, the control that searches")


def _with_budget(parser: Parser, default: int, evaluations: str) -> argparse.ArgumentParser:
    """The parser with the options that both commands end with; `evaluations` says of what."""
    text = f"{evaluations}; default: %(default)s"
    parser.add_argument("--evaluations", type=int, default=default, metavar="N", help=text)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def _run(
    work: Callable[[argparse.Namespace], int],
    parser: argparse.ArgumentParser,
    arguments: Sequence[str],
) -> int:
    args = parser.parse_args(list(arguments[2:]))
    try:
        if not 1 <= args.evaluations <= _MOST_EVALUATIONS:
            raise _core.InputError(f"--evaluations: found {args.evaluations}, expected 1 to 2^40")
        return work(args)
    except (_core.Error, ExportError) as error:
        _show("")
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return _BAD_INPUT


def _new(args: argparse.Namespace) -> int:
    limits = Limits()
    workloads = _workloads_of(args)
    try:
        files = write_folder(args.folder, args.framework, workloads, limits)
    except OSError as error:
        raise _core.InputError(f"{args.folder}: cannot be written: {error.strerror}") from error
    if args.json:
        answer = {"files": [str(file) for file in files], "for": args.framework, "guards": guards()}
        print(json.dumps(answer))
        return 0
    print("\n".join(f"wrote {file}" for file in files))
    print(f"guards of programs here: {', '.join(guards())}")
    return 0


def _workloads_of(args: argparse.Namespace) -> Sequence[Workload]:
    if (args.graph is None) != (args.hardware is None):
        raise _core.InputError("--graph and --hardware: found one of them, expected both or none")
    if args.graph is None:
        return STANDARD
    problems = [
        (_absolute(graph), _absolute(machine))
        for graph, machine in itertools.product(args.graph, args.hardware)
    ]
    with dropped_library_output():
        workloads = with_best_known(problems, args.evaluations, stage=1)
    for workload in workloads:
        if workload.best_known_s == float("inf"):
            raise _core.InputError(f"{workload.title}: auto found no plan that completes")
    return workloads


def _absolute(reference: str) -> str:
    """A path that leads to a file, made absolute; names as they are."""
    path = Path(reference)
    return str(path.resolve()) if path.is_file() else reference


def _score(args: argparse.Namespace) -> int:
    if args.seed is not None and not args.hidden:
        raise _core.InputError("--seed: makes hidden workloads, expected with --hidden")
    seed = args.seed if args.seed is not None else secrets.randbelow(2**31)
    with dropped_library_output():
        tables = score_tables(
            args.folder,
            args.program,
            hidden_seed=seed if args.hidden else None,
            evaluations=args.evaluations,
            progress=_show,
        )
    _show("")
    if args.json:
        print(json.dumps(_answer(tables, seed if args.hidden else None)))
    else:
        _print(tables, seed)
    return _FAILED if any(row.error for table in tables for row in table.rows) else 0


def _answer(tables: Sequence[ScoreTable], seed: int | None) -> dict[str, Any]:
    return {
        "seed": seed,
        "guards": guards(),
        "sets": [
            {
                "set": table.name,
                "scores": [{"by": by, "score": score} for by, score in table.scores().items()],
                "workloads": [
                    {
                        "graph": row.workload.graph,
                        "hardware": row.workload.hardware,
                        "best_known_s": row.workload.best_known_s,
                        "ratios": [
                            {"by": by, "ratio": ratio} for by, ratio in row.ratios().items()
                        ],
                        "error": row.error,
                    }
                    for row in table.rows
                ],
            }
            for table in tables
        ],
    }


def _print(tables: Sequence[ScoreTable], seed: int) -> None:
    for table in tables:
        hint = f", --seed {seed}" if table.name == "hidden" else ""
        title = f"Best known over found step times, {table.name} workloads{hint}"
        names = list(table.scores())
        rows = [
            (row.workload.title, [Entry(f"{row.ratios()[name]:.3f}") for name in names])
            for row in table.rows
        ]
        rows.append(("geometric mean", [Entry(f"{mean:.3f}") for mean in table.scores().values()]))
        print(terminal_text(Table(table.name, title, names, rows, heading="workload")))
        for row in table.rows:
            if row.error:
                print(f"{row.workload.title}: {row.error}")


def _show(text: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
