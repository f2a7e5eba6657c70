"""The command line of an executor."""

from __future__ import annotations

import argparse
import dataclasses
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from opyard.executors.errors import ExecutorError
from opyard.export.arguments import Parser

_MOST_PIECES = 10_000
_MOST_CPUS = 1024
_LEAST_MINUTES = 5
_MOST_MINUTES = 525_600


@dataclasses.dataclass(frozen=True)
class Request:
    """Which work is asked for, of which executor."""

    subcommand: str  # "run", "train" or "tune"
    options: argparse.Namespace
    folder: Path  # the current folder, absolute

    @property
    def is_matrix(self) -> bool:
        """True for the runs of a matrix, which are divided into pieces."""
        return self.subcommand == "run"

    @property
    def cpus(self) -> int:
        """Cores of each piece, or of the whole training or tuning."""
        asked = self.options.cpus_per_piece if self.is_matrix else self.options.threads
        return asked or 1

    def changes(self) -> list[str]:
        """The options that change what is run, as the C++ program reads them."""
        words = [word for text in self.options.overrides for word in ("--set", text)]
        if self.is_matrix:
            if self.options.checkpoint is not None:
                words += ["--checkpoint", self.options.checkpoint]
            if self.options.no_training:
                words.append("--no-training")
        return words

    def choices(self) -> list[str]:
        """The options of a training or a tuning: its agent, its seed, and runs at once."""
        if self.is_matrix:
            return []
        words = []
        if self.options.agent is not None:
            words += ["--agent", self.options.agent]
        if self.options.seed is not None:
            words += ["--seed", str(self.options.seed)]
        if self.subcommand == "tune" and self.options.jobs is not None:
            words += ["--jobs", str(self.options.jobs)]
        return words

    def tracking(self) -> list[str]:
        """The option that writes event files, in a folder that all machines see."""
        folder = self.options.tensorboard
        return [] if folder is None else ["--tensorboard", folder]

    def plugins(self) -> list[str]:
        """The options `--plugin`."""
        return [word for file in self.options.plugin for word in ("--plugin", file)]

    def executor_words(self) -> list[str]:
        """The options of a matrix for the executor `slurm`, as they were given."""
        options = self.options
        words = ["--executor", "slurm", *self.tracking()]
        for name in ("jobs", "cpus_per_piece", "at_once", "time_limit"):
            value = getattr(options, name)
            words += [] if value is None else [f"--{name.replace('_', '-')}", str(value)]
        words += [f"--slurm-option={line}" for line in options.slurm_option]
        return [*words, *(["--submit"] if options.submit else [])]

    def local_words(self, out: Path) -> list[str]:
        """The command line by which this process goes on with what is in `out`."""
        words = [self.subcommand, self.options.experiment, "--out", str(out), "--resume"]
        return [*words, *self.changes(), *self.choices(), *self.plugins()]


def read_request(arguments: Sequence[str]) -> Request:
    """Reads a command line that asks for an executor; ends the process as argparse does.

    Raises:
        ExecutorError: Options that do not go together.
    """
    subcommand = "run" if arguments[0] == "sweep" else arguments[0]
    parser = make_parser(subcommand)
    options = parser.parse_args(_joined(arguments[1:]))
    request = Request(subcommand=subcommand, options=options, folder=Path.cwd())
    _check(request)
    return request


def make_parser(subcommand: str) -> argparse.ArgumentParser:
    """The parser of what follows `opyard SUBCOMMAND`, where an executor is named."""
    parser = Parser(prog=f"opyard {subcommand}")
    parser.add_argument("experiment", metavar="EXPERIMENT")
    parser.add_argument("--out", metavar="DIR")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--set", dest="overrides", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--plugin", action="append", default=[], metavar="FILE")
    parser.add_argument("--threads", type=_whole(1, _MOST_CPUS), metavar="N")
    parser.add_argument("--tensorboard", metavar="DIR")
    parser.add_argument("--progress-json", metavar="FILE")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--executor", choices=("local", "ray", "slurm"), required=True)
    parser.add_argument("--ray-address", metavar="ADDRESS")
    parser.add_argument("--slurm-option", action="append", default=[], metavar="OPTION")
    parser.add_argument("--time-limit", type=_whole(_LEAST_MINUTES, _MOST_MINUTES), metavar="M")
    parser.add_argument("--submit", action="store_true")
    if subcommand == "run":
        _add_matrix_options(parser)
    else:
        parser.add_argument("--agent", metavar="LABEL")
        parser.add_argument("--seed", type=_whole(0, 2**63 - 1), metavar="N")
    if subcommand == "tune":
        parser.add_argument("--jobs", type=_whole(1, _MOST_CPUS), metavar="N")
    return parser


def _add_matrix_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=_whole(1, _MOST_CPUS), metavar="N")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--checkpoint", metavar="FILE")
    parser.add_argument("--no-training", action="store_true")
    parser.add_argument("--shard", metavar="I/N")
    parser.add_argument("--pieces", type=_whole(1, _MOST_PIECES), metavar="N")
    parser.add_argument("--cpus-per-piece", type=_whole(1, _MOST_CPUS), metavar="N")
    parser.add_argument("--at-once", type=_whole(1, _MOST_PIECES), metavar="N")


def _whole(low: int, high: int) -> Callable[[str], int]:
    """A reader of whole numbers from `low` to `high`, for argparse."""

    def read(text: str) -> int:
        if not text.isdecimal() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(
                f'found "{text}", expected a whole number from {low} to {high}'
            )
        return int(text)

    return read


def _joined(words: Sequence[str]) -> list[str]:
    """`words` with the value of each --slurm-option, which begins with dashes, joined to it."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] == "--slurm-option":
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def _check(request: Request) -> None:
    options = request.options
    if request.is_matrix:
        if options.shard is not None:
            raise ExecutorError(
                "--shard: found it with an executor, which makes the pieces itself; "
                "expected --pieces"
            )
        if options.threads is not None:
            raise ExecutorError("--threads: found it with an executor, expected --cpus-per-piece")
    if options.progress_json is not None:
        raise ExecutorError(
            "--progress-json: found it with an executor, whose processes would write into one "
            "file; expected --executor local there"
        )
    if options.executor == "ray":
        slurm = {
            "--tensorboard": options.tensorboard,  # workers see no folder of this machine
            "--slurm-option": options.slurm_option,
            "--time-limit": options.time_limit,
            "--submit": options.submit,
            "--at-once": request.is_matrix and options.at_once,
        }
        _refuse(slurm, "ray", "slurm")
    else:
        _refuse({"--ray-address": options.ray_address}, "slurm", "ray")
    if os.environ.get("OPYARD_PLUGINS") or options.plugin:
        _check_plugins(options.executor)


def _refuse(given: dict[str, object], found: str, expected: str) -> None:
    for option, value in given.items():
        if value:
            raise ExecutorError(
                f"{option}: found it with --executor {found}, expected {expected} there"
            )


def _check_plugins(executor: str) -> None:
    """Libraries of this machine are not sent: what they were built for may not be there."""
    if executor == "ray":
        raise ExecutorError(
            "--plugin: a shared library is not sent to the machines of a Ray cluster; expected "
            "--executor slurm, with the library in a folder that all of them see, and no "
            "OPYARD_PLUGINS here"
        )
