"""The colour, dash and marker of each agent, the same in all charts and tables of a page.

The hues are those of Okabe and Ito, "Color Universal Design" (2008), which people with any common
colour blindness distinguish. Deviation: yellow and black are left out, orange, sky blue and purple
are darker, so that each has a contrast of 3 : 1 or more to white and to the dark background alike.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

GREY = "#7d848c"  # of the baseline
_HUES = ("#0a7bbd", "#d55e00", "#009e73", "#bf62a0", "#b57b00")
_DASHES = ("", "6 6", "2 4 6 4", "2 4", "8 2", "8 2 2 2 2 2", "2 2 6 2", "12 4")
_MARKERS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "hex", "star", "plus")


@dataclasses.dataclass(frozen=True)
class Style:
    """The lines and points of one agent, as Bokeh takes them."""

    colour: str  # "#rrggbb"
    dash: str  # pixels with and without colour by turns, as SVG has them; "" is solid
    marker: str


def styles(agents: Sequence[str], baseline: str) -> dict[str, Style]:
    """The styles by agent: grey for the baseline; no two alike up to 41 agents."""
    found = {}
    others = [agent for agent in agents if agent != baseline]
    for i, agent in enumerate(others):
        kind = i // len(_HUES) % len(_DASHES)
        found[agent] = Style(_HUES[i % len(_HUES)], _DASHES[kind], _MARKERS[kind])
    return {agent: found.get(agent, Style(GREY, "", "circle")) for agent in agents}
