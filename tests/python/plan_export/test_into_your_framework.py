"""The section "Into your framework" of docs/run-a-plan.md runs."""

# ruff: noqa: E402
from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")

import opyard
from opyard import _core
from test_onnxruntime_layouts import small_model

PAGE = Path(__file__).resolve().parents[3] / "docs" / "run-a-plan.md"
TEXT = PAGE.read_text(encoding="utf-8").partition("## Into your framework")[2]
(MODEL,) = re.findall(r"```python layers\.py\n(.*?)```", TEXT, re.DOTALL)
(COMMANDS,) = (block.splitlines() for block in re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL))
FILES = {
    row[0]: re.findall(r"`([\w-]+\.\w+)`", row[1])
    for row in re.findall(r"^\| `([\w.-]+)` \| (.*?) \|", TEXT, re.MULTILINE)
}


def test_the_commands_run_and_write_the_files_that_the_page_lists(tmp_path):
    (tmp_path / "layers.py").write_text(MODEL, encoding="utf-8")
    onnx.save(small_model(), tmp_path / "model.onnx")
    written = set()
    for command in COMMANDS:
        words = shlex.split(command)[1:]
        ended = subprocess.run(
            [sys.executable, "-m", "opyard", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, f"{command}: {ended.stderr}"
        if "--to" in words:
            target = words[words.index("--to") + 1]
            written.add(target)
            names = {path.name for path in (tmp_path / words[-1]).iterdir()}
            assert set(FILES[target]) <= names, target
            assert f"as {target} runs it: completed: " in ended.stdout
    assert written == set(FILES)


def test_the_page_has_all_targets():
    with pytest.raises(opyard.InputError, match=", ".join(sorted(FILES))):
        _core.export_plan(opyard.Plan([0]), "", "", "nothing")
