"""Copies of tensors on other devices: when they are made, and what they occupy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ortools.sat.python import cp_model

from opyard.cp_sat.model import Literal, ScheduleModel, Work


@dataclass(frozen=True)
class Copy:
    """A tensor that may be sent from one device to another."""

    tensor: int
    source: int
    device: int
    is_made: Literal
    offer: Work
    """The producer: the transfer is offered when that ends."""
    work: Work
    """The transfer."""
    free: cp_model.LinearExprT
    """The tick at which its channels have rested from it."""


class Copies:
    """The transfers of a model, one per tensor and device with readers (`one_per: destination`).

    Without contention a transfer begins when it is offered; else it waits for its channels, and
    may wait longer, as plans with `transfer_order` do; `transfer_waits` forbids it for the others.
    """

    def __init__(self, schedule: ScheduleModel) -> None:
        self.schedule = schedule
        self.all = list(self._copies())
        self._share_channels()

    def of(self, tensor: int, device: int) -> list[Copy]:
        """The copies of a tensor on a device, one of each source; one at most is made."""
        return [copy for copy in self.all if (copy.tensor, copy.device) == (tensor, device)]

    def conflicts_of(self, copy: Copy) -> list[Copy]:
        """The others that cannot be made at the same time."""
        channels = set(self.channels_of(copy))
        return [
            other
            for other in self.all
            if (other.tensor, other.device) != (copy.tensor, copy.device)
            and not channels.isdisjoint(self.channels_of(other))
        ]

    def channels_of(self, copy: Copy) -> tuple[str, ...]:
        """The names of the channels that it passes."""
        return self.schedule.instance.channels[copy.source][copy.device]

    def _copies(self) -> Iterator[Copy]:
        schedule = self.schedule
        for t, tensor in enumerate(schedule.instance.tensors):
            sources = schedule.place[tensor.producer]
            for d in range(schedule.instance.num_devices):
                places = [schedule.place[r][d] for r in tensor.readers if d in schedule.place[r]]
                if not places or list(sources) == [d]:
                    continue
                is_read = schedule.solver_model.new_bool_var(f"reads{t}@{d}")
                schedule.solver_model.add_max_equality(is_read, places)
                for s in sources:
                    if s != d:
                        is_made = schedule.both(is_read, sources[s], f"copy{t}@{s}to{d}")
                        yield self._copy(t, s, d, is_made)

    def _copy(self, tensor: int, source: int, device: int, is_made: Literal) -> Copy:
        schedule, instance = self.schedule, self.schedule.instance
        offer = schedule.ops[instance.tensors[tensor].producer]
        duration = instance.move[tensor][source][device]
        work = Work(offer.finish, offer.finish, offer.end, offer.end)
        if instance.channels[source][device]:
            name = f"{tensor}@{source}to{device}"
            start = schedule.instant_variable(f"send{name}")
            is_instant = schedule.rounds == 1
            begin = start if is_instant else schedule.tick_variable(f"offer{name}", start)
            schedule.solver_model.add(begin >= offer.end).only_enforce_if(is_made)
            work = Work(start, start, begin, begin)
        rest = instance.channel_gap
        return Copy(
            tensor,
            source,
            device,
            is_made,
            offer,
            Work(work.start, work.start + duration, work.begin, schedule.end_after(work, duration)),
            schedule.end_after(work, duration + rest),
        )

    def _share_channels(self) -> None:
        intervals: dict[str, list[cp_model.IntervalVar]] = {}
        for copy in self.all:
            channels = self.channels_of(copy)
            if not channels:
                continue
            duration = self.schedule.instance.move[copy.tensor][copy.source][copy.device]
            length = duration + self.schedule.instance.channel_gap
            interval = self.schedule.interval(
                copy.work.begin,
                copy.free,
                copy.is_made,
                f"send{copy.tensor}@{copy.source}to{copy.device}",
                length if self.schedule.rounds == 1 else None,
            )
            for channel in channels:
                intervals.setdefault(channel, []).append(interval)
        for shared in intervals.values():
            self.schedule.solver_model.add_no_overlap(shared)
