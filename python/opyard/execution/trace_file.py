"""A run beside its simulation as one trace-event file for ui.perfetto.dev."""

from __future__ import annotations

from typing import Any

from opyard.execution.execution import Execution
from opyard.execution.program import Program

# Above the process ids of a simulated trace.
_RUN = 11
_FIRST_THREAD = 10


def add_run(trace: dict[str, Any], execution: Execution, program: Program) -> dict[str, Any]:
    """`trace`, a simulated one, with the measured step as a process of its own.

    Both begin at time 0; each device has a thread for its ops, one for waits and one for sends.
    """
    events = trace["traceEvents"]
    for event in events:
        if event["ph"] == "M" and event["name"] == "process_name":
            event["args"]["name"] = f"simulated {event['args']['name']}"
    events.append(_named("process_name", 0, "measured devices"))
    zero = min(spans.start_ns for spans in execution.spans)
    for rank, spans in enumerate(execution.spans):
        name = execution.device_names[rank]
        threads = (
            (name, "kernel", [(_op_name(program, op), s, e) for op, s, e in spans.ops]),
            (f"{name} waits", "wait", [(f"message {i}", s, e) for i, s, e in spans.waits]),
            (f"{name} sends", "send", [(f"message {i}", s, e) for i, s, e in spans.sends]),
        )
        for kind, (title, category, times) in enumerate(threads):
            thread = _FIRST_THREAD + 3 * rank + kind
            events.append(_named("thread_name", thread, title))
            events += [_span(thread, category, *each, zero) for each in times]
    return trace


def _op_name(program: Program, op: int) -> str:
    return program.instructions[op].name


def _named(what: str, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": _RUN, "tid": thread, "args": {"name": name}}


def _span(thread: int, category: str, name: str, start: int, end: int, zero: int) -> dict[str, Any]:
    return {
        "ph": "X",
        "name": name,
        "cat": category,
        "pid": _RUN,
        "tid": thread,
        "ts": (start - zero) / 1e3,
        "dur": (end - start) / 1e3,
    }
