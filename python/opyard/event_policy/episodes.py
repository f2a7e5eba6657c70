"""Episodes of `opyard/ListSchedule-v0`, all of one graph with one placement, by a network."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import gymnasium
import numpy as np
import torch

import opyard
from opyard.envs import StepVectorEnv
from opyard.event_policy.network import EventPolicy
from opyard.event_policy.states import (
    PlacedGraph,
    States,
    concatenated,
    placed_graph,
    states_of,
)


@dataclasses.dataclass(frozen=True)
class Episodes:
    """Episodes of L lanes with R steps altogether, in the order of time."""

    graph: PlacedGraph
    states: States  # R of them
    actions: np.ndarray  # [R] int64, ops
    lanes: np.ndarray  # [R] int64
    started: np.ndarray  # [R]: share of ops that had started
    cost_so_far: np.ndarray  # [R]: minus the rewards of the lane before the step
    cost: np.ndarray  # [L]: minus the sum of the lane's rewards: T / T_ref
    makespan_s: np.ndarray  # [L]
    outcome: np.ndarray  # [L], as in `info`

    def actions_of(self, lane: int) -> list[int]:
        """The actions of one episode."""
        return self.actions[self.lanes == lane].tolist()


def make_envs(problem: opyard.Problem, plan: opyard.Plan, num_envs: int) -> StepVectorEnv:
    """A vector of copies in which the ops of `problem` have the devices of `plan`."""
    envs = gymnasium.make_vec(
        "opyard/ListSchedule-v0",
        num_envs=num_envs,
        plans=[plan],
        autoreset_mode="same_step",
        copy=False,
        threads=1,
        **env_arguments(problem),
    )
    assert isinstance(envs, StepVectorEnv)
    return envs


def env_arguments(problem: opyard.Problem) -> dict[str, object]:
    """The arguments of the environment whose episodes are plans of `problem`."""
    return {
        "graph": problem.graph,
        "hardware": problem.hardware,
        "tasks": ("scheduling",),
        "objective": problem.objective,
        "fusion": problem.fusion,
        "devices": problem.devices,
        "cost_model": problem.cost_model,
        "reward": "improvement",
    }


# Chooses an op for each state; the lanes that the states are of: [S].
Choose = Callable[[States, np.ndarray], np.ndarray]


@torch.no_grad()
def play(
    policy: EventPolicy,
    envs: StepVectorEnv,
    rng: np.random.Generator,
    *,
    num_greedy: int = 0,
    temperature: float = 1.0,
) -> Episodes:
    """One episode by the network in each lane.

    Args:
        policy: The network.
        envs: Made by `make_envs`.
        rng: Samples the actions.
        num_greedy: The first lanes, which take the most probable op instead.
        temperature: What log-probabilities are divided by before an op is sampled.
    """
    observation, _ = envs.reset(seed=0)
    graph = placed_graph(observation)
    embedding = policy.embed(graph)
    noise_scale = np.where(np.arange(envs.num_envs) < num_greedy, 0.0, temperature)[:, None]

    def choose(states: States, lanes: np.ndarray) -> np.ndarray:
        scores = policy(graph, embedding, states).numpy()
        gumbel = rng.gumbel(size=(envs.num_envs, graph.num_ops)) * noise_scale
        return (scores + gumbel[lanes]).argmax(1)

    return play_by(choose, envs)


def play_by(choose: Choose, envs: StepVectorEnv) -> Episodes:
    """One episode in each lane of `make_envs`, whatever chooses."""
    observation, info = envs.reset(seed=0)
    graph = placed_graph(observation)
    cost_so_far, cost = np.zeros(envs.num_envs), np.zeros(envs.num_envs)
    makespan_s, outcome = np.zeros(envs.num_envs), np.zeros(envs.num_envs, np.int64)
    running = np.ones(envs.num_envs, bool)
    parts: list[tuple[States, np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
    while running.any():
        lanes = np.flatnonzero(running)
        states = states_of(observation, graph.num_ops, lanes)
        chosen = choose(states, lanes)
        parts.append((states, chosen, lanes, states.progress[:, 0].numpy(), cost_so_far[lanes]))
        actions = observation["action_mask"].argmax(1)  # of lanes that are over: any legal one
        actions[lanes] = chosen
        observation, rewards, terminated, _, info = envs.step(actions)
        cost_so_far[lanes] -= rewards[lanes]
        ended = terminated & running
        cost[ended], makespan_s[ended] = cost_so_far[ended], info["makespan_s"][ended]
        outcome[ended] = info["outcome"][ended]
        running &= ~ended
    states, *columns = zip(*parts, strict=True)
    arrays = [np.concatenate(column) for column in columns]
    return Episodes(graph, concatenated(list(states)), *arrays, cost, makespan_s, outcome)


def plans_of(problem: opyard.Problem, plan: opyard.Plan, episodes: Episodes) -> list[opyard.Plan]:
    """The plans that the episodes are, lane after lane."""
    arguments = env_arguments(problem)
    env = opyard.envs.ListScheduleEnv(plans=[plan], **arguments)  # type: ignore[arg-type]
    plans = []
    for lane in range(len(episodes.cost)):
        env.reset(seed=0)
        for action in episodes.actions_of(lane):
            env.step(action)
        plans.append(env.plan)
    return plans
