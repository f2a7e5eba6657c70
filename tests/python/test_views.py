"""Views of plans in Python say what the command line says."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import opyard
import pytest
from opyard import _core

GRAPH = "random:layered?n=30&seed=4"
MACHINE = "p100x2-pcie"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def problem():
    return opyard.Problem(GRAPH, MACHINE)


@pytest.fixture(scope="module")
def plan(problem):
    """Ops on both accelerators, by turns."""
    return problem.plan([1 + i % 2 for i in range(30)], op_priority=range(30))


@pytest.fixture(scope="module")
def too_large(tmp_path_factory):
    """A problem and a plan for it that runs out of memory."""
    values = opyard.load_machine(MACHINE).to_dict()
    for device in values["devices"]:
        device["memory"] = "20 MiB"
    with pytest.warns(UserWarning, match="implausible"):
        machine = opyard.Machine.from_dict(values)
    problem = opyard.Problem(GRAPH, machine)
    return problem, problem.plan([1] * 30)


def simulate(plan, folder, *arguments):
    """The output of `opyard simulate` for the plan."""
    file = folder / "p.plan.json"
    plan.save(file, GRAPH, MACHINE)
    command = ["-m", "opyard", "simulate", "--graph", GRAPH, "--hardware", MACHINE]
    result = subprocess.run(
        [sys.executable, *command, "--plan", file, *arguments],
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return result.stdout


@pytest.mark.parametrize("width", [20, 100])
def test_the_timeline_is_that_of_the_command_line(width, problem, plan, tmp_path):
    printed = simulate(plan, tmp_path, "--gantt", "--width", str(width))
    gantt = plan.gantt(problem, width=width)
    assert printed.endswith("\n\n" + str(gantt))
    assert str(gantt) == repr(gantt) == gantt.text


def test_the_timeline_shows_as_a_picture_in_notebooks(problem, plan):
    picture = ElementTree.fromstring(plan.gantt(problem)._repr_svg_())
    words = [element.text for element in picture if element.tag.endswith("text")]
    assert {"cpu0", "gpu0", "gpu1", "pcie0<", "critical path"} & set(words) >= {"gpu0", "gpu1"}
    makespan = problem.simulate(plan)["makespan_s"]
    assert f"{makespan * 1e3:.3f} ms" in words


def test_the_picture_is_that_of_the_script(problem, plan, tmp_path):
    plan.trace(problem, tmp_path / "p.trace.json")
    script = ROOT / "scripts" / "draw_gantt.py"
    command = [sys.executable, script, "p.trace.json", "--out", "p.svg"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert (tmp_path / "p.svg").read_text(encoding="utf-8") == plan.gantt(problem).svg()


def test_the_explanation_is_that_of_the_command_line(problem, plan, tmp_path):
    explanation = plan.explain(problem, threads=1)
    answer = json.loads(simulate(plan, tmp_path, "--explain", "--json"))
    assert explanation.data == answer["explanation"]
    assert simulate(plan, tmp_path, "--explain").endswith("\n\n" + explanation.text)
    assert str(explanation) == repr(explanation) == explanation.text
    parts = [part["duration_ps"] for part in explanation.data["critical_path"]]
    assert sum(parts) == round(answer["makespan_s"] * 1e12)


def test_an_explanation_without_changes_leaves_out_what_needs_more_runs(problem, plan):
    whole, brief = plan.explain(problem).data, plan.explain(problem, changes=False)
    assert brief.data == whole | {"what_if": [], "decisions": None}
    assert "what if" not in brief.text
    stretches = whole["stretches"]
    assert 0 < len(stretches) <= 24
    assert stretches == sorted(stretches, key=lambda stretch: stretch["start_ps"])
    assert all(stretch["sentence"] in str(brief) for stretch in stretches)


def test_the_explanation_shows_as_text_in_notebooks(problem, plan):
    explanation = opyard.Explanation(text="a < b", data={})
    assert explanation._repr_html_() == "<pre>a &lt; b</pre>"
    assert "critical path" in plan.explain(problem)._repr_html_()


def test_the_explanation_does_not_depend_on_groups_and_threads(plan):
    coarse = opyard.Problem(GRAPH, MACHINE, group=4)
    single = opyard.Problem(GRAPH, MACHINE, group="none")
    assert plan.explain(coarse, threads=2).data == plan.explain(single, threads=1).data


def test_ctrl_c_ends_an_explanation():
    problem = opyard.Problem("random:layered?n=20000&seed=1", "v100x8-dgx1")
    plan = problem.plan([2 + i % 8 for i in range(20000)])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    try:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            plan.explain(problem, threads=1)
        assert time.monotonic() - start < 20
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_explanation_is_of_the_problems_cost_model(plan):
    fast = opyard.Problem(GRAPH, MACHINE, cost_model="peak_roofline")
    makespan = fast.simulate(plan)["makespan_s"]
    path = plan.explain(fast).data["critical_path"]
    assert sum(part["duration_ps"] for part in path) == round(makespan * 1e12)
    assert fast.simulate(plan) != opyard.Problem(GRAPH, MACHINE).simulate(plan)


def test_the_trace_is_that_of_the_command_line(problem, plan, tmp_path):
    simulate(plan, tmp_path, "--trace", "cli.trace.json")
    trace = plan.trace(problem, tmp_path / "own.trace.json")
    written = (tmp_path / "own.trace.json").read_text(encoding="utf-8")
    assert written == (tmp_path / "cli.trace.json").read_text(encoding="utf-8")
    assert trace == json.loads(written) == plan.trace(problem)
    plan.trace(problem, str(tmp_path / "own.trace.json.gz"))
    assert gzip.decompress((tmp_path / "own.trace.json.gz").read_bytes()).decode() == written


def test_a_plan_that_runs_out_of_memory_is_shown_as_far_as_it_went(too_large):
    problem, plan = too_large
    assert problem.simulate(plan)["outcome"] == "out_of_memory"
    assert not re.search(r"^path ", plan.gantt(problem).text, re.MULTILINE)
    explanation = plan.explain(problem)
    assert explanation.data["critical_path"] == []
    assert "no memory limit" in explanation.text
    assert _core.timeline(problem, plan)["outcome"] == "out_of_memory"
    ElementTree.fromstring(plan.gantt(problem).svg())


def test_the_arrays_of_pictures_agree_with_the_report(problem, plan):
    times = _core.timeline(problem, plan)
    report = problem.simulate(plan)
    assert times["end_s"] == report["makespan_s"]
    spans = {op["name"]: (op["start_s"], op["finish_s"]) for op in report["ops"]}
    for k, op in enumerate(times["kernel_op"]):
        name = problem.graph.op(int(op)).name
        assert spans[name] == (times["kernel_start_s"][k], times["kernel_finish_s"][k])
        assert plan.placement[op] == times["kernel_device"][k]
    for row, name in enumerate(times["row_names"]):
        chosen = times["transfer_row"] == row
        busy = times["transfer_finish_s"][chosen] - times["transfer_start_s"][chosen]
        (expected,) = [each["busy_s"] for each in report["channels"] if each["name"] == name]
        assert busy.sum() == pytest.approx(expected, rel=1e-9)  # sums of floats
    for device, expected in enumerate(report["devices"]):
        held = times["memory_bytes"][times["memory_device"] == device]
        assert held.max(initial=0) == expected["peak_memory_bytes"]
    assert np.all(np.diff(times["memory_time_s"]) >= 0)


VIEWS = {
    "gantt": lambda plan, problem: plan.gantt(problem),
    "explain": lambda plan, problem: plan.explain(problem),
    "trace": lambda plan, problem: plan.trace(problem),
    "timeline": lambda plan, problem: _core.timeline(problem, plan),
}


@pytest.mark.parametrize("view", VIEWS)
def test_a_plan_of_another_graph_is_refused(view, problem):
    with pytest.raises(opyard.PlanError, match=r"placement.*3.*30"):
        VIEWS[view](opyard.Plan([0, 1, 1]), problem)


@pytest.mark.parametrize("width", [19, 1001, -1])
def test_a_width_out_of_range_is_refused(width, problem, plan):
    with pytest.raises(opyard.InputError, match=f"width: found {width}, expected 20 to 1000"):
        plan.gantt(problem, width=width)


def test_a_trace_that_cannot_be_written_is_refused(problem, plan, tmp_path):
    with pytest.raises(opyard.InputError, match="nowhere"):
        plan.trace(problem, tmp_path / "nowhere" / "p.trace.json")


def test_the_result_of_a_search_knows_its_problem():
    result = opyard.place(GRAPH, MACHINE, agent="heft", evaluations=1)
    assert result.problem.simulate(result.plan)["makespan_s"] == result.makespan_s
    assert "gpu0" in str(result.plan.gantt(result.problem))
