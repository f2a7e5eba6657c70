"""The agreement of simulated times of plans with measured ones."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
from scipy import stats

from opyard.compare.errors import CompareError

_NEEDED = ("graph", "hardware", "plan", "devices", "simulated_s", "median_s", "matches_undivided")


@dataclass(frozen=True)
class MeasuredPlan:
    """One plan that ran: times of its step in seconds."""

    graph: str
    hardware: str
    devices: str
    plan: str
    simulated_s: float
    measured_s: float


@dataclass(frozen=True)
class Agreement:
    """Simulated against measured times of plans; fractions, not per cent.

    Attributes:
        num_plans: Plans that were compared.
        mape: Mean of |simulated − measured| / measured.
        bias: Mean of (simulated − measured) / measured: below 0 where simulations are too fast.
        kendall_tau: Kendall's τ-b of the two orders of the plans; None for fewer than two orders.
        top1_regret: What the plan with the least simulated time measures above the least measured
            time, as a fraction of that; the mean over plans with equal simulated time.
        spread: The greatest measured time over the least.
    """

    num_plans: int
    mape: float
    bias: float
    kendall_tau: float | None
    top1_regret: float
    spread: float


def read_measured(paths: Sequence[Path]) -> tuple[list[MeasuredPlan], int]:
    """The plans of files that `opyard execute --csv` wrote, and how many rows are left out.

    Rows of steps with wrong results are left out. A plan with several rows has their median.

    Raises:
        CompareError: A file cannot be read, or a row of it is none.
    """
    found: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    left_out = 0
    for path in paths:
        try:
            with path.open(encoding="utf-8", newline="") as file:
                left_out += _read(path, file, found)
        except OSError as error:
            raise CompareError(f'--measured "{path}": {error.strerror}') from error
    plans = [
        MeasuredPlan(*key, *(float(np.median(column)) for column in zip(*times, strict=True)))
        for key, times in found.items()
    ]
    return plans, left_out


def _read(path: Path, file: TextIO, found: dict[tuple[str, ...], list[tuple[float, float]]]) -> int:
    rows = csv.DictReader(file)
    missing = [name for name in _NEEDED if name not in (rows.fieldnames or [])]
    if missing:
        raise CompareError(
            f'--measured "{path}": found no column {missing[0]}, expected a file that '
            "`opyard execute --csv` wrote"
        )
    left_out = 0
    for row in rows:
        times = tuple(
            _seconds(path, rows.line_num, row, key) for key in ("simulated_s", "median_s")
        )
        if row["matches_undivided"] != "True":
            left_out += 1
            continue
        key = (row["graph"], row["hardware"], row["devices"], row["plan"])
        found.setdefault(key, []).append(times)  # type: ignore[arg-type]
    return left_out


def _seconds(path: Path, line: int, row: dict[str, str], key: str) -> float:
    text = row[key]
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = float("nan")
    if not 0 < value < float("inf"):
        raise CompareError(
            f'--measured "{path}":{line}: {key} is "{text}", expected seconds above 0'
        )
    return value


def agreement_of(plans: Sequence[MeasuredPlan]) -> Agreement:
    """The agreement of simulated and measured times of plans of one graph on one machine.

    Args:
        plans: One or more.
    """
    simulated = np.array([plan.simulated_s for plan in plans])
    measured = np.array([plan.measured_s for plan in plans])
    errors = (simulated - measured) / measured
    tau = stats.kendalltau(simulated, measured).statistic if len(plans) > 1 else float("nan")
    chosen = measured[simulated == simulated.min()]
    return Agreement(
        num_plans=len(plans),
        mape=float(np.abs(errors).mean()),
        bias=float(errors.mean()),
        kendall_tau=None if np.isnan(tau) else float(tau),
        top1_regret=float(chosen.mean() / measured.min() - 1),
        spread=float(measured.max() / measured.min()),
    )


def groups_of(plans: Sequence[MeasuredPlan]) -> dict[tuple[str, str, str], list[MeasuredPlan]]:
    """Plans by graph, machine and devices, in the order in which they come."""
    groups: dict[tuple[str, str, str], list[MeasuredPlan]] = {}
    for plan in plans:
        groups.setdefault((plan.graph, plan.hardware, plan.devices), []).append(plan)
    return groups
