"""The message-passing network over observations, alone and as an extractor of SB3."""

from __future__ import annotations

import subprocess
import sys

import gymnasium
import numpy as np
import opyard
import pytest
import torch
from gymnasium import spaces
from opyard.envs.graph_extractor import GraphExtractor
from opyard.envs.graph_network import GraphNetwork
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO

IDS = ("opyard/Placement-v0", "opyard/Improve-v0", "opyard/OneShot-v0")
GRAPH = "random:layered?n=9&seed=1"
SMALL = {"hidden": 8, "device_features": 4}


def make(env_id: str = IDS[0], **kwargs) -> gymnasium.Env:
    return gymnasium.make(env_id, **({"graph": GRAPH} | kwargs)).unwrapped


def observe(env: gymnasium.Env, steps: int = 4, **options) -> dict[str, np.ndarray]:
    """The observation after some legal actions."""
    seen, _ = env.reset(seed=0, options=options)
    for step in range(0 if isinstance(env, opyard.envs.OneShotEnv) else steps):
        seen, *_ = env.step(step % 3)
    return seen


def network_for(env: gymnasium.Env, **kwargs) -> GraphNetwork:
    torch.manual_seed(0)
    return GraphNetwork(env.observation_space, **(SMALL | kwargs))


def features(network: GraphNetwork, seen: dict[str, np.ndarray]) -> torch.Tensor:
    """The features of one observation: [features_dim]."""
    batch = {key: torch.as_tensor(array)[None] for key, array in seen.items()}
    return network(batch)[0]


@pytest.mark.parametrize("env_id", IDS)
def test_more_room_changes_no_bit(env_id):
    small = make(env_id)
    large = make(env_id, max_ops=40, max_edges=100)
    seen, padded = observe(small), observe(large)
    assert padded["x"].shape[0] == 40 > seen["x"].shape[0]
    network = network_for(small)
    assert torch.equal(features(network, seen), features(network, padded))


def test_room_for_more_devices_adds_zeros():
    alone = make(hardware="p100x2-pcie")
    both = make(hardware=["p100x2-pcie", "p100x4-pcie"])
    found = features(network_for(alone), observe(alone))
    padded = features(network_for(both), observe(both, hardware=0))
    assert len(padded) == len(found) + 2 * SMALL["device_features"]
    torch.testing.assert_close(padded[: len(found)], found, rtol=0, atol=1e-6)
    assert not padded[len(found) :].any()


@pytest.mark.parametrize("env_id", IDS)
def test_what_stands_in_padding_changes_nothing(env_id):
    env = make(env_id, max_ops=12, max_edges=30)
    seen = observe(env)
    network = network_for(env)
    expected = features(network, seen)
    seen["x"][9:] = seen["op_type"][9:] = 1
    if "plan" in seen:
        seen["plan"][:, 9:] = seen["current"][9:] = 1
    seen["edge_x"][seen["edge_mask"] == 0] = 1
    seen["edge_index"][:, seen["edge_mask"] == 0] = 11
    assert torch.equal(features(network, seen), expected)


def test_batches_do_not_mix():
    env = make(graph=[GRAPH, "random:layered?n=12&seed=2"])
    network = network_for(env)
    seen = [observe(env, graph=0), observe(env, steps=2, graph=1), observe(env, steps=7, graph=0)]
    batch = {key: torch.as_tensor(np.stack([one[key] for one in seen])) for key in seen[0]}
    # Sums of another length may be rounded in another order.
    for row, one in zip(network(batch), seen, strict=True):
        torch.testing.assert_close(row, features(network, one), rtol=0, atol=1e-5)


@pytest.mark.parametrize("env_id", IDS)
def test_the_order_of_ops_and_edges_does_not_matter(env_id):
    env = make(env_id)
    seen = observe(env)
    network = network_for(env)
    rng = np.random.default_rng(0)
    ops, edges = rng.permutation(len(seen["x"])), rng.permutation(len(seen["edge_x"]))
    other = dict(seen)
    for key in ("x", "op_type", "op_mask", "current"):
        if key in seen:
            other[key] = seen[key][ops]
    if "plan" in seen:
        other["plan"] = seen["plan"][:, ops]
    other["edge_index"] = np.argsort(ops)[seen["edge_index"]][:, edges]
    other["edge_x"], other["edge_mask"] = seen["edge_x"][edges], seen["edge_mask"][edges]
    found = features(network, other)
    torch.testing.assert_close(found, features(network, seen), rtol=0, atol=1e-5)  # order of sums


@pytest.mark.parametrize("key", ["x", "edge_index", "edge_x", "plan", "current", "device_load"])
def test_every_part_of_an_observation_counts(key):
    env = make()
    seen = observe(env)
    network = network_for(env)
    before = features(network, seen)
    changed = seen | {key: np.roll(seen[key], 1, axis=-1)}
    assert not np.array_equal(changed[key], seen[key])
    assert not torch.equal(features(network, changed), before)


@pytest.mark.parametrize("env_id", IDS)
def test_gradients_reach_every_parameter(env_id):
    env = make(env_id)
    network = network_for(env, hidden=32, device_features=16)
    features(network, observe(env)).square().sum().backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.any(), name


def test_another_space_is_refused():
    with pytest.raises(ValueError, match=r"found Box without device_x, .* expected that of"):
        GraphNetwork(spaces.Box(0, 1, (3,)))
    with pytest.raises(ValueError, match="found Box"):
        GraphExtractor(make(obs="flat").observation_space)


@pytest.mark.parametrize("kind", [PPO, MaskablePPO])
@pytest.mark.parametrize("env_id", IDS)
def test_stable_baselines_trains_saves_and_loads_it(env_id, kind, tmp_path):
    policy = {"features_extractor_class": GraphExtractor, "features_extractor_kwargs": SMALL}
    env = make(env_id)
    model = kind(
        "MultiInputPolicy", env, n_steps=18, batch_size=9, n_epochs=1, seed=0, policy_kwargs=policy
    )
    parameters = model.policy.features_extractor.state_dict()
    before = {name: value.clone() for name, value in parameters.items()}
    model.learn(18)
    assert any(not torch.equal(before[name], value) for name, value in parameters.items())
    model.save(tmp_path / "model.zip")
    loaded = kind.load(tmp_path / "model.zip")
    seen = observe(env)
    chosen, _ = model.predict(seen, deterministic=True)
    assert np.array_equal(loaded.predict(seen, deterministic=True)[0], chosen)


def test_the_package_imports_without_torch_and_trainers():
    program = (
        "import sys; sys.modules.update(torch=None, stable_baselines3=None, torchrl=None);"
        "import opyard, gymnasium; gymnasium.make('opyard/Placement-v0').reset(seed=0)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
