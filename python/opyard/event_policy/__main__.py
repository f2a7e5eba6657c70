r"""Trains the network of `event_policy`; begun again, it goes on from the last checkpoint.

python -m opyard.event_policy --out results/event-policy

Writes into the folder `weights.npz`, which the agent's parameter `weights` takes, `checkpoint.pt`
and `curve.csv`. One thread of one core.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from pathlib import Path

import numpy as np
import torch

import opyard
from opyard.event_policy import family, weights
from opyard.event_policy.episodes import make_envs, play
from opyard.event_policy.rules import best_rule_makespan
from opyard.event_policy.training import Settings, Training

_NUM_VALIDATION = 30
_UPDATES_BETWEEN = 100  # two checkpoints


def main() -> None:
    """Trains until all updates are made."""
    arguments = _arguments()
    torch.set_num_threads(1)
    checkpoint = arguments.out / "checkpoint.pt"
    if checkpoint.exists():
        training = Training.from_checkpoint(checkpoint)
        print(f"goes on at update {training.updates}, with {training.settings}")
    else:
        training = Training(Settings(updates=arguments.updates, seed=arguments.seed))
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "curve.csv").write_text("updates,cpu_seconds,cost,ratio\n")
    problems = validation_problems()
    costs: list[float] = []
    while not training.is_done:
        costs.append(training.update(family.sample_problem))
        if training.updates % _UPDATES_BETWEEN == 0 or training.is_done:
            _note(arguments.out, training, float(np.mean(costs)), ratio_of(training, problems))
            training.save(checkpoint)
            costs.clear()
    record = dataclasses.asdict(training.settings) | {"opyard": opyard.__version__}
    record["command"] = f"python -m opyard.event_policy --updates {training.updates}"
    weights.save(arguments.out / "weights.npz", training.policy, record)


def validation_problems() -> list[tuple[family.PlacedProblem, float]]:
    """Problems that are not trained on, each with the makespan of the best rule, in seconds."""
    rng = np.random.default_rng(family.VALIDATION_SEED)
    first = family.VALIDATION_SEED
    problems = [family.sample_problem(rng, first_seed=first) for _ in range(_NUM_VALIDATION)]
    return [(placed, best_rule_makespan(placed)) for placed in problems]


def ratio_of(training: Training, problems: list[tuple[family.PlacedProblem, float]]) -> float:
    """Geometric mean of the makespans of greedy episodes ÷ those of the best rules."""
    logarithms = []
    for placed, best in problems:
        envs = make_envs(placed.problem, placed.plan, 1)
        episodes = play(training.policy, envs, np.random.default_rng(0), num_greedy=1)
        logarithms.append(np.log(episodes.makespan_s[0] / best))
    return float(np.exp(np.mean(logarithms)))


def _note(folder: Path, training: Training, cost: float, ratio: float) -> None:
    line = f"{training.updates},{time.process_time():.0f},{cost:.4f},{ratio:.4f}"
    print(line, flush=True)
    with (folder / "curve.csv").open("a") as file:
        file.write(line + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m opyard.event_policy", description="Trains the network of event_policy."
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of weights and checkpoint")
    parser.add_argument("--updates", type=int, default=Settings.updates, help="%(default)s")
    parser.add_argument("--seed", type=int, default=Settings.seed, help="%(default)s")
    return parser.parse_args()


if __name__ == "__main__":
    main()
