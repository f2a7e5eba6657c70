"""docs/duels.md: its commands run, and the first prints what the page quotes."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "duels.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"```\n(opyard .*?)```", PAGE, re.DOTALL)[0].splitlines()


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> list[str]:
    """The outputs of the commands of the page."""
    folder = tmp_path_factory.mktemp("duels")
    return [
        subprocess.run(
            [sys.executable, "-m", *shlex.split(command)],
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            check=True,
        ).stdout
        for command in COMMANDS
    ]


def test_the_first_command_prints_what_is_quoted(printed):
    (quoted,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert printed[0].startswith(quoted)


def test_the_other_commands_run(printed):
    assert json.loads(printed[1])["ratio"] > 1
    assert "critical_path takes" in printed[2]


def test_the_python_block_runs():
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    found: dict[str, object] = {}
    exec(block, found)
    assert found["result"].ratio > 1
