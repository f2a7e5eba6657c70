"""Ctrl-C ends a command within 0.2 s of processor time, of all its threads, exit included."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from opyard import _core

_PROBLEM = ("--graph", "random:layered?n=2000", "--hardware", "p100x4-pcie")
_LONG = ("--evaluations", "1000000000", "--seconds", "100")
_MATRIX = (
    *("--set", "graphs=['random:layered?n=200']", "--set", "agents=[random, simulated_annealing]"),
    *("--set", "budget={evaluations: 1000000000, seconds: 100}"),
)


def place(agent: str) -> tuple[str, ...]:
    return ("place", *_PROBLEM, *_LONG, "--threads", "2", "--agent", agent)


def processor_seconds(process_id: int) -> float:
    """The processor time of all threads of a process."""
    fields = Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # utime, stime


def wait_until_busy(process_id: int) -> None:
    """Returns once the C++ side runs (it handles SIGTERM) and has spent half a second more."""
    status = Path(f"/proc/{process_id}/status")
    deadline = time.monotonic() + 120
    since = None
    while since is None or processor_seconds(process_id) < since + 0.5:
        assert time.monotonic() < deadline, "the command never became busy"
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        if since is None and int(fields["SigCgt"], 16) & 1 << (signal.SIGTERM - 1):
            since = processor_seconds(process_id)
        time.sleep(0.01)


@pytest.mark.parametrize(
    "words",
    [
        ("run", "quickstart", "--out", "results", "--quiet", "--jobs", "2", *_MATRIX),
        place("random"),
        place("brkga"),
        place("simulated_annealing"),
        pytest.param(
            place("reinforce_lstm"),
            marks=pytest.mark.skipif(not _core.torch_version, reason="built without LibTorch"),
        ),
        ("bench", "sim"),
    ],
    ids=lambda words: " ".join((words[0], words[-1])),
)
def test_one_interrupt_ends_a_command_within_a_fifth_of_a_second(tmp_path, words):
    process = subprocess.Popen(
        [sys.executable, "-m", "opyard", *words],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_busy(process.pid)
        before = processor_seconds(process.pid)
        process.send_signal(signal.SIGINT)
        _, status, spent = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    finally:
        process.kill()
    assert process.returncode == 130
    assert spent.ru_utime + spent.ru_stime - before < 0.2
