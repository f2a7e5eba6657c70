"""A problem small enough to work out by hand, and pages in Debian's chromium."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import opyard
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
pytest.importorskip("bokeh", reason="no bokeh here: pip install 'opyard[report]'")

import tiny_problems

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


def op(name: str, micros: int, num_bytes: int, inputs: list[int], **facts: Any) -> dict[str, Any]:
    """An op with one output."""
    return {
        "name": name,
        "type": "MatMul",
        "inputs": [[i, 0] for i in inputs],
        "outputs": [{"bytes": num_bytes}],
        "seconds": {"*": micros * 1e-6},
        **facts,
    }


@pytest.fixture(scope="session")
def by_hand() -> tuple[opyard.Problem, opyard.Plan]:
    """Four ops on two devices, with a link that takes 1 µs and 1 µs per 1000 bytes.

    gpu0: a from 0 to 2 µs, c from 2 to 7 µs, d from 10 to 11 µs; gpu1: b from 5 to 8 µs. The copy
    of a goes from 2 to 5 µs (1 + 2), that of b from 8 to 10 µs (1 + 1).
    """
    ops = [
        op("a", 2, 2000, [], phase="forward", module="first"),
        op("b", 3, 1000, [0], phase="forward", module="second.left"),
        op("c", 5, 4000, [0], phase="backward", module="second.right"),
        op("d", 1, 8000, [1, 2], phase="update", module="first"),
    ]
    graph = opyard.Graph.from_dict({"format": "opyard-graph/1", "name": "four", "ops": ops})
    machine = tiny_problems.machine("serial", memory="fail")
    problem = opyard.Problem(graph, machine, group="op")
    return problem, opyard.Plan([0, 1, 0, 0])


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium without a window; closed again, since a process drives one playwright at a time."""
    if BROWSER is None:
        pytest.skip("no chromium here: apt-get install chromium, or ./dev test --all")
    reason = "no playwright here: pip install -r requirements/browser.txt, or ./dev test --all"
    api = pytest.importorskip("playwright.sync_api", reason=reason)
    with api.sync_playwright() as playwright:
        words = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        chromium = playwright.chromium.launch(executable_path=BROWSER, args=words)
        yield chromium
        chromium.close()


class Opened:
    """A page, and what went wrong on it."""

    def __init__(self, page: Any, file: Path) -> None:
        self.page = page
        self.problems: list[str] = []
        page.on("console", self._keep_message)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", self._keep_request)
        page.goto(file.resolve().as_uri())

    def drawn(self, figure: str) -> Any:
        """The figure of this name, once it shows."""
        found = self.page.locator(f"#figure-{figure}[data-state=drawn]")
        found.wait_for(timeout=30_000)
        return found

    def model(self, figure: str, name: str, what: str) -> Any:
        """A property of a model of a figure, in JavaScript."""
        script = """([figure, name, what]) => {
          const { views } = document.getElementById(`figure-${figure}`);
          const model = views.roots[0].model.document.get_model_by_name(name);
          return what.split(".").reduce((value, key) => value[key], model);
        }"""
        return self.page.evaluate(script, [figure, name, what])

    def _keep_message(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def _keep_request(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.problems.append(f"request of {request.url}")


@pytest.fixture
def opened(browser) -> Iterator[Any]:
    """Opens files, 1366 pixels wide as a laptop is; nothing goes wrong on any."""
    pages: list[Opened] = []

    def open_page(file: Path, **settings: Any) -> Opened:
        page = browser.new_page(viewport={"width": 1366, "height": 768}, **settings)
        pages.append(Opened(page, file))
        return pages[-1]

    yield open_page
    problems = [problem for one in pages for problem in one.problems]
    for one in pages:
        one.page.close()
    assert problems == []
