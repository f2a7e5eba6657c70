"""`opyard simulate --html` does what `simulate` does, and writes a page."""

from __future__ import annotations

import importlib.util

import opyard
import pytest
from opyard import _core, cli, search
from opyard.viewer import notebook

GRAPH, MACHINE = "random:layered?n=30&seed=4", "p100x2-pcie"


@pytest.fixture
def words(tmp_path):
    """`simulate` of a plan."""
    problem = opyard.Problem(GRAPH, MACHINE)
    file = tmp_path / "p.plan.json"
    problem.plan([1 + i % 2 for i in range(30)]).save(file, GRAPH, MACHINE)
    return ["simulate", "--graph", GRAPH, "--hardware", MACHINE, "--plan", str(file)]


def test_it_prints_what_simulate_prints_and_writes_a_page(words, tmp_path, capfd):
    assert cli.main(words) == 0
    plain = capfd.readouterr()
    page = tmp_path / "p.html"
    assert cli.main([*words, f"--html={page}"]) == 0
    shown = capfd.readouterr()
    assert shown.out == plain.out
    assert shown.err == f"{plain.err}{page}: open it in a browser\n"
    text = page.read_text(encoding="utf-8")
    assert "p.plan.json" in text
    takes, unit = text.split("One step takes ")[1].split("<")[0].split()
    assert f"completed: {float(takes):.4g}"[:14] in plain.out
    assert unit in plain.out


def test_the_cost_model_is_that_of_the_command(words, tmp_path):
    files = [tmp_path / "a.html", tmp_path / "b.html"]
    for file, model in zip(files, ("roofline", "peak_roofline"), strict=True):
        assert cli.main([*words, "--cost-model", model, "--html", str(file)]) == 0
    titles = [file.read_text(encoding="utf-8").split("<title>")[1][:80] for file in files]
    assert titles[0] != titles[1]


def test_what_can_be_read_only_once_is_refused(words, capfd):
    assert cli.main([*words[:-1], "-", "--html", "p.html"]) == 2
    assert '--plan "-": with --html it is read twice' in capfd.readouterr().err


@pytest.mark.parametrize(
    ("file", "message"),
    [("-", "found standard output"), ("no/such/folder/p.html", "--html")],
)
def test_what_cannot_be_written_is_refused_before_the_simulation(words, capfd, file, message):
    assert cli.main([*words, "--html", file]) == 2
    found = capfd.readouterr()
    assert found.out == ""
    assert message in found.err


def test_without_bokeh_it_says_what_to_install(words, capfd, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "bokeh" else find(name)
    )
    assert cli.main([*words, "--html", "p.html"]) == 2
    assert "pip install 'opyard[report]'" in capfd.readouterr().err


def test_the_program_alone_says_who_writes_the_page(words, capfd):
    assert _core.run_command_line([*words, "--html", "p.html"]) == 2
    assert "the command of the Python package writes it" in capfd.readouterr().err


def test_wrong_arguments_are_those_of_simulate(words, capfd):
    assert cli.main([*words, "--html"]) == 2
    assert "--html" in capfd.readouterr().err
    assert cli.main([*words[:-1], "absent.plan.json", "--html", "p.html"]) == 2
    assert "absent.plan.json" in capfd.readouterr().err


def test_notebooks_have_the_picture_where_bokeh_is_not(monkeypatch):
    result = search.place(GRAPH, MACHINE, agent="metis", evaluations=4)
    assert "<iframe" in result._repr_html_()
    find = importlib.util.find_spec
    monkeypatch.setattr(
        notebook.importlib.util, "find_spec", lambda name: None if name == "bokeh" else find(name)
    )
    assert result.plan.gantt(result.problem)._repr_html_() is None
    for part in (result.problem, result.problem.graph, result.problem.hardware):
        assert part._repr_html_() is None
    assert "<svg" in result._repr_html_()
