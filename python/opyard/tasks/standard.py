"""Workloads of a search that names none; scripts/make_task_workloads.py makes them."""

from __future__ import annotations

from opyard.tasks.workloads import Workload

STANDARD: tuple[Workload, ...] = (
    Workload(
        "random:layered?n=60&seed=11",
        "processors-4",
        0.023346351186,
        "auto, 50000 evaluations, 3 seeds",
        1,
    ),
    Workload(
        "zoo:rnnlm?layers=2&scale=small",
        "p100x2-pcie",
        0.00751906223,
        "docs/results/best_known.csv",
        1,
    ),
    Workload(
        "random:layered?n=150&seed=12&ccr=2",
        "p100x4-pcie",
        0.012867116065,
        "auto, 50000 evaluations, 3 seeds",
    ),
    Workload(
        "random:erdos_renyi?n=100&seed=13&p=0.04",
        "v100-t4-cpu",
        0.014098458972,
        "auto, 50000 evaluations, 3 seeds",
    ),
    Workload(
        "zoo:gnmt?layers=4&scale=small",
        "p100x4-pcie",
        0.003811735336,
        "docs/results/best_known.csv",
    ),
    Workload(
        "zoo:transformer_xl?layers=4&scale=small",
        "p100x4-pcie",
        0.026811996901,
        "docs/results/best_known.csv",
    ),
    Workload(
        "zoo:inception_v3?batch=32&scale=small",
        "p100x2-pcie",
        0.051844357512,
        "docs/results/best_known.csv",
    ),
    Workload(
        "zoo:wavenet?stacks=2&layers=18&scale=small",
        "p100x2-pcie",
        0.05362040576,
        "docs/results/best_known.csv",
    ),
    Workload(
        "zoo:amoebanet?scale=small",
        "p100x4-pcie",
        0.01279104687,
        "docs/results/best_known.csv",
    ),
)
