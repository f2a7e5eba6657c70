"""docs/python.md says what the docstrings say."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_of_the_api_is_what_the_docstrings_make():
    path = ROOT / "scripts" / "make_api_page.py"
    spec = importlib.util.spec_from_file_location("make_api_page", path)
    make_api_page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_api_page)
    assert make_api_page.PAGE.read_text(encoding="utf-8") == make_api_page.page(), (
        "docs/python.md is not up to date: run python scripts/make_api_page.py"
    )
