"""Whole episodes of each environment, equal to stored texts, from Python and from C++."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from opyard import _core

ROOT = Path(__file__).resolve().parents[2]
GRAPH, MACHINE = "random:layered?n=12&seed=1", "p100x2-pcie"
IDS = {
    "one_shot": "opyard/OneShot-v0",
    "placement": "opyard/Placement-v0",
    "improve": "opyard/Improve-v0",
    "list_schedule": "opyard/ListSchedule-v0",
}


def choose_action(env: gymnasium.Env, step: int) -> list[int]:
    """Of the legal choices of each number, the one whose turn it is: as examples/environments."""
    space = env.action_space
    counts = [space.n] if isinstance(space, gymnasium.spaces.Discrete) else space.nvec
    action: list[int] = []
    for mask in np.split(env.action_masks(), np.cumsum(counts)[:-1]):
        legal = np.flatnonzero(mask)
        action.append(int(legal[(7 * step + 3 * len(action)) % len(legal)]))
    return action


def play(kind: str) -> str:
    """One episode as text, a line a step."""
    env = gymnasium.make(
        IDS[kind],
        graph=GRAPH,
        hardware=MACHINE,
        tasks=("placement", "scheduling"),
        fusion="none",
        group="none",
        reward="improvement",
    ).unwrapped
    env.reset(seed=1)
    lines, terminated = [], False
    while not terminated:
        action = choose_action(env, len(lines))
        is_number = isinstance(env.action_space, gymnasium.spaces.Discrete)
        _, reward, terminated, _, info = env.step(action[0] if is_number else action)
        numbers = " ".join(map(str, action))
        makespan = round(info["makespan_s"] * 1e12)
        lines.append(f"step {len(lines)}: {numbers}, reward {reward:.9f}, makespan {makespan} ps\n")
    return "".join(lines)


@pytest.mark.parametrize("kind", IDS)
def test_an_episode_is_the_golden_one(kind):
    golden = ROOT / "tests" / "golden" / "environments" / f"{kind}.txt"
    found = play(kind)
    if "OPYARD_REMAKE_GOLDENS" in os.environ:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", IDS)
def test_an_episode_is_the_same_from_cpp(kind):
    program = Path(_core.__file__).resolve().parents[2] / "examples" / "play"
    found = subprocess.run(
        [program, kind, GRAPH, MACHINE], capture_output=True, text=True, check=True
    )
    assert found.stdout == play(kind)
