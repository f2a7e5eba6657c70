"""`opyard measure`: its files simulate, and a killed command goes on."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("torch")

import opyard
from opyard.cli import main

MODEL = str(Path(__file__).parents[1] / "execution" / "executed_models.py") + ":two_towers"
CORES = sorted(os.sched_getaffinity(0))
NAMES = [f"cpu{CORES[0]}", f"cpu{CORES[1]}" if len(CORES) > 1 else "cpu"]
WORDS = [name.replace("cpu", "cpu:") if name != "cpu" else name for name in NAMES]


def arguments(out: Path, *more: str) -> list[str]:
    return [
        *("measure", "--model", MODEL, "--optimizer", "adam", "--devices", ",".join(WORDS)),
        *("--out", str(out), "--seconds", "0.5", *more),
    ]


def rows_of(out: Path) -> list[tuple[str, int]]:
    """The parts of steps that the store holds: device and a number that no other row had."""
    with closing(sqlite3.connect(out / "measurements.sqlite")) as connection:
        query = "SELECT device, rowid, seconds FROM steps ORDER BY rowid"
        return connection.execute(query).fetchall()


def test_files_of_a_killed_measurement_are_made_by_the_next(tmp_path, capsys):
    out = tmp_path / "measured"
    process = subprocess.Popen(
        [sys.executable, "-m", "opyard", *arguments(out)], stderr=subprocess.PIPE, text=True
    )
    for line in process.stderr:  # a part of the first device is stored when the next begins
        if "part 2" in line:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
    before = rows_of(out)
    assert len(before) >= 1
    assert main(arguments(out, "--json")) == 0
    captured = capsys.readouterr()
    assert f"{WORDS[0]}: part 1" not in captured.err
    assert rows_of(out)[: len(before)] == before
    answer = json.loads(captured.out)
    _check_files(out, answer)


def _check_files(out: Path, answer: dict) -> None:
    """The graph simulates on the machine, on one device in the time of the undivided step."""
    graph = opyard.load_graph(answer["graph"])
    machine = opyard.load_machine(answer["machine"])
    assert machine.device_names == NAMES
    for rank, name in enumerate(machine.device_names):
        plan = opyard.Plan([rank] * len(graph), queue="program")
        result = opyard.simulate(graph, machine, plan)
        # Seconds are written with four digits.
        assert result["makespan_s"] == pytest.approx(answer["step_s"][name], rel=1e-3)
    assert all(list(op.seconds) == NAMES for op in graph.ops)
    sources = {"Variable", "Placeholder", "Const", "Fill"}
    assert {op.type for op in graph.ops if not op.seconds[NAMES[0]]} == sources - {"Const"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--seconds", "0"], "--seconds: found 0.0"),
        (["--forward"], "--forward has no gradients that --optimizer adam could apply"),
        (["--model", "nowhere:step"], 'cannot import "nowhere"'),
        (["--devices", "tpu"], 'found "tpu"'),
    ],
)
def test_bad_arguments_are_refused(tmp_path, capsys, more, message):
    assert main(arguments(tmp_path / "m", *more)) == 2
    assert message in capsys.readouterr().err
