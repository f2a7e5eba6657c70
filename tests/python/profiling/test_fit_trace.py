"""`opyard profile fit-trace`: what a trace says of a device, worked out by hand and for real."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest
from opyard import _core
from opyard.cli import main
from opyard.profiling.trace_fit import base_units
from traces import Trace

BASE = """
schema_version: 1
name: base
kind: gpu
memory: 16 GiB
memory_bandwidth: 1000 GB/s
peak_flops: {f32: 10 TFLOP/s, f16: 100 TFLOP/s}
provenance:
  memory: {kind: datasheet, source: sheet}
"""
MIB = 2**20


@pytest.fixture
def base(tmp_path: Path) -> str:
    path = tmp_path / "base.yaml"
    path.write_text(BASE, encoding="utf-8")
    return str(path)


def fit(trace: Path, base: str, capsys, *more: str, status: int = 0) -> dict:
    out = trace.parent / "fitted.yaml"
    words = ["profile", "fit-trace", str(trace), "--device", base, "--out", str(out), *more]
    assert main([*words, "--json"]) == status
    captured = capsys.readouterr()
    return json.loads(captured.out) if status == 0 else {"error": captured.err}


def step_on_a_gpu() -> Trace:
    """Twelve products, a relu of 32 MiB and an op that no row is of."""
    trace = Trace()
    for _ in range(12):
        trace.op("aten::mm", [[1000, 1000], [1000, 1000]], kernels={"sgemm": 398}, gap=2)
    trace.op("aten::relu", [[4 * MIB]], kernels={"relu": 64}, gap=2)
    trace.op("aten::topk", [[7]], kernels={"sort": 5, "gather": 7}, gap=2)
    return trace


def test_kernels_of_a_gpu_become_rows_and_a_device(tmp_path, base, capsys):
    table = tmp_path / "k.csv"
    trace = step_on_a_gpu().write(tmp_path / "t.json")
    answer = fit(trace, base, capsys, "--csv", str(table), "--name", "mine")
    # 12 products, the relu and the two kernels of topk
    assert answer["total_s"] == pytest.approx((12 * 398 + 64 + 12) * 1e-6)
    assert answer["read_s"] == pytest.approx((12 * 398 + 64) * 1e-6)
    assert (answer["rows"], answer["runs"]) == (2, 13)
    assert [(each["runs"], each["seconds"]) for each in answer["unread"]] == [
        (2, pytest.approx(12e-6))
    ]
    assert answer["unread"][0]["what"].startswith("aten::topk")
    with table.open(encoding="utf-8", newline="") as file:
        product, relu = csv.DictReader(file)
    # Kernels and the gap before each, which is the launch.
    assert (product["op"], product["measured_time_us"], product["n_runs"]) == ("gemm", "400", "12")
    assert (relu["op"], relu["measured_time_us"], relu["device"]) == ("relu", "66", "mine")
    device = _core.device_values(answer["out"])
    assert device["launch_overhead"] == "2 us"
    # 2 × 16 MiB in 64 us of 1000 GB/s: 0.524
    assert device["cost"]["memory_efficiency"] == 0.524
    # 2 GFLOP in 400 us of 10 TFLOP/s: one half
    assert device["cost"]["classes"]["heavy"]["efficiency"] == 0.5
    assert device["peak_flops"] == {"f32": "10 TFLOP/s", "f16": "100 TFLOP/s"}
    kinds = {key: entry["kind"] for key, entry in device["provenance"].items()}
    assert kinds == {
        "memory": "datasheet",
        "launch_overhead": "measured",
        "cost.memory_efficiency": "fitted",
        "cost.classes.heavy.efficiency": "measured",
    }


def test_where_the_device_waits_for_the_host_calls_give_the_launch(tmp_path, base, capsys):
    trace = Trace()
    for _ in range(12):
        trace.op("aten::mm", [[10, 10], [10, 10]], kernels={"sgemm": 3}, gap=50)
    fit(trace.write(tmp_path / "t.json"), base, capsys)
    device = _core.device_values(str(tmp_path / "fitted.yaml"))
    assert device["launch_overhead"] == "6 us"  # of each cudaLaunchKernel


def test_what_exceeds_the_device_raises_it(tmp_path, base, capsys):
    trace = Trace()
    for _ in range(12):
        trace.op("aten::mm", [[1000, 1000], [1000, 1000]], kernels={"sgemm": 98}, gap=2)
    trace.op("aten::relu", [[4 * MIB]], kernels={"relu": 16}, gap=2)
    fit(trace.write(tmp_path / "t.json"), base, capsys)
    device = _core.device_values(str(tmp_path / "fitted.yaml"))
    # 2 GFLOP in 100 us; 32 MiB in 16 us
    assert device["peak_flops"]["f32"] == "20 TFLOP/s"
    assert device["memory_bandwidth"] == "2097 GB/s"
    assert device["cost"]["memory_efficiency"] == 1
    assert device["cost"]["classes"]["heavy"]["efficiency"] == 1


def test_the_rest_of_the_base_stays(tmp_path, capsys):
    trace = step_on_a_gpu().write(tmp_path / "t.json")
    answer = fit(trace, "v100-sxm2-16gb", capsys)
    base = _core.device_values("v100-sxm2-16gb")
    device = _core.device_values(answer["out"])
    assert device["name"] == "v100-sxm2-16gb-fitted"
    # It has fitted products, which opyard profile calibrate would replace.
    assert device["cost"]["gemm"] == base["cost"]["gemm"]
    assert device["provenance"]["cost.gemm"] == base["provenance"]["cost.gemm"]
    assert {each["key"] for each in answer["fitted"]} == {
        "launch_overhead",
        "cost.memory_efficiency",
    }


def test_gradients_of_a_convolution_are_told_by_their_kernels(tmp_path, base, capsys):
    dims = [[4, 8, 16, 16], [4, 6, 16, 16], [8, 6, 3, 3], [], [], [], [], [], [], [], []]
    concrete = ["", "", "", "[8]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"]
    both = {"Concrete Inputs": [*concrete, "[True, True, False]"]}
    trace = Trace()
    name = "aten::convolution_backward"
    trace.op(name, dims, kernels={"cudnn_dgrad_x": 30, "sm80_wgrad_y": 50}, **both)
    trace.op(name, dims, kernels={"implicit_gemm": 70}, **both)
    table = tmp_path / "k.csv"
    answer = fit(trace.write(tmp_path / "t.json"), base, capsys, "--csv", str(table))
    with table.open(encoding="utf-8", newline="") as file:
        times = {row["pass"]: float(row["measured_time_us"]) for row in csv.DictReader(file)}
    # Each and one launch, 6 us: there are too few gaps.
    assert times == {"bwd_data": 36, "bwd_weight": 56}
    assert [each["what"] for each in answer["unread"]] == [
        f"{name}: the gradients by image and by weight in one time"
    ]


def test_copies_between_memories_are_no_traffic_of_the_device(tmp_path, base, capsys):
    dims = [[4 * MIB], [4 * MIB], []]
    trace = Trace()
    trace.op("aten::copy_", dims, kernels={"Memcpy HtoD (Pinned -> Device)": 1000})
    trace.op("aten::copy_", dims, kernels={"Memcpy DtoH (Device -> Pinned)": 2000})
    trace.op("aten::copy_", dims, kernels={"Memcpy DtoD (Device -> Device)": 58})
    trace.op("aten::copy_", dims, kernels={"gather": 9, "Memcpy DtoH (Device -> Pageable)": 900})
    table = tmp_path / "k.csv"
    answer = fit(trace.write(tmp_path / "t.json"), base, capsys, "--csv", str(table))
    with table.open(encoding="utf-8", newline="") as file:
        sizes = {row["op"]: int(row["bytes"]) for row in csv.DictReader(file)}
    assert sizes == {"copy_h2d": 16 * MIB, "copy_d2h": 16 * MIB, "copy": 32 * MIB}
    assert [each["runs"] for each in answer["unread"]] == [1]
    # 32 MiB in 58 us of 1000 GB/s
    assert _core.device_values(answer["out"])["cost"]["memory_efficiency"] == 0.579


def test_ops_of_the_cpu_are_counted_once(tmp_path, base, capsys):
    trace = Trace()
    trace.op("aten::scaled_dot_product_attention", [[1, 2, 3, 4]] * 3, us=40, inside=("aten::mm",))
    trace.op("aten::linear", [[2, 3], [5, 3]], us=30)
    trace.op("aten::relu", [[16]], us=3)
    trace.op("aten::view", [[16]], us=2, inside=("aten::relu",))
    answer = fit(trace.write(tmp_path / "t.json"), base, capsys)
    assert answer["total_s"] == pytest.approx(75e-6)
    assert answer["measured"] == "ops on the CPU"
    # The relu within the view has no shapes.
    unread = {each["what"].split(":")[2]: each["runs"] for each in answer["unread"]}
    assert unread == {"linear": 1, "relu": 1}
    assert (answer["rows"], answer["read_s"]) == (2, pytest.approx(43e-6))
    assert _core.device_values(answer["out"])["launch_overhead"] == "3 us"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "t.json"),
        (b"not a trace", "t.json"),
        (b"[1, 2", "t.json"),
        (b"{}", "t.json"),
        (b'{"traceEvents": []}', "found neither kernels nor ops"),
        (b'{"format": "opyard-graph/1", "ops": []}', "t.json"),
        (b"[" * 100_000, "t.json"),
        (gzip.compress(b'{"traceEvents": []}')[:-9], "t.json"),
        (b'[{"ph": "X", "name": "aten::mm", "ts": 1, "dur": -1}]', "dur"),
        (b'[{"ph": "X", "name": "aten::mm", "ts": 1, "dur": 1}]', "record_shapes"),
        (b'[{"ph": "X", "name": "aten::topk", "ts": 1, "dur": 1}]', "no op of it was read"),
    ],
    ids=range(11),
)
def test_other_files_are_refused_in_words(tmp_path, base, capsys, data, message):
    path = tmp_path / "t.json"
    path.write_bytes(data)
    error = fit(path, base, capsys, status=2)["error"]
    assert message in error
    assert "Traceback" not in error
    assert not (tmp_path / "fitted.yaml").exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--device", "p100-pcie-16g"], "did you mean"),
        (["--device", "p100x2-pcie"], "a machine, expected a device"),
        (["--name", "a b"], '--name: found "a b"'),
        (["--out", "/nowhere/at/all.yaml"], "/nowhere/at/all.yaml"),
        (["--out", "-"], "--out - and --json print on standard output"),
        (["--csv", "-"], "--csv - and --json print on standard output"),
    ],
)
def test_bad_arguments_are_refused(tmp_path, base, capsys, more, message):
    trace = step_on_a_gpu().write(tmp_path / "t.json")
    assert message in fit(trace, base, capsys, *more, status=2)["error"]


@pytest.mark.parametrize("packed", [False, True])
def test_a_step_of_pytorch_on_the_cpu_is_read(tmp_path, capsys, packed):
    torch = pytest.importorskip("torch")
    from torch.profiler import ProfilerActivity, profile

    network = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(1568, 10)
    )
    image = torch.rand(4, 3, 16, 16)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        for _ in range(3):
            network(image).sum().backward()
    trace = tmp_path / ("t.json.gz" if packed else "t.json")
    profiler.export_chrome_trace(str(trace))
    table = tmp_path / "k.csv"
    answer = fit(trace, "laptop-cpu", capsys, "--csv", str(table))
    assert 0 < answer["read_s"] < answer["total_s"]
    with table.open(encoding="utf-8", newline="") as file:
        rows = {(row["op"], row["pass"]): row for row in csv.DictReader(file)}
    convolution = rows["conv2d", "fwd"]
    shape = {"N": "4", "C": "3", "H": "16", "K": "8", "R": "3", "pad_h": "0"}
    assert {key: convolution[key] for key in shape} == shape
    assert convolution["n_runs"] == "3"
    assert rows["conv2d", "bwd_weight"]["n_runs"] == "3"  # the image needs no gradient
    assert float(rows["relu", "bwd_all"]["elements"]) == 4 * 8 * 14 * 14
    assert main(["profile", "validate", answer["out"]]) == 0


@pytest.mark.parametrize(
    ("text", "number"),
    [("900 GB/s", 9e11), ("5 us", 5e-6), ("16 GiB", 2**34), ("1e3 MB/s", 1e9), ("8 Gb/s", 1e9)],
)
def test_units_are_those_of_device_files(text, number):
    assert base_units(text) == pytest.approx(number)
