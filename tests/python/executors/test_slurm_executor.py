"""The scripts of `--executor slurm`, run by bash as Slurm would, in folders with strange names."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
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

    submitted = opyard(
        place, "run", "spread.yaml", "--out", "second", "--executor", "slurm", "--submit", PATH=path
    )
    assert submitted.stdout.splitlines()[1:] == ["submitted job 17", "submitted job 17"]


def stopped_job(place: Path, programs: Path, evaluations: str) -> tuple[int, str]:
    """The status of a job that Slurm stops after its first run, and what it asks Slurm for."""
    words = ("--pieces", "1", "--set", f"budget.evaluations={evaluations}")
    assert write(place, *words).returncode == 0
    programs.mkdir()
    (programs / "scontrol").write_text(_SCONTROL)
    (programs / "scontrol").chmod(0o755)
    job = subprocess.Popen(
        ["bash", str(place / "o ut" / "pieces" / "pieces.sbatch")],
        env={
            **os.environ,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "SLURM_ARRAY_TASK_ID": "1",
            "SLURM_ARRAY_JOB_ID": "5",
        },
        stderr=subprocess.DEVNULL,
    )
    store = place / "o ut" / "pieces" / "piece-1" / "results.sqlite"
    give_up = time.monotonic() + 60
    while not store.exists():
        assert time.monotonic() < give_up
        time.sleep(0.05)
    time.sleep(0.5)  # single_device has run by now; a run of random takes long
    job.send_signal(signal.SIGUSR1)
    job.wait(60)
    log = programs / "scontrol.log"
    return job.returncode, log.read_text() if log.exists() else ""


def test_a_job_that_is_out_of_time_is_queued_again(place: Path, tmp_path: Path):
    status, asked = stopped_job(place, tmp_path / "bin", "100000000")
    assert (status, asked) == (0, "requeue 5_1\n")


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck_finds_nothing(place: Path):
    assert write(place).returncode == 0
    scripts = [str(place / "o ut" / "pieces" / name) for name in ("pieces.sbatch", "join.sbatch")]
    # SC2016: a $ in quotes is that of the folder's name.
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


def test_without_a_table_of_missing_runs_the_arrays_name_them():
    from opyard.executors.slurm_scripts import array_text

    assert array_text([1, 2, 3, 5, 8, 9]) == "1-3,5,8-9"
    assert array_text([4]) == "4"


def test_python_of_the_scripts_is_this_one(place: Path):
    assert write(place).returncode == 0
    script = (place / "o ut" / "pieces" / "join.sbatch").read_text()
    assert f"opyard() {{ {sys.executable} -m opyard" in script
