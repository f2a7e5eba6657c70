#!/usr/bin/env python3
"""Makes the standard workloads of program search, python/opyard/tasks/standard.py.

    python scripts/make_task_workloads.py

Best known step times are those of docs/results/best_known.csv where the problem is there, else the
best of three seeds of `auto` with 50,000 evaluations each.
"""

from __future__ import annotations

import csv
from pathlib import Path

from opyard import place

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "python/opyard/tasks/standard.py"
EVALUATIONS, SEEDS = 50_000, (0, 1, 2)
# Graph, machine, stage. Families, networks and machines of hidden workloads (hidden.py) stay out.
PROBLEMS = (
    ("random:layered?n=60&seed=11", "processors-4", 1),
    ("zoo:rnnlm?layers=2&scale=small", "p100x2-pcie", 1),
    ("random:layered?n=150&seed=12&ccr=2", "p100x4-pcie", 2),
    ("random:erdos_renyi?n=100&seed=13&p=0.04", "v100-t4-cpu", 2),
    ("zoo:gnmt?layers=4&scale=small", "p100x4-pcie", 2),
    ("zoo:transformer_xl?layers=4&scale=small", "p100x4-pcie", 2),
    ("zoo:inception_v3?batch=32&scale=small", "p100x2-pcie", 2),
    ("zoo:wavenet?stacks=2&layers=18&scale=small", "p100x2-pcie", 2),
    ("zoo:amoebanet?scale=small", "p100x4-pcie", 2),
)
HEAD = '''"""Workloads of a search that names none; scripts/make_task_workloads.py makes them."""

from __future__ import annotations

from opyard.tasks.workloads import Workload

STANDARD: tuple[Workload, ...] = (
'''


def best_known() -> dict[tuple[str, str], float]:
    """The step times of the table, placement and order decided, by graph and machine."""
    with (ROOT / "docs/results/best_known.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["graph"], row["machine"]): float(row["makespan_s"])
            for row in csv.DictReader(file)
            if (row["tasks"], row["objective"]) == ("placement,scheduling", "makespan")
        }


def searched(graph: str, machine: str) -> float:
    """The best step time of `auto` over the seeds."""
    found = [
        place(graph, machine, agent="auto", evaluations=EVALUATIONS, seed=seed, group="none")
        for seed in SEEDS
    ]
    return min(result.makespan_s for result in found if result.makespan_s is not None)


def main() -> None:
    """Writes the file."""
    known = best_known()
    lines = []
    for graph, machine, stage in PROBLEMS:
        if (graph, machine) in known:
            seconds, source = known[graph, machine], "docs/results/best_known.csv"
        else:
            seconds = searched(graph, machine)
            source = f"auto, {EVALUATIONS} evaluations, {len(SEEDS)} seeds"
        lines += [
            "    Workload(",
            f'        "{graph}",',
            f'        "{machine}",',
            f"        {seconds!r},",
            f'        "{source}",',
            *([f"        {stage},"] if stage != 2 else []),
            "    ),",
        ]
    OUT.write_text(HEAD + "\n".join([*lines, ")"]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
