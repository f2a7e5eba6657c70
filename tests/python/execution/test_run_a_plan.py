"""The tutorial docs/run-a-plan.md runs from its model to its comparison."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

PAGE = Path(__file__).resolve().parents[3] / "docs" / "run-a-plan.md"


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="the page uses two cores")
@pytest.mark.timeout(600)
def test_the_commands_of_the_page_run_in_their_order(tmp_path):
    text = PAGE.read_text(encoding="utf-8")
    (model,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (commands,) = re.findall(r"```\n(opyard .*?)```", text, re.DOTALL)
    (tmp_path / "mine.py").write_text(model)
    for command in commands.splitlines():
        arguments = shlex.split(command)[1:]
        result = subprocess.run(
            [sys.executable, "-m", "opyard", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, f"{command}: {result.stderr}"
    assert "top-1 regret" in result.stdout  # of the last command
    rows = (tmp_path / "rows.csv").read_text().splitlines()
    assert len(rows) == 3  # titles, two plans
    assert (tmp_path / "best.trace.json").stat().st_size > 0
    assert (tmp_path / "report" / "measured.svg").stat().st_size > 0
