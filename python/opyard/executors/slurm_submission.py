"""Scripts that are handed to `sbatch`, by the user or here."""

from __future__ import annotations

import dataclasses
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from opyard.executors.errors import ExecutorError


@dataclasses.dataclass(frozen=True)
class Submission:
    """A script, and the file for its output."""

    script: Path
    log: Path  # whose name has the symbols of Slurm, such as %j

    def text(self, after: str = "") -> str:
        """The command for a shell, in which a job to wait for may be a variable, "$job"."""
        words = self._words(after)
        return " ".join(word if word in _after(after) else shlex.quote(word) for word in words)

    def submit(self, after: str = "") -> str:
        """Hands the script to sbatch.

        Args:
            after: The number of the job that has to end first, if there is one.

        Returns:
            The number of the job.

        Raises:
            ExecutorError: sbatch refuses it, or is not there.
        """
        if shutil.which("sbatch") is None:
            raise ExecutorError("--submit: found no sbatch here; expected to be where Slurm is")
        ended = subprocess.run(
            self._words(after),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        said = ended.stderr.strip()
        if ended.returncode != 0:
            raise ExecutorError(f"--submit: sbatch refuses {self.script}: {said}", 1)
        if said:
            print(said, file=sys.stderr)
        return ended.stdout.strip().partition(";")[0]

    def _words(self, after: str) -> list[str]:
        """Paths are absolute, and a % of a folder is none of Slurm's."""
        folder = str(self.log.parent.absolute()).replace("%", "%%")
        words = ["--parsable", f"--output={folder}/{self.log.name}", str(self.script.absolute())]
        return ["sbatch", *_after(after), *words]


def check_folder(results: Path) -> None:
    r"""Refuses a folder in which Slurm could not write the output of jobs.

    Raises:
        ExecutorError: Its path has a "\", which Slurm takes out of the names of outputs.
    """
    if "\\" in str(results.absolute()):
        raise ExecutorError(
            f'--out: found "{results.absolute()}", expected a folder without \\ in its path: Slurm '
            "takes it out of the names of output files, and its jobs fail"
        )


def offer(submissions: Sequence[Submission]) -> None:
    """Prints the commands that submit a job, and the one that waits for it, if there are two."""
    if len(submissions) == 1:
        print(submissions[0].text())
        return
    first, second = submissions
    print(f"job=$({first.text()})")
    print(second.text("$job"))


def submit(submissions: Sequence[Submission]) -> None:
    """Submits a job, and the one that waits for it, if there are two; prints their numbers.

    Raises:
        ExecutorError: sbatch refuses one. Its text says what has become of the other.
    """
    jobs: list[str] = []
    for submission in submissions:
        try:
            jobs.append(submission.submit(*jobs))
        except ExecutorError as error:
            raise ExecutorError(f"{error}\n{_remedy(jobs, submission)}", error.status) from error
        waits = f", which waits for job {jobs[0]}" if len(jobs) > 1 else ""
        print(f"submitted job {jobs[-1]}: {submission.script}{waits}")
    print(
        f"`squeue --jobs={','.join(jobs)}` lists them until they have ended; their output is in "
        f"{submissions[0].log.parent}"
    )


def _remedy(jobs: Sequence[str], refused: Submission) -> str:
    if jobs:
        return f"job {jobs[0]} is in the queue; to join its pieces: {refused.text(jobs[0])}"
    return (
        "expected options that this Slurm takes: the same command with --resume writes the "
        "scripts anew, with another --slurm-option, --time-limit or --cpus-per-piece, or --pieces"
    )


def _after(job: str) -> list[str]:
    return [f"--dependency=afterany:{job}"] if job else []
