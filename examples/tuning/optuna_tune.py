"""Tunes the parameters of an agent with Optuna, and compares with `opyard tune`.

python examples/tuning/optuna_tune.py --out results/optuna

Both have the same space, problems, budget of a search and number of trials, that with the defaults
among them. Optuna samples by TPE and gives up a trial that is behind the median of the others;
`opyard tune` samples at random and halves (docs/formats.md, "Tuning"). Then the defaults and both
answers search problems that neither has seen, with other seeds.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import optuna
import opyard

AGENT, MACHINE = "brkga", "p100x4-pcie"
GRAPH = "random:layered?n=60&seed={i}"
# Parameter: least, greatest, scale, and whether it is whole.
SPACE = {
    "population": (25, 400, "log", True),
    "elite_share": (0.05, 0.4, "linear", False),
    "mutant_share": (0.02, 0.4, "linear", False),
    "elite_bias": (0.5, 0.9, "linear", False),
    "host_alpha": (0.1, 5.0, "log", False),
}
UNSEEN = 1000  # the number of the first unseen graph


def score(number: int, params: dict[str, Any], evaluations: int) -> float:
    """The score of one search on graph `number`, with that number as its seed."""
    graph = GRAPH.format(i=number)
    found = opyard.place(
        graph, MACHINE, agent=AGENT, params=params, seed=number, evaluations=evaluations
    )
    return math.inf if found.score is None else found.score


@functools.cache
def usual_score(number: int, evaluations: int) -> float:
    """The same with the defaults."""
    return score(number, {}, evaluations)


def ratio(number: int, params: dict[str, Any], evaluations: int) -> float:
    """The score with `params` as a multiple of that with the defaults; less is better."""
    return score(number, params, evaluations) / usual_score(number, evaluations)


def sample(trial: optuna.Trial) -> dict[str, Any]:
    """A value of each parameter of the space."""
    params: dict[str, Any] = {}
    for name, (low, high, scale, is_whole) in SPACE.items():
        suggest = trial.suggest_int if is_whole else trial.suggest_float
        params[name] = suggest(name, low, high, log=scale == "log")
    return params


def objective(words: argparse.Namespace) -> Callable[[optuna.Trial], float]:
    """The mean ratio over the problems, reported after each of them."""

    def mean_ratio(trial: optuna.Trial) -> float:
        params, ratios = sample(trial), []
        for number in range(words.problems):
            ratios.append(ratio(number, params, words.evaluations))
            trial.report(statistics.fmean(ratios), number)
            if trial.should_prune():
                raise optuna.TrialPruned
        return statistics.fmean(ratios)

    return mean_ratio


def by_optuna(words: argparse.Namespace) -> tuple[dict[str, Any], int]:
    """The best parameters of a study, written as `opyard tune` writes them, and its searches."""
    study = optuna.create_study(
        sampler=optuna.samplers.TPESampler(seed=words.seed),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=4, n_warmup_steps=1),
    )
    study.optimize(objective(words), n_trials=words.trials - 1)
    best = study.best_params if study.best_value < 1 else {}  # the defaults have 1
    record = {
        "command": " ".join(sys.argv),
        "version": opyard.__version__,
        "optuna": optuna.__version__,
        "seed": words.seed,
        "trials": [{"params": t.params, "state": t.state.name.lower()} for t in study.trials],
    }
    tuned = {"schema_version": 1, "agent": AGENT, "params": best, "record": record}
    words.out.mkdir(parents=True, exist_ok=True)
    (words.out / "tuned.json").write_text(json.dumps(tuned, indent=1) + "\n", encoding="utf-8")
    searches = words.problems + sum(len(trial.intermediate_values) for trial in study.trials)
    return best, searches


def by_opyard(words: argparse.Namespace) -> tuple[dict[str, Any], int]:
    """The parameters that `opyard tune` finds in the same space, and its searches."""
    space = {name: {"low": a, "high": b, "scale": c} for name, (a, b, c, _) in SPACE.items()}
    experiment = {
        "schema_version": 1,
        "name": "optuna-example",
        "split": {
            "train": [{"graph": GRAPH, "count": words.problems}],
            "test": [GRAPH.format(i=UNSEEN)],
        },
        "hardware": [MACHINE],
        "budget": {"evaluations": words.evaluations},
        "agents": [AGENT],
        "tuning": {"trials": words.trials, "first_problems": 2, "space": space},
        "seeds": [words.seed],
    }
    path = words.out / "tune.yaml"  # JSON is YAML
    path.write_text(json.dumps(experiment), encoding="utf-8")
    command = ["tune", str(path), "--out", str(words.out / "opyard"), "--quiet", "--json"]
    ended = subprocess.run(
        [sys.executable, "-m", "opyard", *command], stdout=subprocess.PIPE, check=True
    )
    answer = json.loads(ended.stdout)
    return answer["params"], answer["runs"]


def report(name: str, params: dict[str, Any], searches: int, words: argparse.Namespace) -> None:
    """Prints how much less scores on unseen graphs are than with the defaults, ± 95 %."""
    gains = [
        100 * (1 - ratio(UNSEEN + number, params, words.evaluations))
        for number in range(words.unseen)
    ]
    error = 1.96 * statistics.stdev(gains) / math.sqrt(len(gains))
    shown = ", ".join(f"{key}={value:.4g}" for key, value in params.items()) or "the defaults"
    print(f"{name}: scores {statistics.fmean(gains):.2f} ± {error:.2f} % below the defaults'")
    print(f"  on {len(gains)} unseen graphs; {searches} searches; {shown}")


def main() -> None:
    """Tunes twice and prints both answers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of what is written")
    parser.add_argument("--trials", type=int, default=12, help="that with the defaults included")
    parser.add_argument("--problems", type=int, default=8, help="graphs to tune on")
    parser.add_argument("--unseen", type=int, default=12, help="graphs to compare on, 2 or more")
    parser.add_argument("--evaluations", type=int, default=1000, help="budget of a search")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    report("Optuna", *by_optuna(words), words)
    report("opyard tune", *by_opyard(words), words)


if __name__ == "__main__":
    main()
