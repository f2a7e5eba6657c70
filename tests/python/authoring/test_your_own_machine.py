"""The tutorial docs/your-own-machine.md runs from its first file to its plan."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import opyard
import pytest
import yaml

PAGE = Path(__file__).resolve().parents[3] / "docs" / "your-own-machine.md"
TEXT = PAGE.read_text(encoding="utf-8")
NEW, MEASURED, COMPARED, USED = (
    block.splitlines() for block in re.findall(r"```\n((?:opyard|cp) .*?)```", TEXT, re.DOTALL)
)
((NAME, BY_HAND),) = re.findall(r"```yaml (\S+)\n(.*?)```", TEXT, re.DOTALL)


def run(command: str, folder: Path, status: int = 0) -> str:
    """The output of a command of the page."""
    program, *arguments = shlex.split(command)
    words = [sys.executable, "-m", "opyard"] if program == "opyard" else [program]
    ended = subprocess.run(
        [*words, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ended.returncode == status, f"{command}: {ended.stderr}"
    return ended.stdout


@pytest.fixture
def machine(tmp_path) -> Path:
    """The folder of a reader who has written the file and edited it by hand."""
    for command in NEW:
        run(command, tmp_path)
    (tmp_path / NAME).write_text(BY_HAND, encoding="utf-8")
    return tmp_path


def test_the_edit_by_hand_is_the_link_and_its_provenance(tmp_path):
    for command in NEW:
        run(command, tmp_path)
    written = yaml.safe_load((tmp_path / NAME).read_text(encoding="utf-8"))
    edited = yaml.safe_load(BY_HAND)
    changed = {key for key in written | edited if written.get(key) != edited.get(key)}
    assert changed == {"links", "provenance"}
    assert written["provenance"]["devices"] == edited["provenance"]["devices"]


def test_the_guessed_machine_takes_plans(machine):
    for command in USED[1:]:
        answer = run(command, machine)
    assert "critical path" in answer
    assert opyard.load_machine(machine / NAME).device_names == ["cpu0", "cpu1"]


@pytest.mark.timeout(600)
def test_the_measured_machine_takes_plans(machine):
    pytest.importorskip("torch")
    before = (machine / "devices" / "my-cpu.yaml").read_bytes()
    for command in MEASURED:
        run(command, machine)
    for command in COMPARED:
        assert run(command, machine, status=1)
    for command in USED:
        run(command, machine)
    assert (machine / "devices" / "my-cpu.yaml").read_bytes() != before
