"""A machine without a plan: its devices, switches and links."""

from __future__ import annotations

from markupsafe import Markup

from opyard import _core
from opyard.viewer import colours
from opyard.viewer.figures import FigureBundle
from opyard.viewer.machine_figure import Box, device_types, links_of, machine_figure
from opyard.viewer.words import bytes_text, shortened

_HEIGHT_PX, _CROWD_PX = 360, 520
_MOST_ON_LESS = 12  # devices in the lower figure


def machine_sketch(machine: _core.Machine, bundle: FigureBundle, name: str) -> tuple[Markup, int]:
    """Adds a machine to the page.

    Args:
        machine: The machine.
        bundle: Of the page.
        name: The name of the figure on the page.

    Returns:
        The figure with how to read it, and its height in pixels.
    """
    height_px = _HEIGHT_PX if machine.num_devices <= _MOST_ON_LESS else _CROWD_PX
    plot = machine_figure(
        machine, links_of(machine), _boxes(machine), height_px=height_px, has_loads=False
    )
    note = Markup('<p class="note">Boxes are devices, points are switches, lines are links.</p>')
    return bundle.add(name, plot, height_px=height_px) + note, height_px


def _boxes(machine: _core.Machine) -> list[Box]:
    known = colours.device_colours(machine.device_names)
    types = device_types(machine)
    boxes = []
    for device in machine.to_dict()["devices"]:
        name = device["name"]
        memory = bytes_text(int(float(device["memory"].split()[0])))
        facts = {"type": types[name], "memory": memory}
        boxes.append(Box(name, shortened(name, 14), known[name], 1.0, facts))
    return boxes
