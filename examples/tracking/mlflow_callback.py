r"""Logs searches and trainings to MLflow, where MLFLOW_TRACKING_URI says.

In a program, `opyard.place(..., callback=mlflow_callback(run_id))`; of any command, its lines:

opyard train train-small --out results/small --progress-json - | \
  python examples/tracking/mlflow_callback.py
"""

import json
import sys
from collections.abc import Callable, Iterable

import mlflow
import opyard


def mlflow_callback(run_id: str) -> Callable[[opyard.SearchProgress], None]:
    """A callback of `opyard.place` that logs the best plan so far, by evaluations."""

    def log(progress: opyard.SearchProgress) -> None:
        if progress.score is not None:
            figures = {"best_score": progress.score, "best_step_time_s": progress.makespan_s}
            values = {f"search/{name}": figures[name] for name in figures}
            mlflow.log_metrics(values, progress.evaluations, run_id=run_id)

    return log


def follow(lines: Iterable[str]) -> None:
    """Logs the lines of `--progress-json`: a run of MLflow for each run of opyard."""
    client = mlflow.MlflowClient()
    mlflow.set_experiment("opyard")
    runs: dict[str, str] = {}
    for record in map(json.loads, lines):
        if record["run"] not in runs:
            with mlflow.start_run(run_name=record["run"]) as run:
                runs[record["run"]] = run.info.run_id
        mlflow.log_metrics(record["values"], record["step"], run_id=runs[record["run"]])
    for run_id in runs.values():
        client.set_terminated(run_id)


if __name__ == "__main__":
    follow(sys.stdin)
