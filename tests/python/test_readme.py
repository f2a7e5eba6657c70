"""What README.md tells people to type does what it says."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
# The block of commands, in order: later ones read what earlier ones wrote.
COMMANDS = re.findall(r"```\n(opyard .*?)```", README, re.DOTALL)[0].splitlines()


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs this Python in `folder`."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_python_block_runs(tmp_path):
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    result = run(["-c", block], tmp_path)
    assert result.returncode == 0, result.stderr
    reward, makespan, bound = map(float, result.stdout.split())
    assert reward < 0
    assert makespan >= bound > 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the commands run: experiments are named by their path from the project's root."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "experiments").symlink_to(ROOT / "experiments")
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_run(command, folder):
    result = run(["-m", "opyard", *shlex.split(command)[1:]], folder)
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
