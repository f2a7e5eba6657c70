"""`--executor slurm`: writes the scripts of Slurm jobs, and submits them if that is asked for."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from opyard.executors.described import Experiment, warn_of_trainings
from opyard.executors.errors import ExecutorError
from opyard.executors.folders import held
from opyard.executors.pieces import Pieces, find_pieces, make_pieces
from opyard.executors.request import Request
from opyard.executors.slurm_scripts import (
    join_script,
    pieces_script,
    preparation_script,
)

MOST_PIECES = 100  # where the user does not say how many
_FOLDER = "slurm"  # of the script of a training or a tuning, in its folder


def run(request: Request, experiment: Experiment) -> int:
    """Writes what is missing as jobs, prints how to submit them, and submits them if asked to.

    Returns:
        The exit status, 0.

    Raises:
        ExecutorError: The folder holds something else, or sbatch refuses the jobs.
    """
    _check_options(request.options.slurm_option)
    if not request.is_matrix:
        return _write_preparation(request, experiment)
    options = request.options
    pieces = find_pieces(experiment, experiment.results, options.pieces, resume=options.resume)
    if pieces is None:
        pieces = make_pieces(experiment, experiment.results, options.pieces or MOST_PIECES)
    warn_of_trainings(experiment)
    with held(pieces.folder):
        return _write_pieces(request, experiment, pieces)


def _write_pieces(request: Request, experiment: Experiment, pieces: Pieces) -> int:
    missing = pieces.missing()
    logs = pieces.folder / "logs"
    logs.mkdir(exist_ok=True)
    join = pieces.folder / "join.sbatch"
    _write(join, join_script(request, experiment, pieces))
    if pieces.is_joined():
        print(f"{pieces.results}: all {pieces.num_runs} runs are there")
        return 0
    submit_join = _sbatch(join, logs / "join-%j.log")
    if not missing:
        print(f"all {pieces.count} pieces are finished; to join them:")
        return _offer(request, [submit_join])
    script = pieces.folder / "pieces.sbatch"
    _write(script, pieces_script(request, experiment, pieces, missing))
    print(f"{len(missing)} of {pieces.count} pieces are to be run; to submit and to join them:")
    dependent = [*submit_join[:1], "--dependency=afterany:$job", *submit_join[1:]]
    return _offer(request, [_sbatch(script, logs / "%A_%a.log"), dependent])


def _write_preparation(request: Request, experiment: Experiment) -> int:
    folder = experiment.results / _FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / f"{request.subcommand}.sbatch"
    _write(script, preparation_script(request, experiment))
    print("to submit it:")
    return _offer(request, [_sbatch(script, folder / "%j.log")])


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


def _sbatch(script: Path, log: Path) -> list[str]:
    """A submission; paths are absolute, and a % of a folder is none of Slurm's."""
    folder = str(log.parent.absolute()).replace("%", "%%")
    return ["sbatch", "--parsable", f"--output={folder}/{log.name}", str(script.absolute())]


def _offer(request: Request, submissions: list[list[str]]) -> int:
    """Prints the submissions, the later depending on the first as `$job`; or makes them."""
    if request.options.submit:
        _submit(submissions)
        return 0
    for number, words in enumerate(submissions):
        text = shlex.join(words).replace(
            "'--dependency=afterany:$job'", "--dependency=afterany:$job"
        )
        print(f"job=$({text})" if number == 0 and len(submissions) > 1 else text)
    return 0


def _submit(submissions: list[list[str]]) -> None:
    if shutil.which("sbatch") is None:
        raise ExecutorError("--submit: found no sbatch here; expected to be where Slurm is")
    job = ""
    for words in submissions:
        ended = subprocess.run(
            [word.replace("$job", job) if "afterany" in word else word for word in words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if ended.returncode != 0:
            raise ExecutorError("--submit: sbatch has refused the job, as it says above", 1)
        job = ended.stdout.strip().partition(";")[0]
        print(f"submitted job {job}", file=sys.stdout)
