"""Runs a program in a process of its own and reads its answer as JSON.

The process has limits of time, memory and output, no opyard, and on Linux neither the network nor
files but Python's, numpy's and those of a temporary folder (`guards`). It is a fence against
programs that are careless or look for a short way to a score, not against an attack on the kernel.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import Any

_CHILD = Path(__file__).with_name("child.py")
_TAIL = 2000
_SITE_FOLDERS = ("site-packages", "dist-packages")


@dataclasses.dataclass(frozen=True)
class Limits:
    """The most that a program may take for one workload."""

    seconds: float = 20.0
    """Wall time; processor time is limited to the same, rounded up."""
    memory_bytes: int = 2 * 2**30
    """Address space."""
    output_bytes: int = 16 * 2**20
    """Each file it writes, its answer and what it prints included."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """The answer of a program: a plan as it returned it, or what went wrong."""

    plan: Any
    error: str | None
    """In words, for those who mend the program; None where there is a plan."""
    printed: str
    """The end of what it printed."""
    seconds: float


def run_program(text: str, graph: Any, machine: Any, limits: Limits) -> Answer:
    """Calls `place(graph, machine)` of a program.

    Args:
        text: The program.
        graph: The graph, of what JSON holds.
        machine: The machine, likewise.
        limits: The most that the process may take.
    """
    with tempfile.TemporaryDirectory(prefix="opyard-task-") as name:
        folder = Path(name).resolve()
        _write_request(folder, text, graph, machine, limits)
        begin = time.monotonic()
        with (folder / "printed.txt").open("wb") as printed:
            status = _run(folder, printed.fileno(), limits.seconds)
        seconds = time.monotonic() - begin
        tail = _tail_of(folder / "printed.txt")
        if status is None:
            error = f"it took longer than {limits.seconds:g} s and was stopped"
            return Answer(None, error, tail, seconds)
        plan, problem = _read_answer(folder / "scratch" / "answer.json", status, limits)
        return Answer(plan, problem, tail, seconds)


def _write_request(folder: Path, text: str, graph: Any, machine: Any, limits: Limits) -> None:
    (folder / "scratch").mkdir()
    (folder / "lib").mkdir()
    (folder / "program.py").write_text(text, encoding="utf-8")
    libraries = _numpy_folders()
    for library in libraries:
        (folder / "lib" / library.name).symlink_to(library)
    request = {
        "graph": graph,
        "machine": machine,
        "cpu_seconds": max(1, int(limits.seconds + 0.999)),
        "memory_bytes": limits.memory_bytes,
        "file_bytes": limits.output_bytes,
        "readable": [str(folder), *map(str, libraries), *_python_files()],
    }
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")


def _run(folder: Path, printed: int, seconds: float) -> int | None:
    """Runs the child; returns its status, negative for a signal, or None if it had to be ended."""
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    environment = dict.fromkeys(threads, "1") | {
        "HOME": str(folder / "scratch"),
        "TMPDIR": str(folder / "scratch"),
        "PYTHONHASHSEED": "0",
    }
    process = subprocess.Popen(
        [sys.executable, "-s", "-S", "-P", "-B", str(_CHILD), str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=printed,
        stderr=printed,
        cwd=folder / "scratch",
        env=environment,
        start_new_session=True,
    )
    try:
        return process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _read_answer(path: Path, status: int, limits: Limits) -> tuple[Any, str | None]:
    if status == -signal.SIGXCPU or status == -signal.SIGKILL:
        return None, f"it took more than {limits.seconds:g} s of processor time and was stopped"
    if status < 0:
        return None, f"it crashed with signal {signal.Signals(-status).name}"
    if status > 0 or path.is_symlink() or not path.is_file():
        return None, f"it ended with status {status} and gave no answer"
    if path.stat().st_size > limits.output_bytes:
        return None, f"its answer is longer than {limits.output_bytes} bytes"
    try:
        answer = json.loads(path.read_bytes(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None, "its answer is no JSON: plans hold whole numbers, lists and dicts"
    if not isinstance(answer, dict) or not {"plan", "error"} & set(answer):
        return None, "its answer is no plan"
    error = answer.get("error")
    return (None, str(error)[:4000]) if error is not None else (answer["plan"], None)


def _refuse(word: str) -> None:
    raise ValueError(f"found {word}")


def _tail_of(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL))
        return file.read().decode("utf-8", errors="replace")


def _numpy_folders() -> list[Path]:
    """The folders of numpy and of its libraries; none where it is not installed."""
    spec = importlib.util.find_spec("numpy")
    if spec is None or not spec.submodule_search_locations:
        return []
    numpy = Path(next(iter(spec.submodule_search_locations))).resolve()
    return [folder for folder in (numpy, numpy.with_name("numpy.libs")) if folder.is_dir()]


def _python_files() -> list[str]:
    """Files and folders of Python itself, without the folders of installed packages."""
    found = [path for path in ("/lib", "/lib64", "/usr/lib", "/usr/lib64") if Path(path).is_dir()]
    found += ["/etc/ld.so.cache", "/dev/null", "/dev/urandom", "/usr/share/zoneinfo"]
    found.append(os.path.realpath(sys.executable))
    standard = Path(sysconfig.get_path("stdlib"))
    found += [str(path) for path in standard.iterdir() if path.name not in _SITE_FOLDERS]
    found += [str(path) for path in standard.parent.glob("lib*.so*")]
    return found
