"""Pages in a real browser (Debian's chromium, headless, by playwright)."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
LAPTOP = {"width": 1366, "height": 768}
DESKTOP = {"width": 1920, "height": 1080}
_HARMLESS = ("setting log level to", "Download the")
_SECONDS = 30  # until a page has to be as a test waits for it


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """The browser, to open pages in."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield started
        started.close()


@contextlib.contextmanager
def opened(
    started: Any, page: Path, place: str = "", size: dict[str, int] = LAPTOP, **context: Any
) -> Iterator[Any]:
    """The page once its charts are drawn. Nothing may go wrong while it is open.

    Args:
        started: The browser.
        page: Its file.
        place: What it is opened at: "#table-value".
        size: Of the window.
        context: More of the context, as playwright takes it.
    """
    wrong: list[str] = []
    held = started.new_context(viewport=size, **context)
    try:
        tab = held.new_page()
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("console", lambda message: wrong.append(message.text))
        tab.on("request", lambda request: wrong.append(request.url) if not is_local(request.url)
               else None)  # fmt: skip
        tab.goto(page.resolve().as_uri() + place)
        tab.wait_for_selector("html[data-ready]")
        assert tab.locator("[data-state=failed]").count() == 0
        yield tab
        wrong = [text for text in wrong if not any(word in text for word in _HARMLESS)]
        assert wrong == []
    finally:
        held.close()


def wait_for(tab: Any, script: str, expected: Any = True) -> None:
    """Waits until a script returns what is expected.

    `Page.wait_for_function` evaluates texts within the page, which its content policy forbids.
    """
    end = time.monotonic() + _SECONDS
    while (found := tab.evaluate(script)) != expected:
        assert time.monotonic() < end, f"{script}: {found}, not {expected}"
        tab.wait_for_timeout(20)


def is_local(url: str) -> bool:
    """Whether it is the page itself, or comes from it."""
    return url.startswith(("file:", "data:", "blob:"))
