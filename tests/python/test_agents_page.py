"""docs/agents.md says what the agents say of themselves."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_of_the_agents_is_what_they_say():
    path = ROOT / "scripts" / "make_agents_page.py"
    spec = importlib.util.spec_from_file_location("make_agents_page", path)
    make_agents_page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_agents_page)
    assert make_agents_page.PAGE.read_text(encoding="utf-8") == make_agents_page.page(), (
        "docs/agents.md is not up to date: run python scripts/make_agents_page.py"
    )
