"""docs/program-search.md: its commands and its Python block run, and scores are as quoted."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "program-search.md").read_text(encoding="utf-8")


def run(words: list[str], folder: Path) -> str:
    command = [sys.executable, *words]
    ended = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=True)
    return ended.stdout


def test_the_commands_and_the_python_block_run(tmp_path):
    commands = re.findall(r"```\n(opyard .*?)```", PAGE, re.DOTALL)[0].splitlines()
    printed = [run(["-m", *shlex.split(command)], tmp_path) for command in commands]
    files = re.findall(r"^\| `([\w.]+)` \|", PAGE, re.MULTILINE)
    assert set(files) == {path.name for path in (tmp_path / "search").iterdir()}
    (quoted,) = re.findall(r"geometric mean +([\d.]+) +([\d.]+) ", PAGE)
    assert re.search(rf"geometric mean +{quoted[0]} +{quoted[1]} ", printed[1])
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    score, *names = run(["-c", block], tmp_path).split()
    assert 0 < float(score) < 1
    assert names == ["ratios", "worst_1", "worst_2"]
