"""Starts one process per device, sends them requests, and ends all when one fails."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from opyard.execution.devices import Device
from opyard.execution.errors import ExecutionError
from opyard.execution.requests import Failure

# After the first sign of a failure, so long the others may report theirs: the process that
# sees a lost connection is often faster than the one that lost it.
_GRACE_S = 1.0
_ENVIRONMENT = {
    "GLOO_SOCKET_IFNAME": "lo",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    # glibc keeps memory that is freed, up to its limit of 32 MiB a tensor, as caching allocators
    # do: by default the kernel maps most tensors of each step anew, page by page.
    "MALLOC_MMAP_THRESHOLD_": str(2**25),
    "MALLOC_TRIM_THRESHOLD_": str(2**40),
    "MALLOC_TOP_PAD_": str(2**26),
}


class Workers:
    """The processes of some devices, in their order.

    A context manager: at its end no process is left.

    Args:
        devices: One process each.
        timeout_s: The longest that a process waits for another, in seconds.
    """

    def __init__(self, devices: Sequence[Device], timeout_s: float = 300) -> None:
        self.devices = list(devices)
        self.timeout_s = timeout_s
        self.hardware_names: list[str] = []
        self._processes: list[BaseProcess] = []
        self._connections: list[Connection] = []
        self._folder = tempfile.TemporaryDirectory(prefix="opyard-")

    @property
    def folder(self) -> Path:
        """A folder for files that requests name."""
        return Path(self._folder.name)

    @property
    def pids(self) -> list[int | None]:
        """The ids of the processes."""
        return [process.pid for process in self._processes]

    def __enter__(self) -> Workers:
        from opyard.execution.worker import serve

        context = multiprocessing.get_context("spawn")
        store = str(self.folder / "rendezvous")
        try:
            with _environment(self.devices):
                for rank in range(len(self.devices)):
                    ours, theirs = context.Pipe()
                    arguments = (theirs, self.devices, rank, store, self.timeout_s)
                    process = context.Process(target=serve, args=arguments, daemon=True)
                    process.start()
                    theirs.close()
                    self._processes.append(process)
                    self._connections.append(ours)
            self.hardware_names = self._gather()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._end()

    def ask(self, requests: Sequence[Any]) -> list[Any]:
        """Sends each process its request; returns the answers of all.

        Raises:
            ExecutionError: A process failed or was killed; none is left then.
        """
        for rank, request in enumerate(requests):
            try:
                self._connections[rank].send(request)
            except OSError:  # the process is gone: its end says why
                break
        return self._gather()

    def _gather(self) -> list[Any]:
        answers: dict[int, Any] = {}
        while len(answers) < len(self._processes):
            missing = [rank for rank in range(len(self._processes)) if rank not in answers]
            for rank in self._wait_for(missing):
                answer = self._receive(rank)
                if answer is None or isinstance(answer, Failure):
                    raise self._error({rank: answer}, answers)
                answers[rank] = answer
        return [answers[rank] for rank in range(len(self._processes))]

    def _wait_for(self, ranks: list[int]) -> list[int]:
        """Those of `ranks` that have answered or ended."""
        things: dict[Any, int] = {self._connections[rank]: rank for rank in ranks}
        things |= {self._processes[rank].sentinel: rank for rank in ranks}
        return sorted({things[ready] for ready in wait(list(things))})  # type: ignore[index]

    def _receive(self, rank: int) -> Any:
        """The answer of a process; None if it ended without."""
        try:
            return self._connections[rank].recv() if self._connections[rank].poll() else None
        except (EOFError, OSError):
            return None

    def _error(self, failures: dict[int, Failure | None], answered: dict[int, Any]) -> Exception:
        """The error of the process that failed first, after the others had time to report."""
        deadline = time.monotonic() + _GRACE_S
        pending = set(range(len(self._processes))) - set(answered) - set(failures)
        while pending and time.monotonic() < deadline:
            for rank in list(pending):
                if self._connections[rank].poll(0.01) or not self._processes[rank].is_alive():
                    answer = self._receive(rank)
                    if answer is None or isinstance(answer, Failure):
                        failures[rank] = answer
                    pending.discard(rank)
        for rank in failures:
            self._processes[rank].join(_GRACE_S)
        text = self._cause(failures)
        self._end()
        return ExecutionError(text)

    def _cause(self, failures: dict[int, Failure | None]) -> str:
        for rank, failure in failures.items():
            if failure is None:
                code = self._processes[rank].exitcode
                return f"the process of {self.devices[rank]} {_end_of(code)}"
        own = {rank: f for rank, f in failures.items() if f is not None and not f.is_of_peer}
        known = own or {rank: f for rank, f in failures.items() if f is not None}
        rank, failure = min(known.items(), key=lambda item: item[1].at_ns)
        return f"the process of {self.devices[rank]} failed: {failure.text}"

    def _end(self) -> None:
        for connection in self._connections:
            connection.close()
        deadline = time.monotonic() + _GRACE_S
        for process in self._processes:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()
        self._processes, self._connections = [], []
        self._folder.cleanup()


def _end_of(code: int | None) -> str:
    if code is not None and code < 0:
        number = -code
        reason = " (out of memory?)" if number == signal.SIGKILL else ""
        return f"was ended by {signal.Signals(number).name}{reason}"
    return f"ended with status {code}"


@contextmanager
def _environment(devices: Sequence[Device]) -> Iterator[None]:
    """The environment that processes start in: local sockets, one thread on one core."""
    wanted = dict(_ENVIRONMENT)
    if any(device.kind == "cpu" and device.index is None for device in devices):
        del wanted["OMP_NUM_THREADS"], wanted["MKL_NUM_THREADS"]
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
