"""The gymnasium face of the one-shot environment."""

import math
import warnings

import gymnasium
import numpy as np
import opyard
import pytest
from gymnasium.utils.env_checker import check_env
from opyard import _core

GRAPH = "random:layered?n=20&seed=3"
OTHER_GRAPH = "random:layered?n=12&seed=4"
MACHINE = "p100x2-pcie"
OTHER_MACHINE = "p100x4-pcie"
ILLEGAL = 3
INFO_KEYS = {
    "outcome",
    "makespan_s",
    "peak_memory_bytes",
    "lower_bound_s",
    "problem_bound_s",
    "reference_s",
    "graph_index",
    "machine_index",
    "action_mask",
}


def make(**kwargs):
    return gymnasium.make("opyard/OneShot-v0", **({"graph": GRAPH, "hardware": MACHINE} | kwargs))


def legal_action(env):
    """The last legal choice of every decision."""
    masks = np.split(env.unwrapped.action_masks(), np.cumsum(env.action_space.nvec)[:-1])
    return np.array([np.flatnonzero(mask)[-1] for mask in masks])


@pytest.mark.parametrize("obs", ["dict", "flat", "graph"])
@pytest.mark.parametrize("tasks", [("placement",), ("placement", "scheduling")])
def test_gymnasium_finds_nothing_to_object_to(obs, tasks):
    env = make(obs=obs, tasks=tasks, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*not within the.*spec.*")
        check_env(env.unwrapped)


def test_the_id_can_be_made_without_arguments():
    env = gymnasium.make("opyard/OneShot-v0")
    observation, _ = env.reset(seed=0)
    assert observation["op_mask"].sum() == 64


@pytest.mark.parametrize("obs", ["dict", "flat", "graph"])
def test_observations_lie_in_their_space(obs):
    env = make(obs=obs)
    observation, _ = env.reset(seed=0)
    assert observation in env.observation_space
    assert env.step(legal_action(env))[0] in env.observation_space


def test_consecutive_observations_share_no_memory():
    env = make().unwrapped
    first, info = env.reset(seed=0)
    second, other_info = env.reset(seed=0)
    for name, array in first.items():
        assert not np.shares_memory(array, second[name]), name
    assert not np.shares_memory(info["action_mask"], other_info["action_mask"])


def test_a_step_ends_the_episode_with_the_ratio_to_the_reference():
    env = make()
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step(legal_action(env))
    assert terminated
    assert not truncated
    assert info["outcome"] == 1
    assert reward == pytest.approx(-math.sqrt(info["makespan_s"] / info["reference_s"]), rel=1e-12)
    assert info["makespan_s"] >= info["lower_bound_s"] >= info["problem_bound_s"] > 0


@pytest.mark.parametrize(
    ("reward", "formula"),
    [("linear", lambda ratio: -ratio), ("log", lambda ratio: -math.log1p(ratio))],
)
def test_other_rewards_are_other_functions_of_the_ratio(reward, formula):
    env = make(reward=reward)
    env.reset(seed=0)
    _, value, _, _, info = env.step(legal_action(env))
    assert value == pytest.approx(formula(info["makespan_s"] / info["reference_s"]), rel=1e-12)


def test_python_and_the_evaluator_agree_on_a_plan():
    env = make(tasks=("placement", "scheduling"))
    env.reset(seed=0)
    action = legal_action(env)
    info = env.step(action)[4]
    problem = opyard._core.Problem(GRAPH, MACHINE, tasks=["placement", "scheduling"])
    result = problem.simulate(problem.plan_of_action(action))
    assert info["makespan_s"] == result["makespan_s"]
    assert info["lower_bound_s"] == result["lower_bound_s"]


@pytest.mark.parametrize(
    "action",
    [
        [99] * 20,
        [-1] * 20,
        [2**40] * 20,
        [0] * 19,
        [],
        [[0] * 20],
        [0.5] * 20,
        [float("nan")] * 20,
        ["gpu0"] * 20,
        [2**200] * 20,
        [[0], [0, 1]],
        None,
        7,
    ],
    ids=str,
)
def test_an_illegal_action_costs_ten_and_is_no_exception(action):
    env = make().unwrapped
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(action)
    assert reward == -10.0
    assert terminated
    assert info["outcome"] == ILLEGAL


def test_running_out_of_memory_costs_ten(tmp_path):
    graph = tmp_path / "big.graph.json"
    graph.write_text(
        '{"format": "opyard-graph/1", "name": "big", "ops": [{"name": "a", "type": "MatMul",'
        ' "seconds": {"*": 1e-6}, "outputs": [{"bytes": 1000000000000}]}]}'
    )
    env = make(graph=str(graph))
    env.reset(seed=0)
    _, reward, _, _, info = env.step([0])
    assert (reward, info["outcome"]) == (-10.0, 2)


def test_masks_are_the_same_three_ways_and_flat():
    env = make(tasks=("placement", "scheduling"))
    observation, info = env.reset(seed=0)
    assert info["action_mask"].shape == (env.action_space.nvec.sum(),)
    np.testing.assert_array_equal(info["action_mask"], observation["action_mask"])
    np.testing.assert_array_equal(info["action_mask"], env.unwrapped.action_masks())
    assert env.unwrapped.action_masks().dtype == bool


def test_info_has_constant_numeric_keys():
    env = make()
    _, at_reset = env.reset(seed=0)
    at_step = env.step(legal_action(env))[4]
    assert set(at_reset) == set(at_step) == INFO_KEYS
    for key in INFO_KEYS:
        assert np.issubdtype(np.asarray(at_step[key]).dtype, np.number), key
        assert np.asarray(at_reset[key]).dtype == np.asarray(at_step[key]).dtype, key


def problems_sampled(env, seed):
    env.reset(seed=seed)
    sampled = []
    for _ in range(30):
        info = env.reset()[1]
        sampled.append((info["graph_index"], info["machine_index"]))
    return sampled


def test_the_seed_fixes_the_problems_of_all_episodes():
    env = make(graph=[GRAPH, OTHER_GRAPH], hardware=[MACHINE, OTHER_MACHINE])
    assert problems_sampled(env, 5) == problems_sampled(env, 5)
    assert problems_sampled(env, 5) != problems_sampled(env, 6)
    assert len(set(problems_sampled(env, 5))) == 4


@pytest.mark.parametrize("seed", [0, 2**63, 2**64 + 7])
def test_any_seed_will_do(seed):
    env = make()
    env.reset(seed=seed)


def test_options_choose_graph_and_machine():
    env = make(graph=[GRAPH, OTHER_GRAPH], hardware=[MACHINE, OTHER_MACHINE])
    observation, info = env.reset(options={"graph": OTHER_GRAPH, "hardware": 0})
    assert (info["graph_index"], info["machine_index"]) == (1, 0)
    assert observation["op_mask"].sum() == 12
    assert len(observation["op_mask"]) == 20


@pytest.mark.parametrize(
    "options", [{"graph": "other"}, {"graph": 2}, {"hardware": -1}, {"machine": 0}]
)
def test_options_that_are_not_there_are_refused(options):
    env = make(graph=[GRAPH, OTHER_GRAPH])
    with pytest.raises(opyard._core.InputError, match="expected"):
        env.reset(options=options)


def test_room_for_more_ops_is_padded_with_zeros():
    env = make(max_ops=25, max_edges=500)
    observation, _ = env.reset(seed=0)
    assert observation["x"].shape == (25, len(_core.FEATURE_NAMES))
    assert observation["edge_index"].shape == (2, 500)
    assert not observation["x"][20:].any()
    assert observation in env.observation_space


def test_features_of_edges_devices_and_pairs_have_named_columns():
    env = make(hardware=MACHINE)
    observation, _ = env.reset(seed=0)
    devices = env.action_space.nvec.max()
    assert observation["x"].shape[-1] == len(opyard.envs.FEATURE_NAMES)
    assert observation["edge_x"].shape == (
        observation["edge_index"].shape[1],
        len(opyard.envs.EDGE_FEATURE_NAMES),
    )
    assert observation["device_x"].shape == (devices, len(opyard.envs.DEVICE_FEATURE_NAMES))
    assert observation["pair_x"].shape == (devices, devices, len(opyard.envs.PAIR_FEATURE_NAMES))
    # one host before two accelerators
    kinds = {name: i for i, name in enumerate(opyard.envs.DEVICE_FEATURE_NAMES)}
    np.testing.assert_array_equal(observation["device_x"][:, kinds["is_main"]], [0, 1, 1])
    np.testing.assert_array_equal(
        observation["pair_x"][..., opyard.envs.PAIR_FEATURE_NAMES.index("is_same")], np.eye(3)
    )


def test_ratios_begin_where_it_is_said():
    first = opyard.envs.FIRST_RATIO
    assert opyard.envs.FEATURE_NAMES[first - 1 : first + 1] == ["is_update", "transfer_to_compute"]


def test_devices_of_a_smaller_machine_are_padded_with_zeros():
    env = make(hardware=[MACHINE, OTHER_MACHINE])
    observation, _ = env.reset(options={"hardware": 0})
    devices = len(observation["machine_mask"])
    assert observation["machine_mask"].tolist() == [1] * 3 + [0] * (devices - 3)
    assert not observation["device_x"][3:].any()
    assert not observation["pair_x"][3:].any()
    assert not observation["pair_x"][:, 3:].any()


def test_edges_of_graph_observations_carry_features():
    env = make(obs="graph")
    observation, _ = env.reset(seed=0)
    padded, _ = make().reset(seed=0)
    np.testing.assert_array_equal(observation.edges, padded["edge_x"])
    assert len(observation.edges) == len(observation.edge_links)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"obs": "pixels"}, "obs: found 'pixels', expected one of dict, flat, graph"),
        (
            {"reward": "cube"},
            'reward: found "cube", expected one of sqrt, linear, log, log_speedup, improvement, '
            "shaped",
        ),
        ({"tasks": ("fusing",)}, 'tasks: found the task "fusing", expected placement, scheduling'),
        ({"tasks": ()}, "tasks: found no task"),
        ({"objective": "speed"}, 'objective: found "speed"'),
        ({"objective": {"weighted": {"speed": 1.0}}}, 'found the weight "speed"'),
        ({"group": "layers"}, 'group: found "layers"'),
        ({"group": -1}, "group: found -1, expected a whole number from 0"),
        ({"max_ops": 3}, "max_ops: found 3, but the graph has 20 ops"),
        ({"graph": []}, "graph: found an empty list"),
        ({"hardware": []}, "hardware: found an empty list"),
        ({"hardware": "p100x3-pcie"}, "p100x3-pcie"),
        ({"graph": "random:layered?n=x"}, "n"),
    ],
)
def test_bad_arguments_are_value_errors_that_say_what_was_expected(kwargs, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011 (the message is compared below)
        make(**kwargs)
    assert message in str(error.value)


@pytest.mark.parametrize(("group", "expected"), [("none", 20), (5, 5), ("colocation", 20)])
def test_group_says_how_many_decisions_there_are(group, expected):
    assert len(make(group=group).action_space.nvec) == expected


def test_vector_environments_batch_it():
    envs = gymnasium.make_vec(
        "opyard/OneShot-v0", num_envs=3, vectorization_mode="sync", graph=GRAPH
    )
    observation, info = envs.reset(seed=0)
    assert observation["x"].shape == (3, 20, len(_core.FEATURE_NAMES))
    assert info["reference_s"].shape == (3,)
    _, rewards, terminated, _, _ = envs.step(np.ones((3, 20), dtype=np.int64))
    assert rewards.shape == (3,)
    assert terminated.all()
