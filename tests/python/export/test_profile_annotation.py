"""A model that PyTorch profiles, exported and simulated with its own kernel times."""

# ruff: noqa: E402
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from opyard.export.command import export_torch
from opyard.export.graph_writer import graph_text
from torch import nn
from torch.profiler import ProfilerActivity, profile

NUM_STEPS = 3
COSTS_NOTHING = {"Variable", "Placeholder", "Transpose", "Reshape"}


def step():
    """The example of the exporter's README."""
    labels = torch.zeros(32, dtype=torch.int64)
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    return model, torch.randn(32, 64), lambda logits: nn.functional.cross_entropy(logits, labels)


def write_trace(path: Path) -> None:
    model, inputs, loss = step()
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        for _ in range(NUM_STEPS):
            loss(model(inputs)).backward()
    profiler.export_chrome_trace(str(path))


def test_every_op_that_takes_time_has_its_own_from_the_profile(tmp_path: Path) -> None:
    graph, trace, timed = (tmp_path / name for name in ("g.json", "trace.json", "timed.json"))
    graph.write_text(graph_text(export_torch(f"{__name__}:step", None, "none")), encoding="utf-8")
    write_trace(trace)
    command = [sys.executable, "-m", "opyard", "graph", "annotate", str(graph)]
    command += ["--times", str(trace), "--device", "gpu", "--out", str(timed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ops = json.loads(timed.read_text(encoding="utf-8"))["ops"]
    untimed = {op["type"] for op in ops if "seconds" not in op}
    assert untimed == COSTS_NOTHING
    products = [op["seconds"]["gpu"] for op in ops if op["type"] == "MatMul"]
    # Two forward; of the backward pass one of the last layer's input and two of the weights.
    assert len(products) == 5
    assert all(0.0 < seconds < 1.0 for seconds in products)
