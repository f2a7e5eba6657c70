"""Padding that ONNX leaves to a rule is worked out, and what does not fit is refused."""

from __future__ import annotations

from pathlib import Path

import opyard
import pytest
from onnx import helper
from onnx_models import floats, save_model, weight
from opyard import cli
from opyard.export.errors import ExportError
from opyard.export.graph_writer import Op
from opyard.export.onnx_file import read_onnx

make = helper.make_node


def read(path: Path) -> tuple[dict[str, Op], object]:
    graph, summary = read_onnx(path)
    return {op.name: op for op in graph.ops}, summary


@pytest.mark.parametrize(
    ("extent", "filters", "stride", "dilation", "rule", "places", "pads"),
    [
        (7, 3, 1, 1, "SAME_UPPER", 7, (1, 1)),
        (4, 7, 1, 1, "SAME_UPPER", 4, (3, 3)),  # a filter larger than the image
        (8, 3, 2, 1, "SAME_UPPER", 4, None),  # 3·2 + 3 - 8 = 1: none before, one behind
        (8, 3, 2, 1, "SAME_LOWER", 4, None),
        (9, 3, 2, 1, "SAME_LOWER", 5, (1, 1)),
        (9, 2, 2, 1, "VALID", 4, (0, 0)),
        (9, 3, 1, 2, "SAME_UPPER", 9, None),  # dilated: no block
    ],
)
def test_padding_is_worked_out(
    extent: int,
    filters: int,
    stride: int,
    dilation: int,
    rule: str,
    places: int,
    pads: tuple[int, int] | None,
    tmp_path: Path,
) -> None:
    node = make(
        "Conv",
        ["img", "w"],
        ["y"],
        "conv",
        auto_pad=rule,
        kernel_shape=[filters, filters],
        strides=[stride, stride],
        dilations=[dilation, dilation],
    )
    weights = [weight("w", 64, 64, filters, filters)]
    path = save_model(tmp_path, [node], [floats("img", 8, 64, extent, extent)], weights)
    conv = read(path)[0]["conv"]
    assert conv.outputs[0].shape == (8, 64, places, places)
    assert conv.flops == 2 * (8 * 64 * places**2) * (64 * filters**2)
    block = conv.conv
    assert (None if block is None else (block["pad_h"], block["pad_w"])) == pads
    out = tmp_path / "step.json"
    assert cli.main(["graph", "convert", str(path), "--out", str(out)]) == 0
    assert opyard.load_graph(str(out)).num_ops == 3


def test_padding_in_one_and_three_dimensions_and_of_windows(tmp_path: Path) -> None:
    same = {"auto_pad": "SAME_UPPER"}
    node = make("Conv", ["x", "w"], ["y"], "conv", kernel_shape=[5], **same)
    conv = read(save_model(tmp_path, [node], [floats("x", 2, 3, 16)], [weight("w", 4, 3, 5)]))[0][
        "conv"
    ]
    assert conv.type == "Conv1D"
    assert conv.conv is not None
    assert (conv.conv["h"], conv.conv["w"], conv.conv["pad_h"], conv.conv["pad_w"]) == (1, 16, 0, 2)
    node = make("Conv", ["x", "w"], ["y"], "conv", kernel_shape=[3, 3, 3], **same)
    path = save_model(tmp_path, [node], [floats("x", 2, 3, 4, 4, 4)], [weight("w", 4, 3, 3, 3, 3)])
    conv = read(path)[0]["conv"]
    assert (conv.type, conv.flops) == ("Conv3D", 2 * (2 * 4 * 64) * 81)
    node = make("MaxPool", ["x"], ["y"], "pool", kernel_shape=[3, 3], strides=[2, 2], **same)
    pool = read(save_model(tmp_path, [node], [floats("x", 1, 2, 5, 5)]))[0]["pool"]
    assert (pool.outputs[0].shape, pool.flops) == ((1, 2, 3, 3), 2 * 9 * 9)
    node = make("ConvTranspose", ["x", "w"], ["y"], "up", strides=[2, 2], **same)
    up = read(save_model(tmp_path, [node], [floats("x", 1, 2, 5, 5)], [weight("w", 2, 3, 3, 3)]))[
        0
    ]["up"]
    assert (up.outputs[0].shape, up.flops) == ((1, 3, 10, 10), 2 * 50 * 27)


def test_a_filter_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    node = make("Conv", ["img", "w"], ["y"], "conv")
    path = save_model(tmp_path, [node], [floats("img", 1, 3, 4, 4)], [weight("w", 8, 3, 7, 7)])
    with pytest.raises(ExportError, match=r'"conv" \(Conv\): gives a result of shape'):
        read(path)
