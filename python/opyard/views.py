"""Views of a simulated plan, as `Plan.gantt` and `Plan.explain` return them."""

from __future__ import annotations

import dataclasses
import html
from typing import Any

from opyard import _core
from opyard.gantt_svg import chart_svg
from opyard.viewer.notebook import timeline_frame


@dataclasses.dataclass(frozen=True, repr=False)
class Gantt:
    """A simulated plan as a timeline: a row per device, per channel, and for the critical path.

    ``print`` writes its text. In a notebook it shows as an interactive timeline, and without Bokeh
    (``pip install 'opyard[report]'``) as the picture that `svg()` makes.
    """

    text: str
    """The rows as characters, and what these mean."""
    plan: _core.Plan
    """The plan."""
    problem: _core.Problem
    """The problem that it was simulated for."""

    def svg(self) -> str:
        """The timeline as the text of an SVG file."""
        return chart_svg(self.plan.trace(self.problem))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str | None:
        return timeline_frame(self.problem, self.plan)

    def _repr_svg_(self) -> str:
        return self.svg()


@dataclasses.dataclass(frozen=True, repr=False)
class Explanation:
    """Why a plan takes as long as it does: critical path, idle time, memory, what if, decisions.

    ``print`` writes its text; docs/explain.md says how to read it.
    """

    text: str
    """The tables of ``opyard simulate --explain``."""
    data: dict[str, Any]
    """The same as data: ``explanation`` of ``opyard simulate --explain --json``, whose keys
    docs/formats.md lists."""

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"
