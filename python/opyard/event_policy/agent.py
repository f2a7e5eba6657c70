"""The agent `event_policy`, as opyard runs it. Importing it needs no PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np

import opyard
from opyard.event_policy.path_priorities import with_path_transfers

if TYPE_CHECKING:
    from opyard.event_policy.network import EventPolicy
    from opyard.python_agents import RemoteEvaluator

_PLACER_EVALUATIONS = 16


class EventPolicyAgent:
    """A graph network chooses, at each instant, which ready op an idle device starts: first the
    most probable ones, then samples, the best plan kept; a heuristic places the ops.

    It plays `opyard/ListSchedule-v0` with trained weights (weights/README.md).
    """  # noqa: D205 (one sentence, which `opyard agents show` prints)

    tasks = ("placement", "scheduling")
    start = "network"
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
        "Where placement is a task, the placer's own evaluations, 16 at most, are not counted.",
        "Copies have fixed priorities, by the longest paths of their readers.",
    )

    def __init__(
        self,
        placer: Annotated[str, "agent that places the ops, where placement is a task"] = "heft",
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
        """Evaluates the placer's plan, the greedy one, and samples until there is no new one.

        Raises:
            opyard.InputError: The weights cannot be read, PyTorch is missing, or there is no such
                placer.
            opyard.UnsupportedError: The machine has rules of Placeto.
        """
        plan = self._placed(problem, seed)
        evaluator.evaluate([plan])
        if "scheduling" not in problem.tasks:
            return
        policy = self._policy()
        seen: set[opyard.Plan] = set()
        for plans in _played(policy, problem, with_path_transfers(problem, plan), self, seed):
            fresh = [found for found in dict.fromkeys(plans) if found not in seen]
            seen.update(fresh)
            if evaluator.is_done or not fresh:
                return
            evaluator.evaluate(fresh)

    def _placed(self, problem: opyard.Problem, seed: int) -> opyard.Plan:
        """The default order on the devices that the placer found, or on the default ones."""
        if "placement" not in problem.tasks:
            return problem.plan()
        placed = opyard.place(
            problem.graph,
            problem.hardware,
            agent=self.placer,
            tasks=["placement"],
            objective=problem.objective,
            group=problem.group if isinstance(problem.group, int) else "none",
            fusion=problem.fusion,
            devices=problem.devices,
            cost_model=problem.cost_model,
            evaluations=_PLACER_EVALUATIONS,
            seed=seed,
            threads=1,
        )
        return problem.plan(placed.plan.placement if placed.plan else None)

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


def _played(
    policy: EventPolicy,
    problem: opyard.Problem,
    plan: opyard.Plan,
    agent: EventPolicyAgent,
    seed: int,
) -> Iterator[list[opyard.Plan]]:
    """The plans of batch after batch of episodes; the first one's is greedy."""
    from opyard.event_policy.episodes import make_envs, plans_of, play

    rng = np.random.default_rng(seed)
    envs = make_envs(problem, plan, 1)
    yield plans_of(problem, plan, play(policy, envs, rng, num_greedy=1))
    envs = make_envs(problem, plan, agent.batch)
    while True:
        yield plans_of(problem, plan, play(policy, envs, rng))
