"""Frames in notebooks, which share nothing with them, in a real browser."""

from __future__ import annotations

import re

import opyard
import pytest

# As JupyterLab and VS Code mark a dark notebook.
DARK = ['data-jp-theme-light="false"', 'class="vscode-dark"']
# A policy like that of notebooks in VS Code, which frames inherit.
POLICY = (
    "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; img-src data:; "
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'; child-src https: data:\">"
)


@pytest.fixture
def notebook(tmp_path):
    """Writes a page with outputs of cells."""

    def write(*outputs: str, body: str = "", head: str = ""):
        file = tmp_path / "notebook.html"
        text = f"<!DOCTYPE html><title>notebook</title>{head}<body {body}>{''.join(outputs)}"
        file.write_text(text, encoding="utf-8")
        return file

    return write


def figures_of(shown, title: str, *names: str):
    """The frame of a title, once its figures show."""
    shown.page.locator(f"iframe[title={title}]").scroll_into_view_if_needed()
    inside = shown.page.frame_locator(f"iframe[title={title}]")
    for name in names:
        inside.locator(f"#figure-{name}[data-state=drawn]").wait_for(timeout=30_000)
    return inside


def background_of(inside) -> str:
    return inside.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor")


def test_several_outputs_show_each_in_a_frame_of_its_own(opened, notebook, by_hand):
    problem, plan = by_hand
    parts = [plan.gantt(problem), problem, problem.hardware, problem.graph]
    shown = opened(notebook(*(part._repr_html_() for part in parts), head=POLICY))
    figures_of(shown, "timeline", "timeline")
    figures_of(shown, "problem", "machine", "graph")
    figures_of(shown, "machine", "machine")
    inside = figures_of(shown, "graph", "graph")
    assert "modules at depth 2" in inside.locator(".note").inner_text()
    assert "trusted" not in shown.page.locator("body").inner_text()
    assert shown.page.evaluate("typeof Bokeh") == "undefined"


@pytest.mark.parametrize("body", ["", *DARK])
def test_a_frame_has_the_scheme_of_the_notebook_whatever_that_of_the_browser(
    opened, notebook, by_hand, body
):
    # Chromium prefers light here; an emulated scheme would count in frames, too.
    file = notebook(by_hand[0].hardware._repr_html_(), body=body)
    inside = figures_of(opened(file, color_scheme="null"), "machine", "machine")
    assert background_of(inside) == ("rgb(21, 24, 29)" if body else "rgb(255, 255, 255)")


def test_a_notebook_that_is_not_trusted_says_so_in_place_of_figures(opened, notebook, by_hand):
    # It keeps neither style sheets nor frames.
    html = by_hand[0]._repr_html_()
    kept = re.sub(r"<(style|iframe).*?</\1>", "", html, flags=re.DOTALL)
    text = opened(notebook(kept)).page.locator("body").inner_text()
    assert "four (4 ops, 4 tensors) on " in text
    assert "The figure shows once this notebook is trusted." in text


def test_a_large_graph_shows_as_its_text():
    graph = opyard.load_graph("random:layered?n=20001&seed=1")
    assert graph._repr_html_() is None
    assert opyard.Problem(graph, "p100x2-pcie", group=8)._repr_html_() is None
