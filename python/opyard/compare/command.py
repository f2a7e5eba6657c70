"""The command `opyard compare RESULTS...`."""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from opyard import _core
from opyard.compare import robust
from opyard.compare.comparison import Comparison, Question, compare
from opyard.compare.errors import CompareError
from opyard.compare.output import write_report
from opyard.compare.statistics import Bootstrap
from opyard.compare.tables import make_tables
from opyard.compare.text_formats import terminal_text
from opyard.compare.verdict import verdict
from opyard.export.arguments import Parser

_NARROWEST = 80
_PACKAGES = {"bokeh": "Bokeh", "igraph": "igraph", "jinja2": "Jinja2"}
_BAD_INPUT = 2


def make_parser() -> argparse.ArgumentParser:
    """The parser of everything behind `opyard`."""
    parser = Parser(
        prog="opyard compare",
        description="Puts the agents of stored results side by side: means with 95 % confidence "
        "intervals, speed-ups over a baseline, aggregates over workloads, what searches take. "
        "docs/compare-agents.md walks through it. `opyard compare --measured CSV...` is about "
        "times of plans that ran (docs/run-a-plan.md).",
        epilog="Example: opyard compare results/mine --baseline single_device --out report",
    )
    parser.add_argument(
        "results", nargs="+", type=Path, metavar="RESULTS", help="results folders or files"
    )
    parser.add_argument(
        "--baseline",
        metavar="AGENT",
        help="agent that speed-ups are against; default: that of the experiment, if it has runs",
    )
    parser.add_argument(
        "--best-known",
        type=Path,
        metavar="FILE",
        help="table or folder of best known plans; default: the best of these results",
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="folder for HTML, Markdown, LaTeX, CSV and JSON"
    )
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="the page of --out alone, as this file"
    )
    parser.add_argument(
        "--views",
        choices=("all", "best", "none"),
        default="all",
        help="plans that the page shows in timelines and graphs: of each workload all, as far as "
        "the page has room, or the best and the baseline's; default: %(default)s",
    )
    parser.add_argument(
        "--robust", action="store_true", help="evaluate the best plans on perturbed machines, too"
    )
    parser.add_argument(
        "--perturbations",
        type=int,
        default=robust.DEFAULT,
        metavar="N",
        help=f"how many, {robust.LEAST} or more; default: {robust.DEFAULT}",
    )
    parser.add_argument(
        "--repetitions",
        type=int,
        default=Bootstrap().repetitions,
        metavar="N",
        help="of the bootstrap, 100 or more; default: %(default)s",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """Runs the subcommand; `arguments` begin with "compare". Returns the exit status: 0 or 2."""
    args = make_parser().parse_args(list(arguments[1:]))
    try:
        _check(args)
        comparison = compare(_question(args), _show_progress)
        _write(comparison, args, arguments)
        _clear_progress()
    except (CompareError, _core.Error) as error:
        _clear_progress()
        print(f"opyard compare: {error}", file=sys.stderr)
        return _BAD_INPUT
    _print(comparison, args.json)
    return 0


def _check(args: argparse.Namespace) -> None:
    """The checks before any work is done."""
    if not 100 <= args.repetitions <= 1_000_000:
        raise CompareError(f"--repetitions: found {args.repetitions}, expected 100 to 1000000")
    paths = [path.resolve() for path in args.results]
    twice = [str(path) for i, path in enumerate(args.results) if paths[i] in paths[:i]]
    if twice:
        raise CompareError(f"RESULTS: found {', '.join(twice)} twice, expected each once")
    if args.out is not None or args.html is not None:
        _check_writing(args)


def _check_writing(args: argparse.Namespace) -> None:
    """The packages that a page needs, and the folders, which are made."""
    lacking = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if lacking:
        names = " and ".join(_PACKAGES[name] for name in lacking)
        raise CompareError(
            f"the page needs {names}, which is not installed here: pip install 'opyard[report]'"
        )
    for option, folder in (("--out", args.out), ("--html", args.html and args.html.parent)):
        try:
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CompareError(f'{option} "{folder}": {error.strerror}') from error


def _write(comparison: Comparison, args: argparse.Namespace, arguments: Sequence[str]) -> None:
    """Writes what is asked for, and prints the names of the files."""
    if args.out is None and args.html is None:
        return
    from opyard.compare.page import make_page

    page = make_page(comparison, make_tables(comparison), arguments, args.views, _show_progress)
    _clear_progress()
    if args.html is not None:
        _core.write_output(args.html, page.encode())
        print(args.html, file=sys.stderr)
    if args.out is not None:
        written = write_report(comparison, args.out, page)
        print(f"{args.out}: {', '.join(written)}", file=sys.stderr)


def _question(args: argparse.Namespace) -> Question:
    return Question(
        results=args.results,
        baseline=args.baseline,
        best_known=args.best_known,
        perturbations=args.perturbations if args.robust else None,
        bootstrap=Bootstrap(args.repetitions),
    )


def _show_progress(text: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def _clear_progress() -> None:
    _show_progress("")


def _print(comparison: Comparison, as_json: bool) -> None:
    if as_json:
        from opyard.compare.answer import make_answer

        print(json.dumps(make_answer(comparison), ensure_ascii=False, allow_nan=False))
        return
    print(f"{verdict(comparison).text.replace('`', '')}\n")
    width = max(_NARROWEST, shutil.get_terminal_size((140, 24)).columns)
    for table in make_tables(comparison):
        print(terminal_text(table, width))
        print(f"{table.note}\n")
    for line in comparison.fairness:
        print(line)
    for line in comparison.warnings:
        print(f"warning: {line}")
