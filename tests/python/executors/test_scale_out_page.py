"""The page docs/scale-out.md: its commands run, and its table follows from its figures."""

from __future__ import annotations

import math
import re
import shlex
from pathlib import Path

import pytest
from opyard.executors.ray_pieces import PIECES_PER_CPU
from opyard.executors.slurm_command import MOST_PIECES
from spread_experiment import opyard

_PAGE = Path(__file__).resolve().parents[3] / "docs" / "scale-out.md"
_TEXT = _PAGE.read_text(encoding="utf-8")
_COMMANDS = [
    line
    for block in re.findall(r"```\n(.*?)```", _TEXT, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("opyard ")
]


def test_the_page_has_commands_of_both_executors():
    assert sum("--executor slurm" in line for line in _COMMANDS) >= 3
    assert sum("--executor ray" in line for line in _COMMANDS) >= 3


def test_the_commands_for_slurm_write_their_scripts(tmp_path: Path):
    (tmp_path / "results" / "trained").mkdir(parents=True)
    for line in (line for line in _COMMANDS if "--executor slurm" in line):
        if "--checkpoint" in line:
            continue  # of weights that the training before it would have made
        ended = opyard(tmp_path, *shlex.split(line)[1:])
        assert ended.returncode == 0, ended.stderr
        assert "sbatch --parsable" in ended.stdout
    assert "1-14%7" in (tmp_path / "results/other/pieces/pieces.sbatch").read_text()


@pytest.mark.slow
def test_the_commands_for_ray_run_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("ray", reason="Ray is not installed (requirements/ray.txt)")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    lines = [line for line in _COMMANDS if "results/mine" in line]
    answers = [opyard(tmp_path, *shlex.split(line)[1:]) for line in lines]
    assert [answer.returncode for answer in answers] == [0] * len(lines), answers
    assert answers[1].stdout == answers[2].stdout  # the second run finds everything there
    assert "42 of 42 stored plans agree" in answers[-1].stdout


def figure(row: str) -> float:
    """The number of a row of the table of costs."""
    (found,) = re.findall(rf"\n\| {re.escape(row)}[^|]*\| ([\d.]+) (?:s|kB) \|", _TEXT)
    return float(found)


def number(text: str) -> float:
    return float(text.replace(",", "").split()[0])


def test_the_table_of_plans_follows_from_the_costs():
    start, size = figure("start of a piece"), figure("store of a piece")
    more, join = figure("a further run"), figure("joining 1,000 runs")
    seconds = [figure("a run of `quickstart`"), figure("a run of `hdp`"), 60.0]
    rows = re.findall(r"\n\| ([\d,]+) \| (\d+) \|(.*)\|", _TEXT)
    assert len(rows) == 5
    for text, runs, rest in rows:
        pieces = number(text)
        assert int(runs) == math.ceil(10_000 / pieces)
        times = [start + int(runs) * each for each in seconds]  # of the longest piece
        if pieces > 1600:
            work = [pieces * start + 10_000 * each for each in seconds]
            times = [one + all_of_it / 1600 for one, all_of_it in zip(times, work, strict=True)]
        megabytes = (pieces * size + (10_000 - pieces) * more) / 1000
        found = [number(cell) for cell in rest.split("|")]
        assert found == pytest.approx([*times, megabytes], abs=0.5), text
    assert f"= {10 * join:.0f} s. What comes back" in _TEXT
    assert f"{PIECES_PER_CPU * 1600:,} pieces by default" in _TEXT
    assert f"The default of {MOST_PIECES} pieces" in _TEXT
