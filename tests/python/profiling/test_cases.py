"""The kernels that `opyard profile measure` times: enough of each kind, spread over any budget."""

from __future__ import annotations

from collections import Counter
from math import log10

import pytest
from opyard.profiling.cases import CPU, GPU, _convolution, cases_for, flops_of
from opyard.profiling.layers import CONVOLUTIONS, Convolution
from opyard.profiling.rows import make_case

GIB = 2**30


def cases_of(limits=GPU, dtypes=("f32",), peers=("host", "cuda:1"), **more):
    options = {"memory": 16 * GIB, "quick": False} | more
    return cases_for(limits, dtypes, peers=peers, **options)


@pytest.mark.parametrize("limits", [CPU, GPU], ids=["cpu", "gpu"])
def test_there_are_enough_of_each_kind(limits):
    cases = cases_of(limits)
    assert len(set(cases)) == len(cases)
    counts = Counter(case.op for case in cases)
    assert counts["gemm"] >= 60
    assert counts["conv2d"] == 3 * len(CONVOLUTIONS) == 120
    assert counts["lstm"] == 2 * 6
    assert counts["fused"] == counts["unfused"] == 9
    assert {case["bytes"] for case in cases if case.op == "copy_peer"} >= {1024, 2**28}
    assert counts["copy_h2d"] == counts["copy_d2h"] == counts["copy_peer"]
    triads = [case["bytes"] for case in cases if case.op == "triad"]
    assert min(triads) == 3 * 4096
    assert max(triads) >= 3 * 2**28


def test_a_device_without_others_has_no_copies_to_them():
    assert not [case for case in cases_of(CPU, peers=()) if case.op.startswith("copy_")]


def test_no_array_takes_more_than_the_memory_has():
    cases = cases_of(memory=GIB)
    # three arrays each
    assert max(case["bytes"] for case in cases[3:] if case.op == "triad") <= GIB / 2


@pytest.mark.parametrize("quick", [False, True])
def test_what_a_device_file_needs_comes_first(quick):
    first = cases_of(dtypes=("f32", "f16"), quick=quick)[:7]
    assert [case.op for case in first[:3]] == ["launch", "dispatch", "triad"]
    assert {case.dtype for case in first[3:] if case.op == "gemm"} == {"f32", "f16"}


def test_a_part_of_the_list_holds_that_part_of_each_kind():
    cases = cases_of()
    counts = Counter(case.op for case in cases)
    half = Counter(case.op for case in cases[: len(cases) // 2])
    for op in ("gemm", "conv2d", "triad", "copy", "copy_h2d", "copy_d2h", "fused", "unfused"):
        # Of ten, one more or less falls into the half, and one is measured at the very beginning.
        assert half[op] == pytest.approx(counts[op] / 2, abs=max(1.5, counts[op] / 10)), op
    # Large and small ones: the first ten products span more than half of the orders of magnitude.
    sizes = [log10(flops_of(case)) for case in cases[20:] if case.op == "gemm"]
    assert max(sizes[:10]) - min(sizes[:10]) > (max(sizes) - min(sizes)) / 2


def test_quick_is_a_few_small_ones():
    quick = cases_of(CPU, quick=True)
    assert len(quick) < 60
    assert {"gemm", "conv2d", "lstm", "attention", "softmax"} <= {case.op for case in quick}
    assert max(map(flops_of, quick)) < 1e9


def test_types_of_products_alone_take_no_other_kernels():
    cases = cases_of(dtypes=("f32", "tf32", "f8"))
    assert {case.op for case in cases if case.dtype == "tf32"} == {"gemm", "conv2d"}
    assert {case.op for case in cases if case.dtype == "f8"} == {"gemm"}
    extents = [case[column] for case in cases if case.dtype == "f8" for column in "MNK"]
    assert not [extent for extent in extents if extent % 16]  # as its kernels demand


def test_flops_of_a_convolution_count_outputs_times_filters():
    layer = Convolution(channels=6, extent=7, filters=4, height=3, width=3, stride=2, groups=2)
    case = _convolution(layer, "f32", 5, "fwd")
    # (7 + 2 × 1 − 3) / 2 + 1 = 4 outputs each way; 3 channels × 3 × 3 of a filter; 2 FLOP each
    assert flops_of(case) == 2 * 5 * 4 * (4 * 4) * (3 * 3 * 3)
    assert flops_of(make_case("gemm", "f32", M=2, N=3, K=5, batch=7)) == 2 * 2 * 3 * 5 * 7
