"""Divides a program by a schedule: which process runs which ops, and what it sends when.

A schedule is a sequence of all ops in which each stands behind what it reads and waits for.
Each process runs its ops in this sequence, so that no two wait for each other: of all ops
that have not run, the first one in the sequence has nothing left to wait for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from opyard.execution.errors import ExecutionError
from opyard.execution.program import Instruction, Program, Ref
from opyard.execution.task import Message, Task, TaskStep

# Receives are posted so many ops before the first reader: early enough for a tensor that is made
# while other ops run, and late enough that not all copies of a step hold memory at once.
_POSTED_AHEAD = 64


@dataclass(frozen=True)
class Schedule:
    """The process of each op, by index, and the sequence of all ops."""

    ranks: Sequence[int]
    sequence: Sequence[int]
    device_names: Sequence[str]


def divide(program: Program, schedule: Schedule) -> list[Task]:
    """The tasks of all processes.

    Raises:
        ExecutionError: The schedule is none of this program, or divides what processes cannot.
    """
    _check(program, schedule)
    tasks = [_make_task(program, schedule, rank) for rank in range(len(schedule.device_names))]
    _add_messages(tasks, _messages(program, schedule))
    for task in tasks:
        _post_receives(task)
        _free_tensors(task, program.kept)
    return tasks


def undivided(program: Program, device_name: str) -> Task:
    """The whole step as the task of one process, in the program's order."""
    count = len(program.instructions)
    (task,) = divide(program, Schedule([0] * count, range(count), [device_name]))
    return task


def _check(program: Program, schedule: Schedule) -> None:
    count = len(program.instructions)
    if len(schedule.ranks) != count or sorted(schedule.sequence) != list(range(count)):
        raise ExecutionError(
            f"the plan has {len(schedule.ranks)} ops in a sequence of {len(schedule.sequence)}, "
            f"expected each of the step's {count} once"
        )
    place = {op: i for i, op in enumerate(schedule.sequence)}
    for index, instruction in enumerate(program.instructions):
        for before in [*(ref.op for ref in instruction.inputs), *instruction.waits_for]:
            if place[before] > place[index]:
                raise ExecutionError(
                    f'the plan runs "{instruction.name}" before '
                    f'"{program.instructions[before].name}", which it waits for: a deadlock'
                )
        _check_places(program, schedule, index, instruction)


def _check_places(
    program: Program, schedule: Schedule, index: int, instruction: Instruction
) -> None:
    """Some tensors cannot travel: variables to their updates, sparse ones, bases of strides."""
    rank = schedule.ranks[index]
    for ref in instruction.inputs:
        producer = program.instructions[ref.op]
        spec = producer.outputs[ref.port]
        if schedule.ranks[ref.op] == rank:
            continue
        names = f'"{instruction.name}" on {schedule.device_names[rank]} and "{producer.name}" on '
        names += schedule.device_names[schedule.ranks[ref.op]]
        if instruction.is_update and ref == instruction.inputs[0]:
            raise ExecutionError(f"{names}: an update runs where its variable is")
        if spec is not None and spec.is_sparse:
            raise ExecutionError(f"{names}: a sparse tensor stays where it is made")
        if instruction.target == "aten.as_strided.default":
            raise ExecutionError(f"{names}: as_strided reads the storage, so it has to be there")


def _make_task(program: Program, schedule: Schedule, rank: int) -> Task:
    def is_here(ref: Ref) -> bool:
        return schedule.ranks[ref.op] == rank

    mine = [op for op in schedule.sequence if schedule.ranks[op] == rank]
    instructions = {op: program.instructions[op] for op in mine}
    sources = [op for op in mine if instructions[op].is_source]
    return Task(
        rank=rank,
        num_ranks=len(schedule.device_names),
        device=schedule.device_names[rank],
        instructions=instructions,
        optimizer=program.optimizer,
        steps=[TaskStep(op) for op in mine],
        sources=sources,
        variables={name: op for name, op in program.variables.items() if op in instructions},
        losses=[ref for ref in program.losses if is_here(ref)],
        gradients={name: ref for name, ref in program.gradients.items() if is_here(ref)},
        updated=_updated_here(program, instructions),
    )


def _updated_here(program: Program, instructions: dict[int, Instruction]) -> dict[int, Ref]:
    """New values of buffers that are made where the buffer is."""
    updated = {program.variables[name]: ref for name, ref in program.updated.items()}
    return {op: ref for op, ref in updated.items() if {op, ref.op} <= instructions.keys()}


def _messages(program: Program, schedule: Schedule) -> list[Message]:
    """All messages of a step, in the order in which their senders make them.

    A tensor goes to a process once. An op that waits for one elsewhere gets a message without
    content, unless the tensor that it reads brings the news.
    """
    readers: dict[tuple[int, int], list[Ref | None]] = {}  # (producer, receiver) → tensors
    for index, instruction in enumerate(program.instructions):
        rank = schedule.ranks[index]
        wanted: list[tuple[int, Ref | None]] = [(ref.op, ref) for ref in instruction.inputs]
        wanted += [(op, None) for op in instruction.waits_for]
        for producer, ref in wanted:
            if schedule.ranks[producer] != rank:
                sent = readers.setdefault((producer, rank), [])
                if ref not in sent:
                    sent.append(ref)
    messages: list[Message] = []
    place = {op: i for i, op in enumerate(schedule.sequence)}
    for producer, receiver in sorted(readers, key=lambda pair: (place[pair[0]], pair[1])):
        refs = readers[producer, receiver]
        outputs = program.instructions[producer].outputs
        tensors = sorted(ref for ref in refs if ref is not None)
        for ref in tensors or [None]:
            spec = outputs[ref.port] if ref is not None else None
            sender = schedule.ranks[producer]
            messages.append(Message(len(messages), sender, receiver, producer, ref, spec))
    return messages


def _add_messages(tasks: list[Task], messages: list[Message]) -> None:
    """Puts each message behind the op that makes it and before the first that waits for it."""
    senders = {step.op: step for task in tasks for step in task.steps}
    firsts: dict[tuple[int, int], TaskStep] = {}  # (producer, receiver) → first step that waits
    for task in tasks:
        for step in task.steps:
            instruction = task.instructions[step.op]
            for before in [*(ref.op for ref in instruction.inputs), *instruction.waits_for]:
                firsts.setdefault((before, task.rank), step)
    for message in messages:
        senders[message.op].sends.append(message)
        firsts[message.op, message.receiver].needs.append(message)


def _post_receives(task: Task) -> None:
    """Receives of one sender are posted in the order in which it sends: some backends ask for it.

    So each is posted with, or before, the first that is needed of those sent after it.
    """
    needed = {message: i for i, step in enumerate(task.steps) for message in step.needs}
    latest: dict[int, int] = {}
    for message in sorted(needed, key=lambda message: -message.number):
        first = min(needed[message], latest.get(message.sender, len(task.steps)))
        latest[message.sender] = first
        task.steps[max(0, first - _POSTED_AHEAD)].expects.append(message)
    for step in task.steps:
        step.expects.sort(key=lambda message: message.number)


def _free_tensors(task: Task, kept: set[Ref]) -> None:
    """Each tensor goes after its last reader here; a copy from elsewhere, too."""
    last: dict[Ref, TaskStep] = {}
    for step in task.steps:
        instruction = task.instructions[step.op]
        if not instruction.is_source and not instruction.is_update:
            for port, spec in enumerate(instruction.outputs):
                if spec is not None:
                    last[Ref(step.op, port)] = step
        for message in step.needs:
            if message.ref is not None:
                last[message.ref] = step
        for ref in instruction.inputs:
            last[ref] = step
    for ref, step in last.items():
        is_copy = ref.op not in task.instructions
        if is_copy or (ref not in kept and not task.instructions[ref.op].is_source):
            step.frees.append(ref)
