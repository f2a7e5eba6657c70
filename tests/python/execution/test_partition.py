"""Tasks of processes: what they send and expect, and when their tensors go."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from opyard.execution.errors import ExecutionError
from opyard.execution.partition import Schedule, divide, undivided
from opyard.execution.program import Instruction, Program, Ref, TensorSpec

SPEC = TensorSpec((3, 2), (2, 1), "float32")  # 24 bytes
SPARSE = TensorSpec((3, 2), (), "float32", is_sparse=True)


def op(name: str, *inputs: int, waits_for: tuple[int, ...] = (), spec: TensorSpec = SPEC):
    """An op with one output that reads the outputs 0 of `inputs`; a source without any."""
    made = Instruction(name, "Custom", outputs=[spec], waits_for=list(waits_for))
    made.inputs = [Ref(i, 0) for i in inputs]
    made.args = list(made.inputs)
    made.target = "aten.custom.default" if inputs else None
    return made


def program(*ops: Instruction, losses: tuple[int, ...] = ()) -> Program:
    return Program(list(ops), "none", [Ref(i, 0) for i in losses], {}, {}, {})


def steps_of(tasks, rank):
    return {step.op: step for step in tasks[rank].steps}


def test_a_tensor_goes_to_a_process_once_and_before_its_first_reader_there():
    # x → a; on the other device b and c read a.
    step = program(op("x"), op("a", 0), op("b", 1), op("c", 1))
    tasks = divide(step, Schedule([0, 0, 1, 1], range(4), ["p", "q"]))
    (message,) = steps_of(tasks, 0)[1].sends
    assert (message.sender, message.receiver, message.ref) == (0, 1, Ref(1, 0))
    assert message.num_bytes == 24  # 3 × 2 of 4 bytes
    assert steps_of(tasks, 1)[2].needs == [message]
    assert steps_of(tasks, 1)[3].needs == []
    assert steps_of(tasks, 1)[2].expects == [message]  # posted as early as its task begins


def test_tensors_go_after_their_last_reader_and_results_stay():
    step = program(op("x"), op("a", 0), op("b", 1), op("c", 1), losses=(3,))
    tasks = divide(step, Schedule([0, 0, 1, 1], range(4), ["p", "q"]))
    assert steps_of(tasks, 0)[1].frees == [Ref(1, 0)]  # sent, and not read again here
    assert steps_of(tasks, 1)[2].frees == [Ref(2, 0)]  # no op reads b
    assert steps_of(tasks, 1)[3].frees == [Ref(1, 0)]  # the copy; c is the loss
    assert undivided(step, "p").steps[3].frees == [Ref(1, 0)]  # x is a source


def test_an_op_that_waits_for_another_device_hears_of_it():
    step = program(op("x"), op("a", 0), op("y"), op("b", 2, waits_for=(1,)))
    tasks = divide(step, Schedule([0, 0, 1, 1], range(4), ["p", "q"]))
    (news,) = steps_of(tasks, 0)[1].sends
    assert news.ref is None
    assert news.num_bytes == 1
    assert steps_of(tasks, 1)[3].needs == [news]


def test_the_tensor_brings_the_news():
    step = program(op("x"), op("a", 0), op("b", 1, waits_for=(1,)))
    tasks = divide(step, Schedule([0, 0, 1], range(3), ["p", "q"]))
    assert [message.ref for message in steps_of(tasks, 0)[1].sends] == [Ref(1, 0)]


def test_receives_of_a_sender_are_posted_in_the_order_in_which_it_sends():
    # p makes a, b; q reads b long before a, behind more of its own ops than receives are ahead.
    own = [op(f"y{i}", 0) for i in range(100)]
    step = program(op("x"), op("a", 0), op("b", 0), *own, op("late", 1), op("early", 2))
    sequence = [0, 1, 2, 104, *range(3, 103), 103]
    tasks = divide(step, Schedule([0, 0, 0, *[1] * 102], sequence, ["p", "q"]))
    posted = [message.op for each in tasks[1].steps for message in each.expects]
    assert posted == sorted(posted)
    assert len(posted) == 3  # x, a and b


def test_a_sequence_against_the_dependencies_is_a_deadlock():
    step = program(op("x"), op("a", 0), op("b", 1))
    with pytest.raises(ExecutionError, match=r'runs "b" before "a".*deadlock'):
        divide(step, Schedule([0, 0, 1], [0, 2, 1], ["p", "q"]))


def test_a_plan_of_another_size_is_refused():
    step = program(op("x"), op("a", 0))
    with pytest.raises(ExecutionError, match="expected each of the step's 2 once"):
        divide(step, Schedule([0], [0], ["p"]))


def test_sparse_tensors_and_updates_stay_where_they_are():
    sparse = program(op("x"), op("a", 0, spec=SPARSE), op("b", 1))
    with pytest.raises(ExecutionError, match="a sparse tensor stays"):
        divide(sparse, Schedule([0, 0, 1], range(3), ["p", "q"]))
    update = op("u", 0, 1)
    update.target = None
    applied = program(op("w"), op("g", 0), update)
    with pytest.raises(ExecutionError, match="an update runs where its variable is"):
        divide(applied, Schedule([0, 1, 1], range(3), ["p", "q"]))
