"""The command `opyard simulate --html FILE`: what `simulate` does, and the page of the plan."""

from __future__ import annotations

import argparse
import importlib.util
import shlex
import sys
import warnings
from pathlib import Path

from opyard import _core
from opyard.viewer.page_arguments import split_page

_PACKAGES = {"bokeh": "bokeh", "igraph": "igraph", "jinja2": "Jinja2"}
_RAN = (0, 1)  # the plan completed, or it does not
_BAD_INPUT = 2


def run(arguments: list[str]) -> int:
    """Runs the command; `arguments` begin with "simulate". Returns that of `simulate`, or 2."""
    file, rest = split_page(arguments)
    problem = _find_problem(file, rest)
    if problem is not None:
        print(f"opyard simulate: {problem}", file=sys.stderr)
        return _BAD_INPUT
    status = _core.run_command_line(rest)
    if status not in _RAN:
        return status
    command = f"opyard {shlex.join(arguments)}"
    try:
        _core.write_output(Path(file), _page_of(_inputs_of(rest), command).encode())
    except _core.Error as error:
        print(f"opyard simulate: --html: {error}", file=sys.stderr)
        return _BAD_INPUT
    print(f"{file}: open it in a browser", file=sys.stderr)
    return status


def _find_problem(file: str, rest: list[str]) -> str | None:
    """A reason why no page can be made, as far as it shows before the simulation."""
    lacking = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if lacking:
        names = " and ".join(_PACKAGES[name] for name in lacking)
        return f"--html needs {names}, which is not installed here: pip install 'opyard[report]'"
    if _core.is_standard_output(Path(file)):
        return "--html: found standard output, which holds the report; expected a file"
    problem = _core.find_output_problem(Path(file))
    if problem is not None:
        return f'--html "{file}": {problem}'
    for word, value in vars(_inputs_of(rest)).items():
        if value == "-" or Path(value).is_fifo() or Path(value).is_char_device():
            return f'--{word} "{value}": with --html it is read twice; expected a file or a name'
    return None


def _inputs_of(rest: list[str]) -> argparse.Namespace:
    """The graph, the machine, the plan and the cost model; `simulate` itself checks them."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for name in ("--graph", "--hardware", "--plan"):
        parser.add_argument(name, default="")
    parser.add_argument("--cost-model", default="roofline")
    try:
        return parser.parse_known_args(rest[1:])[0]
    except argparse.ArgumentError:
        return parser.parse_args([])


def _page_of(inputs: argparse.Namespace, command: str) -> str:
    """The page; what readers of the files warn of, `simulate` has said already."""
    from opyard.viewer.plan_page import PlanNames, plan_page

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem = _core.Problem(
            inputs.graph, inputs.hardware, group="op", cost_model=inputs.cost_model
        )
        plan = _core.load_plan(inputs.plan, problem.graph, problem.hardware)
    return plan_page(problem, plan, PlanNames(Path(inputs.plan).name, command))
