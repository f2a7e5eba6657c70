"""A model that PyTorch profiles, exported and simulated with its own kernel times."""

# ruff: noqa: E402
from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from opyard.export.command import export_torch
from opyard.export.graph_writer import graph_text
from torch import nn
from torch.profiler import ProfilerActivity, profile

NUM_STEPS = 3
COSTS_NOTHING = {"Variable", "Placeholder", "Transpose", "Reshape", "Slice", "Split", "Expand"}


def step() -> tuple:
    """The example of the exporter's README."""
    labels = torch.zeros(32, dtype=torch.int64)
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    return model, torch.randn(32, 64), lambda logits: nn.functional.cross_entropy(logits, labels)


def image_step() -> tuple:
    labels = torch.zeros(4, dtype=torch.int64)
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3),
        nn.BatchNorm2d(8),
        nn.ReLU(inplace=True),
        nn.ConvTranspose2d(8, 4, 2, bias=False),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.1),
        nn.Linear(4 * 7 * 7, 10),
    )
    images = torch.randn(4, 3, 16, 16)
    return model, images, lambda logits: nn.functional.cross_entropy(logits, labels)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(50, 32)
        self.norm = nn.LayerNorm(32)
        self.project = nn.Linear(32, 96)
        self.feed = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32))

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        x = self.table(words)
        parts = self.project(self.norm(x)).view(2, 16, 3, 4, 8).permute(2, 0, 3, 1, 4)
        attended = nn.functional.scaled_dot_product_attention(*parts, is_causal=True)
        x = x + attended.transpose(1, 2).reshape(2, 16, 32)
        return (x + self.feed(x)).pow(2).mean()


def language_step() -> tuple:
    return Block(), torch.zeros(2, 16, dtype=torch.int64), lambda loss: loss


def write_trace(path: Path, make_step: Callable[[], tuple], *, has_shapes: bool) -> None:
    model, inputs, loss = make_step()
    optimizer = torch.optim.Adam(model.parameters())
    activities = [ProfilerActivity.CPU]
    with profile(activities=activities, record_shapes=has_shapes) as profiler:
        for _ in range(NUM_STEPS):
            optimizer.zero_grad()
            loss(model(inputs)).backward()
            optimizer.step()
    profiler.export_chrome_trace(str(path))


def own_seconds(trace: Path) -> float:
    """The time of all ops of the CPU, each moment once."""
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    ops = [event for event in events if event.get("cat") == "cpu_op"]
    ends: dict[int, float] = {}
    total = 0.0
    for op in sorted(ops, key=lambda op: (op["ts"], -op["dur"])):
        if op["ts"] >= ends.get(op["tid"], 0.0):  # called by no other
            total += op["dur"]
            ends[op["tid"]] = op["ts"] + op["dur"]
    return total * 1e-6


@pytest.mark.parametrize("has_shapes", [False, True])
@pytest.mark.parametrize("name", ["step", "image_step", "language_step"])
def test_every_op_that_takes_time_has_its_own_from_the_profile(
    name: str, has_shapes: bool, tmp_path: Path
) -> None:
    graph, trace, timed = (tmp_path / file for file in ("g.json", "trace.json", "timed.json"))
    graph.write_text(graph_text(export_torch(f"{__name__}:{name}", None, "adam")), encoding="utf-8")
    write_trace(trace, globals()[name], has_shapes=has_shapes)
    command = [sys.executable, "-m", "opyard", "graph", "annotate", str(graph), "--json"]
    command += ["--times", str(trace), "--device", "gpu", "--out", str(timed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ops = json.loads(timed.read_text(encoding="utf-8"))["ops"]
    assert {op["type"] for op in ops if "seconds" not in op} <= COSTS_NOTHING
    assert all(0.0 < op["seconds"]["gpu"] < 1.0 for op in ops if op["type"] == "MatMul")
    # Nothing is lost and nothing counts twice.
    answer = json.loads(done.stdout)
    assert answer["seconds"] == pytest.approx(own_seconds(trace), rel=1e-6)
    listed = sum(entry["seconds"] for entry in answer["unmatched"])
    assert answer["unmatched_seconds"] == pytest.approx(listed, rel=1e-9)
