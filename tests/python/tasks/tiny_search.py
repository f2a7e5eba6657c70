"""A folder of a search with one workload whose ratios are known by hand."""

from __future__ import annotations

import json
import string
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opyard.tasks.command import run_new

MACHINE = "processors-2"
TOGETHER = "def place(graph, machine):\n    return {'placement': [0, 0]}\n"
APART = "def place(graph, machine):\n    return {'placement': [0, 1]}\n"


def make_search(
    folder: Path, framework: str = "openevolve", milliseconds: Sequence[int] = (2, 3)
) -> Path:
    """A folder of `opyard task new` in `folder`, for ops that need nothing from each other.

    The best known step time of the ops of 2 ms and 3 ms is 3 ms.
    """
    graph = folder / "tiny.graph.json"
    graph.write_text(json.dumps(_graph_of(milliseconds)), encoding="utf-8")
    search = folder / "search"
    words = ["--for", framework, "--graph", str(graph), "--hardware", MACHINE]
    status = run_new(["task", "new", str(search), *words, "--evaluations", "20"])
    assert status == 0
    return search


def _graph_of(milliseconds: Sequence[int]) -> dict[str, Any]:
    """Ops a, b, … of these times."""
    ops = [
        {"name": name, "type": "Task", "seconds": {"*": each / 1e3}, "outputs": [{"bytes": 8}]}
        for name, each in zip(string.ascii_lowercase, milliseconds, strict=False)
    ]
    return {"format": "opyard-graph/1", "name": "tiny", "ops": ops}


def limit(search: Path, **limits: float) -> None:
    """Sets limits of programs in the folder."""
    path = search / "workloads.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    values["limits"] |= limits
    path.write_text(json.dumps(values), encoding="utf-8")
