"""Trainings to the end on one small graph: each trainer learns, from each of three seeds."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from opyard.envs import PlacementEnv
from opyard.envs.graph_extractor import GraphExtractor
from opyard.envs.graph_policy import GraphPolicy, MaskableGraphPolicy
from opyard.envs.sb3 import make_sb3_vec
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecMonitor

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "train"
# Twelve ops, four equal GPUs and a slow host; every op may be anywhere, so PPO needs no mask. The
# best plan that brkga found takes 0.77 of the time of the default plan, one device.
GRAPH, MACHINE = "random:fork_join?n=12&seed=1", "p100x4-pcie"
SEEDS = range(3)


def example(name: str) -> ModuleType:
    """A program of examples/train as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


def train_sb3(kind: type[PPO | MaskablePPO], policy: Any, seed: int) -> PPO | MaskablePPO:
    """A model of Stable-Baselines3 with the message-passing extractor."""
    torch.set_num_threads(1)
    vector = make_sb3_vec(
        "opyard/Placement-v0", 16, graph=GRAPH, hardware=MACHINE, reward="shaped", threads=1
    )
    model = kind(
        policy,
        VecMonitor(vector),
        n_steps=24,
        batch_size=96,
        n_epochs=4,
        learning_rate=lambda left: 2e-3 * left,
        gamma=1.0,
        seed=seed,
        policy_kwargs={
            "features_extractor_class": GraphExtractor,
            "features_extractor_kwargs": {"hidden": 32, "device_features": 8},
        },
    )
    return model.learn(9216)


def sb3_returns(model: PPO | MaskablePPO | None, num_episodes: int) -> np.ndarray:
    """The returns of episodes: of the model's samples, or of random legal actions."""
    env = PlacementEnv(GRAPH, MACHINE, reward="shaped")
    rng = np.random.default_rng(0)
    returns = np.zeros(num_episodes)
    for episode in range(num_episodes):
        seen, _ = env.reset(seed=episode)
        is_over = False
        while not is_over:
            mask = env.action_masks()
            if model is None:
                action = rng.choice(np.flatnonzero(mask))
            elif isinstance(model, MaskablePPO):
                action, _ = model.predict(seen, action_masks=mask)
            else:
                action, _ = model.predict(seen)
            seen, reward, is_over, _, _ = env.step(int(action))
            returns[episode] += reward
    return returns


@pytest.fixture(scope="module")
def top_of_random() -> float:
    """The upper end of the 95 % interval of the mean return of random legal placements."""
    returns = sb3_returns(None, 100)
    return returns.mean() + 1.984 * returns.std(ddof=1) / 10  # Student's t, 99 degrees of freedom


def test_no_action_is_illegal_here():
    env = PlacementEnv(GRAPH, MACHINE)
    env.reset(seed=0)
    is_over = False
    while not is_over:
        assert env.action_masks().all()
        is_over = env.step(0)[2]


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", [PPO, MaskablePPO])
def test_stable_baselines_learns_with_the_graph_extractor(kind, seed, top_of_random):
    model = train_sb3(kind, "MultiInputPolicy", seed)
    assert sb3_returns(model, 50).mean() > top_of_random


# The default plan has the return 0.
@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("kind", "policy"), [(PPO, GraphPolicy), (MaskablePPO, MaskableGraphPolicy)]
)
def test_a_policy_that_scores_devices_is_better_than_the_default_plan(
    kind, policy, seed, top_of_random
):
    model = train_sb3(kind, policy, seed)
    assert sb3_returns(model, 50).mean() > max(top_of_random, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_the_single_file_ppo_learns(seed, top_of_random):
    program = example("ppo_placement")
    settings = program.Settings(graph=(GRAPH,), hardware=(MACHINE,), seed=seed, total_steps=12288)
    policy = program.train(settings)
    assert program.returns_of(settings, policy, 50).mean() > max(top_of_random, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_torchrl_learns(seed, top_of_random):
    program = example("torchrl_ppo")
    words = ["--graph", GRAPH, "--hardware", MACHINE, "--seed", str(seed), "--total-steps", "9216"]
    arguments = program.parse(words)
    policy = program.train(arguments)
    assert np.mean(program.returns_of(arguments, policy)) > max(top_of_random, 0)


@pytest.mark.parametrize("name", ["ppo_placement", "torchrl_ppo"])
def test_the_programs_end_with_a_comparison(name, capsys):
    example(name).main(["--total-steps", "48", "--num-envs", "2", "--num-steps", "24"])
    *_, random, trained = capsys.readouterr().out.splitlines()
    assert random.startswith("random: mean return -0.")
    assert trained.startswith("trained: mean return -")
