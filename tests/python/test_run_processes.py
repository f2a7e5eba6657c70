"""Two processes on one results folder, and one that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

_RUN = [sys.executable, "-m", "opyard", "run", "quickstart", "--out", "results", "--quiet"]
_GRAPH = ["--set", "graphs=['random:layered?n=20']", "--set", "agents=[random]"]  # 3 seeds
_LONG = [*_GRAPH, "--set", "budget={evaluations: 1000000000, seconds: 100}"]


def start(folder: Path) -> subprocess.Popen[bytes]:
    """A long run in `folder`, once its store is there; none of its searches ends."""
    process = subprocess.Popen([*_RUN, *_LONG], cwd=folder)
    give_up = time.monotonic() + 60
    while not (folder / "results" / "results.sqlite").exists() and time.monotonic() < give_up:
        assert process.poll() is None
        time.sleep(0.05)
    return process


@pytest.fixture
def running(tmp_path):
    """The folder and the process of a long run; it is killed at the end."""
    process = start(tmp_path)
    yield tmp_path, process
    process.kill()
    process.wait()


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run in `folder` that ends by itself."""
    command = [*_RUN, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_second_process_is_told_at_once_and_a_killed_one_is_in_nobody_s_way(running):
    folder, process = running
    second = run(folder, *_LONG, "--resume")
    assert second.returncode == 2
    assert second.stderr == (
        f"results: another opyard (process {process.pid}) is writing here; "
        "wait for it to end, or give another --out\n"
    )
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    after = run(folder, *_GRAPH, "--set", "budget={evaluations: 5}", "--resume")
    assert after.returncode == 0, after.stderr
    assert "3 runs in results/results.sqlite" in after.stdout
