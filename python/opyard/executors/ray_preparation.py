"""A training or a tuning as one task of Ray, which goes on where it was lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import opyard
from opyard.executors import ray_task
from opyard.executors.described import Experiment
from opyard.executors.errors import CommandFailedError, ExecutorError
from opyard.executors.folders import FILES, held
from opyard.executors.progress import Progress
from opyard.executors.ray_pieces import reason_of
from opyard.executors.ray_task import Answer, Job
from opyard.executors.request import Request
from opyard.executors.shipment import experiment_path

_MOST_BYTES = 1 << 30
_MOST_LOSSES = 3  # in a row, without anything new
_LEAST_SECONDS = 1.0  # from one state that comes back to the next


def run_preparation(
    ray: Any, experiment: Experiment, request: Request, results: Path, shipment: bytes
) -> None:
    """Runs the training or tuning to its end; `results` holds all that has come back.

    Raises:
        CommandFailedError: It has failed.
        ExecutorError: Its worker was lost again and again, or another process has the folder.
    """
    job = _job(experiment, request, results)
    progress = Progress(is_quiet=request.options.quiet)
    seconds = max(_LEAST_SECONDS, float(experiment.resolved["training"]["save_seconds"]))
    task = ray.remote(num_cpus=request.cpus, max_retries=0, num_returns="streaming")(
        ray_task.run_job_in_parts
    )
    sent = ray.put(shipment)
    losses = 0
    with held(results):
        while True:
            try:
                for report in task.remote(job, sent, _begun(job, results), seconds):
                    if _keep(ray.get(report), job, results):
                        losses = 0
                    progress.show(f"{request.subcommand}: a state has come back")
                return
            except ray.exceptions.RayError as error:
                losses += 1
                if losses > _MOST_LOSSES:
                    raise ExecutorError(f"{request.subcommand}: {reason_of(error)}", 1) from error
            finally:
                progress.end()


def _job(experiment: Experiment, request: Request, results: Path) -> Job:
    out = str(results.absolute()).lstrip("/")
    words = [request.subcommand, "{root}/" + experiment_path(experiment), "--out", "{root}/" + out]
    words += ["--resume", "--threads", str(request.cpus), "--quiet", *request.choices()]
    return Job(
        version=opyard.__version__,
        words=tuple(words),
        folder=str(request.folder).lstrip("/"),
        out=out,
        names=FILES[request.subcommand],
        most_bytes=_MOST_BYTES,
    )


def _begun(job: Job, results: Path) -> dict[str, bytes]:
    """The files that are there by now, if there is a state among them to go on from."""
    if not (results / job.names[0]).exists():
        return {}
    files = [results / name for name in job.names]
    return {file.name: file.read_bytes() for file in files if file.exists()}


def _keep(answer: Answer, job: Job, results: Path) -> bool:
    """Writes what came back, each file as a whole, the state last: nothing is older than it.

    Returns:
        True if the state is another one than before.
    """
    before = _begun(job, results).get(job.names[0])
    for name in reversed(job.names):
        if name in answer.files:
            beside = results / f".{name}.new"
            beside.write_bytes(answer.files[name])
            beside.replace(results / name)
    if answer.status not in (None, 0):
        raise CommandFailedError(answer.status or 3, answer.errors)
    return answer.files.get(job.names[0], before) != before
