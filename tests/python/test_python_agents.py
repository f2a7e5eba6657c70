"""Agents in Python: evaluated, counted and limited like any other; their faults stay their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import opyard
import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = f"{ROOT}/examples/python_agent/hill_climb.py:HillClimb"
GRAPH = "random:layered?n=30&seed=3"
MACHINE = "p100x2-pcie"

# Breaks in the way that its parameter says.
BREAKER = '''
import ctypes, os, sys, time

class Breaker:
    """Breaks."""

    tasks = ("placement",)

    def __init__(self, how: str = "raise", note: str = ""):
        self.how = how
        self.note = note

    def search(self, problem, evaluator, seed):
        plan = problem.plan([0] * problem.graph.num_ops)
        if self.note:
            with open(self.note, "w") as file:
                file.write(str(os.getpid()))
        if self.how == "illegal":
            evaluator.evaluate([plan, opyard.Plan([0]), plan])
        if self.how == "lonely":
            evaluator.evaluate(plan)
        evaluator.evaluate([plan])
        if self.how == "raise":
            raise KeyError("nothing\\nat all")
        if self.how == "exit":
            sys.exit(3)
        if self.how == "leave":
            os._exit(0)
        if self.how == "crash":
            ctypes.string_at(0)
        if self.how == "hang":
            while True:
                pass
        if self.how == "eat":
            bytearray(1 << 30)
        if self.how == "shut":
            os.close(3)
            time.sleep(600)
        if self.how == "babble":
            os.write(3, b"\\x02\\0\\0\\0[]")
            time.sleep(600)
        if self.how == "print":
            print("on standard output")

import opyard
'''

LINE_OF_RAISE = 1 + BREAKER.splitlines().index('            raise KeyError("nothing\\nat all")')

# Asks for seven plans at a time until it is stopped, and writes down what it got.
LISTENER = '''
import json
import random
from typing import Annotated, Literal

import numpy
import opyard


class Listener:
    """Never stops by itself, and writes down
    what it sees.

    This is more than its summary.
    """

    tasks = ("placement", "scheduling")
    paper = "Nobody, nowhere 2026"
    start = "random"

    def __init__(
        self,
        note: str = "",
        count: Annotated[int, "how many at once", (1, 9)] = 7,
        rate: float = 1,
        rule: Literal["one", "two"] = "one",
        loud: bool = False,
    ):
        self.note = note
        self.count = count

    def search(self, problem, evaluator, seed):
        seen = {name: array.tolist() for name, array in problem.arrays().items()}
        seen["x"] = problem.observation()["x"].tolist()
        seen["words"] = [problem.tasks, problem.objective, problem.group, problem.fusion]
        seen["budget"] = [evaluator.evaluations, evaluator.seconds]
        seen["sampled"] = [seed, random.random(), numpy.random.rand(), hash("text")]
        seen["evaluated"] = []
        plans = [problem.plan([i % 2] * problem.graph.num_ops) for i in range(self.count)]
        try:
            while True:
                evaluated = evaluator.evaluate(plans)
                seen["evaluated"].append(len(evaluated))
                seen["standing"] = [
                    evaluator.num_evaluations,
                    evaluator.num_failures,
                    evaluator.is_done,
                    evaluator.used_share,
                    evaluator.best,
                    evaluator.best_plan == plans[evaluated.index(evaluator.best)],
                ]
        finally:
            with open(self.note, "w") as file:
                json.dump(seen, file)
'''


@pytest.fixture
def breaker(tmp_path):
    """The reference of an agent that breaks."""
    (tmp_path / "breaker.py").write_text(BREAKER)
    return f"{tmp_path}/breaker.py:Breaker"


@pytest.fixture
def listener(tmp_path):
    """The reference of an agent that writes down what it sees."""
    (tmp_path / "listener.py").write_text(LISTENER)
    return f"{tmp_path}/listener.py:Listener"


def place(agent, **arguments):
    words = {"agent": agent, "tasks": ["placement"], "evaluations": 40} | arguments
    return opyard.place(GRAPH, MACHINE, **words)


def opyard_command(*words, cwd, path=""):
    """Runs the command as users do."""
    environment = os.environ | {"PYTHONPATH": f"{path}:{os.environ.get('PYTHONPATH', '')}"}
    return subprocess.run(
        [sys.executable, "-m", "opyard", *words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def course_of(result):
    """All of a search but its clocks."""
    return [(found["evaluations"], found["score"], found["makespan_s"]) for found in result.history]


def test_the_example_finds_a_plan_and_the_same_seed_finds_it_again():
    first, again, other = (place(EXAMPLE, seed=seed) for seed in (1, 1, 2))
    assert first.evaluations == again.evaluations == 40
    assert first.plan == again.plan
    assert course_of(first) == course_of(again) != course_of(other)
    assert first.makespan_s == opyard.simulate(GRAPH, MACHINE, first.plan)["makespan_s"]
    assert first.makespan_s < place("single_device").makespan_s
    assert first.cpu_seconds > 0.05  # of the agent's process: Python alone takes that


def test_an_agent_runs_with_the_evaluator_of_a_notebook_too():
    problem = opyard.Problem(GRAPH, MACHINE)
    evaluator = opyard.Evaluator(problem, evaluations=40)
    sys.path.insert(0, str(ROOT / "examples" / "python_agent"))
    try:
        from hill_climb import HillClimb
    finally:
        del sys.path[0]
    HillClimb(moves=2).search(problem, evaluator, seed=5)
    assert evaluator.num_evaluations == 40
    assert evaluator.used_share == 1.0


def test_an_agent_sees_the_problem_its_budget_and_what_counts(listener, tmp_path):
    note = tmp_path / "seen.json"
    arguments = {"objective": "weighted:1:0.1", "group": 8, "fusion": "none", "seed": 4}
    result = place(listener, params={"note": str(note)}, evaluations=20, **arguments)
    seen = json.loads(note.read_text())
    problem = opyard.Problem(GRAPH, MACHINE, **{k: v for k, v in arguments.items() if k != "seed"})
    for name, array in problem.arrays().items():
        assert np.array_equal(np.array(seen[name]), array), name
    assert np.array_equal(np.array(seen["x"], dtype=np.float32), problem.observation()["x"])
    assert seen["words"] == [["placement"], problem.objective, 8, "none"]
    assert seen["budget"] == [20, None]
    assert seen["evaluated"] == [7, 7, 6]  # and the fourth time ends the search
    assert result.evaluations == 20
    count, failures, is_done, used, best, knows_the_plan = seen["standing"]
    assert (count, failures, is_done, used, knows_the_plan) == (20, 0, True, 1.0, True)
    assert best["score"] == result.score
    place(listener, params={"note": str(note)}, evaluations=20, **arguments)
    assert json.loads(note.read_text()) == seen  # the seed, all generators, the hashes


def test_an_agent_that_breaks_is_told_from_wrong_input(breaker):
    with pytest.raises(opyard.Error) as raised:
        place(breaker)
    assert type(raised.value) is opyard.Error
    message = str(raised.value)
    assert message.startswith(f"agent {breaker} failed: KeyError: 'nothing\\nat all' (")
    assert message.endswith(f"breaker.py:{LINE_OF_RAISE}, in search)")


# The ways in which an agent breaks, with its evaluated plans by then, and the message about it.
BREAKS = {
    "raise": (1, "failed: KeyError: 'nothing"),
    "illegal": (1, "failed: PlanError: plan#/placement: found 1 entries, expected one per op"),
    "lonely": (0, "failed: TypeError: "),
    "exit": (1, "ended with exit code 3 before its search was over"),
    "leave": (1, "ended with exit code 0 before its search was over"),
    "crash": (1, "ended by signal 11 (Segmentation fault) before its search was over"),
    "hang": (1, "said nothing for 5 s (its parameter timeout_s) and was ended"),
    "eat": (1, "failed: MemoryError: "),
    "babble": (1, "sent what is no message of an agent: message#: "),
}


def test_a_broken_agent_is_one_failed_cell_of_an_experiment(breaker, tmp_path):
    (tmp_path / "experiment.yaml").write_text(
        "schema_version: 1\n"
        "name: mixed\n"
        f"graphs: ['{GRAPH}']\n"
        f"hardware: [{MACHINE}]\n"
        "budget: {evaluations: 30}\n"
        "agents:\n"
        "  - single_device\n"
        f"  - name: '{breaker}'\n"
        "    label: broken\n"
        "    params: {memory_gib: 0.5, timeout_s: 5.0}\n"
        f"    grid: {{how: [{', '.join(BREAKS)}]}}\n"
        f"  - {{name: '{EXAMPLE}', label: climb}}\n"
        "seeds: [0]\n"
    )
    command = ("run", "experiment.yaml", "--out", "results", "--jobs", "2", "--json")
    run = opyard_command(*command, cwd=tmp_path)
    cells = {cell["agent"]: cell for cell in json.loads(run.stdout)["cells"]}
    for how, (evaluations, message) in BREAKS.items():
        cell = cells[f"broken[how={how}]"]
        assert (cell["status"], cell["outcome"]) == ("failed", "agent_failed"), how
        assert (cell["evaluations"], cell["makespan_s"]) == (evaluations, None), how
        assert f"broken[how={how}] · seed 0: failed: agent {breaker} {message}" in run.stderr
    assert cells["climb"]["status"] == cells["single_device"]["status"] == "done"
    assert cells["climb"]["evaluations"] == 30
    assert opyard_command("validate", "results", cwd=tmp_path).returncode == 0
    # A failed run is a result like any other: nothing is left to do.
    again = opyard_command(*command, "--resume", cwd=tmp_path)
    assert json.loads(again.stdout)["cells"] == json.loads(run.stdout)["cells"]


@pytest.mark.parametrize(
    ("text", "reference", "message"),
    [
        ("", "agent.py:Agent", 'has no class "Agent", expected one of: none is there'),
        ("import nothing_there", "agent.py:Agent", "ModuleNotFoundError: No module named"),
        ("raise SystemExit(5)", "agent.py:Agent", "ended with exit code 5 while it was loaded"),
        ("Agent = 3", "nothing_there.agent:Agent", "nothing_there.agent cannot be imported"),
        ("class Agent: pass", "agent.py:Agent", "expected a method search(problem, evaluator"),
        ("class Agent: tasks = ('place',)", "agent.py:Agent", "tasks: found ('place',), expected"),
        ("class Agent:\n def __init__(self, x): pass", "agent.py:Agent", "x: found the default no"),
        (
            "class Agent:\n def __init__(self, timeout_s=1): pass",
            "agent.py:Agent",
            "timeout_s: found a name that opyard itself takes",
        ),
    ],
)
def test_what_is_no_agent_is_refused_before_anything_runs(tmp_path, text, reference, message):
    (tmp_path / "agent.py").write_text(text)
    name = reference.replace("agent.py", f"{tmp_path}/agent.py")
    with pytest.raises(opyard.InputError) as raised:
        place(name)
    assert message in str(raised.value)
    assert all(line.startswith(f"agent {name}: ") for line in str(raised.value).splitlines())


def test_parameters_are_checked_in_the_experiment_where_they_stand(listener, tmp_path):
    (tmp_path / "experiment.yaml").write_text(
        "schema_version: 1\n"
        "name: wrong\n"
        f"graphs: ['{GRAPH}']\n"
        f"hardware: [{MACHINE}]\n"
        "agents:\n"
        f"  - name: '{listener}'\n"
        "    params:\n"
        "      count: 10\n"
        "      rule: three\n"
        "  - 'no.module:Agent'\n"
        "seeds: [0]\n"
    )
    run = opyard_command("run", "experiment.yaml", "--out", "results", cwd=tmp_path)
    assert run.returncode == 2
    lines = run.stderr.splitlines()
    places = ["experiment.yaml:8:7", "experiment.yaml:9:7", "experiment.yaml:10:5"]
    assert [line.split(": ")[0] for line in lines] == places
    assert "no.module cannot be imported" in lines[2]


def test_agents_of_packages_are_listed_and_explained(listener, tmp_path):
    package = tmp_path / "some_package-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: some-package\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(
        "[opyard.agents]\nlistener = listener:Listener\ngone = nothing_there:Agent\n"
        "heft = listener:Listener\n"
    )
    command = ("agents", "list", "--json")
    listed = opyard_command(*command, cwd=ROOT, path=tmp_path)
    assert listed.returncode == 0
    infos = {info["name"]: info for info in json.loads(listed.stdout)}
    assert infos["listener"] == {
        "name": "listener",
        "kind": "python",
        "tasks": ["placement", "scheduling"],
        "start": "random",
        "paper": "Nobody, nowhere 2026",
    }
    assert (infos["gone"]["kind"], infos["gone"]["tasks"]) == ("python", [])
    assert infos["heft"]["kind"] == "classical"
    shown = opyard_command("agents", "show", "listener", "--json", cwd=ROOT, path=tmp_path)
    info = json.loads(shown.stdout)
    assert info["summary"] == "Never stops by itself, and writes down what it sees."
    options = {option["name"]: option for option in info["options"]}
    assert options["count"] == {
        "name": "count",
        "default": 7,
        "range": [1, 9],
        "meaning": "how many at once",
        "paper": "",
    }
    assert (options["rate"]["default"], options["loud"]["default"]) == (1.0, False)
    assert options["rule"]["allowed"] == ["one", "two"]
    assert {"timeout_s", "memory_gib"} < set(options)


def test_what_an_agent_prints_does_not_reach_standard_output(breaker, tmp_path):
    words = ("--graph", GRAPH, "--hardware", MACHINE, "--agent", breaker, "--param", "how=print")
    run = opyard_command("place", *words, "--tasks", "placement", "--json", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["evaluations"] == 1
    assert "on standard output" in run.stderr


def has_ended(process_id: int) -> bool:
    """True once there is no such process, or nothing of it but its exit code."""
    status = Path(f"/proc/{process_id}/stat")
    try:
        return status.read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_an_agent_ends_with_opyard(breaker, tmp_path, sent, status):
    note = tmp_path / "process"
    words = ("--graph", GRAPH, "--hardware", MACHINE, "--agent", breaker, "--tasks", "placement")
    command = [sys.executable, "-m", "opyard", "place", *words]
    process = subprocess.Popen([*command, "--param", "how=hang", "--param", f"note={note}"])
    deadline = time.monotonic() + 60
    while not (note.exists() and note.read_text()) and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.02)
    agent = int(note.read_text())
    assert not has_ended(agent)
    process.send_signal(sent)
    assert process.wait(60) == status
    deadline = time.monotonic() + 10
    while not has_ended(agent) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert has_ended(agent)


def test_a_budget_in_seconds_ends_an_agent_that_does_not_stop(breaker):
    begin = time.monotonic()
    result = place(breaker, params={"how": "hang"}, evaluations=None, seconds=0.5)
    assert result.evaluations <= 1
    assert time.monotonic() - begin < 60
