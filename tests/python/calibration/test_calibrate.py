"""Fits find the parameters that made the rows, and refuse what no parameters explain."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from opyard.calibration.calibrate import calibrate, provenance_of, with_provenance
from opyard.calibration.device_text import device_text
from opyard.calibration.devices import graph_of, predict, read_device
from opyard.calibration.errors import CalibrationError
from opyard.calibration.fit import errors_of
from opyard.calibration.rows import Row

from tests.python.calibration.rows_of import DEVICE, gemm_cells, with_times

pytest.importorskip("scipy")


def _median_error(device: dict[str, Any], rows: list[Row]) -> float:
    return float(np.median(errors_of(device, rows)))


def _with_cost(**cost: Any) -> dict[str, Any]:
    device = copy.deepcopy(DEVICE)
    device["cost"].update(cost)
    return device


def _noisy(rows: list[Row], spread: float) -> list[Row]:
    generator = np.random.default_rng(1)
    factors = np.exp(generator.normal(0.0, spread, len(rows)))
    return [
        Row(row.cells, row.place, row.seconds * factor)
        for row, factor in zip(rows, factors, strict=True)
    ]


def test_a_fit_predicts_unseen_products_of_known_parameters_within_a_percent() -> None:
    block = {"e_max": 0.7, "h_m": 90, "h_n": 40, "h_k": 120, "overhead": "2 us"}
    truth = _with_cost(gemm={"f16": {**block, "softmax_q": 2.5, "memory_efficiency": 0.7}})
    found = calibrate(DEVICE, with_times(gemm_cells(120), truth))
    unseen = with_times(gemm_cells(60, seed=7), truth)
    assert _median_error(found.device, unseen) < 0.01
    assert found.reports[0].median < 0.01


def test_waves_of_tiles_are_found_where_they_made_the_times() -> None:
    block = {"e_max": 0.9, "h_k": 60, "tiles": ["128x128"], "softmax_q": 3.0}
    truth = _with_cost(gemm={"f16": block})
    found = calibrate(DEVICE, with_times(gemm_cells(150), truth))
    assert found.device["cost"]["gemm"]["f16"]["tiles"] == ["128x128"]
    assert found.reports[0].median < 0.01


def test_convolutions_are_fitted_pass_by_pass() -> None:
    generator = np.random.default_rng(3)
    cells = []
    for _ in range(60):
        n, c, k = (int(value) for value in np.exp(generator.uniform(2, 5.5, 3)))
        size, window, stride = (
            int(generator.choice(list(x))) for x in ((14, 28, 56), (1, 3, 5), (1, 2))
        )
        shape = {"N": n, "C": c, "H": size, "W": size, "K": k, "R": window, "S": window}
        shape |= {"stride_h": stride, "stride_w": stride}
        for passed in ("fwd", "bwd_data"):
            head = {"device": "mine", "dtype": "fp32", "op": "conv2d", "pass": passed}
            cells.append({**head, **{name: str(value) for name, value in shape.items()}})
    passes = {
        "forward": {"e_max": 0.8, "h_m": 200, "h_n": 20, "h_k": 40, "winograd_gain": 0.6},
        "backward_data": {"e_max": 0.5, "h_m": 400, "h_n": 30, "h_k": 80, "stride_loss": 0.9},
    }
    rows = with_times(cells, _with_cost(conv={"f32": passes}))
    found = calibrate(DEVICE, rows)
    assert {report.name for report in found.reports} == {
        "cost.conv.f32.forward",
        "cost.conv.f32.backward_data",
    }
    # Some numbers hardly matter and are pulled to where they start.
    assert all(report.median < 0.03 for report in found.reports)


def test_launch_and_bandwidth_come_from_elementwise_kernels() -> None:
    sizes = np.geomspace(1e3, 3e8, 40).astype(int)
    cells = [
        {"device": "mine", "dtype": "fp16", "op": op, "elements": str(size)}
        for size in sizes
        for op in ("triad", "add", "gelu")
    ]
    truth = _with_cost(memory_efficiency=0.75)
    truth["launch_overhead"] = "2.5 us"
    found = calibrate(DEVICE, with_times(cells, truth))
    assert found.reports[0].name == "launch_overhead"
    assert found.reports[0].also == ("cost.memory_efficiency", "cost.l2")
    assert found.reports[0].median < 0.02
    assert float(found.device["launch_overhead"].split()[0]) == pytest.approx(2.5, rel=0.05)
    assert found.device["cost"]["memory_efficiency"] == pytest.approx(0.75, rel=0.05)


def test_a_measured_launch_stays() -> None:
    cells = [
        {"device": "mine", "dtype": "fp16", "op": "add", "elements": str(size)}
        for size in np.geomspace(1e3, 3e8, 40).astype(int)
    ]
    launch = Row({"device": "mine", "dtype": "fp32", "op": "launch"}, "rows.csv:1", 1.5e-6)
    found = calibrate(DEVICE, [launch, *with_times(cells, DEVICE)])
    assert found.device["launch_overhead"] == "1.5 us"


def test_a_block_of_thirty_rows_that_nothing_explains_is_refused() -> None:
    rows = _noisy(with_times(gemm_cells(60), DEVICE), spread=2.0)
    found = calibrate(DEVICE, rows)
    assert [report.is_written for report in found.reports] == [False]
    assert "gemm" not in found.device["cost"]
    assert provenance_of(found, "rows.csv", "2026-01-01") == {}


def test_other_blocks_are_written_where_one_is_refused() -> None:
    noise = _noisy(with_times(gemm_cells(60, "fp32"), DEVICE), spread=2.0)
    found = calibrate(DEVICE, [*noise, *with_times(gemm_cells(60), DEVICE)])
    assert {report.name: report.is_written for report in found.reports} == {
        "cost.gemm.f16": True,
        "cost.gemm.f32": False,
    }


def test_one_noisy_row_in_ten_hardly_moves_a_fit() -> None:
    truth = _with_cost(gemm={"f16": {"e_max": 0.7, "h_m": 90, "h_n": 40, "h_k": 120}})
    rows = with_times(gemm_cells(150), truth)
    wild = [
        Row(row.cells, row.place, row.seconds * 10) if index % 10 == 0 else row
        for index, row in enumerate(rows)
    ]
    found = calibrate(DEVICE, wild)
    assert _median_error(found.device, with_times(gemm_cells(60, seed=7), truth)) < 0.05


def test_rows_of_unknown_ops_and_arithmetic_are_counted_and_left_out() -> None:
    rows = with_times(gemm_cells(20), DEVICE)
    odd = [
        Row({**rows[0].cells, "op": "allreduce"}, "x", 1e-5),
        Row({**rows[0].cells, "dtype": "fp32_or_tf32"}, "x", 1e-5),
    ]
    assert sorted(calibrate(DEVICE, [*rows, *odd]).skipped.values()) == [1, 1]
    with pytest.raises(CalibrationError, match="no row can be used"):
        calibrate(DEVICE, odd)


def test_a_device_of_a_shipped_name_takes_nothing_from_the_shipped_one() -> None:
    shipped = read_device("rtx-pro-6000-96gb")
    bare = copy.deepcopy(shipped)
    del bare["cost"]["gemm"]
    graph = graph_of(with_times(gemm_cells(5, "bfloat16"), DEVICE))
    renamed = {**bare, "name": "another"}
    assert np.array_equal(predict(graph, bare), predict(graph, renamed))
    assert not np.allclose(predict(graph, bare), predict(graph, shipped), rtol=0.01)


def test_the_written_file_reads_back_to_the_same_predictions(tmp_path: Any) -> None:
    rows = with_times(gemm_cells(60), DEVICE)
    found = calibrate(DEVICE, rows)
    entries = provenance_of(found, "rows.csv", "2026-01-01")
    path = tmp_path / "fitted.yaml"
    path.write_text(device_text(with_provenance(found.device, entries)))
    graph = graph_of(rows)
    assert np.array_equal(predict(graph, read_device(str(path))), predict(graph, found.device))
    values = read_device(str(path))
    assert values["provenance"]["cost.gemm.f16"]["kind"] == "fitted"
