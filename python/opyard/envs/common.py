"""Arguments, spaces, and words for outcomes that the environments share."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces

from opyard import _core
from opyard.envs import render

# One graph or machine: itself, or its reference.
GraphChoice: TypeAlias = str | os.PathLike[str] | _core.Graph
MachineChoice: TypeAlias = str | os.PathLike[str] | _core.Machine

RENDER_MODES = ("ansi", "rgb_array")
RENDER_FPS = 4
OUTCOMES = ("not run", "completed", "out of memory", "illegal action", "deadlock")
NO_PLAN = (0, 3)  # the outcomes that come without a plan in `OneShotEnv`


class RenderModeError(_core.InputError, TypeError):
    """A `render_mode` that there is not.

    It is a TypeError, too, as which trainers expect it.
    """


class ProblemEnv(gymnasium.Env):
    """The base of environments over lists of graphs and machines: copies, seeds, pictures."""

    metadata = {  # noqa: RUF012 (gymnasium's interface)
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }
    _env: _core.StepEnv
    _graphs: list[Any]
    _machines: list[Any]
    _obs: str
    _is_seeded = False

    def __copy__(self) -> Self:
        """A copy as by `deepcopy`: its episodes are its own."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        """The problem of the present episode, and how many there are."""
        return (
            f"<{type(self).__name__} {self._env.title}, obs {self._obs}, one of "
            f"{len(self._graphs) * len(self._machines)} problems>"
        )

    def action_masks(self) -> np.ndarray:
        """The legal choices as booleans, number after number."""
        return self._env.action_mask().astype(bool)

    def fork(self) -> Self:
        """A copy in the middle of the episode; neither touches the other."""
        return copy.deepcopy(self)

    def get_state(self) -> tuple[Any, ...]:
        """Where the episode stands, for `set_state` of an environment with the same arguments."""
        return self._env.get_state()

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Goes on where `get_state` was called, random choices included.

        Raises:
            opyard.InputError: The state is of another environment.
        """
        self._env.set_state(state)
        self._is_seeded = True

    def render(self) -> str | np.ndarray | None:
        """The plan so far, simulated.

        Returns:
            In mode "ansi" a text: where the episode stands, and the timeline of
            `opyard simulate --gantt`. In mode "rgb_array" a picture, uint8 [540, 960, 3]: lanes of
            devices, of busy channels and of memory. Ops that are open are white, where the default
            plan has them.

        Raises:
            gymnasium.error.DependencyNotInstalled: "rgb_array" without Pillow.
        """
        if self.render_mode is None:
            return None
        return (
            render.text(self._scene())
            if self.render_mode == "ansi"
            else render.picture(self._scene())
        )

    def _scene(self) -> render.Scene:
        """What `render` shows."""
        raise NotImplementedError

    def _seed_of_episode(self, seed: int | None) -> int | None:
        """The seed to begin with: the given one, else at first a random one, else none."""
        if seed is None and self._is_seeded:
            return None
        self._is_seeded = True
        return int(self.np_random.integers(2**63)) if seed is None else seed % 2**64


def check_choice(what: str, found: object, expected: Sequence[str]) -> None:
    """Raises InputError unless `found` is one of the words."""
    if found not in expected:
        raise _core.InputError(f"{what}: found {found!r}, expected one of {', '.join(expected)}")


def check_render_mode(render_mode: str | None) -> None:
    """Raises RenderModeError for a mode that is none of RENDER_MODES, nor None."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise RenderModeError(
            f"render_mode: found {render_mode!r}, expected None, 'ansi' or 'rgb_array'"
        )


def caption_of(info: Mapping[str, Any], steps: int, reward: float | None) -> str:
    """One line on where an episode stands, from its `info` and the number of its steps."""
    parts = [] if steps == 1 else [f"step {info['step']} of {steps}"]
    if info["outcome"] == 0:
        parts += ["not run"] if steps == 1 else []
    else:
        parts.append(OUTCOMES[info["outcome"]])
        parts.append(f"makespan {info['makespan_s'] * 1e3:.6g} ms")
        parts.append(f"peak {info['peak_memory_bytes'] / 2**20:.6g} MiB")
    parts.append(f"reference {info['reference_s'] * 1e3:.6g} ms")
    if reward is not None:
        parts.append(f"reward {reward:.6g}")
    return ", ".join(parts)


def open_ops(problem: _core.Problem, plan: np.ndarray) -> np.ndarray:
    """Bool [num_ops]: nothing is decided about the op in `plan`, [3, max_ops] of an observation."""
    tasks = ("placement", "scheduling", "fusion")
    rows = [row for row, task in enumerate(tasks) if task in problem.tasks]
    return (plan[rows, : problem.graph.num_ops] == -1).all(axis=0)


def as_list(given: Any) -> list[Any]:
    """The given things as a list: those of a list, an array or the like, or one thing."""
    is_one = isinstance(given, str | os.PathLike) or not isinstance(given, Iterable)
    return [given] if is_one else list(given)


def index_of(what: str, choice: Any, known: list[Any]) -> int | None:
    """The position of a choice among the known ones; an index stands for itself."""
    if choice is None:
        return None
    if isinstance(choice, int | np.integer) and 0 <= choice < len(known):
        return int(choice)
    if not isinstance(choice, int | np.integer) and choice in known:
        return known.index(choice)
    names = ", ".join(str(entry) for entry in known)
    raise _core.InputError(
        f"options/{what}: found {choice!r}, expected an index below {len(known)} or one of {names}"
    )


def choice_of(
    options: Mapping[str, Any] | None,
    graphs: list[Any],
    machines: list[Any],
    takes_plan: bool = True,
) -> dict[str, Any]:
    """The options of a reset as arguments of `_core.StepEnv.reset`.

    Raises:
        opyard.InputError: An option is unknown or not in the lists.
    """
    left = dict(options or {})
    choice = {
        "graph": index_of("graph", left.pop("graph", None), graphs),
        "machine": index_of("hardware", left.pop("hardware", None), machines),
        "noise": left.pop("noise", None),
    }
    if takes_plan:
        choice["plan"] = left.pop("plan", None)
    if left:
        expected = ["graph", "hardware", "noise"] + ["plan"] * takes_plan
        raise _core.InputError(
            f"options: found {', '.join(map(str, left))}, expected {', '.join(expected)}"
        )
    return choice


def features(names: Sequence[str], *counts: int) -> spaces.Box:
    """The space of rows of features with these names."""
    return spaces.Box(0.0, 1.0, (*counts, len(names)), np.float32)


def padded_spaces(ops: int, edges: int, devices: int) -> dict[str, spaces.Space[Any]]:
    """The spaces of the arrays that stay the same through an episode, by their names."""
    return {
        "op_type": spaces.Box(0, _core.TYPE_VOCABULARY - 1, (ops,), np.int64),
        "x": features(_core.FEATURE_NAMES, ops),
        "edge_index": spaces.Box(0, ops - 1, (2, edges), np.int64),
        "edge_x": features(_core.EDGE_FEATURE_NAMES, edges),
        "device_x": features(_core.DEVICE_FEATURE_NAMES, devices),
        "pair_x": features(_core.PAIR_FEATURE_NAMES, devices, devices),
        "topological_order": spaces.Box(0, ops - 1, (ops,), np.int64),
        "group_id": spaces.Box(0, ops - 1, (ops,), np.int64),
        "op_mask": spaces.MultiBinary(ops),
        "edge_mask": spaces.MultiBinary(edges),
        "machine_mask": spaces.MultiBinary(devices),
    }


def step_spaces(env: _core.StepEnv) -> dict[str, spaces.Space[Any]]:
    """The spaces of the arrays that change from step to step, by their names."""
    ops, devices = env.max_ops, env.max_devices
    most = max(devices, env.num_levels) - 1
    return {
        "plan": spaces.Box(-1, most, (3, ops), np.int64),
        "current": spaces.Box(0, 4, (ops,), np.int8),
        "device_load": spaces.Box(0.0, 1.0, (devices,), np.float32),
        "device_memory": spaces.Box(0.0, 1.0, (devices,), np.float32),
        "progress": spaces.Box(0.0, 1.0, (2,), np.float32),
        "action_mask": spaces.MultiBinary(sum(env.num_choices)),
    }


def step_observation_space(env: _core.StepEnv) -> spaces.Dict:
    """The space of a whole observation of a step-by-step environment."""
    padded = padded_spaces(env.max_ops, env.max_edges, env.max_devices)
    return spaces.Dict(padded | step_spaces(env))


def action_space_of(num_choices: Sequence[int]) -> spaces.Space[Any]:
    """`Discrete` for actions of one number, else `MultiDiscrete`."""
    if len(num_choices) == 1:
        return spaces.Discrete(num_choices[0])
    return spaces.MultiDiscrete(num_choices)
