"""A folder of a search with one workload whose ratios are known by hand."""

from __future__ import annotations

import json
from pathlib import Path

from opyard.tasks.command import run_new

# Two ops of 2 ms and 3 ms that need nothing from each other.
GRAPH = {
    "format": "opyard-graph/1",
    "name": "two",
    "ops": [
        {"name": "a", "type": "Task", "seconds": {"*": 0.002}, "outputs": [{"bytes": 8}]},
        {"name": "b", "type": "Task", "seconds": {"*": 0.003}, "outputs": [{"bytes": 8}]},
    ],
}
MACHINE = "processors-2"
TOGETHER = "def place(graph, machine):\n    return {'placement': [0, 0]}\n"
APART = "def place(graph, machine):\n    return {'placement': [0, 1]}\n"


def make_search(folder: Path, framework: str = "openevolve") -> Path:
    """A folder of `opyard task new` in `folder`; its best known step time is 3 ms."""
    graph = folder / "two.graph.json"
    graph.write_text(json.dumps(GRAPH), encoding="utf-8")
    search = folder / "search"
    words = ["--for", framework, "--graph", str(graph), "--hardware", MACHINE]
    status = run_new(["task", "new", str(search), *words, "--evaluations", "20"])
    assert status == 0
    return search


def limit(search: Path, **limits: float) -> None:
    """Sets limits of programs in the folder."""
    path = search / "workloads.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    values["limits"] |= limits
    path.write_text(json.dumps(values), encoding="utf-8")
