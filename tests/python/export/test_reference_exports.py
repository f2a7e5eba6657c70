"""Counts of our models against joint exports of torchvision's, where that data is present."""

from __future__ import annotations

import gzip
import json
import math
from collections import Counter
from pathlib import Path

import pytest
from graph_checker import read_graph

ROOT = Path(__file__).parents[3]
FOLDER = Path("shared/data/graphs/exported")

SAME = {  # ATen op of the joint export → our type
    "aten.convolution.default": "Conv2D",
    "aten.convolution_backward.default": "Conv2DBackpropFilter",
    "aten._native_batch_norm_legit_functional.default": "BatchNorm",
    "aten.native_batch_norm_backward.default": "BatchNormGrad",
    "aten.relu.default": "Relu",
    "aten.threshold_backward.default": "ReluGrad",
    "aten.avg_pool2d.default": "AvgPool",
    "aten.max_pool2d_with_indices.default": "MaxPool",
    "aten.max_pool2d_with_indices_backward.default": "MaxPoolGrad",
    "aten.cat.default": "Concat",
}


def reference(name: str) -> dict:
    path = FOLDER / f"torch_joint_fwdbwd_{name}.json.gz"
    found = [above / path for above in ROOT.parents if (above / path).is_file()]
    if not found:
        pytest.skip(f"{path} is not here")
    return json.loads(gzip.decompress(found[0].read_bytes()))


@pytest.mark.parametrize("name", ["resnet50", "inception_v3"])
def test_op_counts_equal_those_of_the_joint_export(name: str) -> None:
    theirs = Counter(node["op"] for node in reference(name)["nodes"])
    ops = read_graph(ROOT / "graphs" / "data" / f"{name}.graph.json.gz")["ops"]
    ours = Counter(op["type"] for op in ops)
    assert {kind: ours[kind] for kind in SAME.values()} == {
        kind: theirs[aten] for aten, kind in SAME.items()
    }


@pytest.mark.parametrize("name", ["resnet50", "inception_v3"])
def test_convolution_outputs_have_the_sizes_of_the_joint_export(name: str) -> None:
    theirs = sorted(
        math.prod(node["outputs"][0]["shape"])
        for node in reference(name)["nodes"]
        if node["op"] == "aten.convolution.default"
    )
    ops = read_graph(ROOT / "graphs" / "data" / f"{name}.graph.json.gz")["ops"]
    ours = sorted(math.prod(op["outputs"][0]["shape"]) for op in ops if op["type"] == "Conv2D")
    assert ours == theirs
