"""The agent cp_sat: against every plan of tiny problems, and against what the simulator says."""

from __future__ import annotations

import json
import subprocess
import sys

import opyard
import pytest
import tiny_problems
from opyard.cp_sat.agent import CpSatAgent

pytest.importorskip("ortools", reason="needs the extra exact")

SECONDS = 120.0  # no test needs them: each problem here is solved within a few


def solve(problem: opyard.Problem, mode: str, **params) -> tuple[CpSatAgent, opyard.Evaluator]:
    evaluator = opyard.Evaluator(problem, threads=1)
    agent = CpSatAgent(mode=mode, **({"time_limit_s": SECONDS} | params))
    agent.search(problem, evaluator, 0)
    return agent, evaluator


MACHINES = {
    "none": tiny_problems.machine("none"),
    "serial": tiny_problems.machine("serial"),
    "regal": "regal",
    "gaps": tiny_problems.machine(
        "serial",
        transfers={"sharing": "serial", "gap_after": "2e-6 s"},
        execution={"gap_after_op": "1e-6 s", "dispatch": "1e-6 s"},
    ),
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("mode", ["relaxed", "plans"])
@pytest.mark.parametrize("instant", [0.0, 0.4])
@pytest.mark.parametrize("seed", range(4))
def test_no_plan_is_faster_and_the_plan_is_as_fast(machine, mode, instant, seed):
    graph = tiny_problems.graph(seed, 5, instant=instant)
    problem = tiny_problems.problem(graph, MACHINES[machine])
    agent, evaluator = solve(problem, mode)
    queue = "order" if mode == "relaxed" else "priority"
    assert agent.bound == evaluator.best["makespan_s"]
    assert agent.bound == tiny_problems.best_score(problem, queue)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("instant", [0.0, 0.4])
@pytest.mark.parametrize("seed", range(4))
def test_no_plan_of_priorities_needs_less_memory_and_the_plan_needs_that(machine, instant, seed):
    graph = tiny_problems.graph(seed, 5, has_memory=True, instant=instant)
    problem = tiny_problems.problem(graph, MACHINES[machine], "peak_memory")
    agent, evaluator = solve(problem, "plans")
    assert agent.bound == evaluator.best["score"]
    assert agent.bound == tiny_problems.best_score(problem, "priority")


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("seed", range(4))
def test_no_order_needs_less_memory_than_the_bound(machine, seed):
    graph = tiny_problems.graph(seed, 5, has_memory=True, instant=0.3)
    problem = tiny_problems.problem(graph, MACHINES[machine], "peak_memory")
    agent, evaluator = solve(problem, "relaxed")
    assert agent.bound <= tiny_problems.best_score(problem, "order")
    assert agent.bound <= evaluator.best["score"]


def test_waiting_pays_where_an_idle_device_would_begin_what_is_ready():
    graph = opyard.Graph.from_dict(
        {
            "format": "opyard-graph/1",
            "name": "waits",
            "ops": [
                _op("b", 1, release=2e-6, outputs=[{"bytes": 0}], device="gpu0"),
                _op("d", 9, device="gpu0"),
                _op("c", 9, inputs=[[0, 0]], device="gpu1"),
            ],
        }
    )
    problem = tiny_problems.problem(graph, _two_kinds())
    waiting, _ = solve(problem, "relaxed")
    eager, _ = solve(problem, "plans")
    # Waiting: b 2-3, d 3-12, c 4-13 after a latency of 1 µs.
    assert waiting.bound == 13e-6
    # d 0-9, b 9-10, c 11-20.
    assert eager.bound == 20e-6


def _op(name: str, micros: int, *, device: str, **more):
    return {
        "name": name,
        "type": "MatMul",
        "seconds": {"*": micros * 1e-6},
        "device_kinds": ["cpu" if device == "gpu1" else "gpu"],
    } | more


def _two_kinds() -> opyard.Machine:
    """As `tiny_problems.machine`, the second device a CPU: ops of one kind have one device."""
    values = tiny_problems.machine("none").to_dict()
    values["devices"][1]["kind"] = "cpu"
    return opyard.Machine.from_dict(values)


@pytest.mark.parametrize("mode", ["relaxed", "plans"])
@pytest.mark.parametrize("machine", ["p100x2-pcie", "processors-4", "regal"])
@pytest.mark.parametrize("family", ["series_parallel", "regal"])
def test_the_solvers_value_is_what_the_simulator_says(machine, family, mode):
    problem = tiny_problems.problem(opyard.load_graph(f"random:{family}?n=10&seed=3"), machine)
    agent, evaluator = solve(problem, mode, time_limit_s=20.0)
    assert agent.value == evaluator.best["makespan_s"]
    assert agent.bound <= agent.value


REFUSED = {
    "tasks: found no scheduling": {"tasks": ["placement"]},
    "fusion: found": {"fusion": "framework"},
    "queue: found": {"queue": "program"},
    "objective: found": {"objective": "weighted:1:1"},
    'rules: found "placeto"': {"hardware": "placeto-2"},
    'transfers.sharing: found "fair"': {"hardware": tiny_problems.machine("fair")},
    'transfers.one_per: found "output"': {
        "hardware": tiny_problems.machine(transfers={"sharing": "none", "one_per": "output"})
    },
    'memory.on_exceed: found "wait"': {"hardware": tiny_problems.machine(memory="wait")},
    'execution.streams: found "parallel"': {
        "hardware": tiny_problems.machine(execution={"streams": "parallel"})
    },
    "execution.trailing_gaps_count": {
        "hardware": tiny_problems.machine(
            execution={"trailing_gaps_count": True, "gap_after_op": "1e-6 s"}
        )
    },
    "copy_overhead, copy_bandwidth": {"hardware": tiny_problems.machine(copy_overhead="1e-6 s")},
    "memory_pools: found some": {"hardware": "apple-m2-max"},
    "choices, expected at most": {"graph": "random:layered?n=3000&seed=0"},
}


@pytest.mark.parametrize("message", REFUSED)
def test_other_rules_are_refused_with_what_to_change(message):
    words = {
        "graph": "random:layered?n=8&seed=0",
        "hardware": tiny_problems.machine(),
        "tasks": ["placement", "scheduling"],
        "fusion": "none",
    } | REFUSED[message]
    problem = opyard.Problem(words.pop("graph"), words.pop("hardware"), **words)
    with pytest.raises(opyard.UnsupportedError) as raised:
        solve(problem, "relaxed")
    assert message in str(raised.value)
    assert all(line.startswith("cp_sat: ") for line in str(raised.value).splitlines())


def test_a_budget_that_is_spent_before_the_search_ends_it():
    graph, machine = tiny_problems.graph(0, 6), tiny_problems.machine()
    result = opyard.place(graph, machine, agent="cp_sat", fusion="none", seconds=0.001)
    assert result.evaluations <= 1


def test_plans_of_priorities_are_not_what_a_problem_of_sequences_asks_for():
    graph = tiny_problems.graph(0, 4)
    tasks = ["placement", "scheduling"]
    problem = opyard.Problem(
        graph, tiny_problems.machine(), tasks=tasks, fusion="none", queue="order"
    )
    solve(problem, "relaxed")
    with pytest.raises(opyard.UnsupportedError, match='queue: found "order", expected one of fifo'):
        solve(problem, "plans")


def test_where_placement_is_no_task_ops_stay_where_they_are():
    graph = tiny_problems.graph(2, 6)
    machine = tiny_problems.machine()
    problem = opyard.Problem(graph, machine, tasks=["scheduling"], fusion="none", group="none")
    agent, evaluator = solve(problem, "relaxed")
    assert evaluator.best_plan.placement == problem.plan().placement
    assert agent.bound == evaluator.best["makespan_s"]


def test_memory_that_a_device_lacks_is_kept_free():
    graph = tiny_problems.graph(5, 6, has_memory=True)
    roomy = tiny_problems.problem(graph, tiny_problems.machine("serial", memory="fail"))
    _, free = solve(roomy, "plans")
    least, _ = solve(
        tiny_problems.problem(graph, tiny_problems.machine("serial"), "peak_memory"), "plans"
    )
    values = tiny_problems.machine("serial", memory="fail").to_dict()
    for device in values["devices"]:
        device["memory"] = f"{int(least.bound)} B"
    tight = tiny_problems.problem(graph, opyard.Machine.from_dict(values))
    agent, evaluator = solve(tight, "plans")
    assert evaluator.best["peak_memory_bytes"] <= least.bound
    assert agent.bound == evaluator.best["makespan_s"] > free.best["makespan_s"]
    assert agent.bound == tiny_problems.best_score(tight, "priority")


def test_a_budget_in_evaluations_ends_the_search():
    problem = tiny_problems.problem(tiny_problems.graph(3, 6), tiny_problems.machine("serial"))
    evaluator = opyard.Evaluator(problem, evaluations=1, threads=1)
    CpSatAgent().search(problem, evaluator, 0)
    assert evaluator.num_evaluations == 1


def test_the_same_seed_takes_the_same_course():
    found = [
        opyard.place(
            "random:layered?n=12&seed=4",
            "p100x2-pcie",
            agent="cp_sat",
            params={"hint": "none"},
            fusion="none",
            group="none",
            seed=3,
        )
        for _ in range(2)
    ]
    first, again = found
    assert first.plan == again.plan
    assert first.plan.queue == "order"
    assert [point["score"] for point in first.history] == [
        point["score"] for point in again.history
    ]


def test_what_it_proves_stands_in_the_results(tmp_path):
    (tmp_path / "own.yaml").write_text(
        "schema_version: 1\n"
        "name: own\n"
        "graphs: ['random:layered?n=9&seed=2', 'random:layered?n=3000&seed=2']\n"
        "hardware: [processors-2]\n"
        "problem: {defaults: {fusion: none}}\n"
        "decide_per: op\n"
        "agents: [cp_sat, heft]\n"
        "seeds: [0]\n"
    )
    run = _opyard("run", "own.yaml", "--out", "results", folder=tmp_path)
    assert "expected at most 4000" in run.stderr
    shown = json.loads(_opyard("results", "show", "results", "--json", folder=tmp_path).stdout)
    cells = {(cell["graph"], cell["agent"]): cell for cell in shown["cells"]}
    solved = cells["random:layered?n=9&seed=2", "cp_sat"]
    assert solved["agent_bound"] == solved["makespan_s"]
    assert cells["random:layered?n=9&seed=2", "heft"]["agent_bound"] is None
    refused = cells["random:layered?n=3000&seed=2", "cp_sat"]
    assert (refused["outcome"], refused["agent_bound"]) == ("agent_failed", None)
    text = _opyard("results", "show", "results", folder=tmp_path).stdout
    assert "bounds of cp_sat: 1 proven, reached by 1 plans, mean gap 0.00 %" in text


def _opyard(*words: str, folder):
    command = [sys.executable, "-m", "opyard", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_without_ortools_the_agent_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['ortools'] = None; import opyard\n"
        "from opyard.cp_sat.agent import CpSatAgent\n"
        "problem = opyard.Problem('random:layered?n=6&seed=0', 'p100x2-pcie', fusion='none',\n"
        "                         tasks=['placement', 'scheduling'])\n"
        "CpSatAgent().search(problem, opyard.Evaluator(problem, evaluations=3), 0)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'opyard[exact]'" in run.stderr.splitlines()[-1]
