"""Native vectors of the step-by-step environments, beside gymnasium's own of single ones."""

from __future__ import annotations

import gymnasium
import numpy as np
import opyard
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

IDS = (
    "opyard/OneShot-v0",
    "opyard/Placement-v0",
    "opyard/Improve-v0",
    "opyard/ListSchedule-v0",
)
# Episodes of four, and of six steps.
ARGUMENTS = {
    "graph": ["random:layered?n=4&seed=1", "random:layered?n=6&seed=2"],
    "reward": "shaped",
}
MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]


def native(env_id: str = IDS[1], num_envs: int = 3, **kwargs):
    return gymnasium.make_vec(env_id, num_envs=num_envs, **(ARGUMENTS | {"threads": 1} | kwargs))


def lone(env_id: str, num_envs: int, mode: AutoresetMode) -> SyncVectorEnv:
    """The same of environments by themselves."""
    return SyncVectorEnv(
        [lambda: gymnasium.make(env_id, **ARGUMENTS) for _ in range(num_envs)],
        autoreset_mode=mode,
    )


def random_actions(env, rng: np.random.Generator) -> np.ndarray:
    """A row of choices per environment; now and then one that the mask forbids."""
    space = env.single_action_space
    counts = [space.n] if isinstance(space, gymnasium.spaces.Discrete) else space.nvec
    rows = []
    for mask in env.action_masks():
        parts = np.split(mask, np.cumsum(counts)[:-1])
        rows.append([rng.choice(np.flatnonzero(part | (rng.random() < 0.02))) for part in parts])
    return np.array(rows).reshape(env.action_space.shape)


def assert_same(first: dict, second: dict) -> None:
    assert first.keys() == second.keys()
    for key in first:
        assert np.array_equal(first[key], second[key]), key


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_it_gives_what_gymnasiums_vector_of_single_ones_gives(env_id, mode):
    ours, theirs = native(env_id, autoreset_mode=mode), lone(env_id, 3, mode)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    rng = np.random.default_rng(0)
    assert_same(ours.reset(seed=5)[0], theirs.reset(seed=5)[0])
    for _ in range(40):
        actions = random_actions(ours, rng)
        found, expected = ours.step(actions), theirs.step(actions)
        assert_same(found[0], expected[0])
        for one, other in zip(found[1:4], expected[1:4], strict=True):
            assert np.array_equal(one, other)
        if mode == AutoresetMode.SAME_STEP and found[2].any():
            assert np.array_equal(found[4]["_final_obs"], expected[4]["_final_obs"])
            for i in np.flatnonzero(found[2]):
                assert_same(found[4]["final_obs"][i], expected[4]["final_obs"][i])
                ended, other = found[4]["final_info"], expected[4]["final_info"]
                assert ended["makespan_s"][i] == other["makespan_s"][i]
                assert ended["outcome"][i] == other["outcome"][i]


@pytest.mark.parametrize("env_id", IDS)
def test_the_number_of_threads_changes_nothing(env_id):
    one, three = native(env_id, 16), native(env_id, 16, threads=3)
    rng = np.random.default_rng(0)
    assert_same(one.reset(seed=1)[0], three.reset(seed=1)[0])
    for _ in range(30):
        actions = random_actions(one, rng)
        found, expected = one.step(actions), three.step(actions)
        assert_same(found[0], expected[0])
        assert np.array_equal(found[1], expected[1])


def test_no_step_of_one_shot_is_wasted():
    env = native("opyard/OneShot-v0")
    assert env.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    env.reset(seed=0)
    for _ in range(3):
        assert env.step(random_actions(env, np.random.default_rng(0)))[2].all()


def test_without_autoreset_a_mask_says_which_begin_anew():
    env = native(autoreset_mode="disabled", num_envs=2)
    env.reset(seed=0, options={"graph": 0})
    for _ in range(4):
        *_, terminated, _, _ = env.step([1, 1])
    assert terminated.all()
    with pytest.raises(opyard.InputError, match="environment 0 is over, expected a reset"):
        env.step([1, 1])
    _, info = env.reset(options={"reset_mask": np.array([False, True]), "graph": 1})
    assert list(info["_graph_index"]) == [False, True]
    assert list(info["graph_index"]) == [0, 1]


def test_episodes_are_truncated_after_max_episode_steps():
    env = native(max_episode_steps=2, num_envs=1)
    env.reset(seed=0)
    assert not env.step([1])[3].any()
    *_, terminated, truncated, _ = env.step([1])
    assert (terminated.any(), truncated.all()) == (False, True)


def test_copies_are_the_users_own_and_views_are_not():
    for copies in (True, False):
        env = native(copy=copies, num_envs=1)
        seen, _ = env.reset(seed=0)
        before = seen["plan"].copy()
        env.step([1])
        assert np.array_equal(seen["plan"], before) == copies
        assert seen["plan"].flags.writeable == copies


def test_masks_are_flat_and_batched():
    env = native(num_envs=4)
    seen, info = env.reset(seed=0)
    assert env.action_masks().shape == seen["action_mask"].shape == (4, 3)
    assert np.array_equal(info["action_mask"], seen["action_mask"])


def test_several_tasks_are_several_numbers():
    env = native(tasks=("placement", "scheduling"), num_envs=2)
    env.reset(seed=0)
    assert env.action_space.shape == (2, 2)
    assert not env.step(env.action_space.sample())[2].any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs"),
        ({"autoreset_mode": "never"}, "autoreset_mode: found 'never', expected one of next_step"),
        ({"max_episode_steps": 0}, "max_episode_steps"),
        ({"threads": -1}, "threads"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments, message):
    with pytest.raises(opyard.InputError, match=message):
        native(**arguments)


@pytest.mark.parametrize("actions", [[1], [[1, 1], [1, 1]], [1, 1, 1]])
def test_actions_of_another_size_are_refused(actions):
    env = native(num_envs=2)
    env.reset(seed=0)
    with pytest.raises(opyard.InputError, match="actions: found"):
        env.step(actions)
