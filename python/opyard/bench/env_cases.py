"""The cases of `opyard bench env`."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode

from opyard import _core
from opyard.bench.idle_env import IdleEnv
from opyard.bench.measurement import Case, rate_of
from opyard.bench.random_episodes import RandomEpisodes, plans_of

PLACEMENT, IMPROVE, ONE_SHOT = "opyard/Placement-v0", "opyard/Improve-v0", "opyard/OneShot-v0"
LIST_SCHEDULE = "opyard/ListSchedule-v0"
EVALUATOR, ENGINE, IDLE, CARTPOLE = "Evaluator", "engine", "idle", "CartPole-v1"
# The modes of vectors, of single environments, and of batches.
VIEWS, COPIES, SYNC, SINGLE = "native", "native_copies", "sync_vector", "gym_make"
ARRAYS, PLANS, ENVPOOL = "arrays", "plans", "envpool"
# The modes of the engine: the plans of `Improve`, and random placements.
OF_IMPROVE, OF_EVALUATOR = "plans_of_improve", "random_placements"

_LANES_OF_ENGINE = 16  # episodes of `Improve` whose plans the engine runs
_BATCHES = 16  # different ones of the evaluator


@dataclasses.dataclass(frozen=True)
class EnvBench:
    """The problem and the sizes that all cases have in common."""

    graph: _core.Graph
    hardware: _core.Machine
    num_envs: int
    threads: int
    envpool: Path | None = None  # a Python that has EnvPool

    def cases(self) -> list[Case]:
        """All cases; makes their environments and plans."""
        episodes = RandomEpisodes.of(self.graph, self.hardware)
        cases = [*self._placements(episodes), *self._improvements(episodes), *self._one_shots()]
        cases += [*self._list_schedules(), *self._evaluations(episodes)]
        if self.envpool is not None:
            cases.append(self._case(CARTPOLE, ENVPOOL, self._envpool_rate(), threads=self.threads))
        return cases

    def _case(self, env: str, mode: str, rate: Callable[[float], float], threads: int = 1) -> Case:
        """A case of a vector or a batch."""
        return Case(env, mode, self.num_envs, threads, rate)

    def _vector(self, env_id: str, **keywords: Any) -> gymnasium.vector.VectorEnv:
        return gymnasium.make_vec(
            env_id, self.num_envs, graph=self.graph, hardware=self.hardware, **keywords
        )

    def _placements(self, episodes: RandomEpisodes) -> Iterator[Case]:
        actions = episodes.actions(self.num_envs, seed=1)
        for copy, mode in ((False, VIEWS), (True, COPIES)):
            for threads in sorted({1, self.threads}):
                envs = self._vector(PLACEMENT, copy=copy, threads=threads)
                yield self._case(PLACEMENT, mode, rate_of(vector_steps(envs, actions)), threads)
        envs = self._vector(PLACEMENT, vectorization_mode="sync")
        yield self._case(PLACEMENT, SYNC, rate_of(vector_steps(envs, actions)))
        env = gymnasium.make(PLACEMENT, graph=self.graph, hardware=self.hardware)
        seen, _ = env.reset(seed=0)
        yield Case(PLACEMENT, SINGLE, 1, 1, rate_of(single_steps(env, actions)))
        arguments = {
            "observation": seen,
            "space": env.observation_space,
            "length": len(actions),
        }
        idle = gymnasium.make(EnvSpec("opyard/Idle-v0", entry_point=IdleEnv, kwargs=arguments))
        yield Case(IDLE, SINGLE, 1, 1, rate_of(single_steps(idle, actions)))

    def _improvements(self, episodes: RandomEpisodes) -> Iterator[Case]:
        actions = episodes.actions(self.num_envs, seed=2)
        problem = _core.Problem(self.graph, self.hardware)
        plans = plans_of(problem, episodes.improvements(actions[:, :_LANES_OF_ENGINE]))
        for threads in sorted({1, self.threads}):
            envs = self._vector(IMPROVE, copy=False, threads=threads)
            yield self._case(IMPROVE, VIEWS, rate_of(vector_steps(envs, actions)), threads)
            yield Case(ENGINE, OF_IMPROVE, 1, threads, engine_rate(problem, plans, threads))

    def _one_shots(self) -> Iterator[Case]:
        env = gymnasium.make(ONE_SHOT, graph=self.graph, hardware=self.hardware)
        action = np.zeros(env.action_space.shape, np.int64)
        for number, legal in enumerate(np.split(env.unwrapped.action_masks(), len(action))):
            action[number] = np.flatnonzero(legal)[-1]
        yield Case(ONE_SHOT, SINGLE, 1, 1, rate_of(single_steps(env, [[action]])))
        actions = np.tile(action, (self.num_envs, 1))
        for mode, keywords in (
            (VIEWS, {"copy": False, "threads": 1}),
            (
                SYNC,
                {
                    "vectorization_mode": "sync",
                    "vector_kwargs": {"autoreset_mode": AutoresetMode.SAME_STEP},
                },
            ),
        ):
            envs = self._vector(ONE_SHOT, **keywords)
            yield self._case(ONE_SHOT, mode, rate_of(one_shot_steps(envs, actions)))

    def _list_schedules(self) -> Iterator[Case]:
        envs = self._vector(LIST_SCHEDULE, copy=False, threads=1)
        yield self._case(LIST_SCHEDULE, VIEWS, rate_of(first_legal_steps(envs)))

    def _evaluations(self, episodes: RandomEpisodes) -> Iterator[Case]:
        problem = _core.Problem(self.graph, self.hardware)
        actions = episodes.actions(_BATCHES * self.num_envs, seed=3)
        arrays = np.split(episodes.placements(actions), _BATCHES)
        plans = [plans_of(problem, batch) for batch in arrays]
        evaluator = _core.Evaluator(problem, threads=1)
        for mode, evaluate, batches in (
            (ARRAYS, evaluator.evaluate_placements, arrays),
            (PLANS, evaluator.evaluate, plans),
        ):
            yield self._case(EVALUATOR, mode, rate_of(batch_steps(evaluate, batches)))
        runs = engine_rate(problem, [plan for batch in plans for plan in batch], threads=1)
        yield Case(ENGINE, OF_EVALUATOR, 1, 1, runs)

    def _envpool_rate(self) -> Callable[[float], float]:
        script = Path(__file__).with_name("envpool_steps.py")

        def rate(seconds: float) -> float:
            numbers = map(str, (self.num_envs, self.threads, seconds))
            try:
                ended = subprocess.run(
                    [self.envpool, script, *numbers], capture_output=True, text=True, check=True
                )
            except (OSError, subprocess.CalledProcessError) as error:
                said = getattr(error, "stderr", None) or str(error)
                raise _core.InputError(
                    f"--envpool {self.envpool}: found {said.strip().splitlines()[-1]!r}, expected "
                    "a Python that imports envpool"
                ) from error
            return float(json.loads(ended.stdout.splitlines()[-1])["steps_per_second"])

        return rate


def vector_steps(envs: gymnasium.vector.VectorEnv, actions: np.ndarray) -> Callable[[], int]:
    """One episode of all environments, [steps, num_envs] actions, and the step that resets them."""
    envs.reset(seed=0)

    def steps() -> int:
        for action in actions:
            envs.step(action)
        envs.step(actions[0])
        return int(actions.size)

    return steps


def one_shot_steps(envs: gymnasium.vector.VectorEnv, actions: np.ndarray) -> Callable[[], int]:
    """One step, an episode of each environment."""
    envs.reset(seed=0)

    def steps() -> int:
        envs.step(actions)
        return len(actions)

    return steps


def first_legal_steps(envs: gymnasium.vector.VectorEnv, count: int = 16) -> Callable[[], int]:
    """So many steps of the first legal action, whatever ends and begins meanwhile."""
    seen, _ = envs.reset(seed=0)
    masks = seen["action_mask"]

    def steps() -> int:
        for _ in range(count):
            envs.step(masks.argmax(axis=1))
        return count * envs.num_envs

    return steps


def single_steps(env: gymnasium.Env, actions: Any) -> Callable[[], int]:
    """One episode, by the first of the actions of each step, and its reset."""
    chosen = [step[0] for step in actions]
    chosen = [action if np.ndim(action) else int(action) for action in chosen]

    def steps() -> int:
        env.reset(seed=0)
        for action in chosen:
            env.step(action)
        return len(chosen)

    return steps


def batch_steps(evaluate: Callable[[Any], Any], batches: list[Any]) -> Callable[[], int]:
    """Each batch once."""

    def steps() -> int:
        for batch in batches:
            evaluate(batch)
        return sum(len(batch) for batch in batches)

    return steps


def engine_rate(
    problem: _core.Problem, plans: list[_core.Plan], threads: int
) -> Callable[[float], float]:
    """The engine's runs of the plans, again and again, per second."""

    def rate(seconds: float) -> float:
        done, passed = 0, 0.0
        while not done or passed < seconds:
            passed += _core.time_runs(problem, plans, threads)
            done += len(plans)
        return done / passed

    return rate
