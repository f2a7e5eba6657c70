"""The policies of SB3 that score each device by the same weights."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
import torch
from opyard.envs.graph_extractor import GraphExtractor
from opyard.envs.graph_policy import GraphPolicy, MaskableGraphPolicy
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO

KINDS = [(PPO, GraphPolicy), (MaskablePPO, MaskableGraphPolicy)]
SMALL = {"features_extractor_kwargs": {"hidden": 8, "device_features": 4}}


def make(**kwargs) -> gymnasium.Env:
    arguments = {"graph": "random:layered?n=9&seed=1", "hardware": "p100x4-pcie"}
    return gymnasium.make("opyard/Placement-v0", **(arguments | kwargs)).unwrapped


def model_for(kind: type, policy: type, env: gymnasium.Env, **policy_kwargs):
    return kind(
        policy,
        env,
        n_steps=18,
        batch_size=9,
        n_epochs=1,
        seed=0,
        policy_kwargs=SMALL | policy_kwargs,
    )


def observe(env: gymnasium.Env) -> dict[str, np.ndarray]:
    """The observation after four steps, each on another device."""
    env.reset(seed=0)
    for device in range(1, 5):
        seen, *_ = env.step(device)
    return seen


def logits(model: PPO | MaskablePPO, seen: dict[str, np.ndarray]) -> torch.Tensor:
    batch, _ = model.policy.obs_to_tensor(seen)
    return model.policy.get_distribution(batch).distribution.logits[0]


@pytest.mark.parametrize(("kind", "policy"), KINDS)
def test_the_order_of_devices_does_not_matter(kind, policy):
    env = make()
    model = model_for(kind, policy, env)
    torch.nn.init.ones_(model.policy.action_net.layers[-1].weight)  # scores that differ
    seen = observe(env)
    order = np.array([2, 0, 4, 1, 3])  # new device d is the old order[d]
    other = dict(seen)
    for key in ("device_x", "device_load", "device_memory", "machine_mask"):
        other[key] = seen[key][order]
    other["pair_x"] = seen["pair_x"][order][:, order]
    place = np.argsort(order)
    other["plan"] = seen["plan"].copy()
    is_placed = seen["plan"][0] >= 0
    other["plan"][0, is_placed] = place[seen["plan"][0, is_placed]]
    found, expected = logits(model, other), logits(model, seen)[torch.as_tensor(order)]
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)  # order of sums
    assert expected.std() > 0.01


@pytest.mark.parametrize(("kind", "policy"), KINDS)
def test_it_is_trained_saved_and_loaded(kind, policy, tmp_path):
    env = make()
    wide = {"hidden": 32, "device_features": 16}  # fewer units may all be dead
    model = model_for(kind, policy, env, features_extractor_kwargs=wide)
    assert isinstance(model.policy.features_extractor, GraphExtractor)
    before = [parameter.clone() for parameter in model.policy.parameters()]
    model.learn(18)
    moved = [not torch.equal(*pair) for pair in zip(before, model.policy.parameters(), strict=True)]
    assert all(moved)
    model.save(tmp_path / "model.zip")
    model.policy.save(tmp_path / "policy.pt")
    seen = observe(env)
    expected = logits(model, seen)
    assert torch.equal(logits(kind.load(tmp_path / "model.zip"), seen), expected)
    model.policy = policy.load(tmp_path / "policy.pt")
    assert torch.equal(logits(model, seen), expected)


@pytest.mark.parametrize(("kind", "policy"), KINDS)
def test_other_actions_and_layers_are_refused(kind, policy):
    with pytest.raises(ValueError, match=r"action_space: found .*, expected Discrete\(5\)"):
        model_for(kind, policy, make(tasks=("placement", "scheduling")))
    with pytest.raises(ValueError, match=r"net_arch: found pi \[3\], expected pi \[\]"):
        model_for(kind, policy, make(), net_arch={"pi": [3], "vf": []})
