"""`--executor slurm --submit` on a Slurm of two nodes that is started here and loses processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opyard import _core
from short_training import TRAINING
from spread_experiment import opyard, runs_of, write_experiment
from throwaway_slurm import MOST_IN_ARRAY, NoSlurmError, running_slurm

pytestmark = pytest.mark.slow

_FEW = ("--set", "budget.evaluations=1000")
_OUT = ("--out", "o ut", "--executor", "slurm")
# The first process of piece 3 stands still where Python starts, until it is killed.
_STANDS_STILL = """\
import os, sys, time
if "3/4" in sys.orig_argv and not os.path.exists({mark!r}):
    open({mark!r}, "w").write(str(os.getpid()))
    time.sleep(600)
"""


@pytest.fixture(name="slurm", scope="module")
def fixture_slurm() -> Iterator[dict[str, str]]:
    """The environment in which commands find a Slurm."""
    try:
        with running_slurm() as variables:
            yield variables
    except NoSlurmError as error:
        pytest.skip(str(error))


@pytest.fixture(name="place")
def fixture_place(tmp_path: Path) -> Path:
    """A folder whose name a careless script, and Slurm, would take apart."""
    place = tmp_path / 'it\'s a $HOME; %A 100% "odd" folder'
    place.mkdir()
    return write_experiment(place)


def wait_for(what: Callable[[], Any]) -> Any:
    """Waits until `what` returns something, and returns it."""
    give_up = time.monotonic() + 120
    while not (found := what()):
        assert time.monotonic() < give_up
        time.sleep(0.05)
    return found


def ask(slurm: dict[str, str], *words: str) -> str:
    """The answer of a command of Slurm, or what it says."""
    ended = subprocess.run(
        words, env={**os.environ, **slurm}, capture_output=True, text=True, check=False
    )
    return ended.stdout + ended.stderr


def jobs_of(answer: subprocess.CompletedProcess[str]) -> list[str]:
    """The numbers of the jobs that a command has submitted."""
    assert answer.returncode == 0, answer.stderr
    lines = [line for line in answer.stdout.splitlines() if line.startswith("submitted job ")]
    return [line.split()[2].rstrip(":") for line in lines]


def wait_for_end(slurm: dict[str, str], jobs: list[str]) -> None:
    wait_for(lambda: not ask(slurm, "squeue", "--noheader", f"--jobs={','.join(jobs)}"))


def test_pieces_that_are_killed_or_cancelled_run_when_the_join_says_how(
    place: Path, slurm: dict[str, str]
):
    here = opyard(place, "run", "spread.yaml", "--out", "here", "--quiet", *_FEW)
    assert here.returncode == 0, here.stderr
    mark = place.parent / "stands-still"
    (place.parent / "sitecustomize.py").write_text(_STANDS_STILL.format(mark=str(mark)))
    variables = {**slurm, "PYTHONPATH": str(place.parent)}
    words = ("run", "spread.yaml", *_OUT, "--pieces", "4", "--at-once", "3", "--submit", *_FEW)
    pieces, join = jobs = jobs_of(opyard(place, *words, **variables))
    process = wait_for(lambda: mark.exists() and mark.read_text())
    ask(slurm, "scancel", f"{pieces}_4")
    os.kill(int(process), signal.SIGKILL)
    wait_for_end(slurm, jobs)

    log = (place / "o ut" / "pieces" / "logs" / f"join-{join}.log").read_text()
    first, *commands = log.splitlines()
    assert first.endswith("runs are missing; these commands go on with their pieces:")
    again = subprocess.run(
        ["bash", "-c", "\n".join(commands)],
        cwd="/",
        env={**os.environ, **slurm, "PATH": f"{program_folder(place)}:{slurm['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "of 4 pieces are to be run:" in again.stdout, again.stderr
    wait_for_end(slurm, jobs_of(again))
    assert runs_of(place / "o ut") == runs_of(place / "here")


def program_folder(place: Path) -> Path:
    """A folder with the command `opyard`, as an installation has it."""
    folder = place.parent / "bin"
    folder.mkdir()
    (folder / "opyard").write_text(f'#!/bin/sh\nexec {sys.executable} -m opyard "$@"\n')
    (folder / "opyard").chmod(0o755)
    return folder


def test_a_piece_out_of_time_is_queued_again_before_the_join(place: Path, slurm: dict[str, str]):
    # The run of single_device takes no time, and no run of random ends.
    words = ("--pieces", "1", "--set", "budget.evaluations=10000000000", "--submit")
    pieces, join = jobs = jobs_of(opyard(place, "run", "spread.yaml", *_OUT, *words, **slurm))
    folder = place / "o ut" / "pieces"
    log = folder / "logs" / f"{pieces}_1.log"
    for times in (1, 2):
        wait_for(lambda: at_work(folder / "piece-1" / "results.sqlite"))
        # As Slurm does it two minutes before the end.
        ask(slurm, "scancel", "--batch", "--signal=USR1", f"{pieces}_1")
        wait_for(lambda end=times: log.exists() and log.read_text().count("interrupted:") == end)
        if times == 1:
            wait_for(lambda: "Restarts=1" in ask(slurm, "scontrol", "show", "job", f"{pieces}_1"))
            assert "JobState=PENDING" in ask(slurm, "scontrol", "show", "job", join)
    wait_for_end(slurm, jobs)
    assert "expected a longer --time-limit" in log.read_text()
    assert "runs are missing" in (folder / "logs" / f"join-{join}.log").read_text()


def at_work(store: Path) -> bool:
    """True once a process has the store: it handles signals by itself by then."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(file.readlink() == store for file in (process / "fd").iterdir()):
                return True
        except OSError:  # it has ended meanwhile
            continue
    return False


def test_what_slurm_would_refuse_is_said_with_its_remedy(place: Path, slurm: dict[str, str]):
    run = ("run", "spread.yaml", *_OUT, "--submit", "--set", "budget.evaluations=20")
    many = ("--set", f"seeds={list(range(MOST_IN_ARRAY))}", "--pieces", str(MOST_IN_ARRAY + 1))
    too_many = opyard(place, *run, *many, **slurm)
    assert too_many.returncode == 2
    assert f"expected at most {MOST_IN_ARRAY}: this Slurm takes no larger" in too_many.stderr
    assert not (place / "o ut").exists()

    refused = opyard(place, *run, "--slurm-option=--partition=nosuch", **slurm)
    assert refused.returncode == 1
    assert "pieces.sbatch: sbatch: error: invalid partition specified: nosuch" in refused.stderr
    assert "the same command with --resume" in refused.stderr

    # The pieces have not begun: there may be less of them. On hold, they stay in the queue.
    again = (*run, "--resume", "--pieces", "2")
    jobs = jobs_of(opyard(place, *again, "--slurm-option=--hold", **slurm))
    twice = opyard(place, *again, **slurm)
    assert twice.returncode == 2
    assert f"in the queue already, as job {' and '.join(jobs)}; expected" in twice.stderr
    ask(slurm, "scontrol", "release", *jobs)
    wait_for_end(slurm, jobs)
    assert len(runs_of(place / "o ut")) == 14 + 1


@pytest.mark.skipif(not _core.torch_version, reason="built without LibTorch")
def test_a_training_is_that_of_one_process_and_not_made_twice(place: Path, slurm: dict[str, str]):
    (place / "short.yaml").write_text(TRAINING)
    assert opyard(place, "train", "short.yaml", "--out", "here", "--quiet").returncode == 0
    wait_for_end(slurm, jobs_of(opyard(place, "train", "short.yaml", *_OUT, "--submit", **slurm)))
    weights = [
        (place / folder / "weights.opyard").read_bytes().partition(b"\nend\n")[2]
        for folder in ("here", "o ut")
    ]
    assert weights[0] == weights[1] != b""
    twice = opyard(place, "train", "short.yaml", *_OUT, "--submit", **slurm)
    assert twice.returncode == 2
    assert "holds the files of an earlier opyard train; expected another --out" in twice.stderr


def test_a_command_finds_a_slurm_as_long_as_it_runs(slurm: dict[str, str]):
    program = Path(__file__).with_name("throwaway_slurm.py")
    command = [sys.executable, str(program), "--usual-pace", "sinfo", "--noheader", "--format=%D"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "2\n"), ended.stderr
    assert ask(slurm, "sinfo", "--noheader", "--format=%D") == "2\n"  # not that one


def test_a_folder_whose_name_slurm_would_change_is_refused(tmp_path: Path):
    place = write_experiment(tmp_path / "back\\slash")
    refused = opyard(place, "run", "spread.yaml", *_OUT)
    assert refused.returncode == 2
    assert "expected a folder without \\ in its path" in refused.stderr
