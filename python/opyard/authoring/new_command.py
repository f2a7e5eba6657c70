"""The command `opyard profile new`: asks what a machine is, answers with its file."""

from __future__ import annotations

import argparse
import difflib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from opyard import _core
from opyard.authoring import new_devices
from opyard.authoring.cards import family_of, known_types, usual_host
from opyard.authoring.copied_machine import (
    Pattern,
    copied_machine,
    read_pattern,
    types_to_copy,
)
from opyard.authoring.draft import DeviceType, MachineDraft
from opyard.authoring.machine_files import write_machine
from opyard.authoring.new_machine import (
    INTERCONNECTS,
    NO_HOST,
    MachineAnswers,
    new_machine,
    read_count,
    read_interconnect,
)
from opyard.authoring.questions import Asker, Question
from opyard.export.arguments import Parser
from opyard.export.errors import ExportError
from opyard.export.output_file import text_stream

Figure = TypeVar("Figure")
_BAD_INPUT = 2
_BLANK = "blank"


def make_parser() -> argparse.ArgumentParser:
    """The parser of everything behind `opyard profile new`."""
    parser = Parser(
        prog="opyard profile new",
        description="Writes a machine file, and a device file for a card that has none yet. Asks "
        "on a terminal for what the options leave open. docs/your-own-machine.md goes on from "
        "there.",
        epilog="Example: opyard profile new --card v100-sxm2-16gb --count 4 --interconnect nvlink "
        "--out machines/mine.yaml",
    )
    parser.add_argument(
        "--from",
        dest="pattern",
        default=_BLANK,
        metavar="MACHINE",
        help="machine whose links and rules are taken over, or blank (default: blank)",
    )
    parser.add_argument("--card", metavar="TYPE", help="device type, or the name of a new one")
    parser.add_argument("--count", metavar="N", help="number of cards")
    parser.add_argument(
        "--interconnect", metavar="CLASS", help=f"between cards: {', '.join(INTERCONNECTS)}"
    )
    parser.add_argument("--host", metavar="TYPE", help="device type of the hosts, or none")
    parser.add_argument("--name", help="name of the machine (default: that of the file)")
    _add_figures(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="machine file to write, .yaml")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def _add_figures(parser: argparse.ArgumentParser) -> None:
    """Adds the figures of a new card."""
    parser.add_argument("--kind", metavar="KIND", help="of a new card: gpu, cpu, tpu, other")
    parser.add_argument("--memory", metavar="SIZE", help="of a new card, such as 80GiB")
    parser.add_argument("--memory-bandwidth", metavar="RATE", help="of a new card, such as 2TB/s")
    parser.add_argument(
        "--peak", metavar="DTYPE=RATE", help="of a new card, such as f32=19.5TFLOP/s,f16=312TFLOP/s"
    )


def run(arguments: Sequence[str]) -> int:
    """Runs the subcommand; `arguments` begin with "profile", "new". Returns the exit status."""
    args = make_parser().parse_args(list(arguments[2:]))
    try:
        answer, out = _new(args, Asker())
    except (ExportError, _core.Error, OSError) as error:
        print(f"opyard profile new: {error}", file=sys.stderr)
        return _BAD_INPUT
    print(answer, file=text_stream(out))
    return 0


def _new(args: argparse.Namespace, asker: Asker) -> tuple[str, Path]:
    """Asks what is missing and writes the files; returns what to print."""
    pattern = None if args.pattern == _BLANK else read_pattern(args.pattern)
    answers = _Answers(args, asker, pattern)
    answers.ask()
    draft = answers.draft()
    files = write_machine(draft, answers.out)
    for warning in draft.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    return _text(draft, files, args.json), answers.out


def _text(draft: MachineDraft, files: list[Path], as_json: bool) -> str:
    paths, guessed = [str(path) for path in files], draft.assumed_keys()
    if as_json:
        return json.dumps({"files": paths, "assumed": guessed, "warnings": draft.warnings})
    return f"wrote {', '.join(paths)}; assumed: {', '.join(guessed) or 'nothing'}"


class _Answers:
    """The values of the options, and the answers to questions about the others."""

    def __init__(self, args: argparse.Namespace, asker: Asker, pattern: Pattern | None) -> None:
        self._args = args
        self._asker = asker
        self._pattern = pattern
        self._new_type: DeviceType | None = None
        self._keeps_shape = pattern is not None and not (args.count or args.interconnect)
        self.out = Path("machine.yaml")

    def ask(self) -> None:
        """Asks for everything; raises InputError with all that is missing without a terminal."""
        self.out = self._ask_out()
        self._types = known_types(None if _core.is_standard_output(self.out) else self.out)
        if self._pattern is not None:
            self._types = known_types(self._pattern.file) | self._types
        self._card = self._ask_card()
        if self._card is not None and self._needs_figures(self._card):
            self._ask_figures(self._card)
        self._count = self._ask_count()
        self._interconnect = self._ask_interconnect()
        self._asker.raise_if_missing()
        self._host = self._read_host()

    def draft(self) -> MachineDraft:
        """The machine; what it is asked for is known."""
        card, name = self._card or "", self._name()
        if self._pattern is not None and self._keeps_shape:
            host = None if self._args.host is None else self._host
            draft = copied_machine(self._pattern, name, card, host)
        else:
            draft = new_machine(self._machine_answers(name, card))
        if self._new_type is not None:
            draft.types.append(self._new_type)
        if self._pattern is not None:
            draft.copied_types = types_to_copy(draft, self._pattern, self.out)
        return draft

    def _machine_answers(self, name: str, card: str) -> MachineAnswers:
        kind = self._types.get(card) or (self._new_type.kind if self._new_type else "gpu")
        return MachineAnswers(
            name=name,
            card=card,
            kind=kind,
            count=self._count or 1,
            interconnect=self._interconnect or "pcie",
            host=self._host,
        )

    def _ask_out(self) -> Path:
        if self._args.out is not None:
            return Path(self._args.out)
        question = Question("--out", "machine file to write", "machine.yaml", hint="a file")
        return self._asker.ask(question, Path) or Path("machine.yaml")

    def _ask_card(self) -> str | None:
        if self._args.card is not None:
            return new_devices.read_name(self._args.card, "--card")
        cards = [name for name, kind in self._types.items() if kind != "cpu"]
        default = self._pattern.card if self._pattern else ""
        if self._pattern is not None and not self._asker.is_terminal:
            return default
        question = Question(
            "--card",
            "card: one of these, or the name of a new one",
            default,
            cards,
            hint="one of " + ", ".join(cards) + ", or the name of a new one",
        )
        return self._asker.ask(question, lambda text: new_devices.read_name(text, "--card"))

    def _needs_figures(self, card: str) -> bool:
        """True for a new card, and for one whose file in the reader's folder may be this command's.

        Raises:
            InputError: figures are given for a shipped type.
        """
        options = ("kind", "memory", "memory_bandwidth", "peak")
        given = [option for option in options if getattr(self._args, option) is not None]
        if given and card in known_types(None):
            raise _core.InputError(
                f"--{given[0].replace('_', '-')}: {card} is a shipped type, expected the name of a "
                "new card"
            )
        return card not in self._types or bool(given)

    def _ask_figures(self, card: str) -> None:
        """Asks for the figures of a card that no file describes."""
        args, asker = self._args, self._asker
        if asker.is_terminal:
            print(f"no file describes {card}; its data sheet does", file=sys.stderr)
        kind = new_devices.read_kind(args.kind) if args.kind else "gpu"
        if args.kind is None and asker.is_terminal:
            question = Question("--kind", f"kind of {card}", "gpu", new_devices.KINDS)
            kind = asker.ask(question, new_devices.read_kind) or "gpu"
        memory = self._figure("--memory", args.memory, "16GiB", new_devices.read_memory)
        bandwidth = self._figure(
            "--memory-bandwidth", args.memory_bandwidth, "900GB/s", new_devices.read_bandwidth
        )
        peaks = self._figure("--peak", args.peak, "f32=15.7TFLOP/s", new_devices.read_peaks)
        if memory is None or bandwidth is None or peaks is None:
            return
        figures = new_devices.DeviceAnswers(kind, memory, bandwidth, peaks)
        self._new_type = new_devices.new_device_type(card, figures)

    def _figure(
        self, option: str, given: str | None, example: str, read: Callable[[str], Figure]
    ) -> Figure | None:
        """One figure of a new card, from its option or from an answer."""
        if given is not None:
            return read(given)
        question = Question(
            option,
            f"{option.removeprefix('--').replace('-', ' ')}, such as {example}",
            hint=f"such as {example}: no file describes {self._card}{self._nearest()}",
        )
        return self._asker.ask(question, read)

    def _nearest(self) -> str:
        """The known card whose name is nearest to the one given, as a question."""
        near = difflib.get_close_matches(self._card or "", list(self._types), n=1, cutoff=0.8)
        return f"; did you mean {near[0]}?" if near else ""

    def _ask_count(self) -> int | None:
        if self._args.count is not None:
            return read_count(self._args.count)
        if self._keeps_shape or self._pattern is not None:
            return self._pattern.count if self._pattern else None
        question = Question("--count", "number of cards", "1", hint="a number of cards")
        return self._asker.ask(question, read_count)

    def _ask_interconnect(self) -> str | None:
        if self._args.interconnect is not None:
            return read_interconnect(self._args.interconnect)
        if self._keeps_shape:
            return None
        default = "nvlink" if family_of(self._card or "").num_links else "pcie"
        question = Question(
            "--interconnect",
            "what joins the cards",
            default,
            INTERCONNECTS,
            hint="one of " + ", ".join(INTERCONNECTS),
        )
        return self._asker.ask(question, read_interconnect)

    def _read_host(self) -> str:
        given = self._args.host
        if given is None:
            return (self._pattern.host if self._pattern else None) or self._usual_host()
        hosts = [name for name, kind in self._types.items() if kind == "cpu"]
        choices = hosts if self._keeps_shape else [*hosts, NO_HOST]
        if given not in self._types and given not in choices:
            raise _core.InputError(
                f'--host: found "{given[:60]}", expected one of {", ".join(choices)}'
            )
        return str(given)

    def _usual_host(self) -> str:
        return usual_host(self._card or "", self._types)

    def _name(self) -> str:
        if self._args.name is not None:
            return new_devices.read_name(self._args.name, "--name")
        if _core.is_standard_output(self.out):
            return "machine"
        return new_devices.read_name(self.out.name.partition(".")[0], "--out")
