"""Lanes of a timeline that show how much each device holds."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from bokeh.models import ColumnDataSource, HoverTool
from bokeh.plotting import figure

from opyard.viewer import colours
from opyard.viewer.figures import tooltip
from opyard.viewer.step import Step
from opyard.viewer.words import bytes_text

LANE = 1.7
"""The rows of spans that a lane takes."""
_TOP = LANE - 0.3  # of what a lane shows
_FULL = 1 / 3  # of its limit: with less at its peak, a lane has the peak at its top
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Lane:
    """The memory of a device over time."""

    device: str
    bottom: float
    """The place of no bytes."""
    times: Floats
    """Instants in units of the axis, the end of the step the last."""
    held: Floats
    """Bytes from each instant on."""
    per_byte: float
    """The height of a byte."""

    @property
    def outline(self) -> tuple[Floats, Floats]:
        """The corners of the line that keeps each height until the next instant."""
        heights = self.bottom + self.held * self.per_byte
        return np.repeat(self.times, 2)[1:], np.repeat(heights, 2)[:-1]


def reaches_limit(step: Step, device: str) -> bool:
    """Whether a lane reaches up to the limit of its device; else its top is the peak."""
    peak = max(held for _, held in step.memory[device])
    return peak >= _FULL * step.limits.get(device, np.inf)


def add_lanes(plot: figure, step: Step, bottoms: Mapping[str, float], scale: int) -> None:
    """Adds a lane per device: what it holds as an area, its limit as a dashed line.

    Args:
        plot: The timeline.
        step: The step.
        bottoms: Device -> the place where its lane begins.
        scale: Picoseconds of a unit of the axis.
    """
    lanes = [_lane(step, device, bottom, scale) for device, bottom in bottoms.items()]
    if not lanes:
        return
    outlines = [lane.outline for lane in lanes]
    floors = [[lane.bottom] for lane in lanes]
    areas = ColumnDataSource(
        {
            "xs": [np.concatenate([x[:1], x, x[-1:]]) for x, _ in outlines],
            "ys": [
                np.concatenate([floor, y, floor])
                for floor, (_, y) in zip(floors, outlines, strict=True)
            ],
        }
    )
    plot.patches(
        "xs", "ys", source=areas, fill_color=colours.MEMORY, fill_alpha=0.45,
        line_color=colours.MEMORY, line_width=1, name="memory",
    )  # fmt: skip
    _add_limits(plot, step, [lane for lane in lanes if reaches_limit(step, lane.device)])
    _add_stretches(plot, step, lanes)


def _lane(step: Step, device: str, bottom: float, scale: int) -> Lane:
    samples = step.memory[device]
    instants = [ns * 1000 for ns, _ in samples] + [step.end_ps]
    times = np.minimum(np.array(instants, dtype=np.float64), step.end_ps) / scale
    held = np.array([count for _, count in samples] + [samples[-1][1]], dtype=np.float64)
    most = max(step.limits[device] if reaches_limit(step, device) else 0.0, float(held.max()))
    return Lane(device, bottom, times, held, _TOP / most)


def _add_limits(plot: figure, step: Step, lanes: Sequence[Lane]) -> None:
    if not lanes:
        return
    y = [lane.bottom + step.limits[lane.device] * lane.per_byte for lane in lanes]
    plot.segment(
        x0=[0.0] * len(y), x1=[float(lane.times[-1]) for lane in lanes], y0=y, y1=y,
        line_color=colours.LIMIT, line_width=1.5, line_dash="dashed", name="limits",
    )  # fmt: skip


def _add_stretches(plot: figure, step: Step, lanes: Sequence[Lane]) -> None:
    """Invisible boxes for the pointer, one for each stretch in which a device holds the same."""
    counts = [len(lane.times) - 1 for lane in lanes]
    bottoms = np.repeat([lane.bottom for lane in lanes], counts)
    source = ColumnDataSource(
        {
            "left": np.concatenate([lane.times[:-1] for lane in lanes]),
            "right": np.concatenate([lane.times[1:] for lane in lanes]),
            "bottom": bottoms.astype(np.float32),
            "top": (bottoms + _TOP).astype(np.float32),
            "text": [
                f"{lane.device} holds {bytes_text(int(count))}{_limit_text(step, lane.device)}"
                for lane in lanes
                for count in lane.held[:-1]
            ],
        }
    )
    boxes = plot.quad(
        left="left", right="right", bottom="bottom", top="top", fill_alpha=0, line_alpha=0,
        source=source, name="memory-stretches",
    )  # fmt: skip
    shown = tooltip("@text", [("from", "@left{0.000000}"), ("to", "@right{0.000000}")])
    plot.add_tools(HoverTool(renderers=[boxes], tooltips=shown, description="memory: details"))


def _limit_text(step: Step, device: str) -> str:
    return f" of {bytes_text(step.limits[device])}" if device in step.limits else ""
