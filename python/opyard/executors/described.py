"""Descriptions of experiments, as `opyard run --dry-run` gives them."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opyard.executors.errors import CommandFailedError, ExecutorError
from opyard.executors.request import Request

OPYARD = (sys.executable, "-m", "opyard")


@dataclasses.dataclass(frozen=True)
class Experiment:
    """An experiment, read and loaded."""

    name: str
    folder: Path  # of its file, absolute
    results: Path  # as asked for, or results/NAME; from the current folder
    num_runs: int
    indivisible: str | None  # why it cannot be run in pieces, if it cannot
    inputs: dict[str, str]  # SHA-256 of each graph and machine, by reference
    trained: list[str]  # labels of the agents that are trained before their runs
    resolved: dict[str, Any]  # the experiment without patterns, grids, includes and overrides


def absolute(path: Path) -> Path:
    """An absolute path without "..", symbolic links as they are: their names are in references."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def describe(request: Request) -> Experiment:
    """Reads and loads the experiment; notices and errors go to standard error.

    Raises:
        CommandFailedError: The experiment cannot be run.
        ExecutorError: It cannot be run in pieces.
    """
    words = ["run", request.options.experiment, *request.changes(), *request.plugins()]
    if request.options.out is not None:
        words += ["--out", request.options.out]
    experiment = dry_run(words, request.folder)
    if request.is_matrix and experiment.indivisible is not None:
        raise ExecutorError(f"--executor {request.options.executor}: {experiment.indivisible}")
    return experiment


def dry_run(words: Sequence[str], folder: Path, *, errors: int | None = None) -> Experiment:
    """Asks `opyard` with `words`, in `folder`; `errors` is where its standard error goes.

    Raises:
        CommandFailedError: It did not end with status 0.
    """
    ended = subprocess.run(
        [*OPYARD, *words, "--dry-run", "--json"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise CommandFailedError(ended.returncode, ended.stderr or "")
    answer = json.loads(ended.stdout)
    return Experiment(
        name=answer["experiment"],
        folder=absolute(folder / answer["experiment_folder"]),
        results=Path(answer["results"]),
        num_runs=answer["runs"],
        indivisible=answer["indivisible"],
        inputs={**answer["graphs"], **answer["hardware"]},
        trained=answer["trained"],
        resolved=answer["resolved"],
    )


def warn_of_trainings(experiment: Experiment) -> None:
    """Says on standard error what pieces of an experiment do that trains its agents first."""
    if experiment.trained:
        print(
            f"warning: each piece trains {', '.join(experiment.trained)} for itself; to train "
            "once, run opyard train first, then this with --checkpoint",
            file=sys.stderr,
        )
