"""Annotated models that ONNX Runtime loads."""

# ruff: noqa: E402
from __future__ import annotations

import json
import subprocess
import sys

import pytest

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from opyard.export.errors import ExportError
from opyard.layouts.onnx_annotation import ANNOTATION, annotate

MACHINE = """schema_version: 1
name: two
devices: [{name: gpu0, type: p100-pcie-16gb}, {name: cpu0, type: xeon-e5-2690v4}]
links: [{name: bus, between: [gpu0, cpu0], bandwidth: 10 GB/s, latency: 5 us}]
"""
NODES = ["embed/MatMul", "layers.0/MatMul", "layers.0/Relu", "head/MatMul"]


def small_model():
    rng = np.random.default_rng(3)
    weights = [
        numpy_helper.from_array(rng.standard_normal((8, 8)).astype(np.float32), f"w{i}")
        for i in range(3)
    ]
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["a"], name=NODES[0]),
        helper.make_node("MatMul", ["a", "w1"], ["b"], name=NODES[1]),
        helper.make_node("Relu", ["b"], ["c"], name=NODES[2]),
        helper.make_node("MatMul", ["c", "w2"], ["y"], name=NODES[3]),
    ]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, 8]) for name in "xy"]
    graph = helper.make_graph(nodes, "small", values[:1], values[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


def opyard(folder, *arguments, status=0):
    ended = subprocess.run(
        [sys.executable, "-m", "opyard", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == status, ended.stderr
    return ended


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model, its graph, and the model annotated by a plan with its head on the GPU."""
    place = tmp_path_factory.mktemp("onnx")
    onnx.save(small_model(), place / "small.onnx")
    (place / "two.yaml").write_text(MACHINE)
    opyard(place, "graph", "convert", "small.onnx", "--out", "small.graph.json")
    ops = json.loads((place / "small.graph.json").read_text())["ops"]
    placement = ["gpu0" if op["name"] in ("w2", NODES[3]) else "cpu0" for op in ops]
    plan = {"format": "opyard-plan/1", "placement": placement, "queue": "program"}
    (place / "small.plan.json").write_text(json.dumps(plan))
    opyard(place, *EXPORT, "--onnx", "small.onnx", "--out", "annotated")
    return place


EXPORT = [
    "plan",
    "export",
    "small.plan.json",
    "--graph",
    "small.graph.json",
    "--hardware",
    "./two.yaml",
    "--to",
    "onnxruntime",
]


def test_the_nodes_have_the_devices_of_the_plan(folder):
    nodes = onnx.load(folder / "annotated" / "small.onnx").graph.node
    found = {
        node.name: prop.value
        for node in nodes
        for prop in node.metadata_props
        if prop.key == ANNOTATION
    }
    assert found == dict.fromkeys(NODES[:3], "cpu0") | {NODES[3]: "gpu0"}


def test_the_runtime_loads_the_model_with_its_settings(folder):
    settings = json.loads((folder / "annotated" / "session_options.json").read_text())
    assert settings == {"session.layer_assignment_settings": "gpu:0(=gpu0); cpu(=cpu0)"}
    inputs = {"x": np.arange(32, dtype=np.float32).reshape(4, 8)}
    results = []
    for name in ("small.onnx", "annotated/small.onnx"):
        options = runtime.SessionOptions()
        if name != "small.onnx":
            # Without a GPU its rule matches no provider, and its nodes go where they would.
            options.add_session_config_entry(*settings.popitem())
        session = runtime.InferenceSession(
            folder / name, options, providers=["CPUExecutionProvider"]
        )
        results += session.run(None, inputs)
    assert np.array_equal(*results)


def test_a_node_on_two_devices_is_named():
    devices = {f"{NODES[0]}/first": "gpu0", NODES[0]: "cpu0"}
    with pytest.raises(ExportError, match='node "embed/MatMul": on gpu0 and cpu0'):
        annotate(small_model(), devices)


def test_another_model_is_refused():
    with pytest.raises(ExportError, match="no node of the model"):
        annotate(small_model(), {"elsewhere": "gpu0"})


def test_options_that_do_not_fit_are_refused(folder):
    words = list(EXPORT)
    assert "expected --out" in opyard(folder, *words, "--onnx", "small.onnx", status=2).stderr
    words[words.index("onnxruntime")] = "python"
    ended = opyard(folder, *words, "--onnx", "small.onnx", "--out", "x", status=2)
    assert "--to onnxruntime alone" in ended.stderr
    words = [*EXPORT, "--onnx", "small.onnx", "--out", "."]
    assert "is the model itself" in opyard(folder, *words, status=2).stderr
