"""A simulated step as its views need it: spans, memory and loads, from `Plan.trace`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from opyard import _core

_NO_TIME = " (no time)"
_LANE = re.compile(r"(.+) (?:#|stream )(\d+)")
# Channels that are an end of a device, not a link.
_ENDPOINTS = ("egress:", "ingress:", "pair:")


@dataclasses.dataclass(frozen=True)
class Span:
    """A kernel, a transfer on one channel, or a part of the critical path."""

    row: str
    """The device, the channel, or ``"critical path"``."""
    lane: int
    """Which of the spans that overlap on the row, from 0."""
    name: str
    start_ps: int
    finish_ps: int
    """The end of the step for what a failure cut short."""
    facts: Mapping[str, Any]
    """The arguments of the trace, which docs/formats.md lists; those of a transfer on each of its
    channels."""

    @property
    def duration_ps(self) -> int:
        """The length."""
        return self.finish_ps - self.start_ps

    @property
    def ops(self) -> list[str]:
        """The names of the ops of a kernel."""
        return list(self.facts.get("ops", [self.name]))


@dataclasses.dataclass(frozen=True)
class Step:
    """A simulated step. Kernels that take less than a nanosecond are left out and counted."""

    problem: _core.Problem
    plan: _core.Plan
    report: dict[str, Any]
    """`Problem.simulate` of it."""
    end_ps: int
    """The makespan, or the time of the failure."""
    kernels: list[Span]
    """By device and lane, in order of time."""
    transfers: list[Span]
    """By channel, in order of time: links, and where a transfer takes no link its first channel."""
    path: list[Span]
    """The critical path in order of time; empty unless the step completed."""
    num_timeless: int
    """How many kernels are left out."""
    memory: dict[str, list[tuple[int, int]]]
    """Device -> nanoseconds and bytes held from then on, in order of time, if it holds any."""
    limits: dict[str, int]
    """Device -> the most bytes that it may hold; none where the machine has no limits."""

    @property
    def completed(self) -> bool:
        """Whether the step ran to its end."""
        return bool(self.report["outcome"] == "completed")

    @property
    def devices(self) -> list[str]:
        """The names of all devices of the machine."""
        return self.problem.hardware.device_names

    @cached_property
    def ops(self) -> dict[str, _core.Op]:
        """The ops of the graph by name, in the order of their indices."""
        return {op.name: op for op in self.problem.graph.ops}

    @cached_property
    def module_depth(self) -> int:
        """How many names of a module count for colours: the fewest with more than four modules."""
        paths = [(op.module or "").split(".") for op in self.ops.values()]
        depths = range(1, 1 + max(map(len, paths), default=1))
        return next((d for d in depths if len({tuple(p[:d]) for p in paths}) > 4), len(depths))

    @cached_property
    def explanation(self) -> dict[str, Any]:
        """`Plan.explain` without changes."""
        return self.plan.explain(self.problem, changes=False).data


def step_of(problem: _core.Problem, plan: _core.Plan) -> Step:
    """Simulates a plan for its views.

    Raises:
        PlanError: The plan does not fit the problem.
    """
    trace = plan.trace(problem)
    events = trace["traceEvents"]
    tracks = {
        (event["pid"], event["tid"]): _place_of(event["args"]["name"], problem)
        for event in events
        if event["ph"] == "M" and event["name"] == "thread_name"
    }
    spans = [event for event in events if event["ph"] == "X"]
    end_ps = trace["otherData"]["makespan_ps"]
    timed = [event for event in spans if event["dur"] > 0 or event["cat"] == "transfer"]
    kernels = [_span_of(e, tracks, end_ps) for e in timed if e["cat"] == "kernel"]
    timeless = [event for event in spans if event["dur"] == 0 and event["cat"] == "kernel"]
    counters = [event for event in events if event["ph"] == "C"]
    return Step(
        problem=problem,
        plan=plan,
        report=problem.simulate(plan),
        end_ps=end_ps,
        kernels=_sorted(kernels, problem.hardware.device_names),
        transfers=_sorted(_links_of(_transfers_of(timed, tracks, end_ps)), []),
        path=[_span_of(e, tracks, end_ps) for e in timed if e["cat"] == "path"],
        num_timeless=sum(event["args"].get("num_kernels", 1) for event in timeless),
        memory=_memory_of(counters, problem.hardware.device_names),
        limits={
            name: next(e["args"]["bytes"] for e in counters if e["name"] == f"{name} memory limit")
            for name in problem.hardware.device_names
            if any(e["name"] == f"{name} memory limit" for e in counters)
        },
    )


def _place_of(track: str, problem: _core.Problem) -> tuple[str, int]:
    """The row and the lane of a track of the trace."""
    name = track.removesuffix(_NO_TIME)
    if name in problem.hardware.device_names:
        return name, 0
    lane = _LANE.fullmatch(name)
    if lane is None:
        return name, 0
    # Streams count from 1 behind the first, which has no number; lanes from 2.
    return lane[1], int(lane[2]) - (1 if f" #{lane[2]}" in name else 0)


def _span_of(event: dict[str, Any], tracks: dict[Any, tuple[str, int]], end_ps: int) -> Span:
    facts = event["args"]
    row, lane = tracks[event["pid"], event["tid"]]
    start_ps = facts.get("start_ps", round(event["ts"] * 1e6))
    finish_ps = facts.get("finish_ps", end_ps)
    return Span(row, lane, event["name"], start_ps, min(finish_ps, end_ps), facts)


def _transfers_of(
    events: list[dict[str, Any]], tracks: dict[Any, tuple[str, int]], end_ps: int
) -> Iterator[list[Span]]:
    """Each transfer as its spans on all of its channels; the file has facts on the first alone."""
    found: list[Span] = []
    for event in events:
        if event["cat"] != "transfer":
            continue
        if event["args"] and found:
            yield found
            found = []
        first = found[0].facts if found else event["args"]
        found.append(_span_of({**event, "args": first}, tracks, end_ps))
    if found:
        yield found


def _links_of(transfers: Iterator[list[Span]]) -> list[Span]:
    """The spans on links, and of a transfer that takes none that on its first channel."""
    kept: list[Span] = []
    for channels in transfers:
        links = [span for span in channels if not span.row.startswith(_ENDPOINTS)]
        kept += links or channels[:1]
    return kept


def _sorted(spans: list[Span], rows: list[str]) -> list[Span]:
    """By row, those of `rows` in their order, then by lane and time."""
    place = {name: i for i, name in enumerate(rows)}
    return sorted(spans, key=lambda s: (place.get(s.row, len(rows)), s.row, s.lane, s.start_ps))


def _memory_of(
    counters: list[dict[str, Any]], devices: list[str]
) -> dict[str, list[tuple[int, int]]]:
    """The last value of each instant."""
    samples: dict[str, dict[int, int]] = {f"{name} memory": {} for name in devices}
    for event in counters:
        if event["name"] in samples:
            samples[event["name"]][round(event["ts"] * 1e3)] = event["args"]["bytes"]
    found = {name: list(samples[f"{name} memory"].items()) for name in devices}
    return {name: values for name, values in found.items() if any(held for _, held in values)}
