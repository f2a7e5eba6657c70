"""The one-shot environment copied, pickled and vectorised, as trainers do it."""

from __future__ import annotations

import copy
import pickle

import cloudpickle
import gymnasium
import numpy as np
import opyard
import pytest
from opyard import _core

GRAPH = "random:layered?n=12&seed=0"
OTHER_GRAPH = "random:layered?n=13&seed=1"
MACHINES = ["p100x2-pcie", "p100x4-pcie"]
COPIES = {
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "cloudpickle": lambda env: pickle.loads(cloudpickle.dumps(env)),
}
pytestmark = pytest.mark.filterwarnings("ignore:.*render_modes:UserWarning")


def make(**kwargs):
    asked = {"graph": GRAPH, "tasks": ("placement", "scheduling")}
    return opyard.envs.OneShotEnv(**(asked | kwargs))


def several():
    return make(graph=[GRAPH, OTHER_GRAPH], hardware=MACHINES)


def assert_equal_info(found, expected):
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        np.testing.assert_array_equal(found[key], value, err_msg=key)


def action_of(env):
    """The last legal choice of every decision."""
    masks = np.split(env.action_masks(), np.cumsum(env.action_space.nvec)[:-1])
    return np.array([np.flatnonzero(mask)[-1] for mask in masks])


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_is_in_the_same_episode_and_of_its_own(how):
    env = several()
    env.reset(seed=5)
    again = COPIES[how](env)
    action = action_of(env)
    np.testing.assert_array_equal(again.action_masks(), env.action_masks())
    observation, reward, _, _, info = again.step(action)
    # Had the copy been the thing itself, this step would be one too many.
    expected, expected_reward, _, _, expected_info = env.step(action)
    assert reward == expected_reward
    assert_equal_info(info, expected_info)
    for name, array in expected.items():
        np.testing.assert_array_equal(observation[name], array, err_msg=name)


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_samples_the_problems_that_the_original_would(how):
    env = several()
    env.reset(seed=3)
    again = COPIES[how](env)
    found, expected = (
        [(each.reset()[1]["graph_index"], each._env.machine_name) for _ in range(20)]
        for each in (again, env)
    )
    assert found == expected
    assert len(set(expected)) == 4


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("obs", ["dict", "flat", "graph"])
def test_what_an_environment_was_asked_is_kept(how, obs):
    asked = {
        "obs": obs,
        "reward": "log",
        "objective": {"weighted": {"makespan": 1.0, "peak_memory": 0.5}},
        "group": 5,
        "fusion": "none",
        "queue": "priority",
        "max_ops": 20,
        "max_edges": 90,
        "devices": ["gpu0", "gpu1"],
        "cost_model": "peak_roofline",
    }
    env = make(render_mode="ansi", **asked)
    env.reset(seed=0)
    again = COPIES[how](env)
    assert again.observation_space == env.observation_space
    assert again.action_space == env.action_space
    action = action_of(env)
    assert again.step(action)[1] == env.step(action)[1]
    assert again.render() == env.render()
    assert repr(again) == repr(env)


@pytest.mark.parametrize("how", COPIES)
def test_an_episode_that_is_over_stays_over(how):
    env = make()
    env.reset(seed=0)
    env.step(action_of(env))
    again = COPIES[how](env)
    with pytest.raises(opyard.InputError, match="the episode is over"):
        again.step(action_of(env))
    assert again.reset(seed=1)[1]["outcome"] == 0


def test_no_file_is_needed_to_go_on(tmp_path):
    graph = tmp_path / "g.graph.json"
    _core.write_graph(opyard.load_graph(GRAPH), graph)
    state = pickle.dumps(make(graph=graph))
    graph.unlink()
    assert pickle.loads(state).reset(seed=0)[1]["reference_s"] > 0


@pytest.mark.parametrize("how", ["deepcopy", "pickle", "cloudpickle"])
def test_wrappers_copy_it_along(how):
    env = gymnasium.make("opyard/OneShot-v0", graph=opyard.load_graph(GRAPH))
    env.reset(seed=1)
    again = COPIES[how](env)
    action = np.zeros(12, int)
    assert again.step(action)[1] == env.step(action)[1]
    assert again.spec == env.spec


class Named(opyard.envs.OneShotEnv):
    def __init__(self, name):
        super().__init__(graph=GRAPH)
        self.name = name


@pytest.mark.parametrize("how", COPIES)
def test_subclasses_keep_what_they_hold(how):
    again = COPIES[how](Named("mine"))
    assert type(again) is Named
    assert again.name == "mine"
    again.reset(seed=0)
    assert again.step([0] * 12)[2]


def test_what_another_version_pickled_is_refused():
    state = make()._env.__getstate__()
    for damaged in ((), state[:-1], (*state[:-1], state[-1][:-1])):
        env = _core.StepEnv.__new__(_core.StepEnv)
        with pytest.raises(opyard.InputError, match="another version"):
            env.__setstate__(damaged)


@pytest.mark.parametrize("episode", [(0, 9), ((0, 0, 0, 0), 0)], ids=["problem", "generator"])
def test_an_episode_of_another_environment_is_refused(episode):
    *asked, (rng, _, *rest) = make()._env.__getstate__()
    rng = episode[0] or rng
    env = _core.StepEnv.__new__(_core.StepEnv)
    with pytest.raises(opyard.InputError, match=r"state of an environment|expected"):
        env.__setstate__((*asked, (rng, episode[1], *rest)))


def test_a_render_mode_that_is_not_there_is_both_kinds_of_error():
    for error in (TypeError, opyard.InputError):
        with pytest.raises(error, match="found 'human', expected None, 'ansi' or 'rgb_array'"):
            make(render_mode="human")


@pytest.mark.parametrize(
    "graphs",
    [
        (GRAPH, OTHER_GRAPH),
        np.array([GRAPH, OTHER_GRAPH]),
        {GRAPH: 1, OTHER_GRAPH: 2},
        (graph for graph in [GRAPH, OTHER_GRAPH]),
        [opyard.load_graph(GRAPH), OTHER_GRAPH],
    ],
    ids=["tuple", "array", "keys", "generator", "objects"],
)
def test_graphs_may_come_in_any_iterable(graphs):
    env = make(graph=graphs)
    assert {env.reset(options={"graph": i})[1]["graph_index"] for i in range(2)} == {0, 1}


@pytest.mark.parametrize("seed", [np.int64(3), np.uint8(3), np.array(3), True])
def test_any_whole_number_is_a_seed(seed):
    env, plain = several(), several()
    plain.reset(seed=int(seed))
    env.reset(seed=seed)
    problems = [plain.reset()[1]["graph_index"] for _ in range(8)]
    assert [env.reset()[1]["graph_index"] for _ in range(8)] == problems


@pytest.mark.parametrize("seed", [1.5, "3", [3]])
def test_a_seed_that_is_no_whole_number_is_a_type_error(seed):
    with pytest.raises(TypeError):
        make().reset(seed=seed)


def test_a_graph_is_chosen_by_itself():
    graph = opyard.load_graph(OTHER_GRAPH)
    env = make(graph=[opyard.load_graph(GRAPH), graph])
    again = pickle.loads(pickle.dumps(graph))
    assert env.reset(options={"graph": again})[1]["graph_index"] == 1


def test_masked_samples_are_legal():
    env = make()
    env.reset(seed=0)
    env.action_space.seed(0)
    masks = np.split(env.action_masks().astype(np.int8), np.cumsum(env.action_space.nvec)[:-1])
    assert env.step(env.action_space.sample(mask=tuple(masks)))[4]["outcome"] == 1


def test_excluded_devices_are_masked_and_illegal():
    env = make(devices=["gpu1"], tasks=("placement",))
    observation, _ = env.reset(seed=0)
    # cpu0, gpu0 and gpu1 of each of twelve groups
    np.testing.assert_array_equal(observation["action_mask"].reshape(12, 3), [[0, 0, 1]] * 12)
    assert env.step([1] * 12)[1] == -10.0
    env.reset()
    assert env.step([2] * 12)[4]["outcome"] == 1


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_vectors_of_environments_step(mode):
    envs = gymnasium.make_vec(
        "opyard/OneShot-v0", num_envs=2, vectorization_mode=mode, graph=opyard.load_graph(GRAPH)
    )
    try:
        envs.reset(seed=0)
        _, rewards, terminated, _, _ = envs.step(np.ones((2, 12), int))
        assert terminated.all()
        assert (rewards > -10).all()
    finally:
        envs.close()


@pytest.mark.parametrize("obs", ["dict", "flat"])
def test_stable_baselines_makes_and_checks_it(obs):
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.env_checker import check_env
    from stable_baselines3.common.env_util import make_vec_env

    check_env(make(obs=obs))
    envs = make_vec_env("opyard/OneShot-v0", n_envs=2, env_kwargs={"graph": GRAPH, "obs": obs})
    envs.reset()
    assert envs.step(np.ones((2, 12), int))[2].all()


def test_stable_baselines_steps_it_in_processes_of_their_own():
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import SubprocVecEnv

    envs = make_vec_env(
        "opyard/OneShot-v0",
        n_envs=2,
        env_kwargs={"graph": opyard.load_graph(GRAPH), "obs": "flat"},
        vec_env_cls=SubprocVecEnv,
    )
    try:
        envs.reset()
        assert envs.step(np.ones((2, 12), int))[2].all()
    finally:
        envs.close()
