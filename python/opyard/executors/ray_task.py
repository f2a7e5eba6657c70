"""The work of a worker of a Ray cluster: one command of opyard in a folder of its own.

Nothing of the worker's machine is used but its installation of opyard: inputs arrive as bytes, and
what was made goes back as bytes.
"""

from __future__ import annotations

import ctypes
import dataclasses
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import opyard
from opyard.executors.shipment import unpack

_GRACE_SECONDS = 30.0  # to end by itself after SIGTERM
_MOST_TEXT = 20_000  # characters of standard error that go back
_BAD_INPUT = 2
_PR_SET_PDEATHSIG = 1  # <sys/prctl.h>


@dataclasses.dataclass(frozen=True)
class Job:
    """A command, its folder and what it makes. Paths are from the root of the shipment."""

    version: str  # of the opyard that asks
    words: tuple[str, ...]  # after `opyard`; "{root}" in them is the root
    folder: str  # the current folder
    out: str  # the folder with what is made
    names: tuple[str, ...]  # of the files there that go back
    most_bytes: int  # of each of them


@dataclasses.dataclass(frozen=True)
class Answer:
    """The end of a command, or what it has made by now (`status` None)."""

    status: int | None
    errors: str  # the end of its standard error
    files: dict[str, bytes]  # in the order of the job's names; those that are there


def run_job(job: Job, shipment: bytes) -> Answer:
    """Runs a job to its end."""
    (answer,) = run_job_in_parts(job, shipment, {}, float("inf"))
    return answer


def run_job_in_parts(
    job: Job, shipment: bytes, begun: dict[str, bytes], seconds: float
) -> Iterator[Answer]:
    """Runs a job, from what an earlier one has made.

    Args:
        job: The command.
        shipment: Its inputs.
        begun: Files that stand in the folder when it begins, by name.
        seconds: From one report of what it has made to the next.

    Yields:
        What it has made by now, where that has changed; at last its end.
    """
    if job.version != opyard.__version__:
        found = f"{opyard.__version__} on {os.uname().nodename}"
        text = f"opyard: found version {found}, expected {job.version}, as the driver's"
        yield Answer(_BAD_INPUT, text, {})
        return
    with tempfile.TemporaryDirectory(prefix="opyard-") as name:
        root = Path(name)
        out = root / job.out
        unpack(shipment, root)
        (root / job.folder).mkdir(parents=True, exist_ok=True)
        _write(begun, out)
        yield from _run(job, root, out, seconds)


def _run(job: Job, root: Path, out: Path, seconds: float) -> Iterator[Answer]:
    words = [word.replace("{root}", str(root)) for word in job.words]
    errors = root / ".errors"
    with errors.open("wb") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "opyard", *words],
            cwd=root / job.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stream,
            preexec_fn=_end_with_parent(),
        )
    try:
        yield from _reports(job, out, process, seconds)
        status = process.wait()
    finally:
        _end(process)
    text = errors.read_text(encoding="utf-8", errors="replace")[-_MOST_TEXT:]
    text = text.replace(str(root), "")
    files, too_large = _made(job, out)
    if too_large:
        status, text = _BAD_INPUT, text + too_large
    yield Answer(status, text, files)


def _reports(
    job: Job, out: Path, process: subprocess.Popen[bytes], seconds: float
) -> Iterator[Answer]:
    """Reports the files that have changed, until the process ends."""
    last: dict[str, bytes] = {}
    following = time.monotonic() + seconds
    while process.poll() is None:
        time.sleep(0.05)
        if time.monotonic() >= following:
            files, too_large = _made(job, out)
            if files and files != last and not too_large:
                yield Answer(None, "", files)
                last = files
            following = time.monotonic() + seconds


def _made(job: Job, out: Path) -> tuple[dict[str, bytes], str]:
    """The files of the job that are there, and what is wrong with them, if anything is."""
    files = {}
    for name in job.names:
        file = out / name
        if not file.is_file():
            continue
        size = file.stat().st_size
        if size > job.most_bytes:
            return {}, f"{name}: has {size} bytes, at most {job.most_bytes} go back\n"
        files[name] = file.read_bytes()
    return files, ""


def _write(files: dict[str, bytes], folder: Path) -> None:
    if files:
        folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process, which Ray has cancelled, or which has ended."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _end_with_parent() -> Callable[[], None] | None:
    """Has a child be killed with the worker, which Ray, or lack of memory, may kill any time."""
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None).prctl  # loaded before the fork
    parent = os.getpid()

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it was killed meanwhile
            os.kill(os.getpid(), signal.SIGKILL)

    return ask
