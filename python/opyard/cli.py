"""The command `opyard`: subcommands that need Python libraries; the rest is the C++ program."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from opyard import _core, executors, learned, parquet
from opyard.export import onnx_arguments
from opyard.installed_packages import installed_packages
from opyard.moirai import command as moirai_command
from opyard.python_agents.installed import python_agents
from opyard.viewer import page_arguments

_OUTPUT_LOST = 1
_BAD_INPUT = 2
_INTERRUPTED = 130
_NOBODY_READS = 141  # as shells report SIGPIPE, which Python ignores
# The others do without LibTorch, whose loading is most of the time of a short command.
_VERBS_WITH_AGENTS = ("run", "sweep", "place", "train", "tune", "agents", "doctor")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        argv: What follows the program's name; the process's own arguments by default, and then
            an interrupt ends the process at once.

    Returns:
        The exit status: 0 done, 1 done with a bad answer or one that standard output did not
        take, 2 the input is wrong, 130 interrupted, 141 nobody reads standard output any more.
    """
    if argv is not None:
        return _run(list(argv))
    _replace_what_the_terminal_lacks()
    status = _run(sys.argv[1:])
    if status == _INTERRUPTED:
        _end_at_once(status)
    return status


def _run(arguments: list[str]) -> int:
    try:
        subcommand = _python_subcommand(arguments)
        if subcommand is not None:
            return _run_printing(subcommand, arguments)
        if _concerns_layouts(arguments):
            return _run_printing(_run_layouts, arguments)
        if moirai_command.concerns_moirai(arguments):
            return _run_printing(moirai_command.run, arguments)
        if onnx_arguments.concerns_onnx(arguments):
            return _run_printing(_run_onnx, arguments)
        if onnx_arguments.names_models(arguments):
            return _run_on_models(arguments)
        if page_arguments.concerns_page(arguments):
            return _run_printing(_run_page, arguments)
        if parquet.concerns_parquet(arguments):
            return _run_printing(parquet.run, arguments)
        if executors.concerns_executors(arguments):
            return _run_printing(_run_executor, arguments)
        if arguments[:1] and arguments[0] in _VERBS_WITH_AGENTS:
            return _run_with_agents(arguments)
        return _core.run_command_line(arguments, python=python_agents())
    except KeyboardInterrupt:
        _say_interrupted(arguments)
        return _INTERRUPTED


def _replace_what_the_terminal_lacks() -> None:
    """Prints a question mark for what the encoding of standard output has no character for."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")


def _say_interrupted(arguments: list[str]) -> None:
    """Says so, and whether the same command goes on from there. The C++ program says it itself."""
    words = tuple(arguments[:2])
    keeps = words[:1] == ("measure",) or words == ("profile", "measure")
    what = ": what was measured is kept, and the same command goes on" if keeps else ""
    with contextlib.suppress(OSError):
        print(f"interrupted{what}", file=sys.stderr)


def _python_subcommand(arguments: list[str]) -> Callable[[list[str]], int] | None:
    """The function for a subcommand that Python runs whatever follows it; None for others."""
    subcommands = {
        ("export",): _run_export,
        ("compare",): _run_compare,
        ("execute",): _run_execute,
        ("measure",): _run_measure,
        ("profile", "measure"): _run_profile_measure,
        ("profile", "fit-trace"): _run_fit_trace,
        ("profile", "calibrate"): _run_profile_calibrate,
        ("profile", "score"): _run_profile_score,
        ("profile", "new"): _run_profile_new,
        ("profile", "import"): _run_profile_import,
        ("bench", "env"): _run_bench,
        ("duel",): _run_duel,
        ("task", "new"): _run_task_new,
        ("task", "score"): _run_task_score,
    }
    if arguments[:1] == ["task"] and arguments[1:] and arguments[1].startswith("--for"):
        return _run_task_new
    return subcommands.get(tuple(arguments[:1])) or subcommands.get(tuple(arguments[:2]))


def _end_at_once(status: int) -> NoReturn:
    """Ends without unloading Python's modules and LibTorch, which takes longer than to stop did."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError):  # closed, or nobody reads
            stream.flush()
    os._exit(status)


def _run_printing(subcommand: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Runs a subcommand that prints through Python, with the exit codes of the C++ subcommands."""
    status = 0
    try:
        try:
            status = subcommand(arguments)
        except SystemExit as end:  # argparse has printed its help or said what is wrong
            status = int(end.code or 0)
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        if error.filename is not None:  # a file of the subcommand's; standard output has no name
            command = f"opyard {arguments[0]}"
            print(f"{command}: {error.filename}: {error.strerror}", file=sys.stderr)
            return status or _BAD_INPUT
        _drop_output()
        if isinstance(error, BrokenPipeError):
            return status or _NOBODY_READS
        print(f"standard output: cannot be written: {error.strerror}", file=sys.stderr)
        return status or _OUTPUT_LOST
    return status


def _drop_output() -> None:
    """Lets Python's own flush at the end succeed: what is left has been answered for."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _run_onnx(arguments: list[str]) -> int:
    """Converts from or to ONNX; what reads it takes a while to load."""
    from opyard.export import onnx_command

    return onnx_command.run(arguments)


def _run_on_models(arguments: list[str]) -> int:
    """Runs a subcommand with the graph that each ONNX model makes in the model's place."""
    from opyard.export import onnx_command

    with tempfile.TemporaryDirectory() as folder:
        words = onnx_command.with_graphs(arguments, Path(folder))
        return 2 if words is None else _run(words)


def _run_with_agents(arguments: list[str]) -> int:
    """Runs a subcommand with the learned agents, or with the reason why they cannot be loaded."""
    python = python_agents(installed_packages() if arguments[0] == "doctor" else None)
    try:
        agents = learned.load()
    except ImportError as error:
        return _core.run_command_line(arguments, str(error), python)
    return agents.run_command_line(arguments, python)


def _run_executor(arguments: list[str]) -> int:
    """Runs a subcommand on other machines, or writes the scripts for it."""
    from opyard.executors import command

    return command.run(arguments, _run_with_agents)


def _run_export(arguments: list[str]) -> int:
    """Runs `export`, which says by itself what is wrong, a missing PyTorch included."""
    from opyard.export import command
    from opyard.export.arguments import Parser

    parser = Parser(prog="opyard")
    command.add_parser(parser.add_subparsers(dest="subcommand", required=True))
    return command.run(parser.parse_args(arguments))


def _run_compare(arguments: list[str]) -> int:
    """Runs `compare`, whose libraries take a while to load."""
    if any(word.partition("=")[0] == "--measured" for word in arguments):
        from opyard.compare import measured_command

        return measured_command.run(arguments)
    from opyard.compare import command

    return command.run(arguments)


def _run_execute(arguments: list[str]) -> int:
    """Runs `execute`, which needs PyTorch."""
    from opyard.execution import command

    return command.run(arguments)


def _run_measure(arguments: list[str]) -> int:
    """Runs `measure`, which needs PyTorch."""
    from opyard.measuring import command

    return command.run(arguments)


def _run_profile_new(arguments: list[str]) -> int:
    """Runs `profile new`, which asks on a terminal."""
    from opyard.authoring import new_command

    return new_command.run(arguments)


def _run_profile_import(arguments: list[str]) -> int:
    """Runs `profile import`, which reads files of other tools."""
    from opyard.authoring import import_command

    return import_command.run(arguments)


def _run_profile_calibrate(arguments: list[str]) -> int:
    """Runs `profile calibrate`, which needs SciPy."""
    from opyard.calibration import command

    return command.run_calibrate(arguments)


def _run_profile_score(arguments: list[str]) -> int:
    """Runs `profile score`; what reads the rows takes a while to load."""
    from opyard.calibration import command

    return command.run_score(arguments)


def _run_profile_measure(arguments: list[str]) -> int:
    """Runs `profile measure`, which needs PyTorch."""
    from opyard.profiling import command

    return command.run(arguments)


def _run_fit_trace(arguments: list[str]) -> int:
    """Runs `profile fit-trace`, which takes a while to load."""
    from opyard.profiling import trace_command

    return trace_command.run(arguments)


def _concerns_layouts(arguments: list[str]) -> bool:
    """True if a plan is to be exported into an ONNX model."""
    return arguments[:2] == ["plan", "export"] and any(
        word.partition("=")[0] == "--onnx" for word in arguments
    )


def _run_layouts(arguments: list[str]) -> int:
    """Exports a plan into an ONNX model; what reads it takes a while to load."""
    from opyard.layouts import command

    return command.run(arguments)


def _run_page(arguments: list[str]) -> int:
    """Runs `simulate --html`; what draws takes a while to load."""
    from opyard.viewer import page_command

    return page_command.run(arguments)


def _run_bench(arguments: list[str]) -> int:
    """Runs `bench env`, which is about gymnasium's environments."""
    from opyard.bench import command

    return command.run(arguments)


def _run_duel(arguments: list[str]) -> int:
    """Runs `duel`."""
    from opyard.duels import command

    return command.run(arguments)


def _run_task_new(arguments: list[str]) -> int:
    """Runs `task new`, whose second word may be left out: `opyard task --for openevolve DIR`."""
    from opyard.tasks import command

    return command.run_new(["task", "new", *arguments[1 + (arguments[1] == "new") :]])


def _run_task_score(arguments: list[str]) -> int:
    """Runs `task score`."""
    from opyard.tasks import command

    return command.run_score(arguments)
