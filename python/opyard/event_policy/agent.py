"""The agent `event_policy`, as opyard runs it. Importing it needs no PyTorch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np

import opyard
from opyard.event_policy.path_priorities import with_path_transfers
from opyard.python_agents.heuristic_plan import heuristic_plan

if TYPE_CHECKING:
    from opyard.event_policy.network import EventPolicy
    from opyard.python_agents import RemoteEvaluator

_PLACER_EVALUATIONS = 16
_HIGHEST_TEMPERATURE = 64.0


class EventPolicyAgent:
    """A heuristic's plan, then others on its devices: a graph network chooses, at each instant,
    which ready op an idle device starts, first the most probable one, then samples.

    It plays `opyard/ListSchedule-v0` with trained weights (weights/README.md).
    """  # noqa: D205 (one sentence, which `opyard agents show` prints)

    tasks = ("placement", "scheduling")
    start = "rules"
    paper = "Mao et al., SIGCOMM 2019 (Decima)"
    deviations = (
        "Decima chooses a stage of a job and how many executors it gets; here an idle device "
        "chooses among the ops that are ready on it.",
        "Messages along edges keep the greatest value, not the sum: channels are longest paths "
        "with learned weights, which begin as those of critical_path and mopnr. They are computed "
        "once; what changes with time enters by one message from readers and by summaries.",
        "Summaries are one per device, in place of one per job, and one of all.",
        "Baselines are interpolated over the ops that have started, not over time; no curriculum "
        "of episode lengths and no differential rewards: an episode ends by itself.",
        "Where placement is a task, the ops are where a heuristic places them; of its evaluations, "
        "16 at most, only that of its best plan is counted.",
        "Copies have fixed priorities, by the longest paths of their readers.",
    )

    def __init__(
        self,
        placer: Annotated[
            str, "agent whose plan comes first, where placement is a task"
        ] = "critical_path_aware",
        batch: Annotated[int, "episodes that are sampled side by side", (1, 1024)] = 16,
        weights: Annotated[
            str, "file that `python -m opyard.event_policy` wrote; empty: the shipped one"
        ] = "",
    ) -> None:
        self.placer = placer
        self.batch = batch
        self.weights = weights

    def search(
        self,
        problem: opyard.Problem,
        evaluator: RemoteEvaluator | opyard.Evaluator,
        seed: int,
    ) -> None:
        """Evaluates the placer's plan, the greedy one, and samples.

        Whenever less than half of a batch is new, the next one is sampled at twice the temperature;
        the search ends when a batch at the highest one was.

        Raises:
            opyard.InputError: The weights cannot be read, PyTorch is missing, or there is no such
                placer.
            opyard.UnsupportedError: The machine has rules of Placeto.
        """
        plan = self._placed(problem, seed)
        evaluator.evaluate([plan])
        if "scheduling" not in problem.tasks:
            return
        play_batch = _batches(self._policy(), problem, with_path_transfers(problem, plan), seed)
        seen: set[opyard.Plan] = set()
        temperature, num_envs, num_greedy = 1.0, 1, 1
        while not evaluator.is_done and temperature <= _HIGHEST_TEMPERATURE:
            plans = play_batch(num_envs, num_greedy, temperature)
            fresh = [found for found in dict.fromkeys(plans) if found not in seen]
            seen.update(fresh)
            evaluator.evaluate(fresh)
            if 2 * len(fresh) < num_envs:
                temperature *= 2
            num_envs, num_greedy = self.batch, 0

    def _placed(self, problem: opyard.Problem, seed: int) -> opyard.Plan:
        """The placer's plan, or the default one where placement is no task."""
        if "placement" not in problem.tasks:
            return problem.plan()
        placed = heuristic_plan(
            problem, self.placer, self.tasks, evaluations=_PLACER_EVALUATIONS, seed=seed
        )
        return placed or problem.plan()

    def _policy(self) -> EventPolicy:
        try:
            import torch

            from opyard.event_policy import weights
        except ImportError as error:
            raise opyard.InputError(
                f"event_policy needs PyTorch ({error}); install it: pip install 'opyard[torch]'"
            ) from error
        torch.set_num_threads(1)  # tensors are small, and one thread adds up in one order
        return weights.load(Path(self.weights) if self.weights else weights.shipped_path())[0]


def _batches(
    policy: EventPolicy, problem: opyard.Problem, plan: opyard.Plan, seed: int
) -> Callable[[int, int, float], list[opyard.Plan]]:
    """A function that plays a batch of episodes on the devices of `plan`, and gives their plans.

    It takes how many there are, how many of them are greedy, and the temperature of the others.
    """
    from opyard.event_policy.episodes import make_envs, plans_of, play

    rng = np.random.default_rng(seed)
    make = functools.cache(lambda num_envs: make_envs(problem, plan, num_envs))

    def play_batch(num_envs: int, num_greedy: int, temperature: float) -> list[opyard.Plan]:
        envs = make(num_envs)
        episodes = play(policy, envs, rng, num_greedy=num_greedy, temperature=temperature)
        return plans_of(problem, plan, episodes)

    return play_batch
