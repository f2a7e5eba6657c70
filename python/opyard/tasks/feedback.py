"""Texts for the next prompt of a program search: why a plan takes as long as it does."""

from __future__ import annotations

from typing import Any

from opyard import _core
from opyard.tasks.workloads import Workload

_MOST_LINES = {"critical path": 12, "at": 26, "idle time": 12, "what if": 16, "change": 14}


def explanation_of(workload: Workload, plan: _core.Plan | None, ratio: float) -> str:
    """The tables of `opyard simulate --explain` for a plan that completes, the long ones cut."""
    if plan is None:
        return ""
    text = plan.explain(workload.problem(), threads=1).text
    tables = [_cut(table) for table in text.split("\n\n")]
    head = f"{workload.title}: the plan reaches {ratio:.3f} of the best known speed."
    return "\n\n".join([head, *(table for table in tables if table)])


def failure_text(result: dict[str, Any]) -> str:
    """What a simulation that did not complete says, in a sentence or two."""
    failure = result.get("failure") or {}
    if result["outcome"] == "out_of_memory":
        return (
            f"its plan runs out of memory on {failure['device']}: {failure['what']} asks for "
            f"{failure['requested_bytes']} bytes while {failure['in_use_bytes']} of "
            f"{failure['capacity_bytes']} are in use. Spread parameters and outputs over more "
            "devices."
        )
    waits = "; ".join(failure.get("waits", [])[:5])
    return f"its plan ends in a {result['outcome']}: its order can never be run. {waits}"


def _cut(table: str) -> str:
    """A table up to the number of lines that its kind may have; nothing of other kinds."""
    lines = table.strip("\n").splitlines()
    kind = next((name for name in _MOST_LINES if lines and lines[0].lstrip().startswith(name)), "")
    most = _MOST_LINES.get(kind, 0)
    return "\n".join([*lines[:most], *(["…"] if most and len(lines) > most else [])])
