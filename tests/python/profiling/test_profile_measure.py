"""`opyard profile measure` on the CPU: rows, a device file that is valid, and a killed command."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from opyard import _core
from opyard.cli import main
from opyard.profiling import measurement
from opyard.profiling.kernels import Kernels
from opyard.profiling.measurement import measure
from opyard.profiling.rows import RowFile, make_case, row_of
from opyard.profiling.timing import Effort, time_call

CPU = torch.device("cpu")
FORMATS = Path(__file__).resolve().parents[3] / "docs" / "formats.md"
SMALL = {
    "gemm": {"M": 5, "N": 3, "K": 2, "transA": "T", "transB": "N"},
    "attention": {"batch": 2, "heads": 3, "seq_q": 4, "seq_kv": 5, "head_dim": 8},
    "lstm": {"hidden": 3, "batch": 2, "timesteps": 5},
    "gru": {"hidden": 3, "batch": 2, "timesteps": 5},
    "rnn_vanilla": {"hidden": 3, "batch": 2, "timesteps": 5},
    "copy": {"elements": 7, "bytes": 56},
    "triad": {"elements": 7, "bytes": 84},
}
ELEMENTWISE = ("add", "mul", "relu", "gelu", "tanh", "sum", "softmax", "layer_norm")
CONVOLUTION = {
    **{"N": 2, "C": 4, "H": 7, "W": 7, "K": 6, "R": 1, "S": 3, "pad_h": 0, "pad_w": 1},
    **{"stride_h": 2, "stride_w": 2, "groups": 2},
}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def arguments(out: Path, *more: str) -> list[str]:
    return ["profile", "measure", "--out", str(out), "--device", "cpu", "--quick", *more]


def test_a_short_run_writes_rows_and_a_device(tmp_path, capsys):
    out, profile = tmp_path / "k.csv", tmp_path / "mine.yaml"
    words = arguments(out, "--minutes", "0.04", "--name", "mine", "--profile", str(profile))
    assert main([*words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    (described,) = re.findall(r"\n\| `profile measure` \| (.*) \|\n", FORMATS.read_text())
    assert set(answer) <= set(re.findall(r"`(\w+)`", described))
    rows = rows_of(out)
    assert answer["measured"] == len(rows) >= 4
    assert (
        answer["measured"] + answer["left"] + sum(answer["skipped"].values()) == (answer["kernels"])
    )
    assert [row["op"] for row in rows[:4]] == ["launch", "dispatch", "triad", "gemm"]
    assert {row["device"] for row in rows} == {"mine"}
    device = _core.device_values(str(profile))
    assert (device["name"], device["kind"]) == ("mine", "cpu")
    triad, product = rows[2], rows[3]
    rate = int(triad["bytes"]) / float(triad["measured_time_us"]) * 1e6
    assert float(device["memory_bandwidth"].split()[0]) == pytest.approx(rate / 1e9, rel=1e-3)
    flops = 2 * int(product["M"]) ** 3 / float(product["measured_time_us"]) * 1e6
    assert float(device["peak_flops"]["f32"].split()[0]) >= flops / 1e12 * 0.999
    assert main(["profile", "validate", str(profile)]) == 0


def test_a_killed_measurement_goes_on(tmp_path, capsys):
    out = tmp_path / "k.csv"
    command = [sys.executable, "-m", "opyard", *arguments(out, "--minutes", "5", "--name", "m")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    while not (out.exists() and out.read_bytes().count(b"\n") > 4):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
            pytest.fail(process.communicate()[1].decode())
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = out.read_bytes()
    whole = before[: before.rfind(b"\n") + 1]
    assert whole.count(b"\n") > 4
    assert main(arguments(out, "--minutes", "0.001", "--name", "m", "--json")) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["known"] == whole.count(b"\n") - 1
    assert out.read_bytes().startswith(whole)


def test_what_the_file_holds_is_not_measured_again(tmp_path):
    case = make_case("add", "f32", elements=1024, bytes=12288)
    file = RowFile(tmp_path / "k.csv")
    file.append(row_of("mine", case, [7e-6]))
    other = make_case("mul", "f32", elements=1024, bytes=12288)
    outcome = measure("mine", CPU, [case, other], file, 10, print)
    assert (outcome.known, outcome.measured, outcome.left) == (1, 1, 0)
    assert [row["measured_time_us"] for row in file.rows if row["op"] == "add"] == ["7"]
    # Another device has its own rows.
    assert measure("yours", CPU, [case], file, 10, print).measured == 1


def test_cases_that_do_not_run_are_counted(tmp_path):
    file = RowFile(tmp_path / "k.csv")
    cases = [
        make_case("gemm", "f32", M=2**28, N=16, K=2**20, transA="N", transB="N"),  # 1 PiB
        make_case("add", "f32", elements=1024, bytes=12288),
    ]
    outcome = measure("mine", CPU, cases, file, 10, print)
    assert (outcome.measured, sum(outcome.skipped.values())) == (1, 1)
    assert [row["op"] for row in file.rows] == ["add"]


@pytest.mark.parametrize(
    ("op", "pass_"),
    [(op, "") for op in ("gemm", "copy", "triad")]
    + [(op, p) for op in ("attention", "lstm", "gru", "rnn_vanilla") for p in ("fwd", "bwd_all")],
)
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_kernels_of_each_op_run(op, pass_, dtype):
    call = Kernels(CPU).prepare(make_case(op, dtype, pass_, **SMALL[op]))
    assert min(time_call(call, CPU, Effort(warmups=1, runs=3))) > 0


@pytest.mark.parametrize("op", [*ELEMENTWISE, "batch_norm", "transpose", "embedding"])
def test_elementwise_kernels_run_at_their_size(op):
    call = Kernels(CPU).prepare(make_case(op, "f32", elements=4096, bytes=4096))
    assert torch.numel(call()) == (1 if op == "sum" else 4096)


def test_a_product_has_the_shape_of_its_case():
    call = Kernels(CPU).prepare(make_case("gemm", "f32", batch=7, **SMALL["gemm"]))
    assert call().shape == (7, 5, 3)


def test_products_of_8_bit_numbers_run():
    case = make_case("gemm", "f8", M=32, N=48, K=64, transA="N", transB="T")
    assert Kernels(CPU).prepare(case)().shape == (32, 48)


def test_convolutions_run_each_pass():
    kernels = Kernels(CPU)
    forward, data, weight = (
        kernels.prepare(make_case("conv2d", "f32", pass_, **CONVOLUTION))()
        for pass_ in ("fwd", "bwd_data", "bwd_weight")
    )
    # (7 − 1) / 2 + 1 = 4 rows, (7 + 2 − 3) / 2 + 1 = 4 columns
    assert forward.shape == (2, 6, 4, 4)
    assert [None if part is None else part.shape for part in data] == [(2, 4, 7, 7), None, None]
    assert [None if part is None else part.shape for part in weight] == [None, (6, 2, 1, 3), None]


def test_without_a_compiler_fused_pairs_are_skipped_with_a_word(tmp_path, monkeypatch):
    def fail(*_args, **_more):
        raise RuntimeError("no compiler\nat all")

    monkeypatch.setattr(torch, "compile", fail)
    shape = {"elements": 1024, "bytes": 12288, "kernels": "add+relu"}
    cases = [make_case(op, "f32", **shape) for op in ("unfused", "fused")]
    file = RowFile(tmp_path / "k.csv")
    outcome = measure("mine", CPU, cases, file, 10, print)
    assert outcome.skipped == {"torch.compile: no compiler": 1}
    assert [row["op"] for row in file.rows] == ["unfused"]


@pytest.mark.slow
def test_fused_pairs_are_compiled_once_for_all_sizes():
    kernels = Kernels(CPU)
    compiled = torch._dynamo.utils.counters["stats"]
    before = compiled["unique_graphs"]
    for elements in (2**12, 2**16, 2**18):
        shape = {"elements": elements, "bytes": 16 * elements, "kernels": "mul+add"}
        assert kernels.prepare(make_case("fused", "f32", **shape))().shape == (elements,)
    assert compiled["unique_graphs"] == before + 1


def test_slow_kernels_run_less_often():
    runs = []
    call = runs.append
    effort = Effort(warmups=10, runs=30, least_runs=3, seconds=0.02)
    seconds = time_call(lambda: (call(0), signal.sigtimedwait([], 0.02)), CPU, effort)
    assert len(seconds) == 3
    assert len(runs) < 10


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--minutes", "0"], "--minutes: found 0.0"),
        (["--dtypes", "f32,f31"], '--dtypes: found "f31"'),
        (["--device", "tpu"], '--device: found "tpu"'),
        (["--device", "cpu:0,cpu"], "expected one device"),
        (["--device", "cuda:99"], "there is no cuda:99"),
        (["--name", "my gpu"], '--name: found "my gpu"'),
        (["--profile", "/nowhere/at/all.yaml"], "--profile"),
        (["--out", "/nowhere/at/all.csv"], "No such file"),
    ],
)
def test_bad_arguments_are_refused(tmp_path, capsys, more, message):
    assert main(arguments(tmp_path / "k.csv", *more)) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
    assert not (tmp_path / "k.csv").exists()


def test_without_a_product_no_device_is_written(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(measurement, "measure", lambda *_: measurement.Outcome(left=7))
    profile = tmp_path / "mine.yaml"
    words = arguments(tmp_path / "k.csv", "--name", "mine", "--profile", str(profile))
    file = RowFile(tmp_path / "k.csv")
    assert main(words) == 1
    assert "--profile: no triad is measured yet" in capsys.readouterr().err
    file.append(row_of("mine", make_case("triad", "f32", elements=1024, bytes=12288), [2e-6]))
    assert main(words) == 1
    captured = capsys.readouterr()
    assert "--profile: no matrix product of mine is measured yet" in captured.err
    assert "7 kernels are left" in captured.out
    assert not profile.exists()


def test_a_core_is_left_as_it_was(tmp_path):
    cores, threads = os.sched_getaffinity(0), torch.get_num_threads()
    core = min(cores)
    words = ["profile", "measure", "--out", str(tmp_path / "k.csv"), "--device", f"cpu:{core}"]
    assert main([*words, "--quick", "--minutes", "0.001"]) == 0
    assert os.sched_getaffinity(0) == cores
    assert torch.get_num_threads() == threads
    assert rows_of(tmp_path / "k.csv")[0]["device"].endswith("-core")
