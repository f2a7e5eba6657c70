r"""Logs searches and trainings to Weights & Biases; WANDB_MODE=offline keeps all on this machine.

In a program, `opyard.place(..., callback=wandb_callback(run))`; of any command, its lines:

opyard train train-small --out results/small --progress-json - | \
  python examples/tracking/wandb_callback.py
"""

import json
import sys
from collections.abc import Callable, Iterable

import opyard
import wandb


def wandb_callback(run: wandb.Run) -> Callable[[opyard.SearchProgress], None]:
    """A callback of `opyard.place` that logs the best plan so far, by evaluations."""

    def log(progress: opyard.SearchProgress) -> None:
        if progress.score is not None:
            figures = {"best_score": progress.score, "best_step_time_s": progress.makespan_s}
            run.log({f"search/{name}": figures[name] for name in figures}, progress.evaluations)

    return log


def follow(lines: Iterable[str]) -> None:
    """Logs the lines of `--progress-json`: a run of W&B for each run of opyard."""
    runs: dict[str, wandb.Run] = {}
    for record in map(json.loads, lines):
        if record["run"] not in runs:
            runs[record["run"]] = wandb.init(
                project="opyard", name=record["run"], reinit="create_new"
            )
            for kind in ("search", "learning", "training", "tuning"):
                runs[record["run"]].define_metric(f"{kind}/*", step_metric=f"{kind}/step")
        kind = next(iter(record["values"]), "").partition("/")[0]
        runs[record["run"]].log(record["values"] | {f"{kind}/step": record["step"]})
    for run in runs.values():
        run.finish()


if __name__ == "__main__":
    follow(sys.stdin)
