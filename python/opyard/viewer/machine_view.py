"""The machine of a plan: devices, switches and links with what this plan makes them do."""

from __future__ import annotations

import dataclasses
from collections import Counter

from markupsafe import Markup

from opyard.viewer import colours
from opyard.viewer.figures import FigureBundle, legend
from opyard.viewer.machine_figure import (
    LOADS,
    Box,
    LinkLoad,
    device_types,
    links_of,
    machine_figure,
)
from opyard.viewer.step import Step
from opyard.viewer.words import bytes_text, percent_text, shortened

_HEIGHT_PX = 520


def link_loads(step: Step) -> list[LinkLoad]:
    """The links of the machine, in its order."""
    channels = {channel["name"]: channel for channel in step.report["channels"]}
    end_s = step.end_ps / 1e12
    found = []
    for link in links_of(step.problem.hardware):
        names = (link.name, f"{link.name}<", f"{link.name}>")
        used = [channels[c] for c in names if c in channels]
        num_bytes = sum(channel["bytes"] for channel in used)
        busy = max((channel["busy_s"] for channel in used), default=0.0) / (end_s or 1.0)
        found.append(dataclasses.replace(link, num_bytes=num_bytes, busy=busy))
    return found


def machine_view(step: Step, bundle: FigureBundle, name: str) -> tuple[Markup, str]:
    """Adds the machine to the page.

    Args:
        step: The step.
        bundle: Of the page.
        name: The name of the figure on the page.

    Returns:
        The figure with what its colours mean, and a note on how to read it.
    """
    loads = link_loads(step)
    plot = machine_figure(
        step.problem.hardware, loads, _boxes(step), height_px=_HEIGHT_PX, has_loads=True
    )
    shown = {word: colour for word, colour in LOADS.items() if any(x.load == word for x in loads)}
    text = Markup('<p class="legends">Links busy: {}</p>').format(legend(shown))
    return (text if loads else Markup()) + bundle.add(name, plot, height_px=_HEIGHT_PX), _note(
        step, loads
    )


def _note(step: Step, loads: list[LinkLoad]) -> str:
    text = (
        "Boxes are devices, filled as far as they are busy; points are switches. The more bytes a "
        "link carries, the wider it is; its colour says for how much of the step its busier "
        "direction is taken."
    )
    if step.transfers and not any(link.num_bytes for link in loads):
        text += " Transfers of this machine take no links, so that these show no load."
    return text


def _boxes(step: Step) -> list[Box]:
    """The devices; the filled part is that of the step in which a device is busy."""
    end_s = step.end_ps / 1e12 or 1.0
    types = device_types(step.problem.hardware)
    placed = Counter(step.devices[device] for device in step.plan.placement)
    known = colours.device_colours(step.devices)
    boxes = []
    for name, report in zip(step.devices, step.report["devices"], strict=True):
        busy = report["busy_s"] / end_s
        peak = bytes_text(report["peak_memory_bytes"])
        limit = f" of {bytes_text(step.limits[name])}" if name in step.limits else ""
        facts = {
            "type": types[name],
            "ops": str(placed[name]),
            "busy": percent_text(busy, 1) + " of the step",
            "memory": peak + limit,
        }
        label = f"{shortened(name, 14)} {percent_text(busy, 1)}"
        boxes.append(Box(name, label, known[name], min(busy, 1.0), facts))
    return boxes
