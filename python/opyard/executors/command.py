"""`opyard run`, `train` and `tune` with `--executor ray` or `slurm`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from opyard.executors import slurm_command
from opyard.executors.described import Experiment, describe, warn_of_trainings
from opyard.executors.errors import CommandFailedError, ExecutorError
from opyard.executors.folders import held, refuse_unless_resumed
from opyard.executors.joining import join
from opyard.executors.pieces import find_pieces, make_pieces
from opyard.executors.request import Request, read_request
from opyard.executors.shipment import check_shipment, make_shipment

_INTERRUPTED = 130

RunLocally = Callable[[list[str]], int]


def run(arguments: Sequence[str], run_locally: RunLocally) -> int:
    """Runs the subcommand.

    Args:
        arguments: They begin with the subcommand.
        run_locally: Runs a command line in this process. It prints the answer of what others have
            made, so that it is that of `--executor local`.

    Returns:
        The exit status: that of the same command in this process; 1 if work was lost for good.
    """
    try:
        request = read_request(arguments)
        if request.is_matrix and request.options.dry_run:
            return run_locally(_dry_words(request))
        experiment = describe(request)
        if request.options.executor == "slurm":
            return slurm_command.run(request, experiment)
        return _run_on_ray(request, experiment, run_locally)
    except ExecutorError as error:
        print(error, file=sys.stderr)
        return error.status
    except CommandFailedError as failed:
        print(failed.errors, end="", file=sys.stderr)
        return failed.status
    except KeyboardInterrupt:
        print(
            "interrupted: what has come back is kept; the same command with --resume goes on",
            file=sys.stderr,
        )
        return _INTERRUPTED


def _dry_words(request: Request) -> list[str]:
    words = [word for word in request.local_words(Path()) if word != "--resume"]
    out = words.index("--out")
    words[out : out + 2] = [] if request.options.out is None else ["--out", request.options.out]
    return [*words, "--dry-run", *(["--json"] if request.options.json else [])]


def _run_on_ray(request: Request, experiment: Experiment, run_locally: RunLocally) -> int:
    """Has Ray do the work, then lets this process take it over, and print what it amounts to."""
    if request.is_matrix:
        _run_matrix(request, experiment)
    else:
        _run_preparation(request, experiment)
    words = [*request.local_words(experiment.results), "--quiet"]
    return run_locally([*words, *(["--json"] if request.options.json else [])])


def _run_matrix(request: Request, experiment: Experiment) -> None:
    from opyard.executors import ray_cluster, ray_pieces

    ray_cluster.load_ray()
    options = request.options
    pieces = find_pieces(experiment, experiment.results, options.pieces, resume=options.resume)
    if pieces is not None and pieces.is_joined():
        return
    shipment = _shipment(request, experiment)
    warn_of_trainings(experiment)
    with ray_cluster.connected(options.ray_address, request.cpus) as ray:
        slots = max(1, ray_cluster.num_cpus(ray) // request.cpus)
        if pieces is None:
            count = options.pieces or ray_pieces.PIECES_PER_CPU * slots
            pieces = make_pieces(experiment, experiment.results, count)
        with held(pieces.folder):
            if pieces.missing():
                ray_pieces.run_pieces(ray, pieces, experiment, request, shipment)
            join(pieces)
            pieces.drop()


def _run_preparation(request: Request, experiment: Experiment) -> None:
    from opyard.executors import ray_cluster, ray_preparation

    ray_cluster.load_ray()
    refuse_unless_resumed(request.subcommand, experiment.results, resume=request.options.resume)
    shipment = _shipment(request, experiment)
    with ray_cluster.connected(request.options.ray_address, request.cpus) as ray:
        ray_preparation.run_preparation(ray, experiment, request, experiment.results, shipment)


def _shipment(request: Request, experiment: Experiment) -> bytes:
    shipment = make_shipment(experiment, request.folder)
    check_shipment(shipment, experiment, request)
    return shipment
