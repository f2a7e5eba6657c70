"""`opyard execute`: plans of all queues run, and what cannot run is refused before it starts."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest

pytest.importorskip("torch")

import opyard
from opyard.cli import main
from opyard.execution.devices import Device
from opyard.execution.errors import ExecutionError
from opyard.execution.ordering import order_plan
from runs import reference

CORES = sorted(os.sched_getaffinity(0))
DEVICES = [Device("cpu", CORES[0]), Device("cpu", CORES[1] if len(CORES) > 1 else None)]
WORDS = ",".join(map(str, DEVICES))
MACHINE = """schema_version: 1
name: cores
devices: [{{name: core, type: xeon-e5-2690v4, count: 2, memory: {memory}}}]
links: [{{name: l, between: [core0, core1], bandwidth: 1 GB/s, latency: 50 us}}]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with the graph of a model and machines of two cores."""
    made = tmp_path_factory.mktemp("execute")
    out = str(made / "g.graph.json")
    arguments = ["export", "torch", reference("two_towers"), "--optimizer", "adam", "--out", out]
    assert main(arguments) == 0
    (made / "m.yaml").write_text(MACHINE.format(memory="1 GiB"))
    return made


@pytest.fixture(scope="module")
def problem(folder):
    return opyard.Problem(str(folder / "g.graph.json"), str(folder / "m.yaml"), fusion="none")


def halves(problem) -> list[int]:
    """Labels of co-location in turns on the two cores."""
    groups = problem.group_of_op
    return [group % 2 for group in groups]


def run(folder: Path, plan: Path, *more: str) -> int:
    return main(
        [
            "execute",
            str(plan),
            *("--model", reference("two_towers")),
            *("--graph", str(folder / "g.graph.json"), "--hardware", str(folder / "m.yaml")),
            *("--devices", WORDS, "--repeat", "3", "--warmup", "1", *more),
        ]
    )


def test_a_plan_runs_and_its_answer_trace_and_row_agree(folder, problem, capsys):
    plan = folder / "p.plan.json"
    problem.plan(halves(problem)).save(plan, problem.graph, problem.hardware)
    files = ["--trace", str(folder / "t.json"), "--csv", str(folder / "rows.csv")]
    assert run(folder, plan, "--json", *files) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["matches_undivided"] is True
    assert answer["repetitions"] == 3
    assert answer["median_s"] > 0
    assert answer["simulated_s"] == problem.simulate(problem.plan(halves(problem)))["makespan_s"]
    assert list(answer["peak_memory_bytes"]) == [device.name for device in DEVICES]
    assert min(answer["peak_memory_bytes"].values()) > 0
    (row,) = csv.DictReader((folder / "rows.csv").read_text().splitlines())
    assert float(row["median_s"]) == answer["median_s"]
    assert row["plan"] == "p"
    events = json.loads((folder / "t.json").read_text())["traceEvents"]
    kernels = [event for event in events if event.get("cat") == "kernel"]
    timed = sum(
        op["finish_s"] > op["start_s"]
        for op in problem.simulate(problem.plan(halves(problem)))["ops"]
    )
    assert sum(event["pid"] == 1 for event in kernels) >= timed > 0
    assert sum(event["pid"] == 11 for event in kernels) > timed
    assert {e["args"]["name"] for e in events if e["ph"] == "M" and e["pid"] == 11} >= {
        device.name for device in DEVICES
    }


def test_orders_of_all_queues_are_kept(problem):
    graph, machine = problem.graph, problem.hardware
    ranks = halves(problem)
    order = [[[], []], [[], []]]
    for i, op in enumerate(range(len(graph))):
        order[ranks[op]][i % 2].append(op)
    plans = [
        opyard.Plan(ranks, queue="program"),
        opyard.Plan(ranks, queue="fifo"),
        opyard.Plan(ranks, op_priority=range(len(graph))),
        opyard.Plan(ranks, order=order),
    ]
    for plan in plans:
        ordered = order_plan(graph, machine, plan, DEVICES)
        place = {op: i for i, op in enumerate(ordered.schedule.sequence)}
        for streams in plan.order:
            for stream in streams:
                assert [place[op] for op in stream] == sorted(place[op] for op in stream)
        assert list(ordered.schedule.ranks) == ranks
    assert list(order_plan(graph, machine, plans[0], DEVICES).schedule.sequence) == list(
        range(len(graph))
    )
    assert any("merged" in note for note in order_plan(graph, machine, plans[3], DEVICES).notes)


def test_fused_kernels_run_op_by_op_and_that_is_noted(folder):
    fusing = opyard.Problem(str(folder / "g.graph.json"), str(folder / "m.yaml"))
    plan = fusing.plan(halves(fusing))
    ordered = order_plan(fusing.graph, fusing.hardware, plan, DEVICES)
    assert any("run as kernels of their own" in note for note in ordered.notes)


def test_a_plan_that_deadlocks_is_refused(problem):
    ranks = [0] * len(problem.graph)
    backwards = opyard.Plan(ranks, order=[[list(range(len(problem.graph)))[::-1]], [[]]])
    with pytest.raises(ExecutionError, match=r"the plan cannot run: .*deadlock"):
        order_plan(problem.graph, problem.hardware, backwards, DEVICES)


def test_a_plan_that_does_not_fit_is_refused(problem):
    machine = problem.hardware.to_dict()
    for device in machine["devices"]:
        device["memory"] = "1000 B"
    small = opyard.Machine.from_dict(machine)
    plan = opyard.Plan([0] * len(problem.graph))
    with pytest.raises(ExecutionError, match="out of memory in its simulation on core0"):
        order_plan(problem.graph, small, plan, DEVICES)


def test_a_plan_for_more_devices_is_refused(problem):
    plan = opyard.Plan(halves(problem))
    with pytest.raises(ExecutionError, match=r"uses core0, core1 .* expected devices of"):
        order_plan(problem.graph, problem.hardware, plan, DEVICES[:1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", reference("lstm")], "the graph is not that of the model: op 0 has name"),
        (["--devices", "cpu:0,gpu:1"], 'found "gpu:1"'),
        (["--repeat", "0"], "--repeat: found 0"),
        (["--timeout", "0"], "--timeout: found 0"),
        (["--csv", "/nowhere/rows.csv"], "/nowhere/rows.csv"),
    ],
)
def test_what_cannot_run_is_refused_before_it_starts(
    folder, problem, capsys, monkeypatch, arguments, message
):
    monkeypatch.setattr("opyard.execution.workers.Workers.__enter__", None)  # no process starts
    plan = folder / "refused.plan.json"
    problem.plan(halves(problem)).save(plan, problem.graph, problem.hardware)
    assert run(folder, plan, *arguments) == 2
    assert message in capsys.readouterr().err


def test_a_step_with_another_result_has_status_1(folder, problem, capsys, monkeypatch):
    answer = {
        "median_s": 3e-3,
        "spread_s": 1e-3,
        "repetitions": 5,
        "simulated_s": 2e-3,
        "matches_undivided": False,
        "difference": 0.25,
        "differs_most": "gradient head.bias",
        "peak_memory_bytes": {"cpu0": 2**21},
        "hardware": {"cpu0": "a core"},
        "notes": ["streams of a device run as one"],
    }
    monkeypatch.setattr("opyard.execution.command._execute", lambda args: answer)
    assert run(folder, folder / "differs.plan.json") == 1
    out = capsys.readouterr().out
    assert "gradient head.bias differs from that of the undivided step by 0.25" in out
    assert "3.000 ms, median of 5 steps; 1.000 ms between the quartiles" in out
    assert "note: streams" in out
