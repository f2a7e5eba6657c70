"""The device file of measured rows, with numbers worked out by hand."""

from __future__ import annotations

from opyard import _core
from opyard.profiling.device_values import device_values, yaml_text
from opyard.profiling.rows import make_case, row_of

ROWS = [
    row_of("mine", make_case("launch", "f32"), [3e-6]),
    # 3 GB in 10 ms; the small one lies in a cache.
    row_of("mine", make_case("triad", "f32", elements=250_000_000, bytes=3_000_000_000), [10e-3]),
    row_of("mine", make_case("triad", "f32", elements=1024, bytes=12288), [1e-9]),
    # 2 × 1000³ in 1 ms and in 4 ms
    row_of("mine", make_case("gemm", "f32", M=1000, N=1000, K=1000), [1e-3]),
    row_of("mine", make_case("gemm", "f32", M=1000, N=1000, K=1001), [4e-3]),
    row_of("mine", make_case("gemm", "f16", M=1000, N=1000, K=1000, batch=2), [1e-3]),
    row_of("mine", make_case("gemm", "f32", M=2, N=3, K=5), [1e-3]),
    row_of("other", make_case("gemm", "f32", M=1000, N=1000, K=1000), [1e-6]),
]


def test_peaks_and_bandwidth_are_those_of_the_fastest_kernels(tmp_path):
    values = device_values("mine", "gpu", 2**30, ROWS, {"date": "2026-11-27"})
    assert values["memory_bandwidth"] == "300 GB/s"
    assert values["peak_flops"] == {"f32": "2 TFLOP/s", "f16": "4 TFLOP/s"}
    assert values["launch_overhead"] == "3 us"
    # The two largest of the four products reach all of the peak and 0.25025 of it.
    assert values["cost"]["classes"]["heavy"]["efficiency"] == 0.625
    path = tmp_path / "mine.yaml"
    path.write_text(yaml_text(values), encoding="utf-8")
    assert _core.device_values(str(path)) == values


def test_a_file_of_no_launches_says_none():
    values = device_values("mine", "cpu", 2**30, ROWS[1:], {})
    assert "launch_overhead" not in values
    assert "launch_overhead" not in values["provenance"]
