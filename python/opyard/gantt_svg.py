"""Gantt charts of simulated steps as SVG.

A row per device, with its kernels by phase; a row per link direction that carries anything, with
its transfers; a row for the critical path, with the part of it that each instant belongs to. Work
of one colour that touches on the screen is one rectangle. Equal traces give equal files.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_COLOURS = {
    "forward": "#4c78a8",
    "backward": "#e0842e",
    "update": "#54a24b",
    "other kernels": "#8a8a8a",
    "transfer": "#9c76b0",
    "wait": "#d8d4cc",
}
_PHASES = ("forward", "backward", "update")
# Kinds of critical path parts that stand in a colour of their own; all others are waits.
_PATH_PHASES = {"kernel": "kernel", "transfer": "transfer", "signal": "transfer"}
_LABEL_WIDTH, _CHART_WIDTH, _ROW_HEIGHT, _ROW_GAP, _TOP = 86, 790, 18, 6, 8
# Channels that are an end of a device, not a link.
_ENDPOINTS = ("egress:", "ingress:", "pair:")

# Begin and end in microseconds, and a key of _COLOURS.
Span = tuple[float, float, str]


def tracks_of(trace: dict[str, Any]) -> dict[tuple[int, int], str]:
    """The name of each track, by process and thread, in the order of the file."""
    return {
        (event["pid"], event["tid"]): event["args"]["name"]
        for event in trace["traceEvents"]
        if event["ph"] == "M" and event["name"] == "thread_name"
    }


def colour_of(event: dict[str, Any], phases: dict[str, str]) -> str:
    """The key of _COLOURS of a kernel, a transfer or a part of the critical path."""
    if event["cat"] == "path":
        kind = _PATH_PHASES.get(event["args"]["kind"], "wait")
        return phases.get(event["name"], "other kernels") if kind == "kernel" else kind
    if event["cat"] == "transfer":
        return "transfer"
    phase = event["args"].get("phase")
    return phase if phase in _PHASES else "other kernels"


def rows_of(trace: dict[str, Any]) -> dict[str, list[Span]]:
    """The spans of each row that has any, devices first and the critical path last."""
    tracks = tracks_of(trace)
    spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    kernels = [event for event in spans if event["cat"] == "kernel"]
    phases = {event["name"]: colour_of(event, {}) for event in kernels}
    rows: dict[str, list[Span]] = {name: [] for name in tracks.values()}
    for event in spans:
        name = tracks[event["pid"], event["tid"]]
        end = event["ts"] + event["dur"]
        rows[name].append((event["ts"], end, colour_of(event, phases)))
    return {
        name: sorted(found)
        for name, found in rows.items()
        if found and not name.startswith(_ENDPOINTS) and "(no time)" not in name
    }


def merged(spans: Iterable[Span], gap: float) -> list[Span]:
    """Spans of one colour that follow each other within `gap`, joined."""
    result: list[Span] = []
    for begin, end, colour in spans:
        if result and result[-1][2] == colour and begin - result[-1][1] <= gap:
            begin, last = result[-1][0], result.pop()[1]
            end = max(end, last)
        result.append((begin, end, colour))
    return result


def row_svg(name: str, spans: list[Span], top: int, scale: float) -> list[str]:
    """A label, and a path per colour: one rectangle for each span."""
    middle = top + _ROW_HEIGHT - 5
    lines = [f'<text x="{_LABEL_WIDTH - 8}" y="{middle}" text-anchor="end">{escaped(name)}</text>']
    lines.append(
        f'<rect x="{_LABEL_WIDTH}" y="{top}" width="{_CHART_WIDTH}" height="{_ROW_HEIGHT}"'
        ' fill="#f6f5f2"/>'
    )
    boxes: dict[str, str] = {}
    for begin, end, colour in merged(spans, gap=0.6 / scale):
        left, width = _LABEL_WIDTH + begin * scale, max((end - begin) * scale, 0.3)
        box = f"M{left:.1f} {top}h{width:.1f}v{_ROW_HEIGHT}h-{width:.1f}z"
        boxes[colour] = boxes.get(colour, "") + box
    lines += [f'<path fill="{_COLOURS[colour]}" d="{box}"/>' for colour, box in boxes.items()]
    return lines


def legend_svg(colours: list[str], top: int) -> list[str]:
    """A square and a word per colour."""
    lines, left = [], _LABEL_WIDTH
    for colour in colours:
        lines.append(f'<rect x="{left}" y="{top - 10}" width="11" height="11" ')
        lines[-1] += f'fill="{_COLOURS[colour]}"/>'
        lines.append(f'<text x="{left + 16}" y="{top}">{colour}</text>')
        left += 38 + 7 * len(colour)
    return lines


def escaped(text: str) -> str:
    """`text` as SVG may hold it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def chart_svg(trace: dict[str, Any]) -> str:
    """The picture of a trace, as `Plan.trace` and `opyard simulate --trace` give it."""
    rows = rows_of(trace)
    makespan_ms = trace["otherData"]["makespan_ps"] / 1e9
    scale = _CHART_WIDTH / (1e3 * makespan_ms or 1.0)  # pixels per microsecond
    body, top = [], _TOP
    for name, spans in rows.items():
        body += row_svg(name, spans, top, scale)
        top += _ROW_HEIGHT + _ROW_GAP
    axis = top + 10
    body.append(f'<text x="{_LABEL_WIDTH}" y="{axis}">0</text>')
    right = _LABEL_WIDTH + _CHART_WIDTH
    body.append(f'<text x="{right}" y="{axis}" text-anchor="end">{makespan_ms:.3f} ms</text>')
    shown = {colour for spans in rows.values() for _, _, colour in spans}
    body += legend_svg([colour for colour in _COLOURS if colour in shown], axis + 22)
    width, height = right + 10, axis + 34
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" fill="#222">'
    )
    background = f'<rect width="{width}" height="{height}" fill="#fff"/>'
    return "\n".join([head, background, *body, "</svg>"]) + "\n"
