"""Callbacks of opyard.place: what they are called with, and how they stop a search."""

from __future__ import annotations

import threading
import time

import numpy as np
import opyard
import pytest

GRAPH = "random:layered?n=40&seed=3"
MACHINE = "p100x2-pcie"


def place(callback, **arguments):
    defaults = {"agent": "random", "evaluations": 400, "callback_seconds": 0}
    return opyard.place(GRAPH, MACHINE, callback=callback, **(defaults | arguments))


def test_the_calls_have_every_improvement_once_and_the_last_one_the_answer():
    calls: list[opyard.SearchProgress] = []
    result = place(calls.append, evaluations=20_000)
    improvements = [item for call in calls for item in call.improvements]
    names = ("evaluations", "score", "makespan_s")
    assert improvements == [{name: row[name] for name in names} for row in result.history]
    counts = [call.evaluations for call in calls]
    assert len(counts) > 1
    assert counts == sorted(counts)
    last = calls[-1]
    assert (last.evaluations, last.score, last.makespan_s) == (
        result.evaluations,
        result.score,
        result.makespan_s,
    )
    assert last.plan == result.plan


def test_the_plan_of_a_call_is_worth_what_the_call_says():
    calls: list[opyard.SearchProgress] = []
    place(calls.append, evaluations=20_000)
    first = calls[0]
    assert opyard.simulate(GRAPH, MACHINE, first.plan)["makespan_s"] == first.makespan_s
    assert first.makespan_s == first.improvements[-1]["makespan_s"]


def test_a_callback_changes_nothing_in_the_search():
    assert place(lambda progress: None).plan == place(None).plan


def test_pauses_between_calls_are_kept():
    times: list[float] = []
    place(lambda progress: times.append(time.monotonic()), seconds=1.0, callback_seconds=0.3)
    pauses = np.diff(times[:-1])  # the last call is at the end
    assert len(times) <= 6
    assert (pauses >= 0.3).all()


@pytest.mark.parametrize("stop", [True, np.True_])
def test_true_stops_the_search_and_the_best_plan_until_then_is_the_answer(stop):
    result = place(lambda progress: stop, evaluations=10**9)
    assert 0 < result.evaluations < 10**9
    assert opyard.simulate(GRAPH, MACHINE, result.plan)["makespan_s"] == result.makespan_s


def test_what_else_is_returned_does_not_stop_it():
    assert place(lambda progress: "more").evaluations == 400


@pytest.mark.parametrize("error", [ValueError("enough"), KeyboardInterrupt()])
def test_what_a_callback_raises_ends_the_search_and_is_raised(error):
    def callback(progress):
        raise error

    with pytest.raises(type(error)) as raised:
        place(callback, evaluations=10**9)
    assert raised.value is error


def test_calls_come_in_the_thread_of_the_caller():
    threads = set()
    place(lambda progress: threads.add(threading.get_ident()))
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize("pause", [-1.0, float("nan")])
def test_a_pause_that_is_none_is_refused(pause):
    with pytest.raises(opyard.InputError, match="callback_seconds: found"):
        place(lambda progress: None, callback_seconds=pause)


def test_while_no_plan_completes_a_call_has_none(tmp_path):
    graph = tmp_path / "big.graph.json"
    graph.write_text(
        '{"format": "opyard-graph/1", "name": "big", "ops": [{"name": "a", "type": "MatMul",'
        ' "seconds": {"*": 1e-6}, "outputs": [{"bytes": 1000000000000}]}]}',
        encoding="utf-8",
    )
    calls: list[opyard.SearchProgress] = []
    opyard.place(graph, MACHINE, agent="single_device", callback=calls.append)
    assert (calls[-1].plan, calls[-1].score, calls[-1].improvements) == (None, None, [])
    assert calls[-1].failures == calls[-1].evaluations > 0
