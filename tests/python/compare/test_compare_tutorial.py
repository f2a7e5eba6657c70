"""docs/compare-agents.md: its commands run, and print what it quotes."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import stores

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "compare-agents.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"```\n(opyard .*?)```", PAGE, re.DOTALL)[0].splitlines()
EXCERPTS = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> dict[str, str]:
    """What each of the commands printed, in a folder of their own."""
    folder = tmp_path_factory.mktemp("tutorial")
    (folder / "experiments").symlink_to(ROOT / "experiments")
    found = {c: stores.opyard(*shlex.split(c)[1:], folder=folder).stdout for c in COMMANDS}
    for name in ("report.html", "report.md", "report.tex", "report.json", "cells.csv"):
        assert (folder / "report" / name).stat().st_size > 1000
    return found


def test_the_commands_run(printed):
    assert len(printed) == 4
    (answer,) = [text for command, text in printed.items() if "--json" in command]
    assert len(json.loads(answer)["cells"]) == 50  # 2 workloads, 5 agents, 5 seeds


@pytest.mark.parametrize("excerpt", EXCERPTS, ids=lambda excerpt: excerpt.split("\n")[0])
def test_the_page_quotes_what_was_printed(excerpt, printed):
    text = "\n" + "".join(printed.values())
    for lines in re.split(r"^…\n", excerpt, flags=re.MULTILINE):
        assert "\n" + lines in text
