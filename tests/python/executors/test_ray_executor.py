"""`--executor ray` on a Ray of two cores on this machine, whose workers and drivers are killed."""

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
from processes import processes
from short_training import TRAINING
from spread_experiment import OPYARD, opyard, runs_of, write_experiment

pytest.importorskip("ray", reason="Ray is not installed (requirements/ray.txt)")
pytestmark = pytest.mark.slow

_CLUSTER = """
import ray, sys
context = ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
print(context.address_info["gcs_address"], flush=True)
sys.stdin.read()
"""


@pytest.fixture(name="cluster", scope="module")
def fixture_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment in which drivers find a Ray with two cores, and its token."""
    variables = {"HOME": str(tmp_path_factory.mktemp("home")), "RAY_AUTH_MODE": "token"}
    with subprocess.Popen(
        [sys.executable, "-c", _CLUSTER],
        env={**os.environ, **variables},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield {**variables, "RAY_ADDRESS": process.stdout.readline().strip()}
        process.communicate(timeout=30)


def wait_for(what: Callable[[], Any], seconds: float = 60) -> Any:
    """Waits until `what` returns something, and returns it."""
    give_up = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < give_up
        time.sleep(0.02)
    return found


def pieces_of(folder: Path, word: str) -> list[tuple[int, int]]:
    """Those of opyard that a worker has started for `folder`: each with its parent."""
    return [
        (process, parent)
        for process, (parent, command) in processes().items()
        if "/opyard-" in command and str(folder) in command and word in command
    ]


def begin(folder: Path, cluster: dict[str, str], *words: str) -> subprocess.Popen[str]:
    """An executor at work in `folder`."""
    return subprocess.Popen(
        [*OPYARD, *words, "--executor", "ray"],
        cwd=folder,
        env={**os.environ, **cluster},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def kill_worker(folder: Path, word: str) -> None:
    """Kills the worker whose command is at work, and waits until that has ended, too."""
    child, worker = wait_for(lambda: pieces_of(folder, word))[0]
    os.kill(worker, signal.SIGKILL)
    wait_for(lambda: not Path(f"/proc/{child}").exists())


def test_a_killed_worker_loses_nothing_and_makes_nothing_twice(
    tmp_path: Path, cluster: dict[str, str]
):
    write_experiment(tmp_path)
    here = opyard(tmp_path, "run", "spread.yaml", "--out", "here", "--quiet")
    process = begin(tmp_path, cluster, "run", "spread.yaml", "--out", "there", "--pieces", "3")
    kill_worker(tmp_path, "--shard")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "pieces: 3, runs: 14" in err
    assert runs_of(tmp_path / "there") == runs_of(tmp_path / "here")
    # The table is that of one process, but for times and the folder's name.
    assert [line[:40] for line in out.splitlines()[:6]] == [
        line[:40] for line in here.stdout.splitlines()[:6]
    ]
    assert opyard(tmp_path, "validate", "there").returncode == 0


def test_a_driver_that_is_interrupted_or_killed_goes_on(tmp_path: Path, cluster: dict[str, str]):
    write_experiment(tmp_path)
    words = ["run", "spread.yaml", "--out", "there"]
    process = begin(tmp_path, cluster, *words, "--pieces", "7")
    arrived = wait_for(lambda: list(tmp_path.glob("there/pieces/piece-*/results.sqlite")))[0]
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "--resume goes on" in err
    wait_for(lambda: not pieces_of(tmp_path, "--shard"))  # also on the machines of the cluster

    before = arrived.stat().st_ino
    process = begin(tmp_path, cluster, *words, "--resume")
    wait_for(lambda: pieces_of(tmp_path, "--shard"))
    process.kill()
    process.communicate()
    wait_for(lambda: not pieces_of(tmp_path, "--shard"))
    assert arrived.stat().st_ino == before  # it was not made again

    other = opyard(
        tmp_path, *words, "--resume", "--executor", "ray", "--set", "seeds=[0]", **cluster
    )
    assert other.returncode == 2
    assert "seeds: the pieces were made with [0, 1, 2], the experiment says [0]" in other.stderr

    last = opyard(tmp_path, *words, "--resume", "--executor", "ray", **cluster)
    assert last.returncode == 0, last.stderr
    assert len(runs_of(tmp_path / "there")) == 14 + 1
    assert not list(tmp_path.glob("there/pieces/piece-*"))  # they are joined


@pytest.mark.skipif(not _core.torch_version, reason="built without LibTorch")
def test_what_is_wrong_in_a_piece_is_said_once(tmp_path: Path, cluster: dict[str, str]):
    (tmp_path / "bad.yaml").write_text(
        TRAINING.replace("hidden: 12, attention: 6, embedding: 6", "checkpoint: no.opyard").replace(
            "seeds: [3]", "seeds: [3, 4, 5]"
        )
    )
    (tmp_path / "no.opyard").write_text("these are no weights\n")
    ended = opyard(tmp_path, "run", "bad.yaml", "--executor", "ray", **cluster)
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.count("no.opyard") == 1


@pytest.mark.skipif(not _core.torch_version, reason="built without LibTorch")
def test_a_training_goes_on_from_what_came_back(tmp_path: Path, cluster: dict[str, str]):
    (tmp_path / "short.yaml").write_text(TRAINING)
    words = ["train", "short.yaml", "--set", "training.updates=300"]
    assert opyard(tmp_path, *words, "--out", "here", "--quiet").returncode == 0
    process = begin(tmp_path, cluster, *words, "--out", "there")
    wait_for(lambda: (tmp_path / "there" / "training.opyard").exists())
    kill_worker(tmp_path, "train")
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    weights = [
        (tmp_path / folder / "weights.opyard").read_bytes().partition(b"\nend\n")[2]
        for folder in ("here", "there")
    ]
    assert weights[0] == weights[1] != b""
