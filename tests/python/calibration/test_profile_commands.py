"""`opyard profile calibrate` and `profile score` as commands."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from opyard.calibration.command import run_calibrate, run_score
from opyard.calibration.device_text import device_text

from tests.python.calibration.rows_of import DEVICE, gemm_cells, with_times, write_csv

pytest.importorskip("scipy")

HEAD = "device,dtype,op,M,N,K,measured_time_us\n"
GOOD = "mine,fp16,gemm,64,64,64,10\n"


@pytest.fixture
def device(tmp_path: Path) -> str:
    path = tmp_path / "mine.yaml"
    path.write_text(device_text(DEVICE))
    return str(path)


def _score(*words: Any) -> int:
    return run_score(["profile", "score", *map(str, words)])


def test_a_device_scores_no_error_on_its_own_times(
    device: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = write_csv(tmp_path / "rows.csv", with_times(gemm_cells(20), DEVICE))
    assert _score(device, "--measurements", rows, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["rows"] == 20
    [entry] = answer["classes"]
    assert (entry["op"], entry["dtype"], entry["pass"], entry["rows"]) == ("gemm", "fp16", "", 20)
    assert max(entry["mape"], entry["median_ape"]) < 1e-6


def test_errors_are_those_of_hand_arithmetic(
    device: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = with_times(gemm_cells(3), DEVICE)
    for row, factor in zip(rows, (0.5, 0.8, 2.0), strict=True):
        row.cells["measured_time_us"] = repr(float(row.cells["measured_time_us"]) * factor)
    path = write_csv(tmp_path / "rows.csv", rows)
    assert _score(device, "--measurements", path, "--json") == 0
    [entry] = json.loads(capsys.readouterr().out)["classes"]
    # |1/0.5 - 1| = 1, |1/0.8 - 1| = 0.25, |1/2 - 1| = 0.5
    assert entry["mape"] == pytest.approx(1.75 / 3, rel=1e-5)
    assert entry["median_ape"] == pytest.approx(0.5, rel=1e-5)


def test_predictions_keep_rows_and_order(device: str, tmp_path: Path) -> None:
    rows = with_times(gemm_cells(5), DEVICE)
    path = write_csv(tmp_path / "rows.csv", rows)
    with path.open("a") as file:
        file.write("mine,fp16,allreduce,,,,12\n")
    out = tmp_path / "out.csv"
    assert _score(device, "--measurements", path, "--predictions", out) == 0
    lines = list(csv.DictReader(out.open()))
    assert [line["M"] for line in lines] == [row.cells["M"] for row in rows] + [""]
    assert lines[-1]["predicted_us"] == ""
    assert float(lines[0]["predicted_us"]) == pytest.approx(rows[0].seconds * 1e6, rel=1e-4)


def test_compressed_files_and_labels(
    device: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.csv.gz"
    with gzip.open(path, "wt") as file:
        file.write(HEAD + GOOD + GOOD.replace("mine", "other"))
    assert _score(device, "--measurements", path) == 2
    assert "rows of several devices (mine, other)" in capsys.readouterr().err
    assert _score(device, "--measurements", path, "--label", "third") == 2
    assert "expected one of mine, other" in capsys.readouterr().err
    assert _score(device, "--measurements", path, "--label", "mine", "--json") == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty file"),
        ("op,dtype\n", "measured_time_us"),
        (HEAD, "no rows"),
        (HEAD + GOOD.replace(",10", ",0"), ":2: measured_time_us"),
        (HEAD + GOOD.replace(",10", ",nan"), ":2: measured_time_us"),
        (HEAD + GOOD.replace(",10", ",-3"), ":2: measured_time_us"),
        (HEAD + GOOD.replace(",10", ",inf"), ":2: measured_time_us"),
        (HEAD + GOOD.replace(",10", ",fast"), 'found "fast"'),
        (HEAD + GOOD.replace("64,64,64", "64,,64"), "N: found nothing"),
        (HEAD + GOOD.replace("64,64,64", "64,x,64"), 'N: found "x"'),
        (HEAD + GOOD.replace("64,64,64", "64,-1,64"), 'N: found "-1"'),
        (HEAD + GOOD.replace("64,64,64", "64,1.5,64"), "whole number"),
        (HEAD + GOOD.replace("64,64,64", "64,1e12,64"), "whole number"),
        (HEAD + GOOD.replace("64,64,64", "64,0,64"), "/gemm/n"),
        (HEAD + 'mine,fp16,gemm,"64,64,64,10\n', "rows.csv"),
        ("op,dtype,pass,measured_time_us\nconv2d,fp32,sideways,3\n", "N: found nothing"),
    ],
)
def test_hostile_measurements_end_with_a_message(
    device: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(text)
    out = tmp_path / "out.yaml"
    assert _score(device, "--measurements", path) == 2
    assert message in capsys.readouterr().err
    words = ["--measurements", str(path), "--device", device, "--out", str(out)]
    assert run_calibrate(["profile", "calibrate", *words]) == 2
    assert not out.exists()


@pytest.mark.parametrize("text", [HEAD + GOOD, HEAD + 40 * GOOD])
def test_one_row_and_one_shape_are_too_few(
    device: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(text)
    words = ["--measurements", str(path), "--device", device, "--out", str(tmp_path / "out.yaml")]
    assert run_calibrate(["profile", "calibrate", *words]) == 2
    assert "rows of 1 shapes" in capsys.readouterr().err


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"\x1f\x8b\x08broken"])
def test_bytes_that_are_no_text_end_with_a_message(
    device: str, tmp_path: Path, data: bytes
) -> None:
    path = tmp_path / ("rows.csv.gz" if data.startswith(b"\x1f") else "rows.csv")
    path.write_bytes(data)
    assert _score(device, "--measurements", path) == 2
    assert _score(device, "--measurements", tmp_path / "absent.csv") == 2


@pytest.mark.parametrize("text", ["", "[1, 2]", "name: x", "a: &a [*a]", "!!python/object:x {}"])
def test_what_is_no_device_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "device.yaml"
    path.write_text(text)
    rows = tmp_path / "rows.csv"
    rows.write_text(HEAD + GOOD)
    assert _score(path, "--measurements", rows) == 2


def test_a_device_that_the_program_refuses_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "device.yaml"
    path.write_text(device_text({**DEVICE, "memory_bandwidth": "900"}))
    rows = tmp_path / "rows.csv"
    rows.write_text(HEAD + GOOD)
    assert _score(path, "--measurements", rows) == 2
    assert "device.yaml:6:19" in capsys.readouterr().err


def test_calibrate_writes_a_device_that_scores_better(
    device: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth = {**DEVICE, "cost": {**DEVICE["cost"], "gemm": {"f16": {"e_max": 0.3, "h_k": 300}}}}
    path = write_csv(tmp_path / "rows.csv", with_times(gemm_cells(60), truth))
    out = tmp_path / "fitted.yaml"
    words = ["--measurements", str(path), "--device", device, "--out", str(out), "--json"]
    assert run_calibrate(["profile", "calibrate", *words]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["out"] == str(out)
    assert answer["blocks"][0]["block"] == "cost.gemm.f16"
    assert answer["blocks"][0]["written"]
    medians = []
    for profile in (device, out):
        assert _score(profile, "--measurements", path, "--json") == 0
        medians.append(json.loads(capsys.readouterr().out)["classes"][0]["median_ape"])
    assert medians[1] < 0.02 < medians[0]


def test_a_shipped_device_is_found_by_its_name(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text(HEAD + GOOD)
    assert _score("v100-sxm2-16gb", "--measurements", rows) == 0
    assert _score("no-such-device", "--measurements", rows) == 2
