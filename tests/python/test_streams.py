"""Plans with streams from Python: made, simulated, saved, and found by agents."""

from __future__ import annotations

import pickle
from pathlib import Path

import opyard
import pytest

GRAPH = "random:layered?n=40&seed=3"
MACHINE = "p100x2-pcie"


def ordered(problem: opyard.Problem) -> opyard.Plan:
    """All ops on the two GPUs in turn, in topological order but for the devices."""
    placement = [1 + op % 2 for op in range(problem.graph.num_ops)]
    order: list[list[list[int]]] = [[], [[]], [[]]]
    for op in problem.graph.arrays()["topological_order"].tolist():
        order[placement[op]][0].append(op)
    return opyard.Plan(placement, order=order)


@pytest.fixture
def problem() -> opyard.Problem:
    return opyard.Problem(GRAPH, MACHINE, fusion="none")


def test_a_plan_keeps_its_order(problem: opyard.Problem, tmp_path: Path) -> None:
    plan = ordered(problem)
    assert plan.queue == "order"
    assert plan == pickle.loads(pickle.dumps(plan))
    assert hash(plan) == hash(opyard.Plan(plan.placement, order=plan.order))
    plan.save(tmp_path / "a.plan.json", GRAPH, MACHINE)
    assert opyard.load_plan(tmp_path / "a.plan.json", GRAPH, MACHINE) == plan


def test_channels_keep_an_order(problem: opyard.Problem, tmp_path: Path) -> None:
    placement = [1 + op % 2 for op in range(problem.graph.num_ops)]
    tensor = problem.graph.arrays()
    producer, consumer = tensor["edge_index"]
    copies = [
        (int(t), placement[int(reader)])
        for t, reader in zip(tensor["edge_tensor"], consumer, strict=True)
    ]
    assert len(producer) == len(copies)
    first = next(copy for copy in copies if copy[1] == 2)
    plan = opyard.Plan(placement, transfer_order={"no such channel": [first]})
    with pytest.raises(opyard.PlanError, match="no such channel"):
        problem.simulate(plan)
    assert plan == pickle.loads(pickle.dumps(plan))
    assert hash(plan) != hash(opyard.Plan(placement))
    assert plan.transfer_order == {"no such channel": [first]}


def test_copies_have_priorities() -> None:
    plan = opyard.Plan([0, 0], transfer_priority=[(0, 1, -3), (1, 1, 2**53)])
    assert plan.transfer_priority == [(0, 1, -3), (1, 1, 2**53)]
    assert plan == pickle.loads(pickle.dumps(plan))
    assert plan != opyard.Plan([0, 0])
    with pytest.raises(opyard.InputError, match="transfer_priority/0/1: found -1, expected 0 to"):
        opyard.Plan([0], transfer_priority=[(0, -1, 0)])
    with pytest.raises(opyard.InputError, match="transfer_priority/1/2: found"):
        opyard.Plan([0], transfer_priority=[(0, 1, 0), (0, 2, 2**53 + 1)])


def test_transfers_with_priorities_go_first(problem: opyard.Problem) -> None:
    heft = opyard.place(GRAPH, MACHINE, agent="heft", queue="order", fusion="none").plan
    assert heft.transfer_priority  # an order repeats the run with those that its transfers had
    plan = opyard.Plan(heft.placement, order=heft.order, transfer_priority=heft.transfer_priority)
    assert plan == heft
    found = problem.simulate(plan)
    assert found["makespan_s"] == problem.simulate(heft)["makespan_s"]


def test_program_is_the_order_of_topological_indices(problem: opyard.Problem) -> None:
    plan = ordered(problem)
    program = opyard.Plan(plan.placement, queue="program")
    simulate = problem.simulate
    assert simulate(plan)["makespan_s"] == simulate(program)["makespan_s"]


def test_an_order_that_can_never_go_on_ends_in_a_deadlock(problem: opyard.Problem) -> None:
    plan = ordered(problem)
    order = [[list(reversed(stream)) for stream in streams] for streams in plan.order]
    assert problem.simulate(opyard.Plan(plan.placement, order=order))["outcome"] == "deadlock"


@pytest.mark.parametrize("queue", ["program", "order"])
@pytest.mark.parametrize("agent", ["auto", "local_search", "heft", "metis"])
def test_agents_find_plans_for_the_queue_of_the_problem(queue: str, agent: str) -> None:
    result = opyard.place(
        GRAPH, MACHINE, agent=agent, queue=queue, fusion="none", evaluations=200, seed=1
    )
    plan = result.plan
    assert plan is not None
    assert plan.queue in {queue, "program"}
    assert result.problem.simulate(plan)["makespan_s"] == result.makespan_s
    if agent in {"auto", "local_search"}:
        assert plan.queue == queue


def test_a_pipeline_schedule_is_a_plan(tmp_path):
    path = tmp_path / "1f1b.csv"
    path.write_text("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n", encoding="utf-8")
    graph = "zoo:gpt?scale=tiny&microbatches=2"
    plan = opyard.plan_from_pipeline(path, graph, "p100x2-pcie")
    assert plan.queue == "order"
    assert opyard.simulate(graph, "p100x2-pcie", plan)["outcome"] == "completed"
    swapped = opyard.plan_from_pipeline(path, graph, "p100x2-pcie", devices=["gpu1", "gpu0"])
    assert swapped.placement != plan.placement
    path.write_text("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n", encoding="utf-8")
    with pytest.raises(opyard.InputError, match="deadlock, this schedule can never go on"):
        opyard.plan_from_pipeline(path, graph, "p100x2-pcie")
    with pytest.raises(opyard.InputError, match="stage_layers: found 1 layers, expected 2"):
        opyard.plan_from_pipeline(path, graph, "p100x2-pcie", stage_layers=[0])


def test_a_schedule_of_starts_is_a_plan(tmp_path):
    graph = opyard.load_graph("random:layered?n=9&seed=1")
    path = tmp_path / "starts.csv"
    rows = [f"{op.name},gpu{i % 2},{i}\n" for i, op in enumerate(graph.ops)]
    path.write_text("op,device,start_s\n" + "".join(rows), encoding="utf-8")
    plan = opyard.plan_from_schedule(path, graph, "p100x2-pcie")
    assert plan.queue == "order"
    assert opyard.simulate(graph, "p100x2-pcie", plan)["outcome"] == "completed"
    path.write_text("op,device,start_s\n" + "".join(rows[1:]), encoding="utf-8")
    with pytest.raises(opyard.InputError, match="found no row of op"):
        opyard.plan_from_schedule(path, graph, "p100x2-pcie")
