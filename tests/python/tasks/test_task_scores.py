"""Scores of programs are those of `opyard simulate`, in the form that frameworks take."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import opyard
import pytest
from opyard import cli
from opyard.tasks import evaluate_program, hidden, scoring
from opyard.tasks.command import run_new, run_score
from opyard.tasks.evaluation import outcome_of
from opyard.tasks.sandbox import Limits
from opyard.tasks.standard import STANDARD
from opyard.tasks.workloads import Workload, read_workloads
from tiny_search import APART, MACHINE, TOGETHER, make_search

SEED_PROGRAM = scoring.SEED_PROGRAM.read_text(encoding="utf-8")


def test_the_seed_program_is_between_0_and_the_best_on_a_network(tmp_path):
    outcome = outcome_of(SEED_PROGRAM, STANDARD[1], Limits())
    assert outcome.error is None
    assert 0.1 < outcome.ratio < 1


def test_a_score_is_that_of_opyard_simulate(tmp_path):
    workload = STANDARD[0]
    outcome = outcome_of(SEED_PROGRAM, workload, Limits())
    outcome.plan.save(tmp_path / "found.plan.json", workload.graph, workload.hardware)
    words = ["--graph", workload.graph, "--hardware", workload.hardware, "--plan"]
    ended = subprocess.run(
        [sys.executable, "-m", "opyard", "simulate", *words, "found.plan.json", "--json"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert json.loads(ended.stdout)["makespan_s"] == outcome.makespan_s


def test_an_order_is_run_as_it_is():
    graph = "random:layered?n=20&seed=1"
    workload = Workload(graph, MACHINE, 1e-3, "")
    order = opyard.load_graph(graph).arrays()["topological_order"].tolist()
    program = "def place(graph, machine):\n    order = graph['topological_order']\n"
    program += "    return {'placement': [0] * graph['num_ops'], 'order': [order, []]}\n"
    plan = outcome_of(program, workload, Limits()).plan
    assert plan.order == [[order], []]


def test_the_evaluator_returns_metrics_where_no_framework_is_loaded(tmp_path):
    search = make_search(tmp_path)
    spec = importlib.util.spec_from_file_location("evaluator", search / "evaluator.py")
    evaluator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(evaluator)
    (tmp_path / "apart.py").write_text(APART, encoding="utf-8")
    for evaluate in (evaluator.evaluate, evaluator.evaluate_stage1, evaluator.evaluate_stage2):
        assert evaluate(str(tmp_path / "apart.py"))["combined_score"] == 1.0


def test_artifacts_explain_the_worst_workload(tmp_path):
    search = make_search(tmp_path)
    (tmp_path / "together.py").write_text(TOGETHER, encoding="utf-8")
    artifacts = evaluate_program(search, tmp_path / "together.py").artifacts
    assert "critical path" in artifacts["worst_1"]
    assert "idle time" in artifacts["worst_1"]
    assert "b on processor1 instead of processor0" in artifacts["worst_1"]


@pytest.mark.parametrize("framework", ["openevolve", "skydiscover"])
def test_a_folder_has_all_files_and_names_its_framework(framework, tmp_path):
    search = tmp_path / "search"
    assert run_new(["task", "new", str(search), "--for", framework]) == 0
    workloads, limits = read_workloads(search)
    assert tuple(workloads) == STANDARD
    assert limits == Limits()
    assert "EVOLVE-BLOCK-START" in (search / "initial_program.py").read_text(encoding="utf-8")
    for name in ("config.yaml", "README.md"):
        assert f"{framework}-run" in (search / name).read_text(encoding="utf-8")
    assert run_new(["task", "new", str(search), "--for", framework]) == 2  # not empty


def test_the_word_new_may_be_left_out(tmp_path):
    assert cli.main(["task", "--for", "openevolve", str(tmp_path / "search")]) == 0
    assert (tmp_path / "search" / "evaluator.py").is_file()


def test_the_score_has_the_program_beside_controls(tmp_path, capsys, monkeypatch):
    search = make_search(tmp_path)
    graph = str(tmp_path / "tiny.graph.json")
    monkeypatch.setattr(scoring, "hidden_problems", lambda seed: [(graph, MACHINE)])
    monkeypatch.setattr(scoring, "REFERENCE_EVALUATIONS", 20)
    (tmp_path / "together.py").write_text(TOGETHER, encoding="utf-8")
    capsys.readouterr()
    words = [str(search), str(tmp_path / "together.py"), "--hidden", "--seed", "3"]
    assert run_score(["task", "score", *words, "--evaluations", "20", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [each["set"] for each in answer["sets"]] == ["public", "hidden"]
    for each in answer["sets"]:
        scores = {row["by"]: row["score"] for row in each["scores"]}
        # 3 ms, which HEFT and auto reach, over 5 ms on one device.
        assert scores["program"] == scores["single_device"] == pytest.approx(3 / 5)
        assert scores["heft"] == scores["auto, 20"] == pytest.approx(1.0)


def test_a_program_that_fails_has_status_1(tmp_path, capsys):
    search = make_search(tmp_path)
    (tmp_path / "bad.py").write_text("def place(g, m): return 1 / 0", encoding="utf-8")
    words = [str(search), str(tmp_path / "bad.py"), "--evaluations", "5"]
    assert run_score(["task", "score", *words]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_hidden_problems_share_no_family_network_or_machine_with_the_standard_ones():
    def kinds(graphs):
        return {graph.partition("?")[0] for graph in graphs}

    problems = [problem for seed in range(20) for problem in hidden.hidden_problems(seed)]
    assert not kinds(g for g, _ in problems) & kinds(w.graph for w in STANDARD)
    assert not {machine for _, machine in problems} & {w.hardware for w in STANDARD}
    assert hidden.hidden_problems(1) == hidden.hidden_problems(1) != hidden.hidden_problems(2)


def test_every_hidden_problem_exists():
    for seed in range(3):
        for graph, machine in hidden.hidden_problems(seed):
            assert Workload(graph, machine, 1.0, "").problem().num_groups > 0


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[]", "expected the keys"),
        ("{", "is no JSON"),
        ('{"format": "opyard-task/1", "limits": {}, "workloads": []}', "#/workloads"),
        ('{"format": "opyard-task/1", "limits": {"x": 1}, "workloads": []}', "#/limits"),
        (
            '{"format": "opyard-task/1", "limits": {"seconds": "1"}, "workloads": []}',
            "#/limits/seconds: found '1', expected float",
        ),
        (
            '{"format": "opyard-task/1", "limits": {}, "workloads": [{"graph": "g", '
            '"hardware": "m", "best_known_s": 0, "source": ""}]}',
            "#/workloads/0/best_known_s: found 0",
        ),
    ],
)
def test_a_damaged_file_of_workloads_is_refused_with_the_place(text, place, tmp_path):
    (tmp_path / "workloads.json").write_text(text, encoding="utf-8")
    with pytest.raises(opyard.InputError, match=place.replace("[", r"\[")):
        read_workloads(tmp_path)


def test_the_best_known_times_are_those_of_the_table():
    page = Path(__file__).resolve().parents[3] / "docs/results/best_known.csv"
    lines = page.read_text(encoding="utf-8").splitlines()
    named = [workload for workload in STANDARD if "best_known.csv" in workload.source]
    assert len(named) >= 5
    for workload in named:
        start = f'{workload.graph},{workload.hardware},"placement,scheduling",makespan,'
        (line,) = [line for line in lines if line.startswith(start)]
        assert float(line[len(start) :].split(",")[2]) == workload.best_known_s
