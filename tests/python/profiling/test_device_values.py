"""The device file of measured rows, with numbers worked out by hand."""

from __future__ import annotations

import pytest
from opyard import _core
from opyard.profiling.copy_links import links_of
from opyard.profiling.device_values import Hardware, device_values, yaml_text
from opyard.profiling.rows import make_case, row_of

GPU = Hardware("mine", "gpu", 2**30)
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
    values = device_values(GPU, ROWS, {"date": "2026-11-27"})
    assert values["memory_bandwidth"] == "300 GB/s"
    assert values["peak_flops"] == {"f32": "2 TFLOP/s", "f16": "4 TFLOP/s"}
    assert values["launch_overhead"] == "3 us"
    # The two largest of the four products reach all of the peak and 0.25025 of it.
    assert values["cost"]["classes"]["heavy"]["efficiency"] == 0.625
    path = tmp_path / "mine.yaml"
    path.write_text(yaml_text(values), encoding="utf-8")
    assert _core.device_values(str(path)) == values


def test_a_file_of_no_launches_says_none():
    values = device_values(GPU, ROWS[1:], {})
    assert "launch_overhead" not in values
    assert "launch_overhead" not in values["provenance"]


@pytest.mark.parametrize(("us", "l2"), [(13, "1200 GB/s"), (37, None)])
def test_a_second_cache_level_is_there_where_it_is_faster(us, l2):
    # 12 MB in 10 us beside a launch of 3 us: 1200 GB/s; in 34 us: 353 GB/s, less than 1.2 × 300
    inside = row_of(
        "mine", make_case("triad", "f32", elements=10**6, bytes=12 * 10**6), [us * 1e-6]
    )
    hardware = Hardware("mine", "gpu", 2**30, l2_bytes=40 * 2**20)
    values = device_values(hardware, [*ROWS, inside], {})
    if l2 is None:
        assert "l2" not in values["cost"]
    else:
        assert values["cost"]["l2"] == {"size": f"{40 * 2**20} B", "bandwidth": l2}
    assert ("cost.l2" in values["provenance"]) == (l2 is not None)


def test_copies_give_the_links():
    # 10 us and 1 MB at 10 GB/s, then 5 MB; a way of one size has no line.
    rows = [
        row_of("mine", make_case("copy_h2d", "f32", bytes=10**6), [110e-6]),
        row_of("mine", make_case("copy_h2d", "f32", bytes=5 * 10**6), [510e-6]),
        row_of("mine", make_case("copy_d2h", "f32", bytes=10**6), [110e-6]),
        row_of("mine", make_case("copy_peer", "f32", bytes=10**6, peer="cuda:1"), [50e-6]),
        row_of("mine", make_case("copy_peer", "f32", bytes=2 * 10**6, peer="cuda:1"), [90e-6]),
        row_of("other", make_case("copy_h2d", "f32", bytes=10**6), [1e-6]),
    ]
    links = {link["to"]: link for link in links_of("mine", rows)}
    assert set(links) == {"host to device", "to cuda:1"}
    assert links["host to device"]["latency_s"] == pytest.approx(10e-6)
    assert links["host to device"]["bandwidth_bytes_per_s"] == pytest.approx(10e9)
    # 50 us + 40 us for each further MB
    assert links["to cuda:1"]["bandwidth_bytes_per_s"] == pytest.approx(25e9)
