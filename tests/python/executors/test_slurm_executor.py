"""The scripts of `--executor slurm`, run by bash as Slurm would, in folders with strange names."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from opyard.executors.slurm_scripts import array_text
from spread_experiment import opyard, runs_of, write_experiment

_FEW = ("--set", "budget.evaluations=20")
_SBATCH = """#!/bin/sh
printf '%s\\n' "$*" >>"$(dirname "$0")/sbatch.log"
echo "17;cluster"
"""
_SCONTROL = """#!/bin/sh
printf '%s\\n' "$*" >>"$(dirname "$0")/scontrol.log"
"""


@pytest.fixture(name="place")
def fixture_place(tmp_path: Path) -> Path:
    """A folder whose name a careless script would take apart."""
    place = tmp_path / 'it\'s a $HOME; 100% "odd" folder'
    place.mkdir()
    return write_experiment(place)


def write(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Has the scripts written."""
    return opyard(place, "run", "spread.yaml", "--out", "o ut", "--executor", "slurm", *words)


def run_script(script: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs a script as a job of Slurm."""
    return subprocess.run(
        ["bash", str(script)],
        cwd="/",
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_pieces_are_run_resumed_and_joined(place: Path):
    written = write(place, "--pieces", "3", "--at-once", "2", *_FEW)
    assert written.returncode == 0, written.stderr
    folder = place / "o ut" / "pieces"
    script = folder / "pieces.sbatch"
    assert "#SBATCH --array=1-3%2\n" in script.read_text()
    for _ in range(2):  # the second time there is nothing left to do
        for piece in ("1", "2"):
            ended = run_script(script, SLURM_ARRAY_TASK_ID=piece)
            assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "piece 2 of 3 is finished\n"

    early = run_script(folder / "join.sbatch")
    assert early.returncode == 1
    assert "4 runs are missing" in early.stderr
    again = write(place, "--resume", *_FEW)
    assert again.returncode == 0, again.stderr
    assert "1 of 3 pieces are to be run" in again.stdout
    assert "#SBATCH --array=3\n" in script.read_text()

    assert run_script(script, SLURM_ARRAY_TASK_ID="3").returncode == 0
    joined = run_script(folder / "join.sbatch")
    assert joined.returncode == 0, joined.stderr
    assert "14 runs in " in joined.stdout
    here = opyard(place, "run", "spread.yaml", "--out", "here", "--quiet", *_FEW)
    assert here.returncode == 0, here.stderr
    assert runs_of(place / "o ut") == runs_of(place / "here")
    assert "all 14 runs are there" in write(place, "--resume", *_FEW).stdout


def test_the_printed_commands_submit_the_pieces_then_their_join(place: Path, tmp_path: Path):
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "sbatch").write_text(_SBATCH)
    (programs / "sbatch").chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    written = write(place, "--slurm-option", "--partition=x", "--cpus-per-piece", "3")
    _, first, second = written.stdout.splitlines()
    subprocess.run(
        ["bash", "-c", f"{first}\n{second}"], env={**os.environ, "PATH": path}, check=True
    )
    pieces, join = (programs / "sbatch.log").read_text().splitlines()
    folder = str(place / "o ut" / "pieces")
    assert pieces.endswith(f"{folder}/pieces.sbatch")
    assert "/logs/%A_%a.log" in pieces
    assert "100%% " in pieces  # of the folder's name, for Slurm
    assert "--dependency=afterany:17" in join
    head = (place / "o ut" / "pieces" / "pieces.sbatch").read_text()
    assert "#SBATCH --partition=x\n" in head
    assert "#SBATCH --cpus-per-task=3\n" in head
    assert " --threads 3" in head
    assert f"opyard() {{ {sys.executable} -m opyard" in head

    submitted = opyard(
        place, "run", "spread.yaml", "--out", "second", "--executor", "slurm", "--submit", PATH=path
    )
    said = [line.partition(":")[0] for line in submitted.stdout.splitlines()]
    assert said[1:3] == ["submitted job 17", "submitted job 17"]


def num_runs(store: Path) -> int:
    """How many runs have ended; -1 before there is a store."""
    try:
        with contextlib.closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True)) as opened:
            return opened.execute("SELECT COUNT(*) FROM runs").fetchone()[0]
    except sqlite3.OperationalError:
        return -1


def test_a_job_that_is_out_of_time_is_queued_again_if_it_got_on(place: Path, tmp_path: Path):
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "scontrol").write_text(_SCONTROL)
    (programs / "scontrol").chmod(0o755)
    # Both runs of single_device take no time, and no run of random ends.
    assert write(place, "--pieces", "1", "--set", "budget.evaluations=10000000000").returncode == 0
    folder = place / "o ut" / "pieces"
    variables = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "SLURM_ARRAY_TASK_ID": "1",
        "SLURM_ARRAY_JOB_ID": "5",
    }
    for status in (0, 1):  # the second time nothing ends
        job = subprocess.Popen(
            ["bash", str(folder / "pieces.sbatch")],
            env={**os.environ, **variables},
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_for(lambda: num_runs(folder / "piece-1" / "results.sqlite") == 1)
        wait_for(lambda process=job.pid: at_work(process))
        job.send_signal(signal.SIGUSR1)
        _, err = job.communicate(timeout=60)
        assert job.returncode == status, err
    assert "expected a longer --time-limit" in err
    assert (programs / "scontrol.log").read_text() == "requeue 5_1\n"


def at_work(script: int) -> bool:
    """True once the piece that a script has started handles signals by itself: it has the store."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            files = [file.readlink().name for file in (process / "fd").iterdir()]
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[1]) == script and "results.sqlite" in files:
            return True
    return False


def wait_for(what: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 120
    while not what():
        assert time.monotonic() < give_up
        time.sleep(0.02)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck_finds_nothing(place: Path):
    assert write(place).returncode == 0
    scripts = [str(place / "o ut" / "pieces" / name) for name in ("pieces.sbatch", "join.sbatch")]
    # SC2016: the folder's name looks like a variable, and is none.
    command = ["shellcheck", "--exclude=SC2016", *scripts]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("subcommand", ["train", "tune"])
def test_a_training_or_tuning_is_one_job_that_goes_on(place: Path, subcommand: str):
    words = (subcommand, "spread.yaml", "--out", "made", "--executor", "slurm", "--threads", "2",
             "--tensorboard", "my events")  # fmt: skip
    written = opyard(place, *words)
    assert written.returncode == 0, written.stderr
    script = (place / "made" / "slurm" / f"{subcommand}.sbatch").read_text()
    assert f"work {subcommand} spread.yaml --out " in script
    assert "--resume --quiet --tensorboard 'my events' --threads 2\n" in script
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_an_array_names_the_missing_pieces():
    assert array_text([1, 2, 3, 5, 8, 9]) == "1-3,5,8-9"
    assert array_text([4]) == "4"
