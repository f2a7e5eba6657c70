"""Device maps that Accelerate takes, and what the dispatched models compute."""

# ruff: noqa: E402
from __future__ import annotations

import copy
import json

import pytest

pytest.importorskip("torch")
accelerate = pytest.importorskip("accelerate")

import opyard
import torch
from exported_models import CPU0, CPU1, GPU0, GPU1, blocks, graph_of, machine, program_on

SPLIT = {"": CPU0, "layers.1": CPU1, "layers.2": CPU1}
ON_DISK = {"cpu1": "disk"}


def weights_apart(devices):
    """The ops of the program on cpu0, weights and updates where `devices` has their module."""
    graph = graph_of("blocks")
    apart = program_on(graph, devices).placement
    placement = [
        device if _is_weight(op) else CPU0 for op, device in zip(graph.ops, apart, strict=True)
    ]
    return opyard.Plan(placement, queue="program")


def _is_weight(op):
    """True for weights, their transposed views, and updates."""
    is_view = op.name == f"{op.module}/Transpose"
    return op.type == "Variable" or is_view or op.phase == "update"


def test_a_model_over_cpu_and_disk_computes_what_the_undivided_one_does(tmp_path):
    texts = opyard.export_plan(
        weights_apart(SPLIT), graph_of("blocks"), machine(), "accelerate", names=ON_DISK
    )
    device_map = json.loads(texts["device_map.json"])
    assert device_map == {
        "embed": "cpu",
        "layers.0": "cpu",
        "layers.1": "disk",
        "layers.2": "disk",
        "layers.3": "cpu",
        "head": "cpu",
    }
    model, inputs, _ = blocks()
    model.eval()
    dispatched = accelerate.dispatch_model(
        copy.deepcopy(model), device_map, main_device="cpu", offload_dir=tmp_path
    )
    assert {p.device.type for p in dispatched.layers[1].parameters()} == {"meta"}
    with torch.no_grad():
        assert torch.equal(dispatched(inputs), model(inputs))


def test_the_entries_cover_all_parameters_without_warnings(recwarn):
    from accelerate.utils.modeling import check_device_map

    plan = program_on(graph_of("blocks"), {"": GPU1, "embed": GPU0, "layers.0": GPU0})
    texts = opyard.export_plan(plan, graph_of("blocks"), machine(), "accelerate")
    check_device_map(blocks()[0], json.loads(texts["device_map.json"]))
    assert not recwarn.list


def test_what_a_device_map_cannot_say_is_named():
    graph = graph_of("two_towers")
    plan = program_on(graph, {"": GPU0, "right": GPU1})
    with pytest.raises(opyard.UnsupportedError, match=r"its own op .* reads from gpu0"):
        opyard.export_plan(plan, graph, machine(), "accelerate")
    texts = opyard.export_plan(plan, graph, machine(), "accelerate", nearest=True)
    assert json.loads(texts["device_map.json"]) == {"": 0}
