"""The seconds of each op, from steps in which all ops ran one after the other on a device.

Ops are timed where they stand, not in loops of their own: their inputs lie in the caches, and
the allocator is in the state, that the ops before them left. An op takes the time from its
start to the start of the next, which holds its dispatch and the release of what it read last.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import numpy as np

from opyard.execution.program import Instruction, Program, Ref
from opyard.execution.requests import StepSpans


def seconds_by_op(spans: StepSpans) -> dict[int, float]:
    """The time from each op's start to the next one's, of the last to the end of the step."""
    starts = [start for _, start, _ in spans.ops] + [spans.end_ns]
    return {op: (starts[i + 1] - starts[i]) / 1e9 for i, (op, _, _) in enumerate(spans.ops)}


def typical_seconds(
    program: Program, steps: Sequence[float], ops: Sequence[dict[int, float]]
) -> dict[int, float]:
    """One time for each op that runs.

    The median over steps, then the mean over ops that do the same work, so that equal ops are
    equal and their sum stays. Observation takes time itself: all are scaled by one factor, at
    most 1, to add up to the median of whole steps without it.

    Args:
        program: The step.
        steps: Seconds of whole steps that ran unobserved.
        ops: Seconds by op, of each observed step.
    """
    medians = {op: float(np.median([step[op] for step in ops])) for op in ops[0]}
    equal: dict[bytes, list[int]] = {}
    for op in medians:
        equal.setdefault(work_of(program, op), []).append(op)
    scale = min(1.0, float(np.median(steps)) / sum(medians.values()))
    return {
        op: scale * float(np.mean([medians[other] for other in same]))
        for same in equal.values()
        for op in same
    }


def work_of(program: Program, op: int) -> bytes:
    """What an op does: the call, its attributes, and the shapes and layouts of its tensors."""
    instruction = program.instructions[op]
    specs = [program.instructions[ref.op].outputs[ref.port] for ref in instruction.inputs]
    return pickle.dumps(
        (
            instruction.type,
            instruction.target,
            instruction.part,
            _without_names(instruction),
            specs,
            instruction.outputs,
        )
    )


def _without_names(instruction: Instruction) -> str:
    """The arguments with each tensor as its place among the inputs."""
    place = {ref: i for i, ref in enumerate(instruction.inputs)}

    def plain(value: object) -> object:
        if isinstance(value, Ref):
            return ("input", place[value])
        if isinstance(value, list):
            return [plain(part) for part in value]
        return value

    kwargs = [(key, plain(value)) for key, value in sorted(instruction.kwargs.items())]
    return repr((plain(instruction.args), kwargs))
