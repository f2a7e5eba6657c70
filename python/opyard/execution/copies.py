"""Times messages between two processes, as steps send them."""

from __future__ import annotations

import time

import torch
import torch.distributed as dist

from opyard.execution.links import Links
from opyard.execution.program import TensorSpec
from opyard.execution.requests import CopyRequest, CopyTimes
from opyard.execution.task import Message


def time_copies(request: CopyRequest, rank: int, links: Links) -> CopyTimes:
    """The times from before a send until the receiver has the tensor, and of the processors.

    The receive is posted before, as in a step. The sender and the receiver read one clock. The
    receiver answers with times; the processor's time is that of each process for its part, in which
    it can run no ops. Processes that take no part answer with nothing.
    """
    times = CopyTimes()
    for number, size in enumerate(request.sizes):
        spec = TensorSpec((size,), (1,), "uint8")
        message = Message(number, request.sender, request.receiver, 0, None, spec)
        copies = [_time_one(message, rank, links) for _ in range(request.repetitions)]
        if rank == request.receiver:
            times.seconds[size] = [seconds for seconds, _ in copies]
        if rank in (request.sender, request.receiver):
            times.processor_s[size] = [processor_s for _, processor_s in copies]
    return times


def _time_one(message: Message, rank: int, links: Links) -> tuple[float, float]:
    """Seconds of one message, meaningful on the receiver, and of this process's processor."""
    content = None
    if rank == message.sender:
        content = torch.zeros(message.num_bytes, dtype=torch.uint8, device=links.device)
    before = time.process_time_ns()
    if rank == message.receiver:
        links.expect(message)
    posting_ns = time.process_time_ns() - before
    _wait(links)
    dist.barrier()
    started = torch.tensor([time.monotonic_ns()])
    before = time.process_time_ns()
    if rank == message.sender:
        links.send(message, content)
    if rank == message.receiver:
        links.take(message)
        _wait(links)
    arrived = time.monotonic_ns()
    links.finish()
    processor_ns = time.process_time_ns() - before + posting_ns
    dist.broadcast(started, message.sender)
    return (arrived - int(started.item())) / 1e9, processor_ns / 1e9


def _wait(links: Links) -> None:
    if links.device.type == "cuda":
        torch.cuda.synchronize(links.device)
