"""Commands say what is wrong, and how to go on, where somebody who tries them out gets stuck."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from opyard import cli

_GRAPH = '{"format": "opyard-graph/1", "name": "g", "ops": [{"name": "a", "type": "Relu"}]}'


def run(words: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs `opyard` in a process of its own, in `folder`."""
    return subprocess.run(
        [sys.executable, "-m", "opyard", *words],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("run quikstart", 'did you mean "quickstart"?'),
        ("run no-such-experiment", "expected a file (.yaml) or one of "),
        ("run no/such.yaml", "no/such.yaml: found nothing here, expected a file"),
        ("graph info empty.json", "empty.json: found an empty file, expected a graph"),
        ("graph info empty.onnx", "empty.onnx: found an empty file, expected a graph"),
        (
            "graph sample regal?n=8 --hardware p100x2-pcie --count 1 --out hard",
            'did you mean "random:regal"?, expected a generator such as random:barabasi_albert',
        ),
        (
            "place --graph vgg16 --hardware p100x2-pcie --agent heft --checkpoint w",
            "--checkpoint: agent heft begins with no weights",
        ),
        (
            "plan from-pipeline graph.json --graph zoo:gpt?scale=tiny&microbatches=2 "
            "--hardware p100x2-pcie --out x.json",
            "graph.json: found JSON, expected a line for each rank",
        ),
        ("duel heft cpop --restarts 0", "--restarts: found 0, expected 1 to 1000000"),
    ],
)
def test_bad_input_is_named_with_a_way_out(tmp_path, monkeypatch, capfd, words, message):
    monkeypatch.chdir(tmp_path)
    Path("empty.json").touch()
    Path("empty.onnx").touch()
    Path("graph.json").write_text(_GRAPH, encoding="utf-8")
    assert cli.main(words.split()) == 2
    error = capfd.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_terminal_without_a_character_gets_a_question_mark(tmp_path):
    experiment = ("--set", "agents=[heft, cpop]", "--set", "seeds=[0]", "--out", "r")
    assert run(["run", "quickstart", "--quiet", *experiment], tmp_path).returncode == 0
    done = run(["compare", "r"], tmp_path, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert " ? faster" in done.stdout


def test_a_full_disk_is_not_called_standard_output(tmp_path, monkeypatch, capfd):
    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("opyard.tasks.new_folder.write_workloads", fails)
    folder = tmp_path / "search"
    assert cli.main(["task", "new", str(folder), "--for", "openevolve"]) == 2
    error = capfd.readouterr().err
    assert f"{folder}: cannot be written: No space left on device" in error


def test_a_file_that_cannot_be_written_is_named(monkeypatch, capfd):
    def fails(_: list[str]) -> int:
        raise PermissionError(13, "Permission denied", "ro/results")

    monkeypatch.setattr(cli, "_run_duel", fails)
    assert cli.main(["duel", "heft", "cpop"]) == 2
    assert capfd.readouterr().err == "opyard duel: ro/results: Permission denied\n"


def test_an_agents_error_of_several_lines_is_one(tmp_path):
    (tmp_path / "agent.py").write_text(
        "class Two:\n"
        '    """Fails."""\n\n'
        '    tasks = ("placement",)\n\n'
        "    def search(self, problem, evaluator, seed):\n"
        '        raise ValueError("first\\n  second\\n")\n',
        encoding="utf-8",
    )
    words = ["place", "--graph", "random:layered?n=8", "--hardware", "p100x2-pcie"]
    done = run([*words, "--agent", "agent.py:Two"], tmp_path)
    assert done.returncode == 1
    assert "agent agent.py:Two failed: ValueError: first; second (" in done.stderr


def test_ctrl_c_is_answered(monkeypatch, capfd):
    def is_interrupted(_: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_run_duel", is_interrupted)
    assert cli.main(["duel", "heft", "cpop"]) == 130
    assert capfd.readouterr().err == "interrupted\n"


def test_a_terminal_shows_how_far_a_search_is(tmp_path):
    main, child = pty.openpty()
    problem = ["--graph", "random:layered?n=30", "--hardware", "p100x2-pcie"]
    done = subprocess.run(
        [sys.executable, "-m", "opyard", "place", *problem, "--agent", "random", "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=child,
        timeout=120,
    )
    os.close(child)
    shown = os.read(main, 4096).decode()
    os.close(main)
    assert done.returncode == 0
    assert "random:layered?n=30 · p100x2-pcie · random · seed 0: " in shown
    assert " evaluations, best " in shown
    assert json.loads(done.stdout)["evaluations"] == 2000
