"""`--executor ray` on a cluster of nodes, of which one joins late and one is lost."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from processes import processes
from spread_experiment import OPYARD, opyard, runs_of, write_experiment

pytest.importorskip("ray", reason="Ray is not installed (requirements/ray.txt)")
pytestmark = pytest.mark.slow

_FEW = ("--set", "budget.evaluations=1000")
# A head without cores. Adds a node of one core for each line, and prints the process of its raylet.
_CLUSTER = """\
import sys
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
print(cluster.address, flush=True)
for line in sys.stdin:
    node = cluster.add_node(num_cpus=1)
    print(node.all_processes["raylet"][0].process.pid, flush=True)
cluster.shutdown()
"""
# Pieces stand still where Python starts, as long as the file is there.
_STAND_STILL = """\
import os, sys, time
while "--shard" in sys.orig_argv and os.path.exists({mark!r}):
    time.sleep(0.05)
"""


class Nodes:
    """A cluster on this machine."""

    def __init__(self, home: Path) -> None:
        (home / ".ray").mkdir()
        (home / ".ray" / "auth_token").write_text(secrets.token_hex(32))
        self.mark = home / "stand-still"
        (home / "sitecustomize.py").write_text(_STAND_STILL.format(mark=str(self.mark)))
        self.variables = {"HOME": str(home), "RAY_AUTH_MODE": "token"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CLUSTER],
            # A node that refuses connections, as one whose processes are gone, is lost in seconds.
            env={
                **os.environ,
                **self.variables,
                "PYTHONPATH": str(home),
                "RAY_health_check_period_ms": "500",
                "RAY_health_check_failure_threshold": "3",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.address = self._read()

    def add(self) -> int:
        """Adds a node; returns the process of its raylet."""
        assert self._process.stdin is not None
        print(file=self._process.stdin, flush=True)
        return int(self._read())

    def end(self) -> None:
        self._process.communicate(timeout=60)

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@pytest.fixture(name="nodes", scope="module")
def fixture_nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    """A cluster whose head has no cores."""
    nodes = Nodes(tmp_path_factory.mktemp("home"))
    yield nodes
    nodes.end()


def tree_of(root: int) -> dict[int, str]:
    """The command lines of a process and its descendants."""
    everything = processes()
    tree = {root: everything.get(root, (0, ""))[1]}
    grown = 0
    while grown != len(tree):
        grown = len(tree)
        tree |= {pid: text for pid, (parent, text) in everything.items() if parent in tree}
    return tree


def has_piece(raylet: int) -> bool:
    return any("--shard" in command for command in tree_of(raylet).values())


def wait_for(what: Callable[[], Any]) -> None:
    give_up = time.monotonic() + 120
    while not what():
        assert time.monotonic() < give_up
        time.sleep(0.05)


def test_a_late_node_gets_work_and_that_of_a_lost_one(tmp_path: Path, nodes: Nodes):
    place = write_experiment(tmp_path / "place")
    here = opyard(place, "run", "spread.yaml", "--out", "here", "--quiet", *_FEW)
    assert here.returncode == 0, here.stderr
    first = nodes.add()
    nodes.mark.touch()
    words = ["run", "spread.yaml", "--out", "there", "--pieces", "3", *_FEW]
    driver = subprocess.Popen(
        [*OPYARD, *words, "--executor", "ray", "--ray-address", nodes.address],
        cwd=place,
        env={**os.environ, **nodes.variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: has_piece(first))
    late = nodes.add()
    wait_for(lambda: has_piece(late))
    for process in tree_of(first):  # as if its power were off
        os.kill(process, signal.SIGKILL)
    nodes.mark.unlink()
    _, err = driver.communicate(timeout=180)
    assert driver.returncode == 0, err
    assert "pieces: 3, runs: 14" in err
    assert runs_of(place / "there") == runs_of(place / "here")


def test_a_driver_without_the_token_of_the_cluster_hears_how_to_get_it(
    tmp_path: Path, nodes: Nodes
):
    place = write_experiment(tmp_path / "place")
    words = ("run", "spread.yaml", "--executor", "ray", "--ray-address", nodes.address)
    stranger = {"HOME": str(place), "RAY_AUTH_MODE": "token"}
    refused = opyard(place, *words, **stranger)
    assert refused.returncode == 2
    assert f"--ray-address {nodes.address}: cannot connect" in refused.stderr
    assert "set RAY_AUTH_MODE=token and copy its ~/.ray/auth_token" in refused.stderr
