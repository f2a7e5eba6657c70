"""Timelines in notebooks: a page of its own in a frame, which shares nothing with the notebook."""

from __future__ import annotations

import base64
import gzip
import importlib.util
from html import escape

from opyard import _core
from opyard.viewer.words import bytes_text, time_text

_MOST_OPS = 20_000  # a notebook keeps what it shows
_PACKAGES = ("bokeh", "igraph", "jinja2")
_HEAD = '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>timeline</title>'
# Unpacks the page, and makes it that of the frame.
_UNPACK = """<script>
(async () => {
  const bytes = Uint8Array.from(atob("%s"), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const page = await new Response(stream).text();
  document.open(); document.write(page); document.close();
})();
</script>"""


def timeline_frame(problem: _core.Problem, plan: _core.Plan) -> str | None:
    """The timeline of a plan as a frame of HTML, or None.

    Returns:
        None without Bokeh, and for graphs of more than 20,000 ops, of which a picture is enough.

    Raises:
        PlanError: The plan does not fit the problem.
    """
    if problem.graph.num_ops > _MOST_OPS:
        return None
    if any(importlib.util.find_spec(name) is None for name in _PACKAGES):
        return None
    from opyard.viewer.figures import FigureBundle, style
    from opyard.viewer.step import step_of
    from opyard.viewer.timeline import height_of, timeline

    step = step_of(problem, plan)
    bundle = FigureBundle()
    markup = timeline(step, bundle, "timeline")
    page = f"{_HEAD}{style()}<body>{markup}{bundle.scripts()}"
    packed = base64.b64encode(gzip.compress(page.encode(), mtime=0)).decode("ascii")
    return (
        f'<iframe title="timeline" sandbox="allow-scripts" loading="lazy"'
        f' style="width: 100%; height: {height_of(step) + 110}px; border: 0"'
        f' srcdoc="{escape(_HEAD + _UNPACK % packed)}"></iframe>'
    )


def search_html(
    problem: _core.Problem, plan: _core.Plan | None, makespan_s: float | None, words: str
) -> str:
    """The result of a search: a sentence, and the timeline of its plan.

    Args:
        problem: The problem.
        plan: The best plan, None if none was tried.
        makespan_s: Its step time in seconds.
        words: The outcome, evaluations included.
    """
    if plan is None or makespan_s is None:
        return f"<p>No plan: {escape(words)}</p>"
    fullest = max(device["peak_memory_bytes"] for device in problem.simulate(plan)["devices"])
    sentence = (
        f"{escape(problem.graph.name)} on {escape(problem.hardware.name)}: "
        f"{time_text(round(makespan_s * 1e12))} a step, {bytes_text(fullest)} on the fullest device"
        f" ({escape(words)})"
    )
    picture = timeline_frame(problem, plan) or plan.gantt(problem).svg()
    return f"<p>{sentence}</p>{picture}"
