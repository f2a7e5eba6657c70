"""The step-by-step environments: one suite for all of them, and what each is by itself."""

from __future__ import annotations

import copy
import itertools
import pickle
import resource
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import opyard
import pytest
from gymnasium.utils.env_checker import check_env
from opyard.envs import ImproveEnv, ListScheduleEnv, PlacementEnv

GROUPWISE = ("opyard/Placement-v0", "opyard/Improve-v0")
LIST_SCHEDULE = "opyard/ListSchedule-v0"
IDS = (*GROUPWISE, LIST_SCHEDULE)
ALL_IDS = ("opyard/OneShot-v0", *IDS)
GRAPHS = ["random:layered?n=12&seed=1", "random:layered?n=20&seed=2"]
ARGUMENTS = [
    {},
    {"obs": "flat"},
    {"tasks": ("placement", "scheduling")},
    {"tasks": ("scheduling",), "reward": "log_speedup"},
    {"tasks": ("placement", "scheduling", "fusion"), "turns": "in_turn"},
    {"reward": "shaped", "mask": "full", "group": "none"},
    {"graph": GRAPHS, "hardware": ["p100x2-pcie", "p100x4-pcie"], "noise": 0.2},
    {"obs": "graph", "graph": GRAPHS},
]
LIST_ARGUMENTS = [
    {},
    {"obs": "flat", "reward": "improvement"},
    {"tasks": ("scheduling",), "fusion": "framework", "reward": "log_speedup"},
    {"reward": "shaped", "mask": "full", "group": "colocation"},
    {"graph": GRAPHS, "hardware": ["p100x2-pcie", "p100x4-pcie"], "noise": 0.2},
    {"obs": "graph", "graph": GRAPHS},
]
ALL_CASES = [(env_id, arguments) for env_id in GROUPWISE for arguments in ARGUMENTS] + [
    (LIST_SCHEDULE, arguments) for arguments in LIST_ARGUMENTS
]


def make(env_id: str = IDS[0], **kwargs) -> gymnasium.Env:
    return gymnasium.make(env_id, **({"graph": GRAPHS[0]} | kwargs)).unwrapped


def legal_action(env: gymnasium.Env, rng: np.random.Generator) -> int | list[int]:
    """One that the mask allows, at random."""
    numbers, mask = [], env.action_masks()
    space = env.action_space
    for count in [space.n] if isinstance(space, gymnasium.spaces.Discrete) else space.nvec:
        numbers.append(int(rng.choice(np.flatnonzero(mask[:count]))))
        mask = mask[count:]
    return numbers[0] if isinstance(space, gymnasium.spaces.Discrete) else numbers


def play(env: gymnasium.Env, seed: int, steps: int = 60) -> list:
    """All that `steps` steps of random legal actions give."""
    rng = np.random.default_rng(seed)
    seen, info = env.reset(seed=seed)
    history = [seen, info]
    for _ in range(steps):
        *result, terminated, truncated, info = env.step(legal_action(env, rng))
        history += [*result, terminated, truncated, info]
        if terminated:
            history += env.reset()
    return history


def assert_equal(first, second) -> None:
    """Bit for bit, nested."""
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        for key in first:
            assert_equal(first[key], second[key])
    elif isinstance(first, list | tuple):
        assert len(first) == len(second)
        for one, other in zip(first, second, strict=True):
            assert_equal(one, other)
    else:
        assert np.array_equal(first, second)


def assert_both_go_on_alike(first: gymnasium.Env, second: gymnasium.Env, steps: int = 30) -> None:
    """Steps of the same random legal actions, and new episodes."""
    rng = np.random.default_rng(0)
    for _ in range(steps):
        action = legal_action(first, rng)
        one, other = first.step(action), second.step(action)
        assert_equal(one, other)
        if one[2]:
            assert_equal(first.reset(), second.reset())


@pytest.mark.parametrize(("env_id", "arguments"), ALL_CASES, ids=str)
def test_gymnasium_finds_nothing_wrong(env_id, arguments, recwarn):
    check_env(make(env_id, render_mode="ansi", **arguments))
    assert not [str(warning.message) for warning in recwarn]


@pytest.mark.parametrize(("env_id", "arguments"), ALL_CASES, ids=str)
def test_observations_lie_in_their_space_and_info_has_the_same_keys(env_id, arguments):
    env = make(env_id, **arguments)
    history = play(env, 3)
    infos = [entry for entry in history if isinstance(entry, dict) and "outcome" in entry]
    kinds = dict | np.ndarray | gymnasium.spaces.GraphInstance
    seen = [e for e in history if isinstance(e, kinds) and not any(e is info for info in infos)]
    assert len(seen) > 60
    assert all(env.observation_space.contains(entry) for entry in seen)
    assert len({tuple(info) for info in infos}) == 1
    assert {info["outcome"] for info in infos} <= {0, 1}


@pytest.mark.parametrize("env_id", GROUPWISE)
def test_observations_that_their_user_changes_change_nothing_else(env_id):
    env, untouched = make(env_id), make(env_id)
    seen = [env.reset(seed=0)[0]]
    expected = [untouched.reset(seed=0)[0]]
    for action in (1, 2, 1, 99):
        for array in seen[-1].values():
            array[...] = 1
        seen.append(env.step(action)[0])
        expected.append(untouched.step(action)[0])
    assert_equal(seen[-1], expected[-1])
    for before, after in itertools.pairwise(expected):
        assert not any(np.shares_memory(before[name], after[name]) for name in before)


@pytest.mark.parametrize("env_id", ALL_IDS)
def test_a_seed_fixes_everything_in_another_process_too(env_id):
    program = (
        "import pickle, sys; sys.path.insert(0, 'tests/python'); import test_step_envs as t;"
        f"sys.stdout.buffer.write(pickle.dumps(t.play(t.make({env_id!r}, graph=t.GRAPHS), 7)))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert_equal(play(make(env_id, graph=GRAPHS), 7), pickle.loads(found.stdout))


@pytest.mark.parametrize("env_id", ALL_IDS)
@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env)), lambda env: env.fork()],
    ids=["copy", "deepcopy", "pickle", "fork"],
)
def test_a_copy_in_the_middle_goes_on_as_the_original(env_id, duplicate):
    env = make(env_id, graph=GRAPHS, reward="shaped")
    env.reset(seed=1)
    if env.step(legal_action(env, np.random.default_rng(1)))[2]:
        env.reset()
    assert_both_go_on_alike(env, duplicate(env))


@pytest.mark.parametrize("env_id", ALL_IDS)
def test_a_state_brings_an_environment_back(env_id):
    env, other = (make(env_id, reward="improvement", noise=0.3) for _ in range(2))
    env.reset(seed=1)
    if env.step(legal_action(env, np.random.default_rng(1)))[2]:
        env.reset()
    other.set_state(env.get_state())
    assert_both_go_on_alike(env, other)
    env.reset()
    env.step(legal_action(env, np.random.default_rng(1)))
    with pytest.raises(opyard.InputError, match="state of an environment"):
        make(env_id, graph=GRAPHS[1]).set_state(env.get_state())


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("action", [-1, 9999, np.nan, [0, 0], "gpu0", None, 2**70, 0.5], ids=str)
def test_a_hostile_action_costs_ten_and_ends_the_episode(env_id, action):
    env = make(env_id)
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated, info["outcome"]) == (-10.0, True, False, 3)
    with pytest.raises(opyard.InputError, match="expected a reset"):
        env.step(0)


def test_a_placement_ends_with_the_reward_of_its_plan():
    env = make(tasks=("placement", "scheduling"))
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    terminated = False
    while not terminated:
        _, reward, terminated, _, info = env.step(legal_action(env, rng))
    problem = opyard.Problem(GRAPHS[0], "p100x2-pcie", tasks=("placement", "scheduling"))
    found = opyard.Evaluator(problem, threads=1).evaluate([env.plan])[0]
    assert found["makespan_s"] == info["makespan_s"]
    assert reward == pytest.approx(-((info["makespan_s"] / info["reference_s"]) ** 0.5))


def test_an_improvement_begins_at_a_given_plan():
    problem = opyard.Problem(GRAPHS[0], "p100x2-pcie")
    plan = problem.plan([2] * 12)
    env = ImproveEnv(GRAPHS[0])
    seen, info = env.reset(seed=0, options={"plan": plan})
    assert set(seen["plan"][0]) == {2}
    total = 0.0
    for device in [1] * 12:
        _, reward, terminated, _, last = env.step(device)
        total += reward
    assert terminated
    gain = (info["makespan_s"] - last["makespan_s"]) / info["reference_s"]
    assert total == pytest.approx(gain)


@pytest.mark.parametrize("kind", [PlacementEnv, ImproveEnv])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"obs": "table"}, "obs: found 'table', expected one of dict, flat, graph"),
        ({"noise": 2}, "noise: found 2.0"),
        ({"reward": "cube"}, 'reward: found "cube", expected one of sqrt'),
        ({"turns": "both"}, 'turns: found "both", expected one of joint, in_turn'),
        ({"mask": "none"}, 'mask: found "none", expected one of forbidden, full'),
        ({"max_ops": 3}, "max_ops: found 3, but the graph has 12 ops"),
    ],
)
def test_arguments_that_are_not_legal_are_refused(kind, arguments, message):
    with pytest.raises(opyard.InputError, match=message):
        kind(GRAPHS[0], **arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"graph": 3}, "expected an index below 1"),
        ({"seed": 3}, "options: found seed"),
        ({"noise": -1.0}, "noise: found -1"),
    ],
)
def test_options_that_are_not_legal_are_refused(options, message):
    with pytest.raises(opyard.InputError, match=message):
        make().reset(options=options)


@pytest.mark.parametrize("env_id", ALL_IDS)
def test_noise_changes_makespans_from_episode_to_episode(env_id):
    env = make(env_id)
    makespans = []
    for noise in (0.0, 0.0, 0.3, 0.3):
        env.reset(seed=0 if not makespans else None, options={"noise": noise})
        rng, terminated = np.random.default_rng(0), False
        while not terminated:
            *_, terminated, _, info = env.step(legal_action(env, rng))
        makespans.append(info["makespan_s"])
    assert makespans[0] == makespans[1]
    assert len(set(makespans)) == 3


def memory_in_use() -> int:
    """Bytes of this process that lie in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.mark.slow
@pytest.mark.parametrize("env_id", ALL_IDS)
def test_ten_thousand_episodes_do_not_fail_and_take_no_more_memory(env_id):
    env = make(env_id, graph="random:layered?n=4&seed=1", obs="graph")
    rng = np.random.default_rng(0)
    in_use = []
    env.reset(seed=0)
    while len(in_use) < 10_000:
        if env.step(legal_action(env, rng))[2]:
            in_use.append(memory_in_use())
            env.reset()
    assert in_use[-1] - in_use[2_000] < 8 * 2**20


# ---- ListSchedule ----


@pytest.mark.parametrize("arguments", LIST_ARGUMENTS, ids=str)
def test_an_episode_of_list_scheduling_is_that_of_its_plan(arguments):
    env = make(LIST_SCHEDULE, **(arguments | {"noise": 0.0}))
    rng = np.random.default_rng(2)
    env.reset(seed=0)
    for _ in range(5):
        terminated = False
        while not terminated:
            *_, terminated, _, info = env.step(legal_action(env, rng))
        graphs, machines = (
            value if isinstance(value, list) else [value]
            for value in (
                arguments.get("graph", GRAPHS[0]),
                arguments.get("hardware", "p100x2-pcie"),
            )
        )
        graph, machine = graphs[info["graph_index"]], machines[info["machine_index"]]
        found = opyard.simulate(opyard.load_graph(graph), opyard.load_machine(machine), env.plan)
        assert found["makespan_s"] == info["makespan_s"]
        env.reset()


def test_list_scheduling_takes_devices_from_plans():
    plan = opyard.Problem(GRAPHS[0], "p100x2-pcie").plan([1, 2] * 6)
    env = ListScheduleEnv(GRAPHS[0], tasks=("scheduling",), plans=[plan])
    seen, _ = env.reset(seed=0)
    assert list(seen["plan"][0]) == [1, 2] * 6
    seen, _ = env.reset(options={"plan": plan})
    assert list(seen["plan"][0]) == [1, 2] * 6
    chosen = ListScheduleEnv(GRAPHS[0])
    assert set(chosen.reset(seed=0)[0]["plan"][0]) == {-1}
    assert list(chosen.reset(options={"plan": plan})[0]["plan"][0]) == [1, 2] * 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tasks": ("placement",)}, "tasks: expected scheduling"),
        ({"fusion": "framework"}, "fusion: found framework, expected none"),
        ({"plans": [opyard.Plan([1] * 12)]}, "plans: expected none, since placement is a task"),
        ({"hardware": "placeto-2"}, "rules placeto"),
        ({"mask": "none"}, "mask: found"),
    ],
)
def test_list_scheduling_refuses_what_it_cannot_decide(arguments, message):
    with pytest.raises(opyard.Error, match=message):
        ListScheduleEnv(GRAPHS[0], **arguments)
