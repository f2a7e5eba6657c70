"""Reasons why each kernel of a step starts when it does."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from itertools import groupby

from markupsafe import Markup

from opyard.viewer.step import Span, Step
from opyard.viewer.words import time_text

_COPY = "copy of "


def reasons(step: Step) -> list[Markup]:
    """A sentence for each of `Step.kernels`, in their order: what came last, or what was before it.

    A kernel has its inputs at ``ready_ps``. Until its start its device, or its stream, runs others;
    time in which it runs nothing is due to the host's dispatch, rests, streams or memory.
    """
    arrivals = _arrivals(step)
    producers = _producers(step)
    texts: list[Markup] = []
    for _, group in groupby(step.kernels, key=lambda span: (span.row, span.lane)):
        lane = list(group)
        ends = [span.finish_ps for span in lane]
        for i, span in enumerate(lane):
            ready_ps = span.facts.get("ready_ps", span.start_ps)
            if ready_ps < span.start_ps:
                texts.append(_waited(span, ready_ps, lane[bisect_right(ends, ready_ps) : i]))
            else:
                read = set().union(*(producers[op] for op in span.ops))
                came = [name for name, ops in arrivals[span.row, ready_ps] if read & ops]
                last = Markup(": last came {}").format(came[0]) if came else ""
                texts.append(Markup("starts when it is ready{}").format(last))
    return texts


def _waited(span: Span, ready_ps: int, before: list[Span]) -> Markup:
    """`before`: what ran on its lane while it was ready."""
    waited = time_text(span.start_ps - ready_ps)
    if not before:
        text = "ready {} before: held back by dispatch, a rest, its stream or memory"
        return Markup(text).format(waited)
    count = "" if len(before) == 1 else f"{len(before)} others, the last "
    text = Markup("ready {} before, while {} ran {}{}")
    return text.format(waited, span.row, count, before[-1].name)


def _arrivals(step: Step) -> dict[tuple[str, int], list[tuple[str, set[str]]]]:
    """Device and instant -> the copies that came and the kernels that ended, each with its ops."""
    found: dict[tuple[str, int], list[tuple[str, set[str]]]] = defaultdict(list)
    for span in step.transfers:
        producer = span.name.removeprefix(_COPY).rpartition(":")[0]
        for device in span.facts["to"].split(", "):
            found[device, span.finish_ps].append((span.name, {producer}))
    for span in step.kernels:
        found[span.row, span.finish_ps].append((span.name, set(span.ops)))
    return found


def _producers(step: Step) -> dict[str, set[str]]:
    """Op -> the ops that it waits for."""
    names = step.problem.graph.op_names
    arrays = step.problem.graph.arrays()
    found: dict[str, set[str]] = {name: set() for name in names}
    for edges in (arrays["edge_index"], arrays["control_edge_index"]):
        for src, dst in edges.T.tolist():
            found[names[dst]].add(names[src])
    return found
