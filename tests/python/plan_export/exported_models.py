"""Small models whose plans are exported, their graphs, and placements by module."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import opyard
import torch
from opyard import _core
from opyard.export.command import export_torch
from opyard.export.graph_writer import graph_text
from torch import nn
from torch.nn import functional

MACHINE = {
    "schema_version": 1,
    "name": "three",
    "devices": [
        {"name": "gpu", "type": "p100-pcie-16gb", "count": 2},
        {"name": "cpu", "type": "xeon-e5-2690v4", "count": 2},
    ],
    "links": [
        {
            "name": "bus",
            "between": ["gpu0", "gpu1", "cpu0", "cpu1"],
            "bandwidth": "10 GB/s",
            "latency": "5 us",
            "duplex": "half",
        }
    ],
}
GPU0, GPU1, CPU0, CPU1 = range(4)


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(torch.relu(self.up(self.norm(x))))


class Blocks(nn.Module):
    """An embedding, four blocks, a head."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(12, 16)
        self.layers = nn.ModuleList(Block(16) for _ in range(4))
        self.head = nn.Linear(16, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.embed(x)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class TwoTowers(nn.Module):
    """Two branches that an op between modules joins."""

    def __init__(self) -> None:
        super().__init__()
        self.left = nn.Sequential(nn.Linear(12, 20), nn.ReLU(), nn.Linear(20, 8))
        self.right = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 8))
        self.head = nn.Linear(16, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(torch.cat([self.left(x), self.right(x)], 1))


def _loss(out: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(out, torch.arange(6) % 5)


def blocks():
    torch.manual_seed(3)
    return Blocks(), torch.randn(6, 12), _loss


def two_towers():
    torch.manual_seed(5)
    return TwoTowers(), torch.randn(6, 12), _loss


@cache
def graph_of(name: str, *, forward: bool = False) -> opyard.Graph:
    """The graph of a model of this file: a training step, or its forward pass alone."""
    optimizer = "none" if forward else "sgd"
    graph = export_torch(f"{Path(__file__)}:{name}", None, optimizer, forward)
    return _core.read_graph(graph_text(graph).encode(), name)


@cache
def machine() -> opyard.Machine:
    """Two GPUs and two CPUs on a bus."""
    return opyard.Machine.from_dict(MACHINE)


def program_on(graph: opyard.Graph, devices: Mapping[str, int]) -> opyard.Plan:
    """The program, each op where the longest path around its module says; "" is the network."""
    return opyard.Plan([_device(op.module or "", devices) for op in graph.ops], queue="program")


def _device(path: str, devices: Mapping[str, int]) -> int:
    while path not in devices:
        path = path.rpartition(".")[0]
    return devices[path]
