"""The results file, read the way docs/formats.md shows."""

from __future__ import annotations

import csv
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
from opyard import _core

_FORMATS = Path(__file__).resolve().parents[2] / "docs" / "formats.md"

pytestmark = pytest.mark.skipif(not _core.torch_version, reason="built without LibTorch")


def run(arguments: list[str], folder: Path) -> str:
    """Runs this Python in `folder`; its output."""
    result = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where results/quickstart holds two updates (of 4 plans) of reinforce_lstm."""
    folder = tmp_path_factory.mktemp("results")
    settings = ["agents=[reinforce_lstm]", "budget.evaluations=8", "graphs=[gnmt2]", "seeds=[3]"]
    overrides = [word for setting in settings for word in ("--set", setting)]
    command = ["-m", "opyard", "run", "quickstart", "--out", "results/quickstart", "--quiet"]
    run([*command, *overrides], folder)
    return folder


def test_the_manual_s_python_block_prints_the_training_curve(folder):
    blocks = re.findall(r"```python\n(.*?)```", _FORMATS.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = [block for block in blocks if "training" in block]
    rows = [line.split() for line in run(["-c", block], folder).splitlines()]
    assert [row[:3] for row in rows] == [["gnmt2", "3", "1"], ["gnmt2", "3", "2"]]
    # Of three devices the host is one; a policy that has not learned yet is nearly uniform.
    assert 0.9 * math.log(3) < float(rows[0][3]) <= math.log(3) + 1e-6


def test_exported_curves_are_the_stored_ones(folder):
    run(["-m", "opyard", "results", "export", "results/quickstart", "--out", "csv"], folder)
    with (folder / "csv" / "training.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["name"] == "entropy"]
    assert [(row["num_updates"], row["evaluations"]) for row in rows] == [("1", "4"), ("2", "8")]
    assert {row["agent"] for row in rows} == {"reinforce_lstm"}
