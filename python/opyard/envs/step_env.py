"""`opyard/Placement-v0` and `opyard/Improve-v0`: one group of ops per step."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from opyard import _core
from opyard.envs import render
from opyard.envs.common import (
    GraphChoice,
    MachineChoice,
    ProblemEnv,
    action_space_of,
    as_list,
    caption_of,
    check_choice,
    check_render_mode,
    choice_of,
    features,
    open_ops,
    step_observation_space,
)

_OBSERVATIONS = ("dict", "flat", "graph")
_STEP_COLUMNS = 4


class StepEnv(ProblemEnv):
    """The base of `PlacementEnv`, `ImproveEnv` and `ListScheduleEnv`.

    Observations (`obs`), for O ops, E edges and D devices of the largest problem:
        dict: the padded arrays of `OneShotEnv`, and those that change from step to step:

            | array | shape | content |
            |---|---|---|
            | `plan` | [3, O] int64 | device, priority level, fusion level of each op; -1: open |
            | `current` | [O] int8 | 1: an op of the group that the next action decides |
            | `device_load` | [D] float32 | q / (1 + q), q = seconds of the ops decided to be there / T_ref |
            | `device_memory` | [D] float32 | the same, q = bytes of their parameters / the device's capacity |
            | `progress` | [2] float32 | steps made / steps of the episode; the same, q = T / T_ref of the plan that was simulated last, 0 before |
            | `action_mask` | [sum of choices] int8 | the legal choices, number after number |

        flat: one vector of float32 in [0, 1] with the same content.
        graph: a `gymnasium.spaces.GraphInstance` of ops and edges, not padded and without devices:
            the nodes of `OneShotEnv`, then the three rows of `plan` and `current`, in [0, 1].

    An action is one number (`Discrete`) where one task is decided, or tasks are decided in turn;
    else one per task (`MultiDiscrete`): device, priority level, fusion level.

    An action that the mask forbids ends the episode with a reward of -10.

    `info` holds numbers only, the same keys after `reset` and `step`: those of `OneShotEnv`, of the
    plan that was simulated last, and `step`. Copies, `fork()`, `get_state()` and pickling go on as
    the original would.
    """  # noqa: E501 (a table)

    def __init__(
        self, env: _core.StepEnv, graphs: list[Any], machines: list[Any], obs: str, render_mode: Any
    ) -> None:
        """Wraps the environment of C++; use `PlacementEnv` and the like."""
        check_choice("obs", obs, _OBSERVATIONS)
        check_render_mode(render_mode)
        self._env = env
        self._graphs = graphs
        self._machines = machines
        self._obs = obs
        self.render_mode = render_mode
        self.observation_space = getattr(self, f"_{obs}_space")()
        self.action_space = action_space_of(env.num_choices)
        self._last_reward = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode.

        Args:
            seed: Fixes which graphs and machines the following episodes play.
            options: `graph`, `hardware`: which of the environment's lists to play, as an index or
                as it was given; `noise`: instead of the environment's; `plan`: the `Plan` that an
                `ImproveEnv` begins with, or that a `ListScheduleEnv` takes devices from.

        Raises:
            opyard.InputError: An option is unknown, not in the lists, out of range, or a plan that
                does not fit.
        """
        if seed is not None:
            seed = operator.index(seed)  # gymnasium takes no integers of NumPy
        super().reset(seed=seed)
        choice = choice_of(options, self._graphs, self._machines)
        self._env.reset(self._seed_of_episode(seed), **choice)
        self._last_reward = 0.0
        return self._observe(), self._env.info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Decides what the step is about: (observation, reward, terminated, False, info)."""
        numbers = [action] if isinstance(self.action_space, spaces.Discrete) else action
        self._last_reward, is_over, info = self._env.step(numbers)
        return self._observe(), self._last_reward, is_over, False, info

    @property
    def plan(self) -> _core.Plan:
        """The plan so far; what is open is as in the default plan."""
        return self._env.plan

    def _scene(self) -> render.Scene:
        problem = self._env.problem
        info = self._env.info()
        return render.Scene(
            title=self._env.title,
            caption=caption_of(info, self._env.episode_length, self._last_reward),
            problem=problem,
            plan=self._env.plan,
            is_open=open_ops(problem, self._env.observation()["plan"]),
            reference_s=info["reference_s"],
        )

    def _observe(self) -> Any:
        if self._obs == "graph":
            return self._graph_observation()
        # Fresh arrays: gymnasium's checker refuses observations that share memory.
        seen = self._env.observation()
        return seen if self._obs == "dict" else flatten(seen, self._env)

    def _graph_observation(self) -> spaces.GraphInstance:
        nodes, edges, edge_index = self._env.graph_observation()
        seen = self._env.observation()
        decided = [*(seen["plan"] + 1) / most_of_plan(self._env), seen["current"] / 4]
        columns = np.stack(decided, axis=1)[: len(nodes)].astype(np.float32)
        return spaces.GraphInstance(
            np.concatenate([nodes, columns], axis=1), edges, np.ascontiguousarray(edge_index.T)
        )

    def _graph_space(self) -> spaces.Graph:
        nodes = spaces.Box(0.0, 1.0, (_core.NUM_NODE_FEATURES + _STEP_COLUMNS,), np.float32)
        return spaces.Graph(node_space=nodes, edge_space=features(_core.EDGE_FEATURE_NAMES))

    def _dict_space(self) -> spaces.Dict:
        return step_observation_space(self._env)

    def _flat_space(self) -> spaces.Box:
        shape = flatten(self._env.observation(), self._env).shape
        return spaces.Box(0.0, 1.0, shape, np.float32)


class PlacementEnv(StepEnv):
    """Decides a plan from nothing, one group of ops per step, in topological order.

    An episode has as many steps as groups (times the tasks, `in_turn`). The plan is simulated at
    its end, and after each step for the rewards "improvement" and "shaped"; then open groups are
    where the default plan has them.
    """

    def __init__(
        self,
        graph: GraphChoice | Iterable[GraphChoice] = "random:layered?n=64&seed=0",
        hardware: MachineChoice | Iterable[MachineChoice] = "p100x2-pcie",
        tasks: Sequence[str] = ("placement",),
        objective: str | Mapping[str, Mapping[str, float]] = "makespan",
        obs: str = "dict",
        reward: str = "sqrt",
        group: str | int = "colocation",
        turns: str = "joint",
        mask: str = "forbidden",
        max_ops: int | None = None,
        max_edges: int | None = None,
        render_mode: str | None = None,
        fusion: str = "framework",
        queue: str = "fifo",
        devices: Sequence[str] | None = None,
        cost_model: str = "roofline",
        noise: float = 0.0,
    ) -> None:
        """Makes the environment; arguments that are not listed are those of `OneShotEnv`.

        Args:
            graph: Reference or graph, or several of them: each episode plays one, at random.
            hardware: Machine name, path or machine, or several of them.
            tasks: What is decided: some of "placement", "scheduling" and "fusion".
            objective: As of `OneShotEnv`.
            obs: Form of the observation: "dict" or "flat".
            reward: At the episode's end "sqrt" (-sqrt(r), r = T / T_ref), "linear" (-r), "log"
                (-log(1 + r)) or "log_speedup" (-log(r)); after each step "improvement" (r before
                - r after) or "shaped" (sqrt(r before) - sqrt(r after)). r is 100 for a plan that
                does not complete.
            group: What is decided together, as of `OneShotEnv`.
            turns: "joint" decides all tasks of a group at once; "in_turn" first all devices, then
                all priorities, then all fusion.
            mask: What is forbidden: "forbidden" devices; or "full" ones, too, without room for the
                group's parameters, as long as another has room.
            max_ops: As of `OneShotEnv`.
            max_edges: As of `OneShotEnv`.
            render_mode: As of `OneShotEnv`.
            fusion: As of `OneShotEnv`.
            queue: As of `OneShotEnv`.
            devices: As of `OneShotEnv`.
            cost_model: As of `OneShotEnv`.
            noise: As of `OneShotEnv`.

        Raises:
            opyard.InputError: An argument, graph or machine is not legal. It is a ValueError; where
                `render_mode` is at fault, a TypeError, too.
        """
        graphs, machines = as_list(graph), as_list(hardware)
        env = _core.StepEnv(
            graphs,
            machines,
            kind="placement",
            tasks=tasks,
            objective=objective,
            group=group,
            fusion=fusion,
            queue=queue,
            reward=reward,
            turns=turns,
            mask=mask,
            max_ops=max_ops,
            max_edges=max_edges,
            devices=devices,
            cost_model=cost_model,
            noise=noise,
        )
        super().__init__(env, graphs, machines, obs, render_mode)


class ImproveEnv(StepEnv):
    """Improves a whole plan, one group of ops per step, in topological order (Placeto).

    An episode begins at the default plan, or at `options["plan"]`, and visits each group `sweeps`
    times. Each step is simulated. With the rewards "improvement" (the default) and "shaped", a step
    is worth what it gains; the others depend on the plan at the end alone.
    """

    def __init__(
        self,
        graph: GraphChoice | Iterable[GraphChoice] = "random:layered?n=64&seed=0",
        hardware: MachineChoice | Iterable[MachineChoice] = "p100x2-pcie",
        tasks: Sequence[str] = ("placement",),
        objective: str | Mapping[str, Mapping[str, float]] = "makespan",
        obs: str = "dict",
        reward: str = "improvement",
        group: str | int = "colocation",
        turns: str = "joint",
        mask: str = "forbidden",
        sweeps: int = 1,
        max_ops: int | None = None,
        max_edges: int | None = None,
        render_mode: str | None = None,
        fusion: str = "framework",
        queue: str = "fifo",
        devices: Sequence[str] | None = None,
        cost_model: str = "roofline",
        noise: float = 0.0,
    ) -> None:
        """Makes the environment; arguments that are not listed are those of `PlacementEnv`.

        Args:
            graph: As of `PlacementEnv`.
            hardware: As of `PlacementEnv`.
            tasks: As of `PlacementEnv`.
            objective: As of `PlacementEnv`.
            obs: As of `PlacementEnv`.
            reward: As of `PlacementEnv`; "improvement" is Placeto's, over T_ref.
            group: As of `PlacementEnv`.
            turns: As of `PlacementEnv`.
            mask: As of `PlacementEnv`.
            sweeps: How often an episode visits each group.
            max_ops: As of `PlacementEnv`.
            max_edges: As of `PlacementEnv`.
            render_mode: As of `PlacementEnv`.
            fusion: As of `PlacementEnv`.
            queue: As of `PlacementEnv`.
            devices: As of `PlacementEnv`.
            cost_model: As of `PlacementEnv`.
            noise: As of `PlacementEnv`.

        Raises:
            opyard.InputError: An argument, graph or machine is not legal.
        """
        graphs, machines = as_list(graph), as_list(hardware)
        env = _core.StepEnv(
            graphs,
            machines,
            kind="improve",
            tasks=tasks,
            objective=objective,
            group=group,
            fusion=fusion,
            queue=queue,
            reward=reward,
            turns=turns,
            mask=mask,
            sweeps=sweeps,
            max_ops=max_ops,
            max_edges=max_edges,
            devices=devices,
            cost_model=cost_model,
            noise=noise,
        )
        super().__init__(env, graphs, machines, obs, render_mode)


def most_of_plan(env: _core.StepEnv) -> int:
    """The greatest number in `plan`, plus one."""
    return max(env.max_devices, env.num_levels)


def flatten(seen: Mapping[str, np.ndarray], env: _core.StepEnv) -> np.ndarray:
    """A dict observation as one vector of float32 in [0, 1]."""
    ops = env.max_ops
    parts = [
        seen["op_mask"],
        seen["op_type"] / _core.TYPE_VOCABULARY,
        seen["group_id"] / ops,
        seen["x"],
        seen["edge_mask"],
        seen["edge_index"] / ops,
        seen["edge_x"],
        seen["machine_mask"],
        seen["device_x"],
        seen["pair_x"],
        (seen["plan"] + 1) / most_of_plan(env),
        seen["current"] / 4,
        seen["device_load"],
        seen["device_memory"],
        seen["progress"],
        seen["action_mask"],
    ]
    return np.concatenate([np.ravel(part) for part in parts]).astype(np.float32)
