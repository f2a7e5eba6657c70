"""`opyard/OneShot-v0`: one action is a whole plan, one episode is one step."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from opyard import _core
from opyard.envs import render
from opyard.envs.common import (
    NO_PLAN,
    GraphChoice,
    MachineChoice,
    ProblemEnv,
    as_list,
    caption_of,
    check_choice,
    check_render_mode,
    choice_of,
    features,
    padded_spaces,
)

_OBSERVATIONS = ("dict", "flat", "graph")


class OneShotEnv(ProblemEnv):
    """Places (and orders) the ops of a graph on a machine in one action.

    An action holds the device of each group of ops, then, with the task `scheduling`, the priority
    level of each group (0 to 19, higher runs first). The reward is -sqrt(makespan / T_ref), where
    T_ref is the best of simple rule-based plans (everything on one device, for each device, and the
    graph cut into one run of ops per accelerator); -10 if memory runs out or the action is illegal.

    Observations (`obs`), the same for every step of a graph:
        dict: padded arrays of fixed shape with masks, for any trainer.
        flat: one vector of float32 with the same content.
        graph: a `gymnasium.spaces.GraphInstance` of ops and edges, not padded and without devices.

    The columns of `x` (a row per op), `edge_x`, `device_x` and `pair_x` (a row per ordered pair of
    devices) are named in `opyard.envs`: `FEATURE_NAMES`, `EDGE_FEATURE_NAMES`,
    `DEVICE_FEATURE_NAMES`, `PAIR_FEATURE_NAMES`; their formulas stand in `env/features/columns.h`.
    Columns of `x` before `FIRST_RATIO` and `bytes` of `edge_x` are divided by the graph's maximum;
    all others mean the same for every graph and machine. Another `FEATURE_VERSION` has other
    columns.

    The legal choices are given three ways, always flat, decision after decision: by the method
    `action_masks()`, as `info["action_mask"]`, and in the `dict` observation as `action_mask`.

    `info` holds numbers only, the same keys after `reset` and `step`: `outcome` (0 not run,
    1 completed, 2 out of memory, 3 illegal action, 4 deadlock), `makespan_s`, `peak_memory_bytes`,
    `lower_bound_s` (of the plan), `problem_bound_s`, `reference_s` (T_ref), `graph_index`,
    `machine_index`, `action_mask`.

    In a process that has not imported opyard, such as one that stable-baselines3 starts, the id is
    `opyard:opyard/OneShot-v0`.

    Copies, shallow ones too, and what was pickled go on as the original would, episode and random
    choices included, and neither touches the other. No file is needed for that.
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
        max_ops: int | None = None,
        max_edges: int | None = None,
        render_mode: str | None = None,
        fusion: str = "framework",
        queue: str = "fifo",
        devices: Sequence[str] | None = None,
        cost_model: str = "roofline",
        noise: float = 0.0,
    ) -> None:
        """Makes the environment.

        Args:
            graph: Reference or graph, or several of them: each episode plays one, at random.
            hardware: Machine name, path or machine, or several of them.
            tasks: What an action decides: some of "placement", "scheduling" and "fusion".
            objective: "makespan", "peak_memory" or {"weighted": {"makespan": 1, ...}}, for which
                "weighted:1:0.1" is short.
            obs: Form of the observation: "dict", "flat" or "graph".
            reward: By its ratio r to the reference: "sqrt" (-sqrt(r)), "linear" (-r), "log"
                (-log(1 + r)), "log_speedup" (-log(r)); or what it gains over the default plan,
                whose ratio is r0: "improvement" (r0 - r), "shaped" (sqrt(r0) - sqrt(r)).
            group: What is decided together: "colocation" (co-located ops, coarsened to 512 groups),
                "none" (single ops, co-located ones together), or the greatest number of groups.
            max_ops: Room for ops in padded observations; the largest graph's number by default.
            max_edges: Room for edges, likewise.
            render_mode: What `render` returns: "ansi" for a text, "rgb_array" for a picture, or
                None.
            fusion: What fuses where fusion is no task: "framework" is all that may, "none" nothing.
            queue: The queues of devices where scheduling is no task: "fifo" or "priority"; or what
                all plans run in, "program" or "order".
            devices: Names of the devices that ops may be placed on, which each machine has; by
                default all. The masks forbid the others, over which copies may still pass.
            cost_model: What ops take: "roofline", or "peak_roofline", that of the data sheet, which
                is too fast.
            noise: Standard deviation of the logarithm of a factor, 0 to 1, that each op's time is
                multiplied by, sampled again in each episode; it is in no observation.

        Raises:
            opyard.InputError: An argument, graph or machine is not legal. It is a ValueError; where
                `render_mode` is at fault, a TypeError, too.
        """
        check_choice("obs", obs, _OBSERVATIONS)
        check_render_mode(render_mode)
        self._graphs = as_list(graph)
        self._machines = as_list(hardware)
        self._env = _core.StepEnv(
            self._graphs,
            self._machines,
            kind="one_shot",
            tasks=tasks,
            objective=objective,
            group=group,
            fusion=fusion,
            queue=queue,
            reward=reward,
            max_ops=max_ops,
            max_edges=max_edges,
            devices=devices,
            cost_model=cost_model,
            noise=noise,
        )
        self.render_mode = render_mode
        self._obs = obs
        self.observation_space = getattr(self, f"_{obs}_space")()
        self.action_space = spaces.MultiDiscrete(self._env.num_choices)
        self._last_reward: float | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode.

        Args:
            seed: Fixes which graphs and machines the following episodes play.
            options: `graph`, `hardware`: which of the environment's lists to play, as an index or
                as it was given; `noise`: instead of the environment's.

        Raises:
            opyard.InputError: An option is unknown, not in the lists, or out of range.
        """
        if seed is not None:
            seed = operator.index(seed)  # gymnasium takes no integers of NumPy
        super().reset(seed=seed)
        choice = choice_of(options, self._graphs, self._machines, takes_plan=False)
        self._env.reset(self._seed_of_episode(seed), **choice)
        self._last_reward = None
        return self._observe(), self._env.info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Evaluates the plan that the action stands for; the episode ends."""
        self._last_reward, _, info = self._env.step(action)
        return self._observe(), self._last_reward, True, False, info

    @property
    def plan(self) -> _core.Plan:
        """The plan of the episode's action; the default plan before it, or if it was illegal."""
        return self._env.plan

    def _scene(self) -> render.Scene:
        problem, info = self._env.problem, self._env.info()
        return render.Scene(
            title=self._env.title,
            caption=caption_of(info, 1, self._last_reward),
            problem=problem,
            plan=None if info["outcome"] in NO_PLAN else self._env.plan,
            is_open=np.zeros(problem.graph.num_ops, bool),
            reference_s=info["reference_s"],
        )

    def _observe(self) -> Any:
        return getattr(self, f"_{self._obs}_observation")()

    def _dict_space(self) -> spaces.Dict:
        mask = {"action_mask": spaces.MultiBinary(sum(self._env.num_choices))}
        padded = padded_spaces(self._env.max_ops, self._env.max_edges, self._env.max_devices)
        return spaces.Dict(padded | mask)

    def _dict_observation(self) -> dict[str, np.ndarray]:
        return self._env.observation()

    def _flat_space(self) -> spaces.Box:
        return spaces.Box(0.0, 1.0, (self._env.flat_size,), np.float32)

    def _flat_observation(self) -> np.ndarray:
        return self._env.flat_observation()

    def _graph_space(self) -> spaces.Graph:
        nodes = spaces.Box(0.0, 1.0, (_core.NUM_NODE_FEATURES,), np.float32)
        return spaces.Graph(node_space=nodes, edge_space=features(_core.EDGE_FEATURE_NAMES))

    def _graph_observation(self) -> spaces.GraphInstance:
        nodes, edges, edge_index = self._env.graph_observation()
        return spaces.GraphInstance(nodes, edges, np.ascontiguousarray(edge_index.T))
