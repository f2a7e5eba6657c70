"""The memory of devices: parameters, workspaces, tensors and copies (docs/modelling.md, "Memory").

A tensor or copy is held from the start of the op or transfer that makes it until its last reader
on the device and its last outgoing transfer have ended. With one round per instant, what is held
for no time does not count: a bound from below then.
"""

from __future__ import annotations

from ortools.sat.python import cp_model

from opyard.cp_sat.copies import Copies
from opyard.cp_sat.instance import Tensor
from opyard.cp_sat.model import Expression, Literal, ScheduleModel


class Memory:
    """The bytes in use on each device over time, in units of the instance."""

    def __init__(self, schedule: ScheduleModel, copies: Copies) -> None:
        self.schedule = schedule
        self.copies = copies
        self._model = schedule.solver_model
        self._is_reader_of: dict[int, list[int]] = {}
        for t, tensor in enumerate(schedule.instance.tensors):
            if tensor.alias == "input":
                assert tensor.aliased is not None
                self._is_reader_of.setdefault(tensor.aliased, []).append(t)
        self._uses: dict[tuple[int, int], cp_model.IntVar] = {}
        self._held: list[list[cp_model.IntervalVar]] = [
            [] for _ in range(schedule.instance.num_devices)
        ]
        self._bytes: list[list[int]] = [[] for _ in range(schedule.instance.num_devices)]
        for t in self._by_falling_rank():
            self._hold_tensor(t)
        for op in range(schedule.instance.num_ops):
            self._hold_workspace(op)

    def _by_falling_rank(self) -> list[int]:
        """Tensors, aliases before what they name: chains of them may be long."""
        instance = self.schedule.instance
        ranks = [instance.rank[tensor.producer] for tensor in instance.tensors]
        return sorted(range(len(ranks)), key=lambda t: -ranks[t])

    def limit(self, device: int, most: Expression) -> None:
        """The device never holds more than `most`."""
        instance = self.schedule.instance
        resident = sum(
            instance.param_bytes[op] * places[device]
            for op, places in enumerate(self.schedule.place)
            if device in places
        )
        total = sum(self._bytes[device])
        room = self._model.new_int_var(0, total, f"room@{device}")
        self._model.add(room + resident <= most)
        self._model.add_cumulative(self._held[device], self._bytes[device], room)
        for op, places in enumerate(self.schedule.place):
            if device in places:  # follows from the rest, but the solver sees it at once
                self._model.add(room >= self._least_of(op)).only_enforce_if(places[device])

    def _least_of(self, op: int) -> int:
        """Bytes in use while the op runs, parameters left out: what it reads, makes and needs."""
        instance = self.schedule.instance
        read: dict[int, int] = {}
        for tensor in instance.tensors:
            if op in tensor.readers:
                root, least = self._root_of(tensor)
                read[root] = min(read.get(root, least), least)
        made = sum(t.bytes for t in instance.tensors if t.producer == op and t.alias == "none")
        return (sum(read.values()) + made) // instance.byte_unit + instance.workspace_bytes[op]

    def _root_of(self, tensor: Tensor) -> tuple[int, int]:
        """The tensor whose storage it shares where all are on one device, -1 for parameters.

        With the least bytes of that storage, or of a copy of any of its aliases.
        """
        tensors = self.schedule.instance.tensors
        least, root = tensor.bytes, tensor
        while root.alias == "input":
            assert root.aliased is not None
            root = tensors[root.aliased]
            least = min(least, root.bytes)
        return (-1, 0) if root.alias == "params" else (tensors.index(root), least)

    def most_bytes(self) -> int:
        """No device ever holds more."""
        return sum(self.schedule.instance.param_bytes) + max(map(sum, self._bytes))

    def _hold(
        self, device: int, begin: Expression, end: Expression, where: Literal, size: int
    ) -> None:
        if size > 0:
            name = f"held{len(self._held[device])}@{device}"
            self._held[device].append(self.schedule.interval(begin, end, where, name))
            self._bytes[device].append(size)

    def _hold_workspace(self, op: int) -> None:
        size = self.schedule.instance.workspace_bytes[op]
        work = self.schedule.ops[op]
        for d, is_here in self.schedule.place[op].items():
            self._hold(d, work.begin, work.end, is_here, size)

    def _hold_tensor(self, index: int) -> None:
        tensor = self.schedule.instance.tensors[index]
        size = tensor.bytes // self.schedule.instance.byte_unit
        if tensor.alias == "input":
            for d in range(self.schedule.instance.num_devices):
                self._last_use(index, d)
        for d, is_here in self.schedule.place[tensor.producer].items():
            if tensor.alias == "none" and size > 0:
                begin = self.schedule.ops[tensor.producer].begin
                self._hold(d, begin, self._last_use(index, d), is_here, size)
        for copy in self.copies.all:
            if copy.tensor == index and size > 0:
                last = self._last_use(index, copy.device)
                self._hold(copy.device, copy.work.begin, last, copy.is_made, size)

    def _last_use(self, tensor: int, device: int) -> cp_model.IntVar:
        """A tick no earlier than the last at which anything needs the tensor on the device."""
        key = (tensor, device)
        if key not in self._uses:
            self._uses[key] = self.schedule.tick_variable(f"use{tensor}@{device}")
            self._extend_by_producer(tensor, device)
            self._extend_by_readers(tensor, device)
        return self._uses[key]

    def _extend(self, tensor: int, device: int, tick: Expression, where: list[Literal]) -> None:
        use = self._uses[tensor, device]
        self._model.add(use >= tick).only_enforce_if(where)

    def _extend_by_producer(self, index: int, device: int) -> None:
        tensor = self.schedule.instance.tensors[index]
        is_made = self.schedule.place[tensor.producer].get(device)
        if is_made is not None:
            work = self.schedule.ops[tensor.producer]
            end = self.schedule.last_tick if tensor.is_kept else work.end
            self._extend(index, device, end, [is_made])
            for copy in self.copies.all:
                if copy.tensor == index and copy.source == device:
                    self._extend(index, device, copy.work.end, [copy.is_made])
        for copy in self.copies.of(index, device):
            end = self.schedule.last_tick if tensor.shows_parameters else copy.work.end
            self._extend(index, device, end, [copy.is_made])

    def _extend_by_readers(self, index: int, device: int) -> None:
        for reader in self.schedule.instance.tensors[index].readers:
            is_here = self.schedule.place[reader].get(device)
            if is_here is not None:
                self._extend(index, device, self.schedule.ops[reader].end, [is_here])
        for alias in self._is_reader_of.get(index, ()):
            maker = self.schedule.instance.tensors[alias].producer
            is_here = self.schedule.place[maker].get(device)
            if is_here is not None:
                self._extend(index, device, self._last_use(alias, device), [is_here])
