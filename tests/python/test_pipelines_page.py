"""docs/pipelines.md: its schedules are plans that take what the page says."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "pipelines.md").read_text(encoding="utf-8")
SCHEDULES = re.findall(r"```csv (\S+)\n(.*?)```", PAGE, re.DOTALL)
(COMMANDS,) = (block.splitlines() for block in re.findall(r"```\n(opyard .*?)```", PAGE, re.DOTALL))
EXCERPTS = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> str:
    """The answers of all commands of the page, run in their order."""
    folder = tmp_path_factory.mktemp("pipelines")
    for name, text in SCHEDULES:
        (folder / name).write_text(text, encoding="utf-8")
    answers = ""
    for command in COMMANDS:
        words = [sys.executable, "-m", "opyard", *shlex.split(command)[1:]]
        ended = subprocess.run(
            words, cwd=folder, capture_output=True, encoding="utf-8", check=False
        )
        assert ended.returncode == 0, ended.stderr
        answers += ended.stdout
    return "\n" + answers


@pytest.mark.parametrize("excerpt", EXCERPTS)
def test_the_page_quotes_what_was_printed(excerpt, printed):
    for lines in re.split(r"^…\n", excerpt, flags=re.MULTILINE):
        for line in lines.splitlines():
            assert f"\n{line}\n" in printed


def test_the_first_suggestion_of_a_plan_saves_time(printed):
    before, after = re.findall(r"(?:before|after): completed: ([\d.]+) ms", printed)
    assert float(after) < float(before)
