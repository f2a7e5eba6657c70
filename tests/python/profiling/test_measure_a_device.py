"""The page docs/measure-a-device.md runs."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from opyard.profiling.cases import GPU, cases_for

PAGE = Path(__file__).resolve().parents[3] / "docs" / "measure-a-device.md"


def run(folder: Path, *words: str) -> str:
    result = subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, f"{words}: {result.stderr}"
    return result.stdout


def test_the_commands_of_the_page_run_in_their_order(tmp_path):
    pytest.importorskip("torch")
    text = PAGE.read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (commands,) = re.findall(r"```\n(opyard .*?)```", text, re.DOTALL)
    (tmp_path / "traced.py").write_text(program, encoding="utf-8")
    (tmp_path / "devices").mkdir()
    run(tmp_path, "traced.py")
    for command in commands.splitlines():
        run(tmp_path, "-m", "opyard", *shlex.split(command)[1:])
    assert {path.name for path in (tmp_path / "devices").iterdir()} == {"mine.yaml", "step.yaml"}


def test_the_page_counts_the_kernels():
    text = PAGE.read_text(encoding="utf-8")
    cases = cases_for(GPU, ["f32"], memory=80 * 2**30, peers=["host", "cuda:1"], quick=False)
    counts = Counter(case.op for case in cases)
    for ops, number in re.findall(r"\n\| (`[^|]*) \|[^|]*\| (\d+)(?: each)? \|", text):
        each = [counts[op] for op in re.findall(r"`(\w+)`", ops)]
        assert int(number) == (each[0] if ops.startswith("`copy_h2d") else sum(each)), ops
