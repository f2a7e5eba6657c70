"""The Slurm that is here, asked by its own commands; where none answers, nothing is known of it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from opyard.executors.errors import ExecutorError

_SECONDS = 20.0  # for an answer


def largest_array_number() -> int | None:
    """The largest number of a job in an array, one less than `MaxArraySize`; None if unknown."""
    found = re.search(
        r"^MaxArraySize\s*=\s*(\d+)", _answer("scontrol", "show", "config"), re.MULTILINE
    )
    return int(found[1]) - 1 if found and int(found[1]) > 1 else None


def check_array(largest: int, most: int | None) -> None:
    """Refuses an array that Slurm would refuse.

    Args:
        largest: The largest number in it.
        most: The largest that Slurm takes; None if unknown.

    Raises:
        ExecutorError: `largest` is larger.
    """
    if most is not None and largest > most:
        raise ExecutorError(
            f"--pieces: found {largest}, expected at most {most}: this Slurm takes no larger "
            f"number in an array (MaxArraySize={most + 1})"
        )


def refuse_if_queued(scripts: Sequence[Path]) -> None:
    """Refuses to submit what waits or runs already, however it was submitted.

    Raises:
        ExecutorError: A job of this user was made of one of `scripts`.
    """
    names = {str(script.absolute()) for script in scripts}
    lines = _answer("squeue", "--me", "--noheader", "--format=%F %o").splitlines()
    asked = (line.partition(" ") for line in lines)
    jobs = sorted({job for job, _, command in asked if command in names}, key=int)
    if jobs:
        raise ExecutorError(
            f"--submit: found {scripts[0].parent} in the queue already, as job "
            f"{' and '.join(jobs)}; expected to wait until `squeue --jobs={','.join(jobs)}` lists "
            f"nothing, or to end it: scancel {' '.join(jobs)}"
        )


def _answer(*words: str) -> str:
    """The answer of a command of Slurm; "" where there is none."""
    if shutil.which(words[0]) is None:
        return ""
    try:
        ended = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ""
    return ended.stdout if ended.returncode == 0 else ""
