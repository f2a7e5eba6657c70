"""Shipped experiments are valid under the JSON schema of editors, which refuses what we refuse."""

import copy
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
FILES = sorted(EXPERIMENTS.glob("configs/*.yaml"))
SCHEMA = json.loads((EXPERIMENTS / "schema" / "experiment.v1.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)

WHOLE = """
schema_version: 1
name: e
graphs: ["random:layered?n=12"]
hardware: [p100x2-pcie]
agents: [single_device, {name: simulated_annealing, label: a, grid: {cooling: [0.9, 0.99]}},
         {name: random, budget: {evaluations: 3, seconds: null}}]
seeds: [0, 1]
problem:
  tasks: [placement]
  objective: {weighted: {makespan: 1, peak_memory: 0.5}}
  defaults: {queue: priority, fusion: none}
  baseline: random
  memory: wait
  cost_model: peak_roofline
budget: {evaluations: 5, seconds: 60}
decide_per: module:2
contiguous: true
max_groups: 7
devices: [gpu1, gpu0]
training: {updates: 3, save_seconds: 0, tasks: [[placement]]}
"""


def test_the_schema_is_one():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_shipped_experiment_is_valid_and_names_the_schema(file):
    text = file.read_text(encoding="utf-8")
    assert [error.message for error in VALIDATOR.iter_errors(yaml.safe_load(text))] == []
    relative = text.splitlines()[0].removeprefix("# yaml-language-server: $schema=")
    assert (file.parent / relative).resolve() == EXPERIMENTS / "schema" / "experiment.v1.json"


def is_read(experiment: dict, folder: Path) -> bool:
    """Whether `opyard run` takes the experiment."""
    file = folder / "e.yaml"
    file.write_text(json.dumps(experiment), encoding="utf-8")
    command = [sys.executable, "-m", "opyard", "run", str(file), "--out", str(folder / "r")]
    ended = subprocess.run(command, capture_output=True, check=False)
    assert ended.returncode in (0, 2), ended.stderr
    return ended.returncode == 0


def test_what_the_reader_takes_the_schema_takes(tmp_path):
    experiment = yaml.safe_load(WHOLE)
    assert VALIDATOR.is_valid(experiment)
    assert is_read(experiment, tmp_path)


# Each key of the schema with a key beside it that nobody knows.
UNKNOWN = {
    "experiment": lambda e: e.update(nobodys_key=1),
    "problem": lambda e: e["problem"].update(nobodys_key=1),
    "objective": lambda e: e["problem"]["objective"].update(nobodys_key=1),
    "weights": lambda e: e["problem"]["objective"]["weighted"].update(nobodys_key=1),
    "defaults": lambda e: e["problem"]["defaults"].update(nobodys_key=1),
    "budget": lambda e: e["budget"].update(nobodys_key=1),
    "agent": lambda e: e["agents"][1].update(nobodys_key=1),
    "budget of an agent": lambda e: e["agents"][2]["budget"].update(nobodys_key=1),
    "training": lambda e: e["training"].update(nobodys_key=1),
    "split": lambda e: e.update(split={"train": ["g"], "nobodys_key": 1}),
    "train": lambda e: e.update(split={"train": [{"graph": "g", "nobodys_key": 1}]}),
}
WRONG = {
    "no such memory": lambda e: e["problem"].update(memory="swap"),
    "no such task": lambda e: e["problem"].update(tasks=["placing"]),
    "a task twice": lambda e: e["problem"].update(tasks=["placement", "placement"]),
    "no seeds": lambda e: e.update(seeds=[]),
    "a seed twice": lambda e: e.update(seeds=[1, 1]),
    "a seed below 0": lambda e: e.update(seeds=[-1]),
    "no budget": lambda e: e["budget"].update(evaluations=0),
    "too short": lambda e: e["budget"].update(seconds=0.0001),
    "pairs beside graphs": lambda e: e.update(pairs=[{"graph": "g", "hardware": "h"}]),
    "an agent without a name": lambda e: e["agents"].append({"label": "x"}),
    "an empty grid": lambda e: e["agents"][1].update(grid={}),
    "no name": lambda e: e.pop("name"),
    "no version": lambda e: e.pop("schema_version"),
    "no groups": lambda e: e.update(max_groups=-1),
    "no devices": lambda e: e.update(devices=[]),
    "a device twice": lambda e: e.update(devices=["gpu0", "gpu0"]),
    "a device alone": lambda e: e.update(devices="gpu0"),
}


@pytest.mark.parametrize("change", (UNKNOWN | WRONG).values(), ids=(UNKNOWN | WRONG).keys())
def test_what_the_reader_refuses_the_schema_refuses(change, tmp_path):
    experiment = copy.deepcopy(yaml.safe_load(WHOLE))
    change(experiment)
    assert not VALIDATOR.is_valid(experiment)
    assert not is_read(experiment, tmp_path)
