"""Pieces joined into the results of the whole matrix."""

from __future__ import annotations

import json
import subprocess

from opyard.executors.described import OPYARD
from opyard.executors.errors import CommandFailedError, ExecutorError
from opyard.executors.piece_store import STORE
from opyard.executors.pieces import Pieces

_MOST_AT_ONCE = 500  # so that the longest command line is not reached


def join(pieces: Pieces) -> None:
    """Joins all pieces by `opyard results merge`, and checks that no run is missing.

    Raises:
        CommandFailedError: They cannot be joined; why is on standard error.
        ExecutorError: Runs are missing.
    """
    there = [
        str(pieces.folder_of(piece))
        for piece in range(1, pieces.count + 1)
        if (pieces.folder_of(piece) / STORE).exists()
    ]
    missing = pieces.num_runs
    for some in _batches(there):
        words = ["results", "merge", *some, "--out", str(pieces.results), "--json"]
        ended = subprocess.run(
            [*OPYARD, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False
        )
        if ended.returncode != 0:
            raise CommandFailedError(ended.returncode)
        missing = json.loads(ended.stdout)["missing"]
    if missing:
        raise ExecutorError(f"{pieces.results}: {missing} runs are missing; --resume makes them", 1)


def _batches(words: list[str]) -> list[list[str]]:
    return [words[i : i + _MOST_AT_ONCE] for i in range(0, len(words), _MOST_AT_ONCE)]
