"""Which problems the model holds; all others are refused with what to change."""

from __future__ import annotations

from typing import Any

import opyard
from opyard.cp_sat.instance import seconds_in

MOST_CHOICES = 4000
"""The largest product of ops and devices that a model is made for."""
MOST_PAIRED_OPS = 150
"""The most ops that mode `plans` has a model for, with variables for each pair of them."""


def refuse_unsupported(problem: opyard.Problem, mode: str) -> None:
    """Checks that the model is exact, or errs on the side that is documented.

    Raises:
        UnsupportedError: It is not, with all that would have to change.
    """
    faults = [
        *_faults_of_settings(problem, mode),
        *_faults_of_machine(problem),
        *_faults_of_size(problem, mode),
    ]
    if faults:
        raise opyard.UnsupportedError("\n".join(f"cp_sat: {fault}" for fault in faults))


def _faults_of_settings(problem: opyard.Problem, mode: str) -> list[str]:
    faults = []
    if "scheduling" not in problem.tasks:
        faults.append("tasks: found no scheduling, expected it: the model decides an order")
    if problem.fusion != "none" or "fusion" in problem.tasks:
        task = " and fusion as a task" if "fusion" in problem.tasks else ""
        faults.append(
            f'fusion: found "{problem.fusion}"{task}, expected "none" (--fusion none) and no such '
            "task"
        )
    legal = ("fifo", "priority", "order") if mode == "relaxed" else ("fifo", "priority")
    if problem.queue not in legal:
        faults.append(
            f'queue: found "{problem.queue}", expected one of {", ".join(legal)} in mode {mode}'
        )
    if problem.objective not in ("makespan", "peak_memory"):
        faults.append(f"objective: found {problem.objective}, expected makespan or peak_memory")
    return faults


def _faults_of_devices(machine: dict[str, Any]) -> list[str]:
    faults = []
    if any("copy_overhead" in each or "copy_bandwidth" in each for each in machine["devices"]):
        faults.append("copy_overhead, copy_bandwidth of devices: found one, expected neither")
    if machine.get("memory_pools"):
        faults.append("memory_pools: found some, expected none")
    return faults


def _faults_of_machine(problem: opyard.Problem) -> list[str]:
    machine = problem.hardware.to_dict()
    rules, transfers = machine["rules"], machine["transfers"]
    execution, on_exceed = machine["execution"], machine["memory"]["on_exceed"]
    faults = []
    if rules == "placeto":
        faults.append('rules: found "placeto", expected "opyard" or "regal"')
    if transfers["sharing"] == "fair" and rules != "regal":
        faults.append('transfers.sharing: found "fair", expected "serial" or "none"')
    keeps_copies = problem.objective == "peak_memory" or on_exceed != "ignore"
    per_edge = transfers["one_per"] == "edge"
    is_free = transfers["sharing"] == "none" and not keeps_copies
    if transfers["one_per"] == "output" or (per_edge and not is_free):
        faults.append(
            f'transfers.one_per: found "{transfers["one_per"]}", expected "destination", or "edge" '
            'with sharing "none", memory.on_exceed "ignore" and the objective makespan'
        )
    if on_exceed == "wait":
        faults.append('memory.on_exceed: found "wait", expected "fail" or "ignore"')
    if execution.get("streams", "serial") != "serial":
        faults.append('execution.streams: found "parallel", expected "serial"')
    faults.extend(_faults_of_devices(machine))
    rests = max(seconds_in(execution["gap_after_op"]), seconds_in(transfers["gap_after"]))
    if execution["trailing_gaps_count"] and rests > 0:
        faults.append("execution.trailing_gaps_count: found true, expected false")
    return faults


def _faults_of_size(problem: opyard.Problem, mode: str) -> list[str]:
    ops, devices = problem.graph.num_ops, len(problem.devices)
    advice = "; problem_bound_s is a bound for graphs of any size"
    if mode == "plans" and ops > MOST_PAIRED_OPS:
        return [f"graph: found {ops} ops, expected at most {MOST_PAIRED_OPS} in mode plans{advice}"]
    if ops * devices <= MOST_CHOICES:
        return []
    return [
        f"graph: found {ops} ops on {devices} devices, {ops * devices} choices, expected at most "
        f"{MOST_CHOICES}{advice}"
    ]
