"""A training that is killed goes on to the weights that it would have had; its weights help."""

from __future__ import annotations

import csv
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest
from opyard import _core
from short_training import TRAINING

pytestmark = pytest.mark.skipif(not _core.torch_version, reason="built without LibTorch")


def opyard(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "opyard", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def tensors(weights: Path) -> tuple[list[bytes], bytes]:
    """The lines of the header that are no record, and the bytes of the tensors."""
    header, _, values = weights.read_bytes().partition(b"\nend\n")
    return [line for line in header.split(b"\n") if not line.startswith(b"record ")], values


def curve(folder: Path) -> list[dict[str, str]]:
    with (folder / "curve.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(name="place")
def fixture_place(tmp_path: Path) -> Path:
    (tmp_path / "twenty.yaml").write_text(TRAINING, encoding="utf-8")
    return tmp_path


def test_killed_again_and_again_it_comes_to_the_same_weights(place: Path):
    whole = opyard(place, "train", "twenty.yaml", "--out", "whole", "--json", "--quiet")
    assert whole.returncode == 0, whole.stderr
    command = [sys.executable, "-m", "opyard", "train", "twenty.yaml", "--out", "killed"]
    num_kills = 0
    while not (place / "killed" / "weights.opyard").exists():
        process = subprocess.Popen(
            [*command, "--resume", "--quiet"],
            cwd=place,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        before = len(curve(place / "killed")) if (place / "killed" / "curve.csv").exists() else 0
        while process.poll() is None and num_kills < 3:
            path = place / "killed" / "curve.csv"
            if path.exists() and len(curve(place / "killed")) >= before + 10:
                os.kill(process.pid, signal.SIGKILL)
                num_kills += 1
                break
            time.sleep(0.005)
        assert process.wait() in (0, -signal.SIGKILL)
    assert num_kills == 3
    assert tensors(place / "killed" / "weights.opyard") == tensors(
        place / "whole" / "weights.opyard"
    )
    assert [row["mean_reward"] for row in curve(place / "killed")] == [
        row["mean_reward"] for row in curve(place / "whole")
    ]
    answer = json.loads(whole.stdout)
    assert answer["updates"] == 60
    assert answer["evaluations"] == 60 * 4


def test_another_seed_is_refused_by_name(place: Path):
    few = ("--set", "training.updates=2", "--quiet")
    assert opyard(place, "train", "twenty.yaml", "--out", "a", *few).returncode == 0
    again = opyard(place, "train", "twenty.yaml", "--out", "a", *few)
    assert again.returncode == 2
    assert "--resume" in again.stderr
    other = opyard(place, "train", "twenty.yaml", "--out", "a", *few, "--resume", "--seed", "4")
    assert other.returncode == 2
    assert "seed: found 3, expected 4" in other.stderr


def test_weights_serve_a_graph_and_a_machine_of_other_sizes(place: Path):
    few = ("--set", "training.updates=2", "--quiet")
    assert opyard(place, "train", "twenty.yaml", "--out", "a", *few).returncode == 0
    words = ("--evaluations", "8", "--checkpoint", "a/weights.opyard", "--json")
    for graph, machine in (
        ("random:layered?n=90&seed=7", "p100x4-pcie"),
        ("random:layered?n=11&seed=8", "p100x8-pcie"),
    ):
        placed = opyard(
            place,
            *("place", "--graph", graph, "--hardware", machine),
            *("--agent", "reinforce_lstm", *words),
        )
        assert placed.returncode == 0, placed.stderr
        assert json.loads(placed.stdout)["evaluations"] == 8
    run = opyard(
        place,
        "run",
        "twenty.yaml",
        "--out",
        "r",
        "--quiet",
        "--set",
        "budget.evaluations=8",
        "--checkpoint",
        "a/weights.opyard",
    )
    assert run.returncode == 0, run.stderr


def test_run_trains_first_and_goes_on_where_it_was_killed(place: Path):
    whole = opyard(place, "train", "twenty.yaml", "--out", "whole", "--quiet")
    assert whole.returncode == 0, whole.stderr
    command = [sys.executable, "-m", "opyard", "run", "twenty.yaml", "--out", "r", "--quiet"]
    process = subprocess.Popen(command, cwd=place)
    folder = place / "r" / "training" / "reinforce_lstm"
    while not (folder / "curve.csv").exists() or len(curve(folder)) < 10:
        assert process.poll() is None
        time.sleep(0.005)
    process.kill()
    process.wait()
    assert not (folder / "weights.opyard").exists()
    again = opyard(place, *command[3:], "--resume", "--json")
    assert again.returncode == 0, again.stderr
    assert tensors(folder / "weights.opyard") == tensors(place / "whole" / "weights.opyard")
    (training,) = json.loads(again.stdout)["trainings"]
    assert training["updates"] == 60
    assert training["cpu_seconds"] > 0
    shown = json.loads(opyard(place, "results", "show", "r", "--json").stdout)
    assert [cell["training_id"] for cell in shown["cells"]] == [training_id(shown)]


def training_id(shown: dict) -> int:
    """The number of the only training that a store holds."""
    (training,) = shown["trainings"]
    return training["id"]


def test_an_agent_without_weights_takes_no_checkpoint(place: Path):
    words = ("--graph", "random:layered?n=20", "--hardware", "p100x2-pcie", "--agent", "random")
    placed = opyard(place, "place", *words, "--checkpoint", "x")
    assert placed.returncode == 2
    assert "checkpoint" in placed.stderr


def test_a_trained_network_beats_a_fresh_one_on_graphs_that_it_never_saw(tmp_path: Path):
    """The shipped experiment, ten held-out graphs, 16 evaluations each: paired differences of the
    logarithm of the step time have a 95 % interval below 0 (t with 9 degrees of freedom: 2.262)."""
    trained = opyard(tmp_path, "train", "train-small", "--out", "small", "--quiet")
    assert trained.returncode == 0, trained.stderr

    def step_s(seed: int, *more: str) -> float:
        placed = opyard(
            tmp_path,
            *("place", "--graph", f"random:layered?n=50&seed={500 + seed}"),
            *("--hardware", "p100x2-pcie", "--agent", "reinforce_lstm", "--tasks", "placement"),
            *("--evaluations", "16", "--seed", str(seed), "--json", *more),
        )
        assert placed.returncode == 0, placed.stderr
        return json.loads(placed.stdout)["makespan_s"]

    gains = [
        math.log(step_s(seed, "--checkpoint", "small/weights.opyard") / step_s(seed))
        for seed in range(10)
    ]
    half_width = 2.262 * statistics.stdev(gains) / math.sqrt(len(gains))
    assert statistics.mean(gains) + half_width < 0.0, gains


def test_graphs_are_sampled_with_each_list_of_tasks(place: Path):
    trained = opyard(
        place,
        "train",
        "twenty.yaml",
        "--set",
        "agents=[{name: go, params: {hidden: 8, heads: 2, batch_size: 2, n_epochs: 1}}]",
        "--set",
        "training={updates: 20, tasks: [[placement], [placement, scheduling, fusion]]}",
        "--out",
        "tasks",
        "--quiet",
    )
    assert trained.returncode == 0, trained.stderr
    header = (place / "tasks" / "weights.opyard").read_bytes().partition(b"\nend\n")[0].decode()
    uses = next(line for line in header.splitlines() if line.startswith("record uses "))
    assert '@p100x2-pcie:placement"' in uses
    assert "@p100x2-pcie:placement,scheduling,fusion" in uses
