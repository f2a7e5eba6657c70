"""`--executor slurm`: writes the scripts of Slurm jobs, and submits them if that is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from opyard.executors.described import Experiment, warn_of_trainings
from opyard.executors.errors import ExecutorError
from opyard.executors.folders import held, refuse_unless_resumed
from opyard.executors.pieces import FOLDER, Pieces, find_pieces, make_pieces
from opyard.executors.request import Request
from opyard.executors.slurm_queue import check_array, largest_array_number, refuse_if_queued
from opyard.executors.slurm_scripts import (
    join_script,
    pieces_script,
    preparation_script,
)
from opyard.executors.slurm_submission import Submission, check_folder, offer, submit

MOST_PIECES = 100  # where the user does not say how many
_FOLDER = "slurm"  # of the script of a training or a tuning, in its folder


def run(request: Request, experiment: Experiment) -> int:
    """Writes what is missing as jobs, prints how to submit them, and submits them if asked to.

    Returns:
        The exit status, 0.

    Raises:
        ExecutorError: The folder holds something else or is in Slurm's queue, or sbatch refuses
            the jobs.
    """
    _check_options(request.options.slurm_option)
    check_folder(experiment.results)
    if not request.is_matrix:
        return _write_preparation(request, experiment)
    _refuse_if_queued(request, _scripts(experiment.results / FOLDER))
    options = request.options
    pieces = find_pieces(experiment, experiment.results, options.pieces, resume=options.resume)
    most = largest_array_number()
    if pieces is None:
        count = min(options.pieces or min(MOST_PIECES, most or MOST_PIECES), experiment.num_runs)
        check_array(count, most)
        pieces = make_pieces(experiment, experiment.results, count)
    missing = pieces.missing()
    check_array(max(missing, default=0), most)
    warn_of_trainings(experiment)
    with held(pieces.folder):
        return _write_pieces(request, experiment, pieces, missing)


def _write_pieces(
    request: Request, experiment: Experiment, pieces: Pieces, missing: list[int]
) -> int:
    logs = pieces.folder / "logs"
    logs.mkdir(exist_ok=True)
    script, join = _scripts(pieces.folder)
    _write(join, join_script(request, experiment, pieces))
    if pieces.is_joined():
        print(f"{pieces.results}: all {pieces.num_runs} runs are there")
        return 0
    joining = Submission(join, logs / "join-%j.log")
    if not missing:
        return _hand_over(request, f"all {pieces.count} pieces are finished", "join", [joining])
    _write(script, pieces_script(request, experiment, pieces, missing))
    running = Submission(script, logs / "%A_%a.log")
    what = f"{len(missing)} of {pieces.count} pieces are to be run"
    return _hand_over(request, what, "submit and to join", [running, joining])


def _write_preparation(request: Request, experiment: Experiment) -> int:
    refuse_unless_resumed(request.subcommand, experiment.results, resume=request.options.resume)
    folder = experiment.results / _FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / f"{request.subcommand}.sbatch"
    _refuse_if_queued(request, [script])
    _write(script, preparation_script(request, experiment))
    what = f"opyard {request.subcommand} is one job"
    return _hand_over(request, what, "submit", [Submission(script, folder / "%j.log")])


def _hand_over(request: Request, what: str, to_do: str, submissions: Sequence[Submission]) -> int:
    """Submits the jobs, or prints how to; says first what they are."""
    if request.options.submit:
        print(f"{what}:")
        submit(submissions)
    else:
        print(f"{what}; to {to_do} {'it' if len(submissions) == 1 else 'them'}:")
        offer(submissions)
    return 0


def _scripts(folder: Path) -> tuple[Path, Path]:
    """The scripts that run and that join the pieces."""
    return folder / "pieces.sbatch", folder / "join.sbatch"


def _refuse_if_queued(request: Request, scripts: Sequence[Path]) -> None:
    if request.options.submit:
        refuse_if_queued(scripts)


def _check_options(lines: list[str]) -> None:
    for line in lines:
        if not re.fullmatch(r"--?[A-Za-z][^\n\r]*", line):
            raise ExecutorError(
                f'--slurm-option: found "{line}", expected an option of sbatch, such as '
                "--partition=long"
            )


def _write(script: Path, text: str) -> None:
    beside = script.with_name(f".{script.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.chmod(0o755)
    beside.replace(script)
