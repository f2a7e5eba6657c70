"""All views of one plan, for its own page and for pages of others."""

from __future__ import annotations

import dataclasses

from markupsafe import Markup

from opyard import _core
from opyard.viewer.figures import FigureBundle
from opyard.viewer.graph_view import graph_view
from opyard.viewer.machine_view import machine_view
from opyard.viewer.memory_view import memory_view
from opyard.viewer.path_view import idle_view, path_words
from opyard.viewer.step import Step, step_of
from opyard.viewer.timeline import rows_of, timeline


@dataclasses.dataclass(frozen=True)
class View:
    """One view of a plan."""

    name: str
    """``"timeline"``, ``"path"``, ``"graph"``, ``"machine"`` or ``"memory"``."""
    title: str
    """A heading, as text."""
    markup: Markup
    """The view, which needs `FigureBundle.scripts` and `figures.style` on its page."""
    note: str
    """How to read it, as text; it may be empty."""


def plan_views(
    problem: _core.Problem, plan: _core.Plan, bundle: FigureBundle, *, name: str
) -> list[View]:
    """The views of a plan, the timeline first.

    Equal problems, plans and names give equal views. A plan that runs out of memory or deadlocks
    is shown as far as it went.

    Args:
        problem: What the plan is for.
        plan: The plan.
        bundle: The figures of the page, which those of the views are added to.
        name: What names of figures begin with; lower-case letters, digits and hyphens, unique on
            the page.

    Raises:
        PlanError: The plan does not fit the problem.
    """
    return views_of(step_of(problem, plan), bundle, name)


def views_of(step: Step, bundle: FigureBundle, name: str) -> list[View]:
    """The same for a step that is simulated."""
    graph, graph_note = graph_view(step, bundle, f"{name}-graph")
    machine, machine_note = machine_view(step, bundle, f"{name}-machine")
    return [
        View("timeline", "Timeline", timeline(step, bundle, f"{name}-timeline"), _time_note(step)),
        View(
            "path",
            "Critical path and idle time",
            path_words(step) + idle_view(step, bundle, f"{name}-idle"),
            "Idle time of each device by reason, as docs/explain.md defines them.",
        ),
        View("graph", "Graph", graph, graph_note),
        View("machine", "Machine", machine, machine_note),
        View("memory", "Memory", memory_view(step), ""),
    ]


def _list_of(names: list[str]) -> str:
    """The names, or the first ones and how many more."""
    most = 6
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _time_note(step: Step) -> str:
    """What the timeline leaves out."""
    hidden = rows_of(step).hidden
    idle = [name for name in step.devices if not any(span.row == name for span in step.kernels)]
    links = any(span.row.endswith((">", "<")) for span in step.transfers)
    notes = [
        f"{step.num_timeless} kernels take less than a nanosecond and are not shown."
        if step.num_timeless
        else "",
        f"Nothing that takes time runs on {_list_of(idle)}." if idle else "",
        "Behind the name of a link, < and > are its two directions." if links else "",
        f"{len(hidden)} links that are less busy are not shown." if hidden else "",
        "Percentages are those of the memory of a device at its peak."
        if step.limits and step.end_ps
        else "",
    ]
    return " ".join(note for note in notes if note)
