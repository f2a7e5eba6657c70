"""Times messages between two processes, as steps send them."""

from __future__ import annotations

import time

import torch
import torch.distributed as dist

from opyard.execution.links import Links
from opyard.execution.program import TensorSpec
from opyard.execution.requests import CopyRequest
from opyard.execution.task import Message


def time_copies(request: CopyRequest, rank: int, links: Links) -> dict[int, list[float]]:
    """Seconds from before a send until the receiver has the tensor, by size, each repetition.

    The receive is posted before, as in a step. The sender and the receiver read one clock. Only the
    receiver answers with times; processes that take no part answer with none.
    """
    times: dict[int, list[float]] = {}
    for number, size in enumerate(request.sizes):
        spec = TensorSpec((size,), (1,), "uint8")
        message = Message(number, request.sender, request.receiver, 0, None, spec)
        seconds = [_time_one(message, rank, links) for _ in range(request.repetitions)]
        if rank == request.receiver:
            times[size] = [s for s in seconds if s is not None]
    return times


def _time_one(message: Message, rank: int, links: Links) -> float | None:
    content = None
    if rank == message.sender:
        content = torch.zeros(message.num_bytes, dtype=torch.uint8, device=links.device)
    if rank == message.receiver:
        links.expect(message)
    _wait(links)
    dist.barrier()
    started = torch.tensor([time.monotonic_ns()])
    if rank == message.sender:
        links.send(message, content)
    if rank == message.receiver:
        links.take(message)
        _wait(links)
    arrived = time.monotonic_ns()
    links.finish()
    dist.broadcast(started, message.sender)
    return (arrived - int(started.item())) / 1e9 if rank == message.receiver else None


def _wait(links: Links) -> None:
    if links.device.type == "cuda":
        torch.cuda.synchronize(links.device)
