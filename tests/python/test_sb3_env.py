"""The adapter to vectors of Stable-Baselines3; test_trainers.py has agents that learn on it."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from opyard.envs.sb3 import Sb3VecEnv, make_sb3_vec
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

ARGUMENTS = {
    "graph": "random:layered?n=12&seed=1",
    "hardware": "p100x4-pcie",
    "reward": "shaped",
    "threads": 1,
}


def make(num_envs: int = 3, **kwargs) -> Sb3VecEnv:
    return make_sb3_vec("opyard/Placement-v0", num_envs, **(ARGUMENTS | kwargs))


def test_masks_of_all_copies_come_at_once():
    env = make()
    assert is_masking_supported(env)
    env.reset()
    masks = get_action_masks(env)
    assert masks.shape == (3, 5)
    assert masks.dtype == bool


def test_a_step_is_that_of_the_vector():
    env = make()
    env.seed(5)
    seen = env.reset()
    vector = gymnasium.make_vec(
        "opyard/Placement-v0", num_envs=3, autoreset_mode="same_step", **ARGUMENTS
    )
    expected, _ = vector.reset(seed=[5, 6, 7])
    for step in range(24):
        for name, array in expected.items():
            assert np.array_equal(seen[name], array)
        actions = np.array([1, 2, step % 4])
        seen, rewards, dones, infos = env.step(actions)
        expected, their_rewards, terminated, _, info = vector.step(actions)
        assert np.allclose(rewards, their_rewards)
        assert np.array_equal(dones, terminated)
        for i in np.flatnonzero(dones):
            last = infos[i]["terminal_observation"]
            assert np.array_equal(last["plan"], info["final_obs"][i]["plan"])
            assert not infos[i]["TimeLimit.truncated"]


def test_truncated_episodes_are_marked():
    env = make(max_episode_steps=2)
    env.reset()
    env.step(np.array([1, 1, 1]))
    *_, dones, infos = env.step(np.array([1, 1, 1]))
    assert dones.all()
    assert all(info["TimeLimit.truncated"] for info in infos)


def test_other_autoreset_modes_and_attributes_are_refused():
    vector = gymnasium.make_vec("opyard/Placement-v0", num_envs=2, **ARGUMENTS)
    with pytest.raises(ValueError, match="found next_step, expected same_step"):
        Sb3VecEnv(vector)
    with pytest.raises(AttributeError, match="no attribute 'graph'"):
        make().get_attr("graph")
    with pytest.raises(AttributeError, match="no method 'fork'"):
        make().env_method("fork")


def test_pictures_of_all_copies_are_tiled():
    env = make(render_mode="rgb_array")
    env.reset()
    assert env.render_mode == "rgb_array"
    assert [picture.shape for picture in env.get_images()] == [(540, 960, 3)] * 3
    assert env.render().shape == (2 * 540, 2 * 960, 3)


def test_without_a_mode_there_are_no_pictures():
    env = make()
    env.reset()
    assert env.get_images() == [None] * 3
