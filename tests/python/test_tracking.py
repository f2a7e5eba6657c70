"""Event files of TensorBoard and lines of JSON hold what stores and curves do, after kills, too."""

from __future__ import annotations

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from opyard import _core
from short_training import TRAINING

_RUN = """\
schema_version: 1
name: two
graphs: ["random:layered?n=24&seed=1"]
hardware: [p100x2-pcie]
budget: {evaluations: 200}
agents: [random, brkga]
seeds: [5]
"""
_TRAINING = (
    TRAINING.replace("updates: 60", "updates: 40")
    + """\
budget: {evaluations: 60}
tuning:
  trials: 4
  first_problems: 2
  space: {learning_rate: {low: 0.001, high: 0.1, scale: log}}
"""
)
needs_torch = pytest.mark.skipif(not _core.torch_version, reason="built without LibTorch")


@pytest.fixture(name="place")
def fixture_place(tmp_path: Path) -> Path:
    (tmp_path / "two.yaml").write_text(_RUN, encoding="utf-8")
    (tmp_path / "twenty.yaml").write_text(_TRAINING, encoding="utf-8")
    return tmp_path


def opyard(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "opyard", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def events(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """The steps and values of each scalar of a run, as TensorBoard reads its event files."""
    reading = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", reason="needs tensorboard"
    )
    accumulator = reading.EventAccumulator(str(folder), size_guidance={reading.SCALARS: 0})
    accumulator.Reload()
    return {
        tag: [(event.step, event.value) for event in accumulator.Scalars(tag)]
        for tag in accumulator.Tags()["scalars"]
    }


def scalars_of(lines: str) -> dict[tuple[str, str], list[tuple[int, float]]]:
    """The steps and values of each scalar of each run in lines of JSON."""
    found: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for line in map(json.loads, lines.splitlines()):
        for name, value in line["values"].items():
            found.setdefault((line["run"], name), []).append((line["step"], value))
    return found


def test_event_files_hold_the_history_of_each_run(place: Path):
    words = ("run", "two.yaml", "--out", "results", "--tensorboard", "results/board", "--quiet")
    ended = opyard(place, *words)
    assert ended.returncode == 0, ended.stderr
    (problem,) = (place / "results" / "board").iterdir()
    assert problem.name.startswith("_random_layered_n=24_seed=1-")
    assert problem.name.endswith(".p100x2-pcie")
    with sqlite3.connect(place / "results" / "results.sqlite") as store:
        for agent in ("random", "brkga"):
            history = store.execute(
                "SELECT h.evaluations, h.score FROM history h JOIN runs r ON r.id = h.run"
                " WHERE r.agent = ? ORDER BY h.evaluations",
                (agent,),
            ).fetchall()
            found = events(problem / agent / "seed5")["search/best_score"]
            # A batch may improve more than once: its last improvement is written, by its end.
            assert found[-1] == (200, np.float32(history[-1][1]))
            assert {value for _, value in found} <= {np.float32(score) for _, score in history}
            assert [step for step, _ in found] == sorted({step for step, _ in found})


def test_lines_are_all_that_standard_output_has(place: Path):
    problem = ("--graph", "random:layered?n=24&seed=1", "--hardware", "p100x2-pcie")
    words = ("place", *problem, "--agent", "brkga", "--evaluations", "200", "--progress-json")
    ended = opyard(place, *words, "-")
    assert ended.returncode == 0, ended.stderr
    assert "step time" in ended.stderr
    ((name, scalars),) = [
        item for item in scalars_of(ended.stdout).items() if item[0][1] == "search/best_score"
    ]
    assert name[0].endswith(".p100x2-pcie/brkga/seed0")
    answer = json.loads(opyard(place, *words, "lines.jsonl", "--json").stdout)
    assert scalars[-1] == (200, answer["score"])
    again = scalars_of((place / "lines.jsonl").read_text(encoding="utf-8"))
    assert again[name][-1] == scalars[-1]
    for refused in (("-", "--json"), ("-", "--out", "-")):
        both = opyard(place, *words, *refused)
        assert both.returncode == 2
        assert "standard output" in both.stderr


def test_a_search_that_begins_anew_replaces_the_former_one(place: Path):
    problem = ("--graph", "random:layered?n=24&seed=1", "--hardware", "p100x2-pcie")
    words = ("place", *problem, "--agent", "brkga", "--tensorboard", "board", "--evaluations")
    for evaluations in ("200", "60"):
        assert opyard(place, *words, evaluations).returncode == 0
    (run,) = (path for path in (place / "board").glob("*/brkga/seed0"))
    assert len(list(run.iterdir())) == 2
    assert events(run)["search/best_score"][-1][0] == 60


@needs_torch
def test_a_training_that_is_killed_and_goes_on_has_each_update_once(place: Path):
    words = ["train", "twenty.yaml", "--out", "out", "--resume", "--quiet"]
    words += ["--tensorboard", "board", "--progress-json", "lines.jsonl"]
    curve = place / "out" / "curve.csv"
    process = subprocess.Popen([sys.executable, "-m", "opyard", *words], cwd=place)
    while process.poll() is None and not (
        curve.exists() and len(curve.read_text(encoding="utf-8").splitlines()) > 10
    ):
        time.sleep(0.005)
    assert process.poll() is None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    run = place / "board" / "training" / "reinforce_lstm" / "seed3"
    if any(run.iterdir()):
        events(run)  # what the killed process left can be read

    ended = opyard(place, *words)
    assert ended.returncode == 0, ended.stderr
    with curve.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 40
    found = events(run)
    assert {"training/evaluations", "training/seconds"} <= set(found)
    for name in rows[0].keys() - {"update"}:
        wanted = [(int(row["update"]), float(row[name])) for row in rows if row[name]]
        at = dict(wanted)
        scalars = found[f"training/{name}"]
        assert [step for step, _ in scalars] == sorted({step for step, _ in scalars}), name
        assert len(scalars) >= 30, name  # the killed process kept back less than a second of them
        for step, value in scalars:
            assert value == np.float32(at[step]), name


@needs_torch
def test_each_trial_of_a_tuning_is_a_run(place: Path):
    words = ("tune", "twenty.yaml", "--out", "out", "--quiet", "--progress-json", "-")
    ended = opyard(place, *words)
    assert ended.returncode == 0, ended.stderr
    found = scalars_of(ended.stdout)
    state = json.loads((place / "out" / "tuning-state.json").read_text(encoding="utf-8"))
    scores: dict[int, list[tuple[int, float]]] = {}
    for trial, problem, score in state["scores"]:
        scores.setdefault(trial, []).append((problem, score))
    assert len(scores) == 4
    for trial, wanted in scores.items():
        run = f"tuning/reinforce_lstm/trial{trial:03}"
        assert sorted(found[run, "tuning/score"]) == sorted(wanted)
        assert found[run, "params/learning_rate" if trial else "tuning/improvement"]
    rounds = json.loads((place / "out" / "tuned.json").read_text(encoding="utf-8"))["record"][
        "rounds"
    ]
    best = rounds[-1]["trials"][0]
    steps = dict(found[f"tuning/reinforce_lstm/trial{best['trial']:03}", "tuning/improvement"])
    assert steps[rounds[-1]["problems"]] == best["improvement"]


def test_a_folder_that_cannot_be_made_is_refused_before_the_work(place: Path):
    words = ("run", "two.yaml", "--out", "results", "--tensorboard", "/dev/null/board")
    ended = opyard(place, *words)
    assert ended.returncode == 2
    assert "/dev/null/board: cannot make this folder" in ended.stderr
    assert not (place / "results" / "results.sqlite").exists()
