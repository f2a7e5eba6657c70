"""The pieces of a matrix as tasks of Ray."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import opyard
from opyard.executors import ray_task
from opyard.executors.described import Experiment
from opyard.executors.errors import CommandFailedError, ExecutorError
from opyard.executors.piece_store import MOST_BYTES, STORE, keep_arrived
from opyard.executors.pieces import Pieces
from opyard.executors.progress import Progress
from opyard.executors.ray_task import Answer, Job
from opyard.executors.request import Request
from opyard.executors.shipment import experiment_path

PIECES_PER_CPU = 4  # so many that a slow one, and a lost one, cost little
_RETRIES = 3  # of a piece whose worker was lost
_SECONDS_BETWEEN = 1.0  # of the progress line


def run_pieces(
    ray: Any, pieces: Pieces, experiment: Experiment, request: Request, shipment: bytes
) -> None:
    """Runs what is missing; each piece is on disk as soon as it has come back.

    Ray runs a piece again whose worker was lost, in another one, from its beginning. Pieces that
    are at work when an error leaves this function end as the connection does (ray_cluster.py).

    Raises:
        CommandFailedError: A piece has failed.
        ExecutorError: A piece was lost again and again, or came back as something else.
    """
    task = ray.remote(num_cpus=request.cpus, max_retries=_RETRIES)(ray_task.run_job)
    sent = ray.put(shipment)
    waiting = {}
    for piece in pieces.missing():
        name = f"opyard {experiment.name} {pieces.shard_of(piece)}"
        job = _job(pieces, piece, experiment, request)
        waiting[task.options(name=name).remote(job, sent)] = piece
    progress = Progress(is_quiet=request.options.quiet)
    try:
        _collect(ray, pieces, waiting, progress)
    finally:
        progress.end()


def _job(pieces: Pieces, piece: int, experiment: Experiment, request: Request) -> Job:
    out = str(pieces.folder_of(piece).absolute()).lstrip("/")
    words = ["run", "{root}/" + experiment_path(experiment), "--out", "{root}/" + out]
    words += ["--shard", pieces.shard_of(piece), "--threads", str(request.cpus)]
    if request.options.jobs is not None:
        words += ["--jobs", str(request.options.jobs)]
    if request.options.no_training:
        words.append("--no-training")
    return Job(
        version=opyard.__version__,
        words=(*words, "--quiet"),
        folder=str(request.folder).lstrip("/"),
        out=out,
        names=(STORE,),
        most_bytes=MOST_BYTES,
    )


def _collect(ray: Any, pieces: Pieces, waiting: dict[Any, int], progress: Progress) -> None:
    """Keeps what comes back, until all pieces are there."""
    num_runs = pieces.num_runs - sum(pieces.runs_of(piece) for piece in waiting.values())
    while waiting:
        done = pieces.count - len(waiting)
        progress.show(
            f"pieces: {done} of {pieces.count}, runs: {num_runs} of {pieces.num_runs}",
            is_last=False,
        )
        ready, _ = ray.wait(list(waiting), num_returns=1, timeout=_SECONDS_BETWEEN)
        for reference in ready:
            piece = waiting[reference]
            _keep(pieces, piece, _answer(ray, reference, pieces.shard_of(piece)))
            del waiting[reference]
            num_runs += pieces.runs_of(piece)
    progress.show(f"pieces: {pieces.count}, runs: {num_runs}; joining them", is_last=True)


def _answer(ray: Any, reference: Any, shard: str) -> Answer:
    try:
        return ray.get(reference)
    except ray.exceptions.RayError as error:
        raise ExecutorError(
            f"piece {shard}: {reason_of(error)}; what has come back is kept, and --resume goes on",
            1,
        ) from error


def reason_of(error: Exception) -> str:
    """Ray's reason in one line: the first of its text."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    kind = type(error).__name__
    return f"Ray has lost it: {kind}: {lines[0] if lines else 'without a reason'}"


def _keep(pieces: Pieces, piece: int, answer: Answer) -> None:
    shard = pieces.shard_of(piece)
    if answer.status not in (0, 1) or STORE not in answer.files:
        raise CommandFailedError(answer.status or 3, f"piece {shard}:\n{answer.errors}")
    folder = Path(pieces.folder_of(piece))
    keep_arrived(answer.files[STORE], folder, shard, pieces.runs_of(piece))
