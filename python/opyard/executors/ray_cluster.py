"""The connection to a Ray cluster, or a Ray of its own on this machine."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from typing import Any

from opyard.executors.errors import ExecutorError

_SECONDS_TO_CONNECT = 10.0
_TOKEN = (
    "\nwhere the cluster asks for a token, as Ray 2.60 does by default, set RAY_AUTH_MODE=token "
    "and copy its ~/.ray/auth_token here"
)
_NEEDS_RAY = (
    "--executor ray needs Ray, which is not installed: pip install 'opyard[ray]' here and on the "
    "machines of the cluster"
)


@contextlib.contextmanager
def connected(address: str | None, cpus: int) -> Iterator[Any]:
    """Connects, yields the module `ray`, and disconnects.

    That ends tasks that are left: Ray kills the workers of a driver that is gone, on all machines.
    (`ray.cancel` would do it one by one, but a task that ends while it is cancelled makes Ray 2.60
    abort the driver: task_manager.cc, "Tried to complete task that was not pending".)

    Args:
        address: Of the cluster; None for that of RAY_ADDRESS, or else a Ray of its own.
        cpus: Cores that every task needs.

    Raises:
        ExecutorError: There is no Ray, no cluster at the address, or no machine with the cores.
        KeyboardInterrupt: SIGINT or SIGTERM came meanwhile, whatever error Ray made of it.
    """
    ray = load_ray()
    where = address or os.environ.get("RAY_ADDRESS") or "local"
    # Ray prints to standard output that a worker was lost.
    with contextlib.redirect_stdout(sys.stderr), _interruptible() as ask_for_interrupts:
        try:
            _begin(ray, where)
            ask_for_interrupts()  # Ray has set its own handler
            _check_cpus(ray, cpus)
            yield ray
        finally:
            ray.shutdown()


@contextlib.contextmanager
def _interruptible() -> Iterator[Callable[[], None]]:
    """Both signals raise KeyboardInterrupt once the yielded function was called.

    An error that leaves the block after one of them is its consequence: Ray may catch the
    interrupt in the middle of its own work.
    """
    came = []

    def interrupt(number: int, _frame: object) -> None:
        came.append(number)
        raise KeyboardInterrupt

    def ask() -> None:
        for number in former:
            signal.signal(number, interrupt)

    former = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield ask
    except Exception as error:
        if came:
            raise KeyboardInterrupt from error
        raise
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def load_ray() -> Any:
    """The module `ray`.

    Raises:
        ExecutorError: It is not installed.
    """
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise ExecutorError(_NEEDS_RAY) from error


def num_cpus(ray: Any) -> int:
    """The cores of all machines of the cluster."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _begin(ray: Any, where: str) -> None:
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if where == "local":
        # What a Ray of ours would else do beside our work: report its usage, serve pages.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        options["include_dashboard"] = False
    _check_address(where)
    try:
        ray.init(address=where, **options)
    except Exception as error:  # of many kinds, by what is wrong there
        raise ExecutorError(
            f"--ray-address {where}: cannot connect: "
            f"{str(error).strip() or type(error).__name__}{_TOKEN}"
        ) from error


def _check_address(where: str) -> None:
    """Ray itself would try an address where nobody listens for a quarter of an hour."""
    host, _, port = where.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return  # a word, such as "auto"
    try:
        socket.create_connection((host, int(port)), _SECONDS_TO_CONNECT).close()
    except (OSError, OverflowError) as error:
        raise ExecutorError(f"--ray-address {where}: cannot connect: {error}") from error


def _check_cpus(ray: Any, cpus: int) -> None:
    """A task that no machine has the cores for would wait for ever."""
    most = max(
        (int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]), default=0
    )
    if most < cpus:
        raise ExecutorError(
            f"--executor ray: found {cpus} cores asked for, expected at most {most}, those of "
            "the cluster's largest machine"
        )
