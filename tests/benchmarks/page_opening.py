"""Seconds from opening the page of a plan of 10,000 ops to its drawn timeline, in chromium.

Needs chromium and playwright (requirements/browser.txt):

    python tests/benchmarks/page_opening.py
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from pathlib import Path

import opyard
from opyard.viewer.plan_page import PlanNames, plan_page
from playwright.sync_api import Browser, sync_playwright

GRAPH, MACHINE, AGENT = "random:layered?n=10000&seed=1", "h100x8-hgx", "critical_path"
_REPETITIONS = 5
_DRAWN = ".figure[data-state=drawn]"


def write_page(file: Path) -> int:
    """Writes the page; answers with its bytes."""
    problem = opyard.Problem(GRAPH, MACHINE, group="op")
    plan = opyard.place(GRAPH, MACHINE, agent=AGENT, evaluations=1).plan
    assert plan is not None
    file.write_text(plan_page(problem, plan, PlanNames(AGENT, "")), encoding="utf-8")
    return file.stat().st_size


def opening_s(browser: Browser, file: Path) -> float:
    """Seconds from navigation to the drawn timeline, by the clock of the page."""
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto(file.as_uri())
    page.locator(_DRAWN).first.wait_for()
    seconds = page.evaluate("performance.now()") / 1e3
    page.close()
    return float(seconds)


def main() -> None:
    """Prints the size of the page and the times."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        print(f"{write_page(file) / 1e6:.2f} MB")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        times = [opening_s(browser, file) for _ in range(_REPETITIONS)]
        browser.close()
    print(f"median {statistics.median(times):.2f} s of {', '.join(f'{t:.2f}' for t in times)}")


if __name__ == "__main__":
    main()
