"""Messages between the processes of a run, asynchronous on both sides.

Through gloo: tensors of a GPU pass through pinned host memory, copied on a stream beside the
one that computes. Between two GPUs through NCCL, with one communicator for each direction, so that
no direction waits for the other.
"""

from __future__ import annotations

import queue
import threading
from typing import Any

import torch
import torch.distributed as dist

from opyard.execution.memory import MemoryMeter
from opyard.execution.task import Message
from opyard.execution.wire import make_buffer, pack, unpack

Groups = dict[tuple[int, int], Any]  # (sender, receiver) → process group of NCCL


class Links:
    """Sends and receives the messages of one process. `meter`, if set, counts their buffers."""

    def __init__(self, device: torch.device, groups: Groups) -> None:
        self.device = device
        self._host = torch.device("cpu")
        self._groups = groups
        self._is_cuda = device.type == "cuda"
        self._copies = torch.cuda.Stream(device) if self._is_cuda else None
        self._expected: dict[int, tuple[Any, torch.Tensor]] = {}
        self._direct: list[tuple[Any, torch.Tensor]] = []
        self._outbox = _Outbox(self)
        self.meter: MemoryMeter | None = None

    def expect(self, message: Message) -> None:
        """Posts the receive of `message`."""
        group = self._groups.get((message.sender, message.receiver))
        if group is not None:
            buffer = make_buffer(message.spec, self.device, pinned=False)
            work = dist.irecv(buffer, message.sender, group=group)
        else:
            buffer = make_buffer(message.spec, self._host, pinned=self._is_cuda)
            work = dist.irecv(buffer, message.sender, tag=message.number)
        self._hold(buffer)
        self._expected[message.number] = (work, buffer)

    def take(self, message: Message) -> torch.Tensor | None:
        """Waits for `message`; returns its tensor on this process's device."""
        work, buffer = self._expected.pop(message.number)
        work.wait()
        if message.spec is None:
            self._release(buffer)
            return None
        if self._copies is None or buffer.is_cuda:
            return unpack(buffer, message.spec)
        with torch.cuda.stream(self._copies):
            arrived = buffer.to(self.device, non_blocking=True)
        current = torch.cuda.current_stream(self.device)
        current.wait_stream(self._copies)
        arrived.record_stream(current)
        return unpack(arrived, message.spec)

    def send(self, message: Message, tensor: torch.Tensor | None) -> None:
        """Sends `tensor`, or the news alone, without waiting for the receiver."""
        if tensor is None or message.spec is None:
            content = torch.zeros(1, dtype=torch.uint8, device=self.device)
        else:
            content = pack(tensor, message.spec)
        group = self._groups.get((message.sender, message.receiver))
        if group is not None:
            self._direct.append((dist.isend(content, message.receiver, group=group), content))
        elif self._copies is not None:
            self._outbox.put(message, *self._stage(content))
        else:
            self._hold(content)
            work = dist.isend(content, message.receiver, tag=message.number)
            self._outbox.put_sent(work, content)

    def _stage(self, content: torch.Tensor) -> tuple[torch.Tensor, torch.cuda.Event]:
        """Begins the copy of `content` into pinned memory; the event says when it is there."""
        assert self._copies is not None
        self._copies.wait_stream(torch.cuda.current_stream(self.device))
        with torch.cuda.stream(self._copies):
            staged = torch.empty(content.shape, dtype=torch.uint8, pin_memory=True)
            staged.copy_(content, non_blocking=True)
            content.record_stream(self._copies)
            copied = torch.cuda.Event()
            copied.record(self._copies)
        return staged, copied

    def finish(self) -> None:
        """Waits until all that was sent has left."""
        self._outbox.finish()
        for work, _ in self._direct:
            work.wait()
        self._direct.clear()

    def _hold(self, buffer: torch.Tensor) -> None:
        if self.meter is not None and not buffer.is_cuda:
            self.meter.hold(buffer)

    def _release(self, buffer: torch.Tensor) -> None:
        if self.meter is not None and not buffer.is_cuda:
            self.meter.release(buffer)

    def release_sent(self, buffer: torch.Tensor) -> None:
        """Called, perhaps by another thread, when `buffer` has left."""
        self._release(buffer)


class _Outbox:
    """A thread that waits for what leaves, since gloo does not say without waiting."""

    def __init__(self, links: Links) -> None:
        self._links = links
        self._queue: queue.Queue[Any] = queue.Queue()
        self._staged: list[tuple[Any, torch.Tensor]] = []
        self._error: BaseException | None = None
        threading.Thread(target=self._run, daemon=True).start()

    def put_sent(self, work: Any, content: torch.Tensor) -> None:
        """Holds `content` until `work` is done."""
        self._queue.put((work, content))

    def put(self, message: Message, staged: torch.Tensor, copied: torch.cuda.Event) -> None:
        """Sends `staged` once it is copied."""
        self._queue.put((message, staged, copied))

    def finish(self) -> None:
        """Waits until the queue is empty; raises what went wrong in the thread."""
        self._queue.join()
        staged, self._staged = self._staged, []
        if self._error is not None:
            raise self._error
        for work, _ in staged:
            work.wait()

    def _run(self) -> None:
        while True:
            item = self._queue.get()
            try:
                self._handle(item)
            except BaseException as error:  # reported by the thread that computes
                self._error = self._error or error
            finally:
                del item
                self._queue.task_done()

    def _handle(self, item: Any) -> None:
        if len(item) == 2:
            work, content = item
            work.wait()
            self._links.release_sent(content)
            return
        # Never waits for a receiver: one that waits for a later message would never take this one.
        message, staged, copied = item
        copied.synchronize()
        work = dist.isend(staged, message.receiver, tag=message.number)
        self._staged.append((work, staged))
