"""Priority rules on a placed graph, as their agents run them and as `ListSchedule` plays them."""

from __future__ import annotations

import numpy as np

import opyard
from opyard.event_policy.episodes import make_envs, play_by
from opyard.event_policy.family import PlacedProblem
from opyard.event_policy.path_priorities import paths_to_sink, ranks_of
from opyard.event_policy.states import States


def keys_of(placed: PlacedProblem) -> dict[str, list[np.ndarray]]:
    """The keys that each rule orders ops by, the greatest first: [num_ops] each.

    `critical_path` has two, without and with transfers, of which its agent keeps the better plan.
    """
    problem, devices = placed.problem, placed.plan.placement
    seconds = problem.arrays()["op_seconds"][np.arange(len(devices)), devices]
    return {
        "spt": [-seconds],
        "mopnr": [_ops_to_sink(problem.graph)],
        "critical_path": [
            paths_to_sink(problem, devices, with_transfers=False),
            paths_to_sink(problem, devices),
        ],
    }


def makespan_of_key(placed: PlacedProblem, key: np.ndarray) -> float:
    """The makespan of the plan with these priorities, transfers by those of their readers."""
    plan = placed.problem.plan(placed.plan.placement, ranks_of(key))
    return float(placed.problem.simulate(plan)["makespan_s"])


def makespans_of_agents(placed: PlacedProblem) -> dict[str, float]:
    """The makespan of each rule as its agent runs it, devices given, in seconds.

    The agent `critical_path` also evaluates the default queue, in which ops go by when they become
    ready.
    """
    found = {
        name: min(makespan_of_key(placed, key) for key in keys)
        for name, keys in keys_of(placed).items()
    }
    default = placed.problem.simulate(placed.problem.plan(placed.plan.placement))
    found["critical_path"] = min(found["critical_path"], float(default["makespan_s"]))
    return found


def best_rule_makespan(placed: PlacedProblem) -> float:
    """That of the better one of `critical_path` and `mopnr`, in seconds."""
    found = makespans_of_agents(placed)
    return min(found["critical_path"], found["mopnr"])


def played_makespans(placed: PlacedProblem, keys: np.ndarray) -> np.ndarray:
    """The makespans when each idle device starts the ready op of the greatest key: [K], seconds.

    Args:
        placed: Devices and the priorities of transfers.
        keys: [K, num_ops].
    """
    envs = make_envs(placed.problem, placed.plan, len(keys))

    def choose(states: States, lanes: np.ndarray) -> np.ndarray:
        return np.where(states.legal.numpy(), keys[lanes], -np.inf).argmax(1)

    return play_by(choose, envs).makespan_s


def _ops_to_sink(graph: opyard.Graph) -> np.ndarray:
    """The number of ops on the path to a sink that has most of them: [num_ops]."""
    arrays = graph.arrays()
    edges = np.concatenate([arrays["edge_index"], arrays["control_edge_index"]], axis=1)
    readers: list[list[int]] = [[] for _ in range(graph.num_ops)]
    for first, second in edges.T.tolist():
        readers[first].append(second)
    count = np.ones(graph.num_ops)
    for op in arrays["topological_order"][::-1].tolist():
        count[op] += max((count[reader] for reader in readers[op]), default=0.0)
    return count
