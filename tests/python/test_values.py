"""Plans, problems, graphs and machines as values: compared, copied, pickled, saved."""

from __future__ import annotations

import copy
import json
import multiprocessing
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import opyard
import pytest
from case_names import case_name
from opyard import _core

GRAPH = "random:layered?n=40&seed=3"
MACHINE = "p100x2-pcie"
ROOT = Path(__file__).resolve().parents[2]
MACHINES = sorted(path.stem for path in (ROOT / "hardware_profiles" / "machines").glob("*.yaml"))


@pytest.fixture(scope="module")
def problem():
    return opyard.Problem(GRAPH, MACHINE)


@pytest.fixture
def objects(problem):
    plan = opyard.Plan([1, 2] * 20, op_priority=range(40), fusion_priority=[1] * 40)
    return {"plan": plan, "problem": problem, "graph": problem.graph, "machine": problem.hardware}


@pytest.mark.parametrize("other", [None, 3, "plan", [0, 1], object(), float("nan")], ids=case_name)
def test_a_plan_equals_nothing_but_plans(other):
    plan = opyard.Plan([0, 1])
    assert not plan == other  # noqa: SIM201 (both operators are tested)
    assert plan != other
    assert other != plan


def test_equal_plans_have_equal_hashes():
    plans = {opyard.Plan([0, 1]), opyard.Plan([0, 1]), opyard.Plan([1, 0]), opyard.Plan([0])}
    assert len(plans) == 3


@pytest.mark.parametrize("name", ["plan", "problem", "graph", "machine"])
def test_copies_of_what_never_changes_are_the_thing_itself(name, objects):
    assert copy.copy(objects[name]) is objects[name]
    assert copy.deepcopy([objects[name]])[0] is objects[name]


def test_a_plan_survives_pickling_with_what_only_files_give(tmp_path):
    file = tmp_path / "two.graph.json"
    file.write_text(
        '{"format": "opyard-graph/1", "name": "two", "ops": ['
        '{"name": "a", "type": "MatMul", "outputs": [{"bytes": 8}]},'
        '{"name": "b", "type": "MatMul", "inputs": [[0, 0]]}]}'
    )
    path = tmp_path / "best.plan.json"
    path.write_text(
        '{"format": "opyard-plan/1", "graph": "two", "placement": ["gpu0", "gpu1"], "op_priority":'
        ' [2, 3], "transfer_priority": [{"op": 0, "output": 0, "device": "gpu1", "priority": 5}]}'
    )
    plan = opyard.load_plan(path, file, MACHINE)
    again = pickle.loads(pickle.dumps(plan))
    assert again == plan
    assert hash(again) == hash(plan)
    again.save(tmp_path / "again.plan.json", file, MACHINE)
    saved = json.loads((tmp_path / "again.plan.json").read_text())
    assert saved["transfer_priority"][0]["priority"] == 5


@pytest.mark.parametrize("name", MACHINES)
def test_every_shipped_machine_survives_pickling(name):
    machine = opyard.load_machine(name)
    state = pickle.dumps(machine)
    again = pickle.loads(state)
    assert pickle.dumps(again) == state
    assert again.device_names == machine.device_names
    problem = opyard.Problem(GRAPH, machine, fusion="none")
    plan = problem.baseline_plans()[-1]
    assert opyard.Problem(GRAPH, again, fusion="none").simulate(plan) == problem.simulate(plan)


def test_a_graph_survives_pickling_bit_for_bit():
    graph = opyard.load_graph("inception_v3")
    again = pickle.loads(pickle.dumps(graph))
    assert pickle.dumps(again) == pickle.dumps(graph)
    assert (again.name, again.op_names) == (graph.name, graph.op_names)


SETTINGS = {
    "tasks": ["placement", "scheduling", "fusion"],
    "objective": {"weighted": {"makespan": 1.0, "peak_memory": 0.25}},
    "group": 7,
    "fusion": "none",
    "queue": "priority",
}


@pytest.mark.parametrize(
    "settings",
    [{}, SETTINGS, {"group": "none"}, {"objective": "peak_memory"}, {"queue": "priority"}],
    ids=str,
)
def test_a_problem_survives_pickling_with_its_settings(settings):
    problem = opyard.Problem(GRAPH, MACHINE, **settings)
    again = pickle.loads(pickle.dumps(problem))
    for setting in SETTINGS:
        assert getattr(again, setting) == getattr(problem, setting)
    assert again.num_choices == problem.num_choices
    assert again.problem_bound_s == problem.problem_bound_s
    action = [1] * len(problem.num_choices)
    assert again.plan_of_action(action) == problem.plan_of_action(action)
    found, expected = (
        opyard.Evaluator(each, threads=1).evaluate_actions([action]) for each in (again, problem)
    )
    assert found == expected


def test_a_pickled_problem_needs_no_file(tmp_path):
    graph, machine = tmp_path / "g.graph.json", tmp_path / "machines" / "m.yaml"
    _core.write_graph(opyard.load_graph(GRAPH), graph)
    machine.parent.mkdir()
    shutil.copy(ROOT / "hardware_profiles" / "machines" / f"{MACHINE}.yaml", machine)
    problem = opyard.Problem(graph, machine)
    plan = problem.baseline_plans()[-1]
    makespan = problem.simulate(plan)["makespan_s"]
    state = tmp_path / "state"
    state.write_bytes(pickle.dumps((problem, plan)))
    graph.unlink()
    machine.unlink()
    code = (
        "import pickle, sys; problem, plan = pickle.load(open(sys.argv[1], 'rb'));"
        "print(problem.simulate(plan)['makespan_s'])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, state], capture_output=True, text=True, check=True
    )
    assert float(run.stdout) == makespan


def makespan_of(job):
    problem, plan = job
    return problem.simulate(plan)["makespan_s"]


def test_processes_share_problems(problem):
    plans = problem.baseline_plans()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.map(makespan_of, [(problem, plan) for plan in plans])
    assert found == [problem.simulate(plan)["makespan_s"] for plan in plans]


@pytest.mark.parametrize("name", ["plan", "problem", "graph", "machine"])
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_of_pickle_holds_the_same(name, protocol, objects):
    again = pickle.loads(pickle.dumps(objects[name], protocol))
    assert pickle.dumps(again) == pickle.dumps(objects[name])


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_what_is_no_value_cannot_be_pickled(problem, protocol):
    builder = _core.GraphBuilder("built", "")
    for found in (builder, builder.placeholder("x", [2], "f32"), opyard.Evaluator(problem)):
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(found, protocol)


@pytest.mark.parametrize("name", ["plan", "problem", "graph", "machine"])
def test_what_was_pickled_equals_what_it_was_made_of(name, objects):
    again = pickle.loads(pickle.dumps(objects[name]))
    assert again is not objects[name]
    assert again == objects[name]
    assert hash(again) == hash(objects[name])
    assert len({again, objects[name]}) == 1
    assert again != 3
    assert objects[name] != objects["plan" if name != "plan" else "graph"]


OTHER = opyard.load_graph("random:layered?n=40&seed=4")


@pytest.mark.parametrize(
    "other",
    [
        {"graph": OTHER},
        {"hardware": "p100x4-pcie"},
        {"tasks": ["placement", "scheduling"]},
        {"objective": "peak_memory"},
        {"group": 7},
        {"fusion": "none"},
        {"queue": "priority"},
        {"devices": ["gpu0"]},
        {"cost_model": "peak_roofline"},
    ],
    ids=str,
)
def test_problems_differ_in_all_that_they_ask(problem, other):
    assert opyard.Problem(**({"graph": GRAPH, "hardware": MACHINE} | other)) != problem


def test_graphs_and_machines_differ_in_what_they_hold(problem, tmp_path):
    assert len(OTHER) == len(problem.graph)
    assert problem.graph != OTHER
    text = (ROOT / "hardware_profiles" / "machines" / f"{MACHINE}.yaml").read_text()
    machine = tmp_path / "m.yaml"
    machine.write_text(text)
    assert opyard.load_machine(machine) == problem.hardware
    machine.write_text(text.replace("type: p100-pcie-16gb", "type: p100-pcie-16gb, memory: 8 GiB"))
    assert opyard.load_machine(machine) != problem.hardware


def test_devices_in_another_order_ask_the_same():
    one, other = (
        opyard.Problem(GRAPH, MACHINE, devices=devices)
        for devices in (["gpu0", "gpu1"], ["gpu1", "gpu0"])
    )
    assert one == other
    assert one.devices == ["gpu0", "gpu1"]
    assert pickle.loads(pickle.dumps(one)) == one
    everything = opyard.Problem(GRAPH, MACHINE, devices=["cpu0", "gpu1", "gpu0"])
    assert everything == opyard.Problem(GRAPH, MACHINE)


def test_a_device_that_is_left_out_is_allowed_to_no_group():
    problem = opyard.Problem(GRAPH, MACHINE, devices=["gpu0"])
    assert problem.arrays()["allowed"].tolist() == [[False, True, False]] * problem.num_groups
    assert {device for plan in problem.baseline_plans() for device in plan.placement} == {1}
    with pytest.raises(opyard.PlanError, match='"gpu1" is left out by the problem\'s devices'):
        problem.simulate(opyard.Plan([2] * 40))
    assert opyard.simulate(problem.graph, problem.hardware, opyard.Plan([2] * 40))["outcome"]


def test_representations_say_names_and_sizes(problem):
    title = f"{problem.graph.name} (40 ops) on p100x2-pcie (3 devices)"
    assert repr(problem) == f"<opyard.Problem {title}: placement of 40 groups, makespan>"
    some = opyard.Problem(GRAPH, MACHINE, tasks=["fusion"], group=7, devices=["gpu0"])
    assert repr(some) == (
        f"<opyard.Problem {title}: fusion of {some.num_groups} groups, makespan, on gpu0 only>"
    )
    assert repr(opyard.Plan([0, 2, 2])) == "<opyard.Plan of 3 ops on 2 devices, queue fifo>"
    assert repr(opyard.Plan([1], op_priority=[4], fusion_priority=[1])) == (
        "<opyard.Plan of 1 op on 1 device, queue priority, 1 op priority, 1 fusion priority>"
    )
    evaluator = opyard.Evaluator(problem, evaluations=5, seconds=60)
    assert repr(evaluator) == f"<opyard.Evaluator of {title}: 0 of 5 evaluations, for 60 s>"
    evaluator.evaluate([problem.plan()])
    assert repr(evaluator).startswith(
        f"<opyard.Evaluator of {title}: 1 of 5 evaluations, for 60 s, best "
    )
    env = opyard.envs.OneShotEnv(GRAPH, [MACHINE, "p100x4-pcie"], obs="flat")
    env.reset(options={"hardware": 0})
    assert repr(env) == f"<OneShotEnv {title}, obs flat, one of 2 problems>"


def test_an_evaluator_is_of_its_problem_and_cannot_be_copied(problem):
    evaluator = opyard.Evaluator(problem)
    assert evaluator.problem is problem
    for use in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"cannot pickle or copy an Evaluator: .* one search"):
            use(evaluator)


def new(kind):
    return kind.__new__(kind)


@pytest.mark.parametrize("name", ["Plan", "Problem", "Graph", "Machine"])
def test_an_object_of_new_alone_is_refused(name):
    kind = getattr(opyard, name)
    message = "made by __new__ alone"
    for use in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=message):
            use(new(kind))


def test_an_argument_of_new_alone_is_refused(problem):
    for graph, machine in [(new(opyard.Graph), MACHINE), (GRAPH, new(opyard.Machine))]:
        with pytest.raises(TypeError, match="made by __new__ alone"):
            opyard.Problem(graph, machine)
    with pytest.raises(TypeError, match="made by __new__ alone"):
        problem.simulate(new(opyard.Plan))
    with pytest.raises(TypeError, match="made by __new__ alone"):
        opyard.Evaluator(new(opyard.Problem))


def test_what_another_version_pickled_is_refused(problem):
    for kind, state, message in [
        (opyard.Plan, ((0,), "fifo"), "another version"),
        (opyard.Machine, b"name: m100", "pickled machine:1:1: "),
        (opyard.Problem, (1,), "another version"),
    ]:
        with pytest.raises(opyard.InputError, match=message):
            kind.__new__(kind).__setstate__(state)


def test_paths_may_be_path_objects(tmp_path, problem):
    graph, machine = tmp_path / "g.graph.json", tmp_path / "m.yaml"
    _core.write_graph(problem.graph, graph)
    shutil.copy(ROOT / "hardware_profiles" / "machines" / f"{MACHINE}.yaml", machine)
    assert opyard.load_graph(graph).op_names == problem.graph.op_names
    assert opyard.load_machine(machine).device_names == problem.hardware.device_names
    plan = problem.plan()
    plan.save(tmp_path / "p.plan.json", graph, machine)
    assert opyard.load_plan(tmp_path / "p.plan.json", graph, machine) == plan
    assert opyard.simulate(graph, machine, plan) == problem.simulate(plan)
    env = opyard.envs.OneShotEnv(graph=[graph], hardware=machine)
    assert env.reset(seed=0, options={"graph": graph})[1]["reference_s"] > 0


def test_a_path_object_is_a_path_though_a_graph_ships_under_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(opyard.InputError, match=r"\./inception_v3"):
        opyard.load_graph(Path("inception_v3"))
    assert len(opyard.load_graph("inception_v3")) > 0


def test_a_problem_makes_plans_with_its_defaults(problem):
    placement = [1, 2] * 20
    plan = problem.plan(placement)
    assert plan == opyard.Plan(placement, fusion_priority=[1] * 40)
    assert plan != opyard.Plan(placement)  # which fuses nothing
    assert problem.plan() == problem.plan_of_action([1] * len(problem.num_choices))
    unfused = opyard.Problem(GRAPH, MACHINE, fusion="none")
    assert unfused.plan(placement) == opyard.Plan(placement)


def test_what_is_given_stands_in_place_of_the_defaults(problem):
    placement = [1] * 40
    assert problem.plan(placement, fusion_priority=[]) == opyard.Plan(placement)
    assert problem.plan(placement, range(40)).queue == "priority"
    assert problem.plan(placement, range(40), queue="fifo").queue == "fifo"
    fused = problem.plan(fusion_priority=[3] * 40)
    assert (fused.placement, fused.fusion_priority) == (placement, [3] * 40)


def test_a_plan_that_a_problem_makes_fits_it(problem):
    with pytest.raises(opyard.PlanError, match="placement"):
        problem.plan([1] * 39)
    with pytest.raises(opyard.PlanError, match="op_priority"):
        problem.plan([1] * 40, [1])


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        (
            {"op_priority": [0, 2**53 + 1]},
            "op_priority/1: found 9007199254740993, expected an integer from -9007199254740992 to"
            " 9007199254740992",
        ),
        ({"op_priority": [-(2**53) - 1, 0]}, "op_priority/0: found -9007199254740993"),
        ({"fusion_priority": [0, 1_000_001]}, "fusion_priority/1: found 1000001, expected an"),
        ({"fusion_priority": [-1, 0]}, "fusion_priority/0: found -1, expected an integer from 0"),
        ({"placement": [1, -1]}, "placement/1: found -1, expected an integer from 0"),
        ({"placement": [1, 2**31]}, "placement/1: found 2147483648"),
    ],
    ids=str,
)
def test_numbers_that_no_plan_file_may_hold_are_refused_where_they_are_given(lists, message):
    with pytest.raises(opyard.InputError, match=message):
        opyard.Plan(**({"placement": [1, 1]} | lists))


def test_priorities_on_the_limits_survive_a_file(tmp_path):
    plan = opyard.Plan([1, 2] * 20, op_priority=[-(2**53), 2**53] * 20)
    plan.save(tmp_path / "a.plan.json", GRAPH, MACHINE)
    assert opyard.load_plan(tmp_path / "a.plan.json", GRAPH, MACHINE) == plan
