"""Commands and programs of the page on tracking, and the examples that it names, run."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
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


def is_there(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


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
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"},
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


@pytest.mark.parametrize("pipe", PIPES, ids=lambda pipe: pipe.rpartition("/")[2])
def test_the_lines_reach_the_service_that_is_installed(pipe: str, folder: Path):
    service = re.search(r"(\w+)_callback\.py", pipe)[1]
    if not is_there(service):
        pytest.skip(f"needs {service}")
    ended = shell(pipe, folder)
    assert ended.returncode == 0, ended.stderr
    if service == "wandb":
        assert list(folder.glob("wandb/offline-run-*/run-*.wandb"))
    else:
        assert (folder / "mlflow.db").stat().st_size > 0


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
