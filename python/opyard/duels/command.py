"""The command `opyard duel`."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from opyard import _core
from opyard.duels.annealing import AnnealingSettings, DuelResult, duel
from opyard.duels.cause import Cause, find_cause, sentence_of
from opyard.duels.contest import Contest
from opyard.duels.files import answer_of, replay_commands, write_duel
from opyard.duels.instance import Instance
from opyard.duels.starts import given_instance
from opyard.export.arguments import Parser
from opyard.export.errors import ExportError
from opyard.library_output import dropped_library_output

_BAD_INPUT = 2
_INTERRUPTED = 130
_DEFAULTS = AnnealingSettings()


def make_parser() -> argparse.ArgumentParser:
    """The parser of everything behind `opyard`."""
    parser = Parser(
        prog="opyard duel",
        description="Searches by simulated annealing for the graph and the machine on which AGENT "
        "takes longest beside OPPONENT, both with the same budget. The ratio is a lower bound of "
        "the worst one.",
        epilog="Example: opyard duel heft single_device --restarts 2 --out heft-loses",
    )
    parser.add_argument("agent", metavar="AGENT", help="the agent that is to lose")
    parser.add_argument("opponent", metavar="OPPONENT", help="the agent it is compared with")
    parser.add_argument("--graph", metavar="GRAPH", help="graph to start from; default: random")
    parser.add_argument("--hardware", metavar="MACHINE", help="its machine")
    _add_budget(parser)
    _add_annealing(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the instance found")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def _add_budget(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--evaluations",
        type=int,
        default=64,
        metavar="N",
        help="plans that each agent evaluates on an instance; default: %(default)s",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of everything; default: %(default)s"
    )


def _add_annealing(parser: argparse.ArgumentParser) -> None:
    for name, kind, metavar, what in (
        ("iterations", int, "N", "the most changes of a restart"),
        ("restarts", int, "N", "starts, each with an annealing of its own"),
        ("start-temperature", float, "T", "of each restart"),
        ("end-temperature", float, "T", "at which a restart ends"),
        ("cooling", float, "F", "factor of the temperature after a change"),
    ):
        default = getattr(_DEFAULTS, name.replace("-", "_"))
        text = f"{what}; default: {default:g}"
        parser.add_argument(f"--{name}", type=kind, default=default, metavar=metavar, help=text)
    parser.add_argument(
        "--start",
        choices=("chain", "dag"),
        default=_DEFAULTS.start,
        metavar="KIND",
        help="random starts: chain, as published, or dag; default: %(default)s",
    )
    for name, what in (("ops", "ops"), ("devices", "devices")):
        parser.add_argument(
            f"--{name}",
            default="3:5",
            metavar="LOW:HIGH",
            help=f"{what} of a random start; default: %(default)s",
        )


def run(arguments: Sequence[str]) -> int:
    """Runs the subcommand; `arguments` begin with "duel".

    Returns the exit status: 0, 2, or 130 after Ctrl-C, with the worst instance until then.
    """
    args = make_parser().parse_args(list(arguments[1:]))
    try:
        settings = _settings_of(args)
        contest = Contest(args.agent, args.opponent, args.evaluations, args.seed)
        with dropped_library_output():
            result = duel(
                contest,
                settings,
                given=_given_of(args),
                progress=_show,
                keeps_best_at_interrupt=True,
            )
            cause = None if result.was_interrupted else find_cause(result)
        if args.out is not None:
            write_duel(result, cause, args.out)
    except (_core.Error, ExportError) as error:
        _show("")
        print(f"opyard duel: {error}", file=sys.stderr)
        return _BAD_INPUT
    _show("")
    if args.json:
        print(json.dumps(answer_of(result, cause, args.out)))
    else:
        print(_text_of(result, cause, args.out))
    if result.was_interrupted:
        print("interrupted: the instance is the worst until then", file=sys.stderr)
        return _INTERRUPTED
    return 0


def _settings_of(args: argparse.Namespace) -> AnnealingSettings:
    for name, low, high in (
        ("iterations", 1, 10**9),
        ("restarts", 1, 10**6),
        ("start_temperature", 1e-9, 1e9),
        ("end_temperature", 1e-9, 1e9),
        ("cooling", 1e-9, 1.0),
    ):
        _check(name, getattr(args, name), low, high)
    return AnnealingSettings(
        iterations=args.iterations,
        restarts=args.restarts,
        start_temperature=args.start_temperature,
        end_temperature=args.end_temperature,
        cooling=args.cooling,
        start=args.start,
        ops=_range_of("ops", args.ops, 1, 1000),
        devices=_range_of("devices", args.devices, 1, 64),
    )


def _check(name: str, found: float, low: float, high: float) -> None:
    if not low <= found <= high:
        option = name.replace("_", "-")
        raise _core.InputError(f"--{option}: found {found:g}, expected {low:.10g} to {high:.10g}")


def _range_of(name: str, text: str, least: int, most: int) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,9})(?::(\d{1,9}))?", text)
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not least <= low <= high <= most:
        raise _core.InputError(
            f'--{name}: found "{text}", expected LOW:HIGH or a number from {least} to {most}'
        )
    return low, high


def _given_of(args: argparse.Namespace) -> Instance | None:
    if (args.graph is None) != (args.hardware is None):
        raise _core.InputError("--graph and --hardware: found one of them, expected both or none")
    if args.graph is None:
        return None
    return given_instance(_core.load_graph(args.graph), _core.load_machine(args.hardware))


def _show(text: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def _text_of(result: DuelResult, cause: Cause | None, folder: Path | None) -> str:
    instance, score = result.instance, result.score
    rows = [
        ("ratio", f"{result.ratio:.4f}, from {result.start_ratio:.4f} at its start"),
        (result.contest.agent, f"{score.makespan_s * 1e3:.6f} ms"),
        (result.contest.opponent, f"{score.opponent_makespan_s * 1e3:.6f} ms"),
        (
            "instance",
            f"{len(instance.ops)} ops, {len(instance.edges)} edges, "
            f"{len(instance.devices)} devices; the worst of {result.num_instances}",
        ),
    ]
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:<{width}}  {value}" for name, value in rows]
    lines.append(sentence_of(result, cause))
    if folder is not None:
        lines += replay_commands(result, folder)
    return "\n".join(lines)
