"""The process of one device: takes requests from the process that started it."""

from __future__ import annotations

import os
import time
import traceback
from datetime import timedelta
from multiprocessing.connection import Connection
from typing import Any

import torch
import torch.distributed as dist

from opyard.execution.copies import time_copies
from opyard.execution.device_facts import measure_facts
from opyard.execution.devices import Device
from opyard.execution.hardware import hardware_name
from opyard.execution.interpreter import Interpreter, seed_random_ops
from opyard.execution.links import Groups, Links
from opyard.execution.memory import MemoryMeter
from opyard.execution.observers import Results, make_spans
from opyard.execution.requests import (
    CopyRequest,
    FactsRequest,
    Failure,
    RunAnswer,
    RunRequest,
    StepSpans,
)

_START_MARGIN_NS = 1_000_000  # from the agreement on a start to it: longer than a broadcast takes


def serve(
    connection: Connection, devices: list[Device], rank: int, store: str, timeout_s: float
) -> None:
    """Answers requests until the connection ends; the first error ends the process."""
    try:
        worker = _Worker(devices, rank, store, timeout_s)
        connection.send(worker.description)
        while True:
            try:
                request = connection.recv()
            except EOFError:
                break
            connection.send(worker.answer(request))
    except BaseException as error:
        connection.send(_failure_of(error))
        os._exit(1)  # without waiting for peers that will never answer
    os._exit(0)  # a group is not taken down: peers may be gone already


def _failure_of(error: BaseException) -> Failure:
    text = "".join(traceback.format_exception_only(error)).strip()
    lost = ("Connection closed by peer", "Connection reset by peer", "Broken pipe")
    return Failure(text, time.monotonic_ns(), any(word in text for word in lost))


class _Worker:
    def __init__(self, devices: list[Device], rank: int, store: str, timeout_s: float) -> None:
        self._rank = rank
        self._device = _take(devices[rank])
        self.description = hardware_name(self._device)
        dist.init_process_group(
            "gloo",
            init_method=f"file://{store}",
            rank=rank,
            world_size=len(devices),
            timeout=timedelta(seconds=timeout_s),
        )
        self._groups = _gpu_groups(devices)
        self._links = Links(self._device, self._groups)

    def answer(self, request: Any) -> Any:
        """The answer to a request."""
        if isinstance(request, CopyRequest):
            return time_copies(request, self._rank, self._links)
        if isinstance(request, FactsRequest):
            is_asked = request.rank == self._rank
            return measure_facts(self._device, request.dtypes) if is_asked else {}
        return self._run(request)

    def _run(self, request: RunRequest) -> RunAnswer:
        sources = torch.load(request.sources_file, map_location=self._device)
        task = request.task
        interpreter = Interpreter(task, sources, self._device, self._links)
        del sources
        answer = RunAnswer(0, self.description)
        is_cuda = self._device.type == "cuda"
        meter = None if is_cuda else MemoryMeter()  # PyTorch counts the memory of GPUs itself
        if is_cuda:
            torch.cuda.reset_peak_memory_stats(self._device)
        self._first_step(interpreter, request, meter)
        for _ in range(request.warmup):
            self._step(interpreter)
        answer.steps = [self._step(interpreter) for _ in range(request.repetitions)]
        answer.peak_memory_bytes = (
            meter.peak_bytes if meter is not None else torch.cuda.max_memory_allocated(self._device)
        )
        for _ in range(request.span_steps):
            answer.spans.append(self._spans(interpreter))
        return answer

    def _first_step(
        self, interpreter: Interpreter, request: RunRequest, meter: MemoryMeter | None
    ) -> None:
        """Runs a step whose results can be compared, and counts its memory where `meter` is set."""
        results = Results(request.task, interpreter.slot_of)
        with _comparable():
            interpreter.run(results, meter)
        if request.results_file is not None:
            tensors = dict(results.tensors)
            for name, tensor in interpreter.variables().items():
                tensors[f"variable {name}"] = tensor.cpu()
            torch.save(tensors, request.results_file)

    def _step(self, interpreter: Interpreter, observer: Any = None) -> tuple[int, int]:
        """Runs a step that all processes start together; returns its start and end in ns."""
        start = _agree_on_start()
        while time.monotonic_ns() < start:
            pass
        interpreter.run(observer)
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)
        return start, time.monotonic_ns()

    def _spans(self, interpreter: Interpreter) -> StepSpans:
        observer = make_spans(self._device)
        start, end = self._step(interpreter, observer)
        observer.finish()
        return StepSpans(start, end, observer.ops, observer.waits, observer.sends)


class _comparable:  # noqa: N801  (a context manager, used like a function)
    """Random ops repeat, and GPUs compute in the full precision of f32."""

    def __enter__(self) -> None:
        self._allow_tf32 = torch.backends.cudnn.allow_tf32
        torch.backends.cudnn.allow_tf32 = False
        seed_random_ops(True)

    def __exit__(self, *error: object) -> None:
        seed_random_ops(False)
        torch.backends.cudnn.allow_tf32 = self._allow_tf32


def _take(device: Device) -> torch.device:
    """Makes this process one of `device`: on its core with one thread, or on its GPU."""
    if device.kind == "cpu" and device.index is not None:
        os.sched_setaffinity(0, {device.index})
        torch.set_num_threads(1)
    if device.kind == "cuda":
        torch.cuda.set_device(device.index or 0)
    return torch.device(device.torch_name)


def _gpu_groups(devices: list[Device]) -> Groups:
    """A group of NCCL for each ordered pair of GPUs; all processes make all groups."""
    gpus = [rank for rank, device in enumerate(devices) if device.kind == "cuda"]
    pairs = [(a, b) for a in gpus for b in gpus if a != b]
    return {pair: dist.new_group(sorted(pair), backend="nccl") for pair in pairs}


def _agree_on_start() -> int:
    """An instant a little ahead that is the same in all processes."""
    dist.barrier()
    start = torch.tensor([time.monotonic_ns() + _START_MARGIN_NS])
    dist.broadcast(start, 0)
    return int(start.item())
