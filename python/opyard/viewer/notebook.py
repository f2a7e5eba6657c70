"""Figures in notebooks: a page of its own in a frame, which shares nothing with the notebook."""

from __future__ import annotations

import base64
import gzip
import importlib.util
from html import escape
from typing import TYPE_CHECKING

from opyard import _core
from opyard.viewer.words import bytes_text, time_text

if TYPE_CHECKING:
    from opyard.viewer.figures import FigureBundle

_MOST_OPS = 20_000  # a notebook keeps what it shows
_MOST_PX = 640  # of the height of a frame with a graph; higher graphs are scrolled
_PACKAGES = ("bokeh", "igraph", "jinja2")
# A frame has the scheme that the notebook has, not that of the browser; style sheets work in
# notebooks that are trusted only. The names are those of JupyterLab, Sphinx, Colab and VS Code.
_STYLE = (
    "<style>.opyard-untrusted { display: none } .opyard-frame { color-scheme: light }"
    " :is([data-jp-theme-light=false], [data-theme=dark], [theme=dark], .vscode-dark)"
    " .opyard-frame { color-scheme: dark }</style>"
    '<p class="opyard-untrusted">The figure shows once this notebook is trusted.</p>'
)
_HEAD = '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{}</title>'
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
    if not _can_show(problem.graph):
        return None
    from opyard.viewer.figures import FigureBundle
    from opyard.viewer.step import step_of
    from opyard.viewer.timeline import height_of, timeline

    step = step_of(problem, plan)
    bundle = FigureBundle()
    markup = timeline(step, bundle, "timeline")
    return _frame("timeline", markup, bundle, height_of(step) + 90)


def graph_html(graph: _core.Graph) -> str | None:
    """A graph in words, and by its groups of ops in a frame; None as for `timeline_frame`."""
    if not _can_show(graph):
        return None
    from opyard.viewer.figures import FigureBundle
    from opyard.viewer.graph_sketch import graph_sketch

    bundle = FigureBundle()
    markup, height_px = graph_sketch(graph, bundle, "graph")
    return _words(_of_graph(graph)) + _frame(
        "graph", markup, bundle, min(height_px + 120, _MOST_PX)
    )


def machine_html(machine: _core.Machine) -> str | None:
    """A machine in words, and in a frame; None without Bokeh."""
    if not _has_packages():
        return None
    from opyard.viewer.figures import FigureBundle
    from opyard.viewer.machine_sketch import machine_sketch

    bundle = FigureBundle()
    markup, height_px = machine_sketch(machine, bundle, "machine")
    return _words(_of_machine(machine)) + _frame("machine", markup, bundle, height_px + 50)


def problem_html(problem: _core.Problem) -> str | None:
    """A problem in words, and its machine and its graph in a frame; None as for a graph."""
    if not _can_show(problem.graph):
        return None
    from opyard.viewer.figures import FigureBundle
    from opyard.viewer.graph_sketch import graph_sketch
    from opyard.viewer.machine_sketch import machine_sketch

    bundle = FigureBundle()
    machine, machine_px = machine_sketch(problem.hardware, bundle, "machine")
    graph, graph_px = graph_sketch(problem.graph, bundle, "graph")
    words = (
        f"{_of_graph(problem.graph)} on {_of_machine(problem.hardware)}: "
        f"{' and '.join(problem.tasks)} of {problem.num_groups} groups, {problem.objective}"
    )
    height_px = machine_px + 50 + min(graph_px + 120, _MOST_PX)
    return _words(words) + _frame("problem", machine + graph, bundle, height_px)


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
        return _words(f"No plan: {words}")
    fullest = max(device["peak_memory_bytes"] for device in problem.simulate(plan)["devices"])
    sentence = (
        f"{problem.graph.name} on {problem.hardware.name}: {time_text(round(makespan_s * 1e12))} a "
        f"step, {bytes_text(fullest)} on the fullest device ({words})"
    )
    return _words(sentence) + (timeline_frame(problem, plan) or plan.gantt(problem).svg())


def _has_packages() -> bool:
    return all(importlib.util.find_spec(name) is not None for name in _PACKAGES)


def _can_show(graph: _core.Graph) -> bool:
    return 0 < graph.num_ops <= _MOST_OPS and _has_packages()


def _of_graph(graph: _core.Graph) -> str:
    return f"{graph.name} ({graph.num_ops} ops, {graph.num_tensors} tensors)"


def _of_machine(machine: _core.Machine) -> str:
    return f"{machine.name} ({machine.num_devices} devices)"


def _words(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _frame(title: str, markup: str, bundle: FigureBundle, height_px: int) -> str:
    from opyard.viewer.figures import style

    head = _HEAD.format(title)
    page = f'{head}{style()}<body class="frame">{markup}{bundle.scripts()}'
    packed = base64.b64encode(gzip.compress(page.encode(), mtime=0)).decode("ascii")
    return (
        f'{_STYLE}<iframe class="opyard-frame" title="{title}" sandbox="allow-scripts"'
        f' loading="lazy" style="width: 100%; height: {height_px}px; border: 0"'
        f' srcdoc="{escape(head + _UNPACK % packed)}"></iframe>'
    )
