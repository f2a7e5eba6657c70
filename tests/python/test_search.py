"""Searching from Python: opyard.place and opyard.agents."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys

import numpy as np
import opyard
import pytest
from case_names import case_name
from opyard import _core

GRAPH = "random:layered?n=40&seed=3"
MACHINE = "p100x2-pcie"


def place(**arguments):
    return opyard.place(GRAPH, MACHINE, **({"agent": "brkga", "evaluations": 60} | arguments))


def test_a_search_finds_what_the_command_finds(tmp_path, capfd):
    path = tmp_path / "best.plan.json"
    words = ["--agent", "brkga", "--evaluations", "60", "--seed", "3", "--param", "elite_share=0.3"]
    arguments = ["place", "--graph", GRAPH, "--hardware", MACHINE, *words, "--out", str(path)]
    assert _core.run_command_line([*arguments, "--json"]) == 0
    printed = json.loads(capfd.readouterr().out)
    result = place(seed=3, params={"elite_share": 0.3})
    assert result.plan == opyard.load_plan(path, GRAPH, MACHINE)
    for name in ("outcome", "makespan_s", "score", "peak_memory_bytes", "transfers"):
        assert getattr(result, name) == printed[name], name
    assert (result.evaluations, result.failures) == (printed["evaluations"], printed["failures"])
    assert result.problem_bound_s == printed["problem_bound_s"]


def test_the_plan_is_worth_what_the_result_says():
    result = place()
    simulated = opyard.simulate(GRAPH, MACHINE, result.plan)
    assert result.makespan_s == simulated["makespan_s"] == result.history[-1]["makespan_s"]
    assert result.problem_bound_s <= result.makespan_s


def test_plans_do_not_depend_on_threads():
    assert place(threads=1).plan == place(threads=2).plan


def test_tasks_say_what_the_plan_decides():
    assert place(tasks=["placement"]).plan.op_priority == []
    assert len(place(tasks=["placement", "scheduling"]).plan.op_priority) == 40


def test_a_search_that_finds_no_room_says_so(tmp_path):
    graph = tmp_path / "big.graph.json"
    graph.write_text(
        '{"format": "opyard-graph/1", "name": "big", "ops": [{"name": "a", "type": "MatMul",'
        ' "seconds": {"*": 1e-6}, "outputs": [{"bytes": 1000000000000}]}]}'
    )
    result = opyard.place(graph, MACHINE, agent="single_device")
    assert (result.outcome, result.score) == ("out_of_memory", None)
    assert result.plan is not None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agent": "brkg"}, 'did you mean "brkga"'),
        ({"params": {"elite_shares": 0.3}}, "elite_shares"),
        ({"params": {"elite_share": float("nan")}}, "elite_share"),
        ({"params": {"population": 2**70}}, "params/population"),
        ({"tasks": []}, "tasks: found no task"),
        ({"evaluations": 0}, "evaluations: found 0, expected 1 to"),
        ({"seconds": float("nan")}, "seconds: found nan, expected 0.001 to"),
        ({"seconds": float("inf")}, "seconds: found inf"),
        ({"seed": -1}, "seed: found -1, expected 0 to"),
        ({"threads": -1}, "threads: found -1"),
    ],
    ids=str,
)
def test_bad_arguments_say_what_was_expected(arguments, message):
    with pytest.raises(opyard.InputError, match=message):
        place(**arguments)


@pytest.mark.parametrize("value", [None, [0.3], object()], ids=case_name)
def test_a_parameter_is_a_bool_a_number_or_a_text(value):
    with pytest.raises(
        TypeError, match="params/elite_share: expected a bool, an int, a float or a str"
    ):
        place(params={"elite_share": value})


def test_parameters_may_be_numbers_of_numpy():
    expected = place(params={"elite_share": 0.25, "population": 20})
    found = place(params={"elite_share": np.float32(0.25), "population": np.int16(20)})
    assert found.plan == expected.plan


def test_agents_are_those_that_the_command_lists():
    code = "import sys; from opyard.cli import main; sys.exit(main(['agents', 'list', '--json']))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    listed = json.loads(run.stdout)
    found = [
        {
            "name": a.name,
            "kind": a.kind,
            "tasks": list(a.tasks),
            "start": a.start,
            "paper": a.paper,
        }
        for a in opyard.agents()
    ]
    assert found == listed
    assert {"brkga", "reinforce_lstm"} <= {agent["name"] for agent in found}


def test_agents_say_what_they_take_as_the_command_does():
    code = "from opyard.cli import main; main(['agents', 'show', 'heft', '--json'])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    shown = json.loads(run.stdout)
    (heft,) = (agent for agent in opyard.agents() if agent.name == "heft")
    assert list(heft.deviations) == shown["deviations"]
    assert [dataclasses.asdict(option) for option in heft.options] == [
        {**option, "allowed": tuple(option["allowed"]), "range": None}
        for option in shown["options"]
    ]


def test_the_range_of_a_parameter_is_what_place_takes():
    (brkga,) = (agent for agent in opyard.agents() if agent.name == "brkga")
    (share,) = (option for option in brkga.options if option.name == "elite_share")
    assert (share.default, share.range, share.allowed) == (0.2, (0.0, 0.5), ())
    with pytest.raises(opyard.InputError, match=r"in \[0, 0.5\]"):
        place(params={"elite_share": 0.6})


@pytest.mark.skipif(not _core.torch_version, reason="built without LibTorch")
def test_a_learned_agent_searches():
    result = opyard.place(
        GRAPH, MACHINE, agent="reinforce_lstm", tasks=["placement"], evaluations=2
    )
    assert result.evaluations == 2


def test_a_learned_agent_that_cannot_be_loaded_says_how_to_mend_it():
    code = (
        "import sys; sys.modules['torch'] = None; import opyard;"
        f"opyard.place({GRAPH!r}, {MACHINE!r}, agent='reinforce_lstm')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "agent reinforce_lstm needs LibTorch" in run.stderr.splitlines()[-1]


_LEARNED = pytest.param(
    "reinforce_lstm",
    marks=pytest.mark.skipif(not _core.torch_version, reason="built without LibTorch"),
)
# Prints the seconds of processor time, of all threads, from the signal to the exception.
INTERRUPTED = f"""
import os, signal, threading, time, opyard
def interrupt():
    global spent
    spent = time.process_time()
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.5, interrupt).start()
try:
    opyard.place({GRAPH!r}, {MACHINE!r}, agent=AGENT, seconds=100)
except KeyboardInterrupt:
    print(time.process_time() - spent)
"""


@pytest.mark.parametrize("agent", ["random", "brkga", _LEARNED])
def test_ctrl_c_stops_a_search_within_a_fifth_of_a_second_of_processor_time(agent):
    run = subprocess.run(
        [sys.executable, "-c", f"AGENT = {agent!r}" + INTERRUPTED],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) < 0.2


@pytest.mark.parametrize("agent", ["metis", "heft", "single_device"])
def test_an_agent_that_decides_no_open_task_is_refused(agent):
    with pytest.raises(opyard.InputError, match=f"tasks: agent {agent} decides .* are fusion"):
        opyard.place("random:layered?n=12&seed=3", "p100x2-pcie", agent=agent, tasks=["fusion"])
