"""Colours that show on white and on black alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

PHASES = {
    "forward": "#4c82bd",
    "backward": "#df8a2f",
    "update": "#4ba05a",
    "no phase": "#8b919b",
}
TRANSFER = "#9b72b8"
WAIT = "#c0b9ac"
GREY = "#8b919b"
LIMIT = "#d6453d"
MEMORY = "#5a94c8"
# Tableau's twenty without greys, darkened where they are pale on white.
CATEGORIES = (
    "#4c82bd", "#df8a2f", "#4ba05a", "#cf4f50", "#9b72b8", "#93705f", "#d27bb4", "#b5a52f",
    "#2fa5b3", "#7f9ed6", "#c98f62", "#82b26f", "#d98882", "#ab92c9", "#6f7fae",
)  # fmt: skip


def colours_of(categories: Sequence[str], weights: Sequence[float], most: int) -> dict[str, str]:
    """A colour for each of the categories of the greatest weight, and grey for ``"others"``.

    Args:
        categories: Of each thing.
        weights: The same number.
        most: The greatest number of categories with a colour of their own.
    """
    totals: dict[str, float] = {}
    for category, weight in zip(categories, weights, strict=True):
        totals[category] = totals.get(category, 0.0) + weight
    ranked = sorted(totals, key=lambda name: (-totals[name], name))
    found = dict(zip(ranked[:most], CATEGORIES, strict=False))
    return found | ({"others": GREY} if len(found) < len(totals) else {})


def rgba(colours: Iterable[str]) -> npt.NDArray[np.uint8]:
    """The colours as [n, 4] bytes, which pages hold packed."""
    known: dict[str, tuple[int, int, int, int]] = {}
    rows = [known.setdefault(colour, _bytes_of(colour)) for colour in colours]
    return np.array(rows, dtype=np.uint8).reshape(-1, 4)


def device_colours(devices: Sequence[str]) -> Mapping[str, str]:
    """A colour for each device, none of them red; colours repeat where there are more devices."""
    free = [colour for colour in CATEGORIES if colour != "#cf4f50"]
    return {name: free[i % len(free)] for i, name in enumerate(devices)}


def _bytes_of(colour: str) -> tuple[int, int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16), 255
