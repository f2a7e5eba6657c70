"""`./dev runs`: an experiment in pieces in the background, joined at the end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_EXPERIMENT = """schema_version: 1
name: pieces
graphs: ["random:layered?n=12"]
hardware: [p100x2-pcie]
budget: {evaluations: 5}
agents: [single_device, random]
seeds: [0, 1, 2]
"""


def runs(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`./dev runs` in the sources, with the command of this Python, on files of `folder`."""
    environment = {**os.environ, "OPYARD_COMMAND": f"{sys.executable} -m opyard"}
    command = [str(_ROOT / "dev"), "runs", *words]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(name="pieces")
def fixture_pieces(tmp_path: Path) -> Path:
    """A folder where the experiment was run in two pieces."""
    (tmp_path / "e.yaml").write_text(_EXPERIMENT, encoding="utf-8")
    folder = tmp_path / "pieces"
    begun = runs(tmp_path, "start", str(tmp_path / "e.yaml"), "--pieces", "2", "--out", str(folder))
    assert begun.returncode == 0, begun.stderr
    log = folder / "log"
    give_up = time.monotonic() + 120
    while "piece 2 of 2 is finished" not in log.read_text(encoding="utf-8"):
        assert time.monotonic() < give_up, log.read_text(encoding="utf-8")
        time.sleep(0.1)
    return folder


def test_pieces_run_by_themselves_and_are_joined(pieces: Path):
    status = runs(pieces, "status", str(pieces))
    assert status.returncode == 0, status.stderr
    assert status.stdout.count("pieces      1/2       2       0        0") == 1
    collected = runs(pieces, "collect", str(pieces))
    assert collected.returncode == 0, collected.stderr
    assert "4 runs, 4 new, 0 known before; 0 of the experiment are missing" in collected.stdout
    assert "4 of 4 stored plans agree to the picosecond" in collected.stdout


def test_another_experiment_in_the_folder_is_refused(pieces: Path):
    other = runs(pieces, "start", "quickstart", "--pieces", "2", "--out", str(pieces))
    assert other.returncode == 1
    assert "give other pieces another --out" in other.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("start", "quickstart", "--pieces", "0"), "--pieces: found 0, expected 1 to 9999"),
        (("start", "quickstart", "--minutes", "91"), "--minutes: found 91, expected 1 to 90"),
        (("status", "nowhere"), "nowhere: found no runs here"),
        (("collect", "nowhere"), "nowhere: found no runs here"),
        (("begin",), "runs start EXPERIMENT"),
    ],
)
def test_what_is_wrong_is_said(words: tuple[str, ...], message: str, tmp_path: Path):
    ended = runs(tmp_path, *words)
    assert ended.returncode == 1
    assert message in ended.stderr
