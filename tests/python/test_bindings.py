"""The C++ types as Python sees them."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from opyard import _core

GRAPH = "random:layered?n=40&seed=3"
MACHINE = "p100x2-pcie"


@pytest.fixture(scope="module")
def problem():
    return _core.Problem(GRAPH, MACHINE)


def on_gpu0(problem):
    return problem.plan_of_action([1] * len(problem.num_choices))


def test_graphs_and_machines_come_by_reference():
    graph = _core.load_graph(GRAPH)
    machine = _core.load_machine(MACHINE)
    assert len(graph) == graph.num_ops == 40
    assert machine.device_names == ["cpu0", "gpu0", "gpu1"]
    assert "40 ops" in repr(graph)
    assert "gpu1" in repr(machine)


@pytest.mark.parametrize("reference", ["no_such_graph", "random:none", "no/such/file.graph.json"])
def test_an_unknown_graph_is_a_value_error_that_names_it(reference):
    with pytest.raises(_core.InputError) as error:
        _core.load_graph(reference)
    assert isinstance(error.value, ValueError)
    assert reference.rsplit(":", maxsplit=1)[-1] in str(error.value)


def test_the_file_of_another_tool_is_a_graph_and_warns_of_what_it_leaves_open(tmp_path):
    path = tmp_path / "small.pbtxt"
    path.write_text('node { name: "a" id: 1 compute_cost: 3 output_info { size: 8 } }')
    with pytest.warns(UserWarning, match="1 x op type"):
        assert len(_core.load_graph(str(path))) == 1
    with pytest.warns(UserWarning, match="1 x op type"):
        _core.Problem(str(path), MACHINE)


def test_an_unknown_machine_is_a_value_error_that_lists_the_known():
    with pytest.raises(_core.InputError, match="p100x1-pcie"):
        _core.load_machine("p100x3-pcie")


def test_errors_are_named_after_the_package():
    assert _core.PlanError.__module__ == "opyard"
    assert issubclass(_core.PlanError, _core.Error)
    assert not issubclass(_core.PlanError, _core.InputError)


def test_simulating_tells_what_the_command_prints(problem):
    result = problem.simulate(on_gpu0(problem))
    assert set(result) == {
        "outcome",
        "makespan_s",
        "lower_bound_s",
        "problem_bound_s",
        "timed_ops",
        "measured_ops",
        "devices",
        "channels",
        "transfers",
        "ops",
        "failure",
    }
    assert result["outcome"] == "completed"
    assert result["failure"] is None
    assert len(result["ops"]) == 40
    # Everything on one device: no copies, and the device is busy from the first op to the last.
    assert result["transfers"] == 0
    assert result["devices"][1]["busy_s"] == result["makespan_s"] == result["lower_bound_s"]
    assert max(op["finish_s"] for op in result["ops"]) == result["makespan_s"]


def test_simulating_gives_the_very_figures_of_the_command(problem, tmp_path, capfd):
    path = tmp_path / "split.plan.json"
    plan = problem.baseline_plans()[-1]
    plan.save(path, GRAPH, MACHINE)
    arguments = ["simulate", "--graph", GRAPH, "--hardware", MACHINE, "--plan", str(path)]
    assert _core.run_command_line([*arguments, "--ops", "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == problem.simulate(plan)


def test_the_free_function_simulates_the_same(problem):
    plan = on_gpu0(problem)
    assert _core.simulate(GRAPH, MACHINE, plan) == problem.simulate(plan)


def test_running_out_of_memory_is_a_result(tmp_path):
    graph = tmp_path / "big.graph.json"
    graph.write_text(
        '{"format": "opyard-graph/1", "name": "big", "ops": [{"name": "a", "type": "MatMul",'
        ' "seconds": {"*": 1e-6}, "outputs": [{"bytes": 1000000000000}]}]}'
    )
    result = _core.simulate(str(graph), MACHINE, _core.Plan([1]))
    assert result["outcome"] == "out_of_memory"
    assert result["failure"]["device"] == "gpu0"
    assert result["failure"]["requested_bytes"] == 1000000000000
    assert result["ops"][0]["start_s"] is None


def test_a_plan_knows_its_decisions():
    plan = _core.Plan([0, 1], op_priority=[5, 3])
    assert plan.placement == [0, 1]
    assert plan.queue == "priority"
    assert plan.op_priority == [5, 3]
    assert plan == _core.Plan([0, 1], queue="priority", op_priority=[5, 3])
    assert plan != _core.Plan([0, 1])
    assert _core.Plan([0, 1]).queue == "fifo"


def test_an_unknown_queue_is_refused():
    with pytest.raises(
        _core.InputError, match='queue: found "lifo", expected one of fifo, priority'
    ):
        _core.Plan([0], queue="lifo")


def test_plans_survive_a_file(tmp_path, problem):
    plan = _core.Plan([1, 2] * 20, op_priority=list(range(40)))
    plan.save(tmp_path / "a.plan.json", GRAPH, MACHINE)
    assert _core.load_plan(tmp_path / "a.plan.json", GRAPH, MACHINE) == plan


def test_an_illegal_plan_is_a_plan_error_that_says_where(problem):
    with pytest.raises(_core.PlanError, match="placement"):
        problem.simulate(_core.Plan([9] * 40))
    with pytest.raises(_core.PlanError, match="expected a whole number in"):
        problem.plan_of_action([9] * 40)
    with pytest.raises(_core.PlanError, match="whole numbers"):
        problem.plan_of_action("gpu0")


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ({"extents": [0, 3]}, "extents: found 0, expected 1 to 2147483647"),
        ({"strides": [1, 0]}, "strides: found 0"),
        ({"pads": [-1, 0]}, "pads: found -1, expected 0 to"),
        ({"dilations": [0, 1]}, "dilations: found 0"),
        ({"groups": 2**40}, "groups: found 1099511627776"),
    ],
    ids=str,
)
def test_a_window_that_stands_still_is_refused_before_anything_is_divided_by_it(moves, message):
    legal = {"extents": [3, 3], "strides": [1, 1], "pads": [0, 0], "dilations": [1, 1]}
    with pytest.raises(_core.InputError, match=message):
        _core.Window(**(legal | moves))


def test_the_evaluator_evaluates_as_the_simulator_does(problem):
    plans = problem.baseline_plans()
    evaluator = _core.Evaluator(problem)
    for plan, evaluation in zip(plans, evaluator.evaluate(plans), strict=True):
        assert evaluation["makespan_s"] == problem.simulate(plan)["makespan_s"]
    assert evaluator.num_evaluations == len(plans)
    assert evaluator.best["makespan_s"] == min(
        problem.simulate(plan)["makespan_s"] for plan in plans
    )


def random_actions(problem, count):
    rng = np.random.default_rng(7)
    return rng.integers(0, problem.num_choices, (count, len(problem.num_choices)), dtype=np.int32)


def test_actions_and_their_plans_are_worth_the_same(problem):
    actions = random_actions(problem, 20)
    from_actions = _core.Evaluator(problem).evaluate_actions(actions)
    plans = [problem.plan_of_action(action) for action in actions]
    assert from_actions == _core.Evaluator(problem).evaluate(plans)


def test_actions_need_two_dimensions(problem):
    with pytest.raises(_core.InputError, match="expected two"):
        _core.Evaluator(problem).evaluate_actions(np.zeros(40, dtype=np.int32))


def test_the_history_does_not_depend_on_threads(problem):
    trails = []
    for threads in (1, 2):
        evaluator = _core.Evaluator(problem, threads=threads)
        evaluator.evaluate_actions(random_actions(problem, 200))
        trails.append([(point["evaluations"], point["score"]) for point in evaluator.history])
        assert evaluator.best_plan is not None
    assert trails[0] == trails[1]


def test_the_budget_cuts_a_batch(problem):
    evaluator = _core.Evaluator(problem, evaluations=3)
    assert len(evaluator.evaluate_actions(random_actions(problem, 5))) == 3
    assert evaluator.is_done


def test_a_bad_number_of_threads_is_refused(problem):
    with pytest.raises(_core.InputError, match="threads: found -1"):
        _core.Evaluator(problem, threads=-1)


def test_other_threads_run_while_plans_are_evaluated(problem):
    evaluator = _core.Evaluator(problem, seconds=0.3, threads=1)
    plans = [on_gpu0(problem)] * 200_000
    worker = threading.Thread(target=evaluator.evaluate, args=(plans,))
    worker.start()
    turns = 0
    while worker.is_alive():
        turns += 1
        time.sleep(0.001)
    worker.join()
    # 300 ms of evaluation leave room for far more than 20 turns of 1 ms; with the lock held: 1.
    assert turns > 20


INTERRUPTED = """
import os, signal, threading, time
from opyard import _core
problem = _core.Problem("random:layered?n=500&seed=3", "p100x2-pcie")
plans = problem.baseline_plans()[:1] * 200_000
evaluator = _core.Evaluator(problem, threads=2)
def interrupt():
    global spent
    time.sleep(0.3)
    spent = time.process_time()  # of all threads
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    evaluator.evaluate(plans)
except KeyboardInterrupt:
    print("interrupted", time.process_time() - spent < 0.2)
assert 0 < evaluator.num_evaluations < len(plans)
print("again", len(evaluator.evaluate(plans[:2])))
"""


def test_ctrl_c_stops_a_batch_within_a_fifth_of_a_second_of_processor_time():
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert run.stdout == "interrupted True\nagain 2\n", run.stderr


def test_a_graph_says_what_its_measured_times_hold(tmp_path: Path) -> None:
    text = '{"format": "opyard-graph/1", "name": "g"%s, "ops": [{"name": "a", "type": "Relu"}]}'
    path = tmp_path / "g.graph.json"
    path.write_text(text % "", encoding="utf-8")
    assert _core.load_graph(str(path)).measured == "with_launch"
    path.write_text(text % ', "measured": "kernel"', encoding="utf-8")
    assert _core.load_graph(str(path)).measured == "kernel"
