"""A tuning that is killed goes on to what it would have found, which brkga_tuned takes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

_EXPERIMENT = """\
schema_version: 1
name: nine
split:
  train: [{graph: "random:layered?n=24&seed={i}", count: 9}]
  test: ["random:layered?n=30&seed=100"]
training: {save_seconds: 0}
hardware: [p100x2-pcie]
budget: {evaluations: 200}
agents: [{name: brkga, params: {start: random, population: 100}}]
tuning:
  trials: 9
  first_problems: 3
  space:
    population: {low: 5, high: 100, scale: log}
    elite_bias: {low: 0.5, high: 0.9}
    host_alpha: {low: 0.1, high: 1, scale: log}
seeds: [3]
"""


def opyard(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "opyard", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def tuned(folder: Path) -> dict:
    found = json.loads((folder / "tuned.json").read_text(encoding="utf-8"))
    del found["record"]["seconds"]
    return found


def num_runs(folder: Path) -> int:
    path = folder / "tuning-state.json"
    if not path.exists():
        return 0
    return len(json.loads(path.read_text(encoding="utf-8"))["scores"])


@pytest.fixture(name="place")
def fixture_place(tmp_path: Path) -> Path:
    (tmp_path / "nine.yaml").write_text(_EXPERIMENT, encoding="utf-8")
    return tmp_path


def test_killed_again_and_again_it_comes_to_the_same_parameters(place: Path):
    whole = opyard(place, "tune", "nine.yaml", "--out", "whole", "--json", "--quiet")
    assert whole.returncode == 0, whole.stderr
    command = [sys.executable, "-m", "opyard", "tune", "nine.yaml", "--out", "killed"]
    num_kills = 0
    while not (place / "killed" / "tuned.json").exists():
        before = num_runs(place / "killed")
        process = subprocess.Popen(
            [*command, "--resume", "--quiet"],
            cwd=place,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None and num_kills < 2:
            if num_runs(place / "killed") >= before + 5:
                os.kill(process.pid, signal.SIGKILL)
                num_kills += 1
                break
            time.sleep(0.005)
        assert process.wait() in (0, -signal.SIGKILL)
    assert num_kills == 2
    assert tuned(place / "killed") == tuned(place / "whole")

    # 9 trials on 3 problems, 3 of them on 6 more; the first trial, too, if it is none of the three.
    answer = json.loads(whole.stdout)
    first_three = [
        trial["trial"] for trial in tuned(place / "whole")["record"]["rounds"][0]["trials"]
    ][:3]
    assert answer["runs"] == 9 * 3 + 3 * 6 + (0 if 0 in first_three else 6)
    assert answer["evaluations"] == 200 * answer["runs"]
    assert answer["params"] == tuned(place / "whole")["params"]
    assert answer["params"]["start"] == "random"


def test_runs_at_once_come_to_the_same_parameters_even_when_killed(place: Path):
    words = ("tune", "nine.yaml", "--quiet", "--threads", "4", "--out")
    one = opyard(place, *words, "one", "--jobs", "1")
    assert one.returncode == 0, one.stderr
    command = [sys.executable, "-m", "opyard", *words, "four", "--jobs", "4"]
    process = subprocess.Popen(command, cwd=place)
    while num_runs(place / "four") < 5 and process.poll() is None:
        time.sleep(0.005)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert not (place / "four" / "tuned.json").exists()
    again = opyard(place, *words, "four", "--jobs", "3", "--resume")
    assert again.returncode == 0, again.stderr
    assert tuned(place / "four") == tuned(place / "one")


def test_another_budget_is_refused_by_name(place: Path):
    few = ("--set", "tuning.trials=2", "--quiet")
    assert opyard(place, "tune", "nine.yaml", "--out", "a", *few).returncode == 0
    again = opyard(place, "tune", "nine.yaml", "--out", "a", *few)
    assert again.returncode == 2
    assert "--resume" in again.stderr
    words = ("--resume", "--set", "budget.evaluations=50")
    other = opyard(place, "tune", "nine.yaml", "--out", "a", *few, *words)
    assert other.returncode == 2
    assert 'budget: found {"evaluations":200}, expected {"evaluations":50}' in other.stderr


def test_what_it_finds_is_what_brkga_tuned_searches_with(place: Path):
    few = ("--set", "tuning.trials=2", "--quiet")
    assert opyard(place, "tune", "nine.yaml", "--out", "a", *few).returncode == 0
    words = (
        "place",
        "--graph",
        "random:layered?n=30&seed=8",
        "--hardware",
        "p100x2-pcie",
        "--json",
    )
    search = ("--evaluations", "150", "--agent")
    by_file = opyard(place, *words, *search, "brkga_tuned", "--param", "settings=a/tuned.json")
    assert by_file.returncode == 0, by_file.stderr
    params = [f"{name}={value}" for name, value in tuned(place / "a")["params"].items()]
    given = [word for param in params for word in ("--param", param)]
    by_hand = opyard(place, *words, *search, "brkga", *given)
    assert json.loads(by_file.stdout)["score"] == json.loads(by_hand.stdout)["score"]


def test_an_end_of_a_range_that_the_agent_refuses_is_named(place: Path):
    space = "tuning={space: {elite_bias: {low: 0.5, high: 1.5}, flock: {low: 1, high: 2}}}"
    refused = opyard(place, "tune", "nine.yaml", "--out", "a", "--set", space)
    assert refused.returncode == 2
    assert "option elite_bias: found 1.5" in refused.stderr
    assert refused.stderr.count('unknown option "flock"') == 1
