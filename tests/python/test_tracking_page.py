"""Commands and programs of the page on tracking, and the examples that it names, run."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from opyard import _core

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "tracking.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [line for kind, block in BLOCKS if not kind for line in block.splitlines()]
PIPES = [line for line in COMMANDS if "|" in line]
ALONE = [line for line in COMMANDS if line.startswith("opyard") and "|" not in line]
# Filled by `./dev test --all`, from requirements/mlflow.txt.
MLFLOW = Path(sys.prefix) / "mlflow"
# Neither service reports anything to its makers.
QUIET = {"DO_NOT_TRACK": "true", "WANDB_ERROR_REPORTING": "false", "WANDB_SILENT": "true"}
CALLBACKS = {
    "wandb": """\
import opyard, wandb
from wandb_callback import wandb_callback
with wandb.init(project="opyard", mode="offline") as run:
    found = opyard.place({search}, callback=wandb_callback(run))
print(found.makespan_s)
""",
    "mlflow": """\
import mlflow, opyard
from mlflow_callback import mlflow_callback
mlflow.set_tracking_uri("sqlite:///mlflow.db")
with mlflow.start_run() as run:
    found = opyard.place({search}, callback=mlflow_callback(run.info.run_id))
print(found.makespan_s)
""",
}


def is_there(package: str) -> bool:
    return importlib.util.find_spec(package) is not None or (
        package == "mlflow" and MLFLOW.is_dir()
    )


@pytest.fixture(scope="module", name="folder")
def fixture_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the examples and with a command `opyard`."""
    folder = tmp_path_factory.mktemp("tracking")
    (folder / "examples").symlink_to(ROOT / "examples")
    for name, words in {"opyard": "-m opyard", "python": ""}.items():
        program = folder / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {words} "$@"\n')
        program.chmod(0o755)
    return folder


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    modules = os.pathsep.join(map(str, (MLFLOW, ROOT / "examples" / "tracking")))
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=os.environ | {"PATH": path, "PYTHONPATH": modules, "LC_ALL": "C.UTF-8"} | QUIET,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_commands_write_the_runs_of_the_table(folder: Path):
    for command in ALONE:
        if command.startswith("opyard train") and not _core.torch_version:
            continue
        ended = shell(command, folder)
        assert ended.returncode == 0, ended.stderr
    board = folder / "results" / "board"
    runs = {path.parent.relative_to(board).as_posix() for path in board.rglob("*.tfevents.*")}
    assert "inception_v3.p100x2-pcie/auto/seed0" in runs
    assert "gnmt2.p100x2-pcie/heft/seed0" in runs
    if _core.torch_version:
        assert "training/reinforce_lstm/seed0" in runs
        lines = (folder / "results" / "lines.jsonl").read_text(encoding="utf-8").splitlines()
        assert [json.loads(line)["step"] for line in lines] == list(range(1, 21))


@pytest.mark.parametrize("block", [block for kind, block in BLOCKS if kind == "python"])
def test_the_blocks_run(block: str, folder: Path):
    if "tensorboard" in block and not (is_there("torch") and is_there("tensorboard")):
        pytest.skip("needs PyTorch and tensorboard")
    (folder / "block.py").write_text(block, encoding="utf-8")
    ended = shell("python block.py", folder)
    assert ended.returncode == 0, ended.stderr
    if "tensorboard" in block:
        assert any((folder / "board" / "mine").iterdir())
    else:
        *improvements, last = ended.stdout.splitlines()
        assert last.split()[1] == improvements[-1].split()[1]


def logged_by_wandb(folder: Path) -> bytes:
    """The newest run that W&B keeps offline in the folder; values stand in it as JSON."""
    (run,) = (folder / "wandb" / "latest-run").glob("*.wandb")
    return run.read_bytes()


def logged_by_mlflow(folder: Path, name: str) -> list[float]:
    """The values of a metric of the newest run in the folder's database, by step."""
    newest = "(SELECT run_uuid FROM runs ORDER BY start_time DESC LIMIT 1)"
    query = f"SELECT value FROM metrics WHERE key = ? AND run_uuid = {newest} ORDER BY step"
    with contextlib.closing(sqlite3.connect(folder / "mlflow.db")) as store:
        return [value for (value,) in store.execute(query, (name,))]


@pytest.mark.parametrize("pipe", PIPES, ids=lambda pipe: pipe.rpartition("/")[2])
def test_the_lines_reach_the_service_that_is_installed(pipe: str, folder: Path):
    service = re.search(r"(\w+)_callback\.py", pipe)[1]
    if not is_there(service):
        pytest.skip(f"needs {service}")
    ended = shell(pipe, folder)
    assert ended.returncode == 0, ended.stderr
    again = shell(pipe.partition("--progress-json")[0] + "--json", folder)
    best = json.loads(again.stdout)["score"]
    if service == "wandb":
        run = logged_by_wandb(folder)
        assert b"search/best_score" in run
        assert repr(best).encode() in run
    else:
        scores = logged_by_mlflow(folder, "search/best_score")
        assert scores == sorted(scores, reverse=True)
        assert scores[-1] == best


@pytest.mark.parametrize("service", CALLBACKS)
def test_a_callback_logs_the_best_plan(service: str, folder: Path):
    if not is_there(service):
        pytest.skip(f"needs {service}")
    search = '"inception_v3", "p100x2-pcie", agent="brkga", evaluations=300'
    program = CALLBACKS[service].format(search=search)
    (folder / "program.py").write_text(program, encoding="utf-8")
    ended = shell("python program.py", folder)
    assert ended.returncode == 0, ended.stderr
    found = ended.stdout.strip()
    if service == "wandb":
        assert found.encode() in logged_by_wandb(folder)
    else:
        logged = logged_by_mlflow(folder, "search/best_step_time_s")
        assert logged[-1] == float(found)


def test_optuna_tunes_and_brkga_tuned_takes_what_it_found(folder: Path):
    pytest.importorskip("optuna", reason="needs optuna")
    (command,) = (line for line in COMMANDS if "optuna" in line)
    few = "--trials 4 --problems 3 --unseen 2 --evaluations 60"
    ended = shell(f"{command} {few}", folder)
    assert ended.returncode == 0, ended.stderr
    number = r"(-?[\d.]+) ± ([\d.]+)"
    names = ("Optuna", "opyard tune")
    lines = re.findall(rf"^(.*): scores {number} % below the defaults'$", ended.stdout, re.M)
    assert tuple(line[0] for line in lines) == names
    tuned = json.loads((folder / "results" / "optuna" / "tuned.json").read_text(encoding="utf-8"))
    assert (tuned["schema_version"], tuned["agent"]) == (1, "brkga")
    assert len(tuned["record"]["trials"]) == 3  # and that with the defaults
    search = "opyard place --graph 'random:layered?n=60' --hardware p100x4-pcie --evaluations 60"
    taken = "--agent brkga_tuned --param settings=results/optuna/tuned.json --json"
    given = " ".join(f"--param {name}={value}" for name, value in tuned["params"].items())
    by_file = shell(f"{search} {taken}", folder)
    assert by_file.returncode == 0, by_file.stderr
    by_hand = shell(f"{search} --agent brkga {given} --json", folder)
    assert json.loads(by_file.stdout)["score"] == json.loads(by_hand.stdout)["score"]
