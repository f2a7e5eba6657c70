"""Scripts that PyTorch alone runs."""

from __future__ import annotations

import copy
import subprocess
import sys

import pytest

pytest.importorskip("torch")

import exported_models
import opyard
import torch
from exported_models import CPU0, CPU1, GPU0, GPU1, graph_of, machine, program_on

TOWERS = {"": CPU0, "right": CPU1, "head": CPU1}
SECOND_CPU = {"cpu1": "cpu:0"}


def script_of(name, devices, names):
    """The module of an exported script."""
    graph = graph_of(name)
    texts = opyard.export_plan(program_on(graph, devices), graph, machine(), "python", names=names)
    variables: dict = {"__name__": "dispatch"}
    exec(compile(texts["dispatch.py"], "dispatch.py", "exec"), variables)
    return variables


def test_modules_are_moved_and_what_they_read_of_each_other():
    script = script_of("two_towers", TOWERS, SECOND_CPU)
    # The network's own ops, which join the towers and compute the loss, are on the first CPU.
    assert script["DEVICES"] == {"": "cpu", "left": "cpu", "right": "cpu:0", "head": "cpu:0"}
    assert script["OUTPUTS"] == {"right": "cpu", "head": "cpu"}


@pytest.mark.parametrize(
    ("name", "devices"),
    [("two_towers", TOWERS), ("blocks", {"": CPU1, "embed": CPU0, "layers.1": CPU0})],
)
def test_the_divided_model_trains_as_the_undivided_one(name, devices):
    model, inputs, loss = getattr(exported_models, name)()
    divided = script_of(name, devices, SECOND_CPU)["dispatch"](copy.deepcopy(model))
    assert torch.equal(divided(inputs), model(inputs))
    for one in (model, divided):
        loss(one(inputs)).backward()
    for ours, theirs in zip(divided.parameters(), model.parameters(), strict=True):
        assert torch.equal(ours.grad, theirs.grad)


def test_the_script_compares_a_model_with_itself(tmp_path):
    graph = graph_of("blocks")
    plan = program_on(graph, {"": GPU0, "layers.2": GPU1, "head": GPU1})
    texts = opyard.export_plan(plan, graph, machine(), "python")
    (tmp_path / "dispatch.py").write_text(texts["dispatch.py"], encoding="utf-8")
    command = [sys.executable, "dispatch.py", f"{exported_models.__file__}:blocks"]
    ended = subprocess.run(
        [*command, "cuda:0=cpu", "cuda:1=cpu:0"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout == "largest difference: 0\n", ended.stderr


def test_the_script_needs_no_opyard():
    graph = graph_of("blocks")
    text = opyard.export_plan(program_on(graph, {"": GPU0}), graph, machine(), "python")
    assert "opyard" not in text["dispatch.py"]
