"""Programs run apart from what scores them, and a bad one scores 0 with a reason."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from opyard.tasks import evaluate_program
from opyard.tasks.guards import guards
from tiny_search import APART, TOGETHER, limit, make_search

NEEDS_LANDLOCK = pytest.mark.skipif("landlock" not in guards(), reason="no landlock here")
NEEDS_SECCOMP = pytest.mark.skipif("seccomp" not in guards(), reason="no seccomp here")


@pytest.fixture(scope="module")
def search(tmp_path_factory) -> Path:
    """A folder whose programs have 5 s, 512 MiB and 1 MiB."""
    folder = make_search(tmp_path_factory.mktemp("programs"))
    limit(folder, seconds=5.0, memory_bytes=2**29, output_bytes=2**20)
    return folder


def evaluated(search: Path, text: str, tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text(text, encoding="utf-8")
    return evaluate_program(search, program)


def body(*lines: str) -> str:
    return "import os, sys\ndef place(graph, machine):\n" + "\n".join(f"    {x}" for x in lines)


def test_a_ratio_is_best_known_over_found(search, tmp_path):
    # Apart, the longer op ends at 3 ms, which no plan beats; together, at 2 + 3 = 5 ms.
    assert evaluated(search, APART, tmp_path).metrics["combined_score"] == 1.0
    assert evaluated(search, TOGETHER, tmp_path).metrics["combined_score"] == pytest.approx(3 / 5)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (body("return 1 / 0"), "ZeroDivisionError: division by zero\n  line 3, in place"),
        ("def place(graph machine): pass", "SyntaxError"),
        ("def plan(graph, machine): pass", "defines no function `place"),
        (body("os._exit(0)"), "ended with status 0 and gave no answer"),
        (body("import ctypes", "ctypes.string_at(0)"), "SIGSEGV"),
        (body("return 'x' * 10**10"), "MemoryError"),
        (body("return [bytearray(10**6) for _ in range(10**6)]"), "MemoryError"),
        (body("while True: print('x' * 1000)"), "File too large"),
        (body("return ['x' * 1000] * 10**4"), "longer than 1048576 bytes"),
        (body("return {'placement': object()}"), "no JSON"),
        (body("return {'placement': [float('nan')] * 2}"), "no JSON"),
        (body("return None"), "expected a dict with"),
        (body("return {'placement': [0]}"), "expected 2 whole numbers, one for each op, found 1"),
        (body("return {'placement': [0, 2]}"), "placement[1]: expected a whole number from 0 to 1"),
        (body("return {'placement': [0, True]}"), "found True"),
        (body("return {'placement': [0, 0], 'priority': [1]}"), "priority: expected 2"),
        (body("return {'placement': [0, 0], 'order': [[0], [1]]}"), "not legal"),
        (body("return {'placement': [0, 0], 'secret': 1}"), "found secret"),
    ],
)
def test_a_bad_program_scores_0_with_a_reason(text, reason, search, tmp_path):
    begin = time.monotonic()
    result = evaluated(search, text, tmp_path)
    assert time.monotonic() - begin < 5
    assert result.metrics["combined_score"] == 0.0
    assert reason in result.artifacts["failure"]


@pytest.mark.parametrize("wait", ["while True: pass", "import time; time.sleep(60)"])
def test_a_program_that_hangs_is_stopped(wait, tmp_path):
    search = make_search(tmp_path)
    limit(search, seconds=1.0)
    begin = time.monotonic()
    result = evaluated(search, body(wait), tmp_path)
    assert time.monotonic() - begin < 10
    assert result.metrics["combined_score"] == 0.0
    assert "took" in result.artifacts["failure"]


def test_a_program_has_no_opyard_and_its_own_environment(search, tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "key")
    result = evaluated(search, body("import opyard"), tmp_path)
    assert "No module named 'opyard'" in result.artifacts["failure"]
    result = evaluated(search, body("raise ValueError(os.environ.get('SECRET'))"), tmp_path)
    assert "ValueError: None" in result.artifacts["failure"]


def test_a_program_has_numpy(search, tmp_path):
    text = body("import numpy", "return {'placement': numpy.arange(2)}")
    assert evaluated(search, text, tmp_path).metrics["combined_score"] == 1.0


@NEEDS_LANDLOCK
@pytest.mark.parametrize(
    "attack",
    [
        "open(FOLDER + '/evaluator.py', 'w')",
        "open(FOLDER + '/workloads.json')",
        "os.listdir('/tmp')",
        "open('../program.py', 'w')",
        "open(f'/proc/{os.getppid()}/environ')",
    ],
)
def test_files_of_others_are_out_of_reach(attack, search, tmp_path):
    before = (search / "evaluator.py").read_bytes()
    text = f"FOLDER = {str(search)!r}\n" + body(attack, "return {'placement': [0, 1]}")
    result = evaluated(search, text, tmp_path)
    assert "PermissionError" in result.artifacts["failure"]
    assert (search / "evaluator.py").read_bytes() == before


@NEEDS_SECCOMP
@pytest.mark.parametrize(
    "attack",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "os.fork()",
        "import subprocess; subprocess.run(['true'])",
        "os.kill(os.getppid(), 9)",
        "import resource; resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))",
    ],
)
def test_the_network_and_other_processes_are_out_of_reach(attack, search, tmp_path):
    result = evaluated(search, body(attack, "return {'placement': [0, 1]}"), tmp_path)
    assert "PermissionError" in result.artifacts["failure"]


def test_what_a_program_prints_is_shown_to_its_author(search, tmp_path):
    result = evaluated(search, body("print('so far')", "return None"), tmp_path)
    assert result.artifacts["printed"] == "so far\n"
