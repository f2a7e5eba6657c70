"""`opyard compare` from the command line."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
import stores
from stores import opyard

WORDS = ("--robust", "--baseline", "metis", "--views", "best")
KEYS = {"graph", "hardware", "agent", "seed", "status", "makespan_s", "evaluations", "seconds"}


def answer(results: Path, *words: str) -> dict:
    """The output of `--json`."""
    return json.loads(opyard("compare", str(results), "--json", *words, folder=results).stdout)


def refusal(*words: str, folder: Path) -> str:
    """The message with which a command is refused."""
    return opyard("compare", *words, folder=folder, status=2).stderr


@pytest.fixture(scope="module")
def report(results, tmp_path_factory) -> Path:
    """The folder of a report with perturbed machines."""
    out = tmp_path_factory.mktemp("report")
    words = ("--out", str(out), *WORDS)
    opyard("compare", str(results), *words, folder=out)
    return out


def test_each_cell_stands_once_with_the_figures_of_its_run(results):
    cells = answer(results)["cells"]
    assert all(cell.keys() >= KEYS for cell in cells)
    found = {tuple(c[k] for k in ("graph", "hardware", "agent", "seed")): c for c in cells}
    assert len(found) == len(cells) == 16
    with closing(sqlite3.connect(results / "results.sqlite")) as store:
        rows = store.execute(
            "SELECT graph, hardware, agent, seed, status, makespan_ps, evaluations, seconds"
            " FROM runs"
        ).fetchall()
    for *key, status, makespan_ps, evaluations, seconds in rows:
        cell = found[tuple(key)]
        assert (cell["status"], cell["evaluations"], cell["seconds"]) == (
            status,
            evaluations,
            seconds,
        )
        assert round(cell["makespan_s"] * 1e12) == makespan_ps


def test_cells_that_were_not_run_are_missing_and_those_that_failed_have_no_makespan(
    results, tmp_path
):
    changed = stores.copied(results, tmp_path / "changed")
    stores.execute(changed, "DELETE FROM runs WHERE agent = 'brkga' AND seed = 1")
    stores.execute(
        changed,
        "UPDATE runs SET status = 'failed', outcome = 'out_of_memory', score = NULL"
        " WHERE agent = 'random' AND seed = 0",
    )
    found = answer(changed)
    cells = {(c["agent"], c["seed"], c["status"]): c for c in found["cells"]}
    assert len(found["cells"]) == 16
    assert cells["brkga", 1, "missing"]["makespan_s"] is None
    assert cells["random", 0, "failed"]["makespan_s"] is None
    assert cells["random", 0, "failed"]["evaluations"] == 60
    agents = {row["agent"]: row for row in found["agents"]}
    assert (agents["random"]["runs"], agents["random"]["failed"]) == (4, 2)
    assert (agents["brkga"]["runs"], agents["brkga"]["missing"]) == (2, 2)
    assert any("2 runs are missing" in line for line in found["warnings"])
    text = opyard("compare", str(changed), folder=tmp_path).stdout
    assert "(1/2 failed)" in text
    assert "(1 missing)" in text


def test_speed_ups_are_quotients_of_means_against_the_named_baseline(results):
    found = answer(results, "--baseline", "random")
    assert found["baseline"] == "random"
    values: dict[tuple[str, str], list[float]] = {}
    for cell in found["cells"]:
        values.setdefault((cell["graph"], cell["agent"]), []).append(cell["makespan_s"])
    means = {key: sum(v) / len(v) for key, v in values.items()}
    for row in found["summaries"]:
        graph, agent = row["graph"], row["agent"]
        assert row["speed_up"] == pytest.approx(means[graph, "random"] / means[graph, agent])
        assert row["speed_up_low"] <= row["speed_up"] <= row["speed_up_high"]
    graphs = {graph for graph, _ in means}
    for row in found["agents"]:
        product = 1.0
        for graph in graphs:
            product *= means[graph, "random"] / means[graph, row["agent"]]
        assert row["speed_up"] == pytest.approx(product ** (1 / len(graphs)))


def test_the_baseline_of_the_experiment_is_the_default(results, tmp_path):
    assert answer(results)["baseline"] == "metis"
    other = stores.copied(results, tmp_path / "other")
    stores.ask(other, baseline="random")
    assert answer(other)["baseline"] == "random"


def test_cells_of_the_experiment_that_nothing_was_run_of_are_missing(results, tmp_path):
    begun = stores.copied(results, tmp_path / "begun")
    agents = dict.fromkeys(("metis", "brkga", "random", "simulated_annealing"), (0, 1, 2))
    stores.ask(begun, agents={**agents, "spt": (0,)}, seeds=(0, 1, 2))
    cells = answer(begun)["cells"]
    missing = [cell for cell in cells if cell["status"] == "missing"]
    assert len(cells) == 2 * (4 * 3 + 1)
    assert len(missing) == len(cells) - 16
    assert {cell["seed"] for cell in missing if cell["agent"] == "spt"} == {0}
    assert {cell["seed"] for cell in missing if cell["agent"] == "metis"} == {2}


def test_agents_that_sample_nothing_need_one_seed_and_have_a_certain_mean(results, tmp_path):
    once = stores.copied(results, tmp_path / "once")
    stores.execute(once, "DELETE FROM runs WHERE agent = 'metis' AND seed = 1")
    agents = dict.fromkeys(("brkga", "random", "simulated_annealing"), (0, 1))
    stores.ask(once, agents={"metis": (0,), **agents})
    found = answer(once)
    assert {cell["status"] for cell in found["cells"]} == {"done"}
    rows = [row for row in found["summaries"] if row["agent"] == "metis"]
    assert all(row["value_low"] == row["value"] == row["value_high"] for row in rows)
    (warning,) = found["warnings"]
    assert "metis" not in warning
    # Without its experiment, nobody knows: a run is missing, and one run has no interval.
    stores.execute(once, "DELETE FROM info WHERE key = 'matrix'")
    rows = [row for row in answer(once)["summaries"] if row["agent"] == "metis"]
    assert all((row["missing"], row["value_low"]) == (1, None) for row in rows)


def test_a_workload_without_a_run_is_missing_too(results, tmp_path):
    begun = stores.copied(results, tmp_path / "begun")
    stores.execute(begun, "DELETE FROM runs WHERE graph LIKE '%n=60%'")
    stores.ask(begun)
    found = answer(begun, "--robust")
    assert [cell["status"] for cell in found["cells"]].count("missing") == 8
    assert len(found["cells"]) == 16
    assert [row["best"] is None for row in found["workloads"]] == [False, True]


def test_fewer_than_five_seeds_are_warned_of_and_conditions_are_told(results):
    text = opyard("compare", str(results), folder=results).stdout
    assert "warning: fewer than 5 seeds" in text
    assert "budget of a run: 60 evaluations" in text
    assert "threads of its evaluator" in text


def test_gaps_to_the_bound_are_those_of_the_problem_s_bound(results):
    found = answer(results)
    bounds = {row["graph"]: row["bound"] for row in found["workloads"]}
    best = {row["graph"]: row["best"] for row in found["workloads"]}
    assert all(0 < bounds[graph] <= best[graph] for graph in bounds)
    assert {row["bound_of"] for row in found["workloads"]} == {"problem"}
    (brkga,) = [row for row in found["agents"] if row["agent"] == "brkga"]
    cells = [cell for cell in found["cells"] if cell["agent"] == "brkga"]
    gaps = [1 - bounds[cell["graph"]] / cell["makespan_s"] for cell in cells]
    assert brkga["bound_gap"] == pytest.approx(sum(gaps) / len(gaps))


def test_a_table_of_best_known_plans_is_what_scores_are_measured_against(results, tmp_path):
    opyard("results", "best-known", str(results), "--out", "best", folder=tmp_path)
    table = tmp_path / "best" / "best_known.csv"
    rows = list(csv.DictReader(table.open(encoding="utf-8", newline="")))
    for row in rows:
        row["score"] = str(float(row["score"]) / 2)
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    found = answer(results, "--best-known", str(tmp_path / "best"))
    own = answer(results)
    assert {row["best_of"] for row in found["workloads"]} == {"best known"}
    assert {row["best_of"] for row in own["workloads"]} == {"these results"}
    for ours, theirs in zip(own["agents"], found["agents"], strict=True):
        assert theirs["iqm"] == pytest.approx(ours["iqm"] / 2)


def test_the_report_has_every_format(report):
    names = {path.name for path in report.iterdir()}
    assert {"report.html", "report.md", "report.tex", "report.json"} <= names
    assert {"cells.csv", "summaries.csv", "agents.csv", "workloads.csv", "improvement.csv",
            "robust.csv"} <= names  # fmt: skip
    with (report / "cells.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 16
    assert (report / "report.md").read_text(encoding="utf-8").count("\n## ") >= 10
    assert (report / "report.tex").read_text(encoding="utf-8").count(r"\toprule") >= 10


def test_the_page_needs_nothing_from_elsewhere_and_may_fetch_nothing(report):
    page = (report / "report.html").read_text(encoding="utf-8")
    assert "default-src 'none'; img-src data: blob:;" in page
    outside = re.sub(r"(<script[^>]*>).*?</script>", r"\1", page, flags=re.DOTALL)
    for word in ("http:", "https:", "src=", "@import", "url("):
        assert word not in outside


def test_the_page_is_the_same_again_and_may_be_the_only_file(results, report, tmp_path):
    words = ("--html", str(tmp_path / "deep" / "one.html"), *WORDS)
    opyard("compare", str(results), *words, folder=tmp_path)
    first, second = (path.read_text(encoding="utf-8") for path in
                     (report / "report.html", tmp_path / "deep" / "one.html"))  # fmt: skip
    made_by = re.compile(r"<pre>opyard compare .*?</pre>")
    assert made_by.sub("", first) == made_by.sub("", second)
    assert [path.name for path in tmp_path.rglob("*")] == ["deep", "one.html"]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
def test_latex_takes_the_tables(report, tmp_path):
    tables = (report / "report.tex").read_text(encoding="utf-8")
    text = f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}{tables}"
    (tmp_path / "x.tex").write_text(text + "\\end{document}", encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "x.tex"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0


def test_perturbed_machines_tell_how_far_the_ranking_holds(report):
    found = json.loads((report / "report.json").read_text(encoding="utf-8"))
    assert len(found["robust"]) == 2 * 4 * 24  # workloads × agents × perturbations
    assert all(row["speed_up"] == 1 for row in found["robust"] if row["agent"] == "metis")
    assert len(found["rankings"]["tau"]) == 24
    assert all(-1 <= tau <= 1 for tau in found["rankings"]["tau"])
    assert 0 <= found["rankings"]["first_kept"] <= 24


def test_several_folders_are_one_matrix(results, tmp_path):
    parts = []
    for i, kept in enumerate(("'metis', 'brkga'", "'random', 'simulated_annealing'")):
        part = stores.copied(results, tmp_path / f"part{i}")
        stores.execute(part, f"DELETE FROM runs WHERE agent NOT IN ({kept})")
        parts.append(str(part))
    found = json.loads(opyard("compare", *parts, "--json", folder=tmp_path).stdout)
    agents = [row["agent"] for row in found["agents"]]
    assert agents == ["metis", "brkga", "random", "simulated_annealing"]
    assert {cell["status"] for cell in found["cells"]} == {"done"}
    assert len(found["cells"]) == 16


def test_runs_that_two_folders_hold_count_once(results, tmp_path):
    copy = stores.copied(results, tmp_path / "copy")
    found = json.loads(opyard("compare", str(results), str(copy), "--json", folder=tmp_path).stdout)
    assert len(found["cells"]) == 16


def test_two_runs_of_one_cell_that_differ_are_refused(results, tmp_path):
    other = stores.copied(results, tmp_path / "other")
    stores.execute(other, "UPDATE runs SET evaluations = 61 WHERE agent = 'brkga' AND seed = 1")
    text = refusal(str(results), str(other), folder=tmp_path)
    assert text.count("hold two different runs (evaluations)") == 2
    assert "another label" in text


def test_a_name_that_means_two_graphs_is_refused(results, tmp_path):
    other = stores.copied(results, tmp_path / "other")
    stores.execute(other, "UPDATE runs SET graph_sha256 = 'x'")
    assert "is one thing in" in refusal(str(results), str(other), folder=tmp_path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "nowhere: there is no such file"),
        (["{results}", "--baseline", "metiss"], 'found "metiss", expected one of metis, brkga'),
        (["{results}", "--robust", "--perturbations", "19"], "found 19, expected 20 or more"),
        (["{results}", "--repetitions", "5"], "found 5, expected 100 to 1000000"),
        (["{results}", "{results}"], "twice, expected each once"),
        (
            ["{results}", "--best-known", "{results}"],
            "best_known.csv: No such file or directory; expected a table of",
        ),
        (["{results}", "--basline", "metis"], 'did you mean "--baseline"?'),
        (["{results}", "--out", "/dev/null/x"], "--out"),
        (["{results}", "--html", "/dev/null/x.html"], '--html "/dev/null"'),
        (["{results}", "--views", "some"], 'found "some", expected one of all, best, none'),
        ([], "required: RESULTS"),
    ],
)
def test_what_is_wrong_is_said_with_what_is_expected(results, tmp_path, words, said):
    text = refusal(*(word.format(results=results) for word in words), folder=tmp_path)
    assert said in text
    assert "Traceback" not in text
