"""A comparison as plain lists of plain rows: what `--json` prints and the CSV files hold."""

from __future__ import annotations

import math
from typing import Any

from opyard.compare.anytime import Curve
from opyard.compare.comparison import THRESHOLDS, Comparison
from opyard.compare.matrix import Workload
from opyard.compare.run import Run
from opyard.compare.statistics import Estimate, Values

Row = dict[str, Any]
_ROUNDING = 1e-12
# The parts of an answer that are lists of flat rows, each a CSV file.
LISTS = ("cells", "workloads", "summaries", "agents", "improvement", "robust")


def make_answer(comparison: Comparison) -> Row:
    """One object; docs/formats.md, "What other subcommands answer", names the keys."""
    answer = {
        "experiments": comparison.experiments,
        "baseline": comparison.baseline,
        "fairness": comparison.fairness,
        "warnings": comparison.warnings,
        "cells": _cells(comparison),
        "workloads": _workloads(comparison),
        "summaries": _summaries(comparison),
        "agents": _agents(comparison),
        "improvement": _improvement(comparison),
        "profiles": _profiles(comparison),
        "anytime": _anytime(comparison),
        "robust": _robust(comparison),
        "rankings": _rankings(comparison),
    }
    return _without_negative_zeros(answer)  # type: ignore[no-any-return]


def _without_negative_zeros(value: Any) -> Any:
    """The same with 0 for what is negative by rounding alone: nothing else is so small."""
    if isinstance(value, dict):
        return {key: _without_negative_zeros(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_negative_zeros(each) for each in value]
    if isinstance(value, float) and -_ROUNDING < value <= 0:
        return 0.0
    return value


def _names(workload: Workload) -> Row:
    return {"graph": workload.graph, "hardware": workload.hardware}


def _estimate(name: str, estimate: Estimate | None) -> Row:
    if estimate is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _cell(run: Run) -> Row:
    return {
        "graph": run.graph,
        "hardware": run.hardware,
        "agent": run.agent,
        "seed": run.seed,
        "status": "done" if run.is_done else "failed",
        "outcome": run.outcome,
        "makespan_s": run.makespan_s,
        "score": run.score if run.is_done else None,
        "evaluations": run.evaluations,
        "failures": run.failures,
        "seconds": run.seconds,
        "cpu_seconds": run.cpu_seconds,
        "agent_bound": run.agent_bound,
        "reproduce": run.reproduce,
    }


def _cells(comparison: Comparison) -> list[Row]:
    """Every cell once, those that were not run included."""
    matrix = comparison.matrix
    cells = []
    for workload in matrix.workloads:
        for agent in matrix.agents:
            found = {run.seed: _cell(run) for run in matrix.of(workload, agent)}
            for seed in matrix.missing.get((workload, agent), ()):
                nothing = dict.fromkeys(
                    ("outcome", "makespan_s", "score", "evaluations", "failures", "seconds",
                     "cpu_seconds", "agent_bound", "reproduce")
                )  # fmt: skip
                names = {**_names(workload), "agent": agent, "seed": seed, "status": "missing"}
                found[seed] = {**names, **nothing}
            cells += [found[seed] for seed in sorted(found)]
    return cells


def _workloads(comparison: Comparison) -> list[Row]:
    rows = []
    for workload in comparison.matrix.workloads:
        words = workload.words
        reference = comparison.summaries.references.get(workload)
        bound = reference.bound if reference else None
        rows.append(
            {
                **_names(workload),
                "tasks": ",".join(words["tasks"]),
                "objective": workload.objective,
                "best": reference.best if reference else None,
                "best_of": reference.source if reference else None,
                "bound": bound.value if bound else None,
                "bound_of": bound.source if bound else None,
                "bound_gap": bound.gap_of(reference.best) if reference and bound else None,
            }
        )
    return rows


def _summaries(comparison: Comparison) -> list[Row]:
    rows = []
    for (workload, agent), cell in comparison.summaries.cells.items():
        use = comparison.uses.get((workload, agent))
        rows.append(
            {
                **_names(workload),
                "agent": agent,
                "runs": cell.runs,
                "failed": cell.failed,
                "missing": cell.missing,
                **_estimate("value", cell.value),
                **_estimate("speed_up", cell.speed_up),
                "bound_gap": comparison.summaries.bound_gap(workload, agent),
                **_estimate("evaluations", cell.evaluations),
                **_estimate("seconds", cell.seconds),
                **_estimate("cpu_seconds", cell.cpu_seconds),
                "load_imbalance": use.load_imbalance if use else None,
                "peak_memory_bytes": use.peak_memory_bytes if use else None,
            }
        )
    return rows


def _agents(comparison: Comparison) -> list[Row]:
    return [
        {
            "agent": agent,
            "runs": a.runs,
            "failed": a.failed,
            "missing": a.missing,
            **_estimate("speed_up", a.speed_up),
            "speed_up_workloads": a.speed_up_workloads,
            **_estimate("iqm", a.iqm),
            **_estimate("optimality_gap", a.optimality_gap),
            **_estimate("bound_gap", a.bound_gap),
            "optimal": a.optimal,
            "evaluations": a.evaluations,
            "seconds": a.seconds,
            "cpu_seconds": a.cpu_seconds,
            "training_cpu_seconds": a.training_cpu_seconds,
        }
        for agent, a in comparison.aggregates.items()
    ]


def _improvement(comparison: Comparison) -> list[Row]:
    return [
        {"agent": x, "other": y, **_estimate("probability", estimate)}
        for (x, y), estimate in comparison.improvement.items()
    ]


def _numbers(values: Values) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


def _curve(agent: str, curve: Curve) -> Row:
    parts = {"value": curve.value, "low": curve.low, "high": curve.high}
    return {"agent": agent, **{name: _numbers(values) for name, values in parts.items()}}


def _profiles(comparison: Comparison) -> Row:
    curves = [_curve(agent, curve) for agent, curve in comparison.profiles.items()]
    return {"thresholds": _numbers(THRESHOLDS), "agents": curves}


def _anytime(comparison: Comparison) -> Row:
    return {
        axis: {
            "grid": _numbers(found.grid),
            "agents": [_curve(agent, curve) for agent, curve in found.curves.items()],
        }
        for axis, found in comparison.anytime.items()
    }


def _robust(comparison: Comparison) -> list[Row] | None:
    """A row per workload, agent and perturbation."""
    robustness = comparison.robustness
    if robustness is None:
        return None
    return [
        {
            **_names(workload),
            "agent": agent,
            "perturbation": world.index,
            "swaps_sharing": world.swaps_sharing,
            "fusion_saving": world.fusion_saving,
            "nominal_speed_up": row.nominal,
            "speed_up": value,
        }
        for (workload, agent), row in robustness.rows.items()
        for world, value in zip(robustness.worlds, _numbers(row.perturbed), strict=True)
    ]


def _rankings(comparison: Comparison) -> Row | None:
    robustness = comparison.robustness
    if robustness is None:
        return None
    return {
        "tau": _numbers(robustness.taus),
        "first_kept": robustness.first_kept,
        "workloads": [
            {**_names(workload), "tau": _numbers(taus)}
            for workload, taus in robustness.workload_taus.items()
        ],
    }
