"""Divided steps compute what undivided ones do, and those what the model itself does."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

torch = pytest.importorskip("torch")

from executed_models import __dict__ as models  # noqa: E402
from opyard.execution.devices import Device  # noqa: E402
from opyard.execution.errors import ExecutionError  # noqa: E402
from opyard.execution.execution import Session, compare  # noqa: E402
from opyard.execution.partition import Schedule, divide  # noqa: E402
from opyard.execution.real_values import source_values  # noqa: E402
from opyard.execution.requests import RunRequest  # noqa: E402
from opyard.execution.tracing import trace_model  # noqa: E402
from opyard.execution.updates import make_optimizer  # noqa: E402
from opyard.execution.workers import Workers  # noqa: E402
from runs import random_schedule, reference  # noqa: E402

DETERMINISTIC = ("two_towers", "branches", "transformer", "lstm", "with_checkpoint", "strided")
FIRST = min(os.sched_getaffinity(0))
CORES = [Device("cpu", FIRST), Device("cpu", max(os.sched_getaffinity(0)))]


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    """Two processes that all tests of the file run in."""
    with Workers(CORES, timeout_s=60) as started:
        yield started


def eager_results(name: str, optimizer: str) -> dict[str, torch.Tensor]:
    """Loss, gradients and updated parameters of the model's own step, by PyTorch's autograd."""
    torch.manual_seed(0)
    module, inputs, loss_fn = (*models[name](), None)[:3]
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    out = module(*inputs)
    loss = out if loss_fn is None else loss_fn(out)
    loss.backward()
    results = {"loss 0": loss.detach()}
    for key, weight in module.named_parameters():
        results[f"gradient {key}"] = weight.grad.clone()
    if optimizer != "none":
        make_optimizer(optimizer, list(module.parameters())).step()
    named = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    return results | {f"variable {key}": tensor.detach() for key, tensor in named.items()}


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_a_divided_step_computes_what_the_model_does(workers, name):
    model = trace_model(reference(name), "adam")
    session = Session(model.program, source_values(reference(name), model), workers)
    execution = session.run(random_schedule(model, seed=1), repetitions=2, warmup=1)
    assert execution.matches_undivided, execution.difference
    # The tolerance of f32 that the issue asks for, in parts of the greatest value of a tensor:
    # eager kernels, fused and vectorised, add in other orders than single ones.
    eager = compare(session.reference(), eager_results(name, "adam"))
    assert eager.value <= 1e-5, eager
    assert execution.num_messages > 0


def test_random_ops_repeat_while_results_are_compared(workers):
    model = trace_model(reference("transformer_with_dropout"), "sgd")
    assert any(instruction.is_random for instruction in model.program.instructions)
    values = source_values(reference("transformer_with_dropout"), model)
    session = Session(model.program, values, workers)
    assert session.run(random_schedule(model, seed=2), 1).matches_undivided


def test_a_forward_pass_runs_alone(workers):
    model = trace_model(reference("branches"), "none", forward=True)
    session = Session(model.program, source_values(reference("branches"), model), workers)
    assert session.run(random_schedule(model, seed=3), 1).matches_undivided
    assert next(iter(session.reference())) == "loss 0"


@pytest.mark.parametrize("optimizer", ["none", "momentum", "adagrad"])
def test_gradients_are_applied_as_by_the_optimizer(workers, optimizer):
    model = trace_model(reference("two_towers"), optimizer)
    session = Session(model.program, source_values(reference("two_towers"), model), workers)
    assert session.run(random_schedule(model, seed=4), 1).matches_undivided
    assert compare(session.reference(), eager_results("two_towers", optimizer)).value <= 1e-5


def test_a_wrong_result_is_found(workers):
    model = trace_model(reference("two_towers"), "sgd")
    session = Session(model.program, source_values(reference("two_towers"), model), workers)
    session.reference()["gradient left.0.weight"][0, 0] += 1e-3
    execution = session.run(random_schedule(model, seed=1), repetitions=1)
    assert not execution.matches_undivided
    assert execution.difference.name == "gradient left.0.weight"


def test_memory_is_that_of_the_tensors_held(workers):
    # Of the whole step on one device, the other holds nothing. Its own at least: the variables.
    model = trace_model(reference("two_towers"), "none")
    session = Session(model.program, source_values(reference("two_towers"), model), workers)
    count = len(model.ops)
    execution = session.run(Schedule([0] * count, range(count), ["a", "b"]), 1)
    variables = sum(op.param_bytes for op in model.ops)
    assert variables < execution.peak_memory_bytes[0] < 3 * variables
    assert execution.peak_memory_bytes[1] == 0


def test_spans_are_those_of_the_ops_of_each_device(workers):
    model = trace_model(reference("two_towers"), "none")
    session = Session(model.program, source_values(reference("two_towers"), model), workers)
    schedule = random_schedule(model, seed=1)
    execution = session.run(schedule, 1)
    for rank, spans in enumerate(execution.spans):
        expected = [
            op
            for op in schedule.sequence
            if schedule.ranks[op] == rank and not model.program.instructions[op].is_source
        ]
        assert [op for op, _, _ in spans.ops] == expected
        assert all(spans.start_ns <= start <= end <= spans.end_ns for _, start, end in spans.ops)


def test_a_process_that_is_killed_ends_the_run_with_its_own_error():
    model = trace_model(reference("two_towers"), "sgd")
    values = source_values(reference("two_towers"), model)
    with Workers(CORES, timeout_s=60) as doomed:
        tasks = divide(model.program, random_schedule(model, seed=1))
        requests = []
        for task in tasks:
            file = doomed.folder / f"sources{task.rank}"
            torch.save({op: values[op] for op in task.sources}, file)
            requests.append(RunRequest(task, str(file), None, 0, 1_000_000, 0))
        victim = doomed.pids[1]
        threading.Timer(1.0, os.kill, (victim, signal.SIGKILL)).start()
        began = time.monotonic()
        with pytest.raises(ExecutionError, match=r"cpu:\d+ was ended by SIGKILL"):
            doomed.ask(requests)
        assert time.monotonic() - began < 20
        assert doomed.pids == []


def test_the_error_of_a_process_ends_the_run():
    with Workers(CORES, timeout_s=60) as failing:
        model = trace_model(reference("two_towers"), "none")
        task = divide(model.program, random_schedule(model, seed=1))[0]
        with pytest.raises(ExecutionError, match=r"process of cpu:\d+ failed: .*nowhere"):
            failing.ask([RunRequest(task, "/nowhere/sources", None, 0, 1, 0)] * 2)
