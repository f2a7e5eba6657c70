"""The shapes of ops in traces, as the profiler of PyTorch writes them."""

from __future__ import annotations

import json

import pytest
from opyard.profiling.rows import Case, make_case
from opyard.profiling.trace_ops import TracedInputs, UnreadError, reader_of


def cases_of(name: str, dims: list, types: list[str] | None = None, **more) -> list[Case]:
    values = {"Input Dims": dims, "Input type": types or ["float"] * len(dims), **more}
    return reader_of(f"aten::{name}")(TracedInputs(json.dumps(values)))


def convolution(*values: str) -> dict:
    return {"Concrete Inputs": ["", "", "", *values]}


ONE_GROUP = ("[2, 1]", "[1, 0]", "[1, 1]", "False", "[0, 0]", "1")


def test_products_have_their_inner_dimension_and_their_layout():
    strides = {"Input Strides": [[3, 1], [1, 3]]}
    assert cases_of("mm", [[2, 3], [3, 5]], **strides) == [
        make_case("gemm", "f32", M=2, N=5, K=3, transA="N", transB="T")
    ]
    assert cases_of("addmm", [[5], [2, 3], [3, 5]], ["c10::Half"] * 3) == [
        make_case("gemm", "f16", M=2, N=5, K=3, transA="N", transB="N")
    ]
    assert cases_of("baddbmm", [[7, 2, 5], [7, 2, 3], [7, 3, 5]]) == [
        make_case("gemm", "f32", M=2, N=5, K=3, transA="N", transB="N", batch=7)
    ]


def test_convolutions_have_their_stride_padding_and_groups():
    shape = {"N": 4, "C": 6, "H": 16, "W": 15, "K": 8, "R": 3, "S": 1}
    more = {"pad_h": 1, "pad_w": 0, "stride_h": 2, "stride_w": 1, "groups": 1}
    dims = [[4, 6, 16, 15], [8, 6, 3, 1], [8], [], [], [], [], [], []]
    assert cases_of("convolution", dims, **convolution(*ONE_GROUP)) == [
        make_case("conv2d", "f32", "fwd", **shape, **more)
    ]
    backward = [[4, 8, 8, 15], *dims]
    values = convolution("[8]", *ONE_GROUP, "[True, True, False]")
    assert [case.pass_ for case in cases_of("convolution_backward", backward, **values)] == [
        "bwd_data",
        "bwd_weight",
    ]
    values = convolution("[8]", *ONE_GROUP, "[False, True, True]")
    assert cases_of("convolution_backward", backward, **values) == [
        make_case("conv2d", "f32", "bwd_weight", **shape, **more)
    ]


def test_attention_has_its_heads_and_lengths():
    dims = [[2, 3, 4, 8], [2, 3, 5, 8], [2, 3, 5, 8]]
    shape = {"batch": 2, "heads": 3, "seq_q": 4, "seq_kv": 5, "head_dim": 8}
    assert cases_of("scaled_dot_product_attention", dims) == [
        make_case("attention", "f32", "fwd", **shape)
    ]
    name = "_scaled_dot_product_flash_attention_backward"
    assert cases_of(name, [dims[0], *dims]) == [make_case("attention", "f32", "bwd_all", **shape)]


@pytest.mark.parametrize(("batch_first", "steps"), [("True", [4, 7, 16]), ("False", [7, 4, 16])])
def test_recurrent_layers_have_their_hidden_size(batch_first, steps):
    dims = [steps, [[1, 4, 32], [1, 4, 32]], [[128, 16], [128, 32]], [], [], [], [], [], []]
    concrete = ["", "", "", "True", "1", "0.", "True", "False", batch_first]
    assert cases_of("lstm", dims, **{"Concrete Inputs": concrete}) == [
        make_case("lstm", "f32", "fwd", hidden=32, batch=4, timesteps=7)
    ]


def test_elementwise_ops_count_the_bytes_of_all_tensors():
    # 6 + 3 + 6 numbers of 4 bytes
    assert cases_of("add", [[2, 3], [3], []]) == [
        make_case("add", "f32", elements=6, bytes=4 * (6 + 3 + 6))
    ]
    assert cases_of("mul_", [[2, 3], []], ["c10::BFloat16", "double"]) == [
        make_case("mul", "bf16", elements=6, bytes=2 * (6 + 6))
    ]
    assert cases_of("threshold_backward", [[2, 3], [2, 3], []]) == [
        make_case("relu", "f32", "bwd_all", elements=6, bytes=4 * (6 + 6 + 6))
    ]


def test_other_ops_are_of_their_rows():
    assert cases_of("native_layer_norm", [[2, 3, 5], [], []]) == [
        make_case("layer_norm", "f32", elements=30, bytes=2 * 4 * 30)
    ]
    assert cases_of("embedding", [[100, 8], [2, 3]], ["float", "long int"]) == [
        make_case("embedding", "f32", elements=48, bytes=2 * 4 * 48)
    ]


@pytest.mark.parametrize(
    ("name", "dims", "more", "why"),
    [
        ("mm", [[2], [3, 5]], {}, "another shape"),
        ("mm", [[0, 3], [3, 5]], {}, "another shape"),
        ("mm", [[2, 3], [3, 5]], {"Input type": ["long int"] * 2}, "another type"),
        ("mm", [[2, 3]], {}, "another shape"),
        ("mm", [[2, "3"], [3, 5]], {}, "another shape"),
        ("mm", [[2, 2**31], [2**31, 5]], {}, "another shape"),
        ("add", [[2**30, 2**30], [7]], {}, "another shape"),
        ("add", [[], []], {}, "another shape"),
        ("copy_", [[2], [2]], {"Input type": ["float", "double"]}, "to another type"),
        ("convolution", [[4, 6, 16, 15], [8, 6, 3, 1]], {}, "no values"),
        (
            "convolution",
            [[4, 6, 16, 15], [8, 6, 3, 1]],
            convolution("[1, 1]", "[1, 1]", "[2, 2]", "False", "[0, 0]", "1"),
            "dilated",
        ),
        (
            "convolution",
            [[4, 6, 16, 15], [8, 6, 3, 1]],
            convolution("__import__('os')", *ONE_GROUP[1:]),
            "no values",
        ),
        (
            "lstm",
            [[7, 4, 16], [[2, 4, 32]]],
            {"Concrete Inputs": ["", "", "", "True", "2", "0.", "True", "False", "False"]},
            "several layers",
        ),
    ],
)
def test_what_is_not_known_is_said(name, dims, more, why):
    with pytest.raises(UnreadError, match=why):
        cases_of(name, dims, **more)


@pytest.mark.parametrize("text", ["", "{}", '{"Input Dims": 7, "Input type": []}'])
def test_ops_without_shapes_ask_for_them(text):
    with pytest.raises(UnreadError, match="record_shapes"):
        TracedInputs(text)


@pytest.mark.parametrize("name", ["aten::view", "mm", "cudaLaunchKernel", "aten::"])
def test_other_names_have_no_reader(name):
    assert reader_of(name) is None
