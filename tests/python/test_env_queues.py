"""Environments of problems whose devices run streams: queue program and queue order."""

from __future__ import annotations

import gymnasium
import numpy as np
import opyard
import pytest

GRAPH = "random:layered?n=20&seed=1"
MACHINE = opyard.load_machine("p100x2-pcie")
PROBLEM = opyard.Problem(GRAPH, MACHINE)
TASKS = [("placement",), ("scheduling",), ("placement", "scheduling")]


def make(name: str, hardware: opyard.Machine = MACHINE, **options) -> gymnasium.Env:
    return gymnasium.make(
        f"opyard/{name}-v0", graph=GRAPH, hardware=hardware, fusion="none", **options
    ).unwrapped


def play(env: gymnasium.Env, seed: int) -> dict[str, object]:
    """An episode of random legal actions; returns its last `info`."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    is_over = False
    while not is_over:
        space = env.action_space
        counts = [space.n] if isinstance(space, gymnasium.spaces.Discrete) else space.nvec
        masks = np.split(env.action_masks(), np.cumsum(counts)[:-1])
        numbers = [int(rng.choice(np.flatnonzero(mask))) for mask in masks]
        action = numbers[0] if isinstance(space, gymnasium.spaces.Discrete) else numbers
        _, _, is_over, _, info = env.step(action)
    return info


@pytest.mark.parametrize("tasks", TASKS)
@pytest.mark.parametrize("queue", ["program", "order"])
@pytest.mark.parametrize("name", ["OneShot", "Placement", "Improve"])
def test_plans_of_groups_are_simulated_in_the_queue_of_the_problem(name, queue, tasks):
    env = make(name, queue=queue, tasks=tasks)
    makespans = set()
    for seed in range(3):
        info = play(env, seed)
        assert env.plan.queue == ("order" if queue == "order" and "scheduling" in tasks
                                  else "program")  # fmt: skip
        found = PROBLEM.simulate(env.plan)
        assert found["outcome"] == "completed"
        assert info["makespan_s"] == found["makespan_s"]
        makespans.add(info["makespan_s"])
    assert len(makespans) > 1 or "placement" not in tasks  # the default is one device


@pytest.mark.parametrize("tasks", TASKS[1:])
def test_starts_chosen_as_time_goes_on_are_an_order(tasks):
    env = make("ListSchedule", queue="order", tasks=tasks)
    for seed in range(3):
        info = play(env, seed)
        assert env.plan.queue == "order"
        assert info["makespan_s"] == PROBLEM.simulate(env.plan)["makespan_s"]


def test_nobody_chooses_starts_under_program():
    with pytest.raises(opyard.InputError, match="queue: found program, expected fifo"):
        make("ListSchedule", queue="program")


def test_starts_that_no_order_repeats_are_refused():
    figures = MACHINE.to_dict()
    figures["transfers"]["one_per"] = "edge"
    machine = opyard.Machine.from_dict(figures)
    play(make("ListSchedule", machine), 0)
    with pytest.raises(opyard.InputError, match="queue: found order on machine p100x2-pcie"):
        make("ListSchedule", machine, queue="order")


def test_an_order_is_no_start_where_levels_are_decided():
    order = opyard.place(GRAPH, MACHINE, agent="heft", queue="order", fusion="none").plan
    assert order.queue == "order"
    env = make("Improve", queue="order", tasks=("placement", "scheduling"))
    with pytest.raises(opyard.InputError, match="plan#: found queue order, expected fifo"):
        env.reset(options={"plan": order})
    env = make("Improve", queue="order", tasks=("placement",))
    env.reset(options={"plan": order})
    assert env.plan.placement == order.placement


def test_copies_of_a_vector_run_in_the_queue_of_the_problem():
    options = {"graph": GRAPH, "hardware": MACHINE, "queue": "program", "fusion": "none"}
    tasks = ("placement", "scheduling")
    envs = gymnasium.make_vec("opyard/OneShot-v0", num_envs=2, tasks=tasks, **options)
    envs.reset(seed=0)
    actions = np.zeros_like(envs.action_space.sample())
    actions[:, :20] = 1  # a device that all may be on
    actions[1, 20:] = np.arange(20) % 5
    *_, info = envs.step(actions)
    assert info["makespan_s"][0] == info["makespan_s"][1]
