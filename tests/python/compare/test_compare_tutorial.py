"""docs/compare-agents.md: its commands run, and print what it quotes.

Agents that become better change what it quotes: `./dev goldens` quotes it anew.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import pytest
import stores

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "compare-agents.md"
TEXT = PAGE.read_text(encoding="utf-8")
COMMANDS = re.findall(r"```\n(opyard .*?)```", TEXT, re.DOTALL)[0].splitlines()
EXCERPT = re.compile(r"```text\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> dict[str, str]:
    """The output of each of the commands, in a folder of their own."""
    folder = tmp_path_factory.mktemp("tutorial")
    (folder / "experiments").symlink_to(ROOT / "experiments")
    found = {c: stores.opyard(*shlex.split(c)[1:], folder=folder).stdout for c in COMMANDS}
    for name in ("report.html", "report.md", "report.tex", "report.json", "cells.csv"):
        assert (folder / "report" / name).stat().st_size > 1000
    return found


def quoted(excerpt: str, printed: str) -> str:
    """The excerpt as it would be quoted today: a table by its title, other lines by their name."""
    title, second, *_ = excerpt.splitlines()
    if second.startswith(("agent ", "workload ")):
        begin = printed.index(f"\n{title}\n") + 1
        return printed[begin : printed.index("\n\n", begin) + 1]
    names = [line.partition(":")[0] for line in excerpt.splitlines()]
    lines = {line.partition(":")[0]: line for line in printed.splitlines()}
    return "".join(f"{lines.get(name, name)}\n" for name in names)


def test_the_commands_run(printed):
    assert len(printed) == 4
    (answer,) = [text for command, text in printed.items() if "--json" in command]
    assert len(json.loads(answer)["cells"]) == 50  # 2 workloads, 5 agents, 5 seeds


def test_the_page_quotes_what_was_printed_like_a_golden(printed):
    text = "\n" + "".join(printed[command] for command in COMMANDS if "--json" not in command)
    remade = EXCERPT.sub(lambda found: f"```text\n{quoted(found.group(1), text)}```", TEXT)
    if os.environ.get("OPYARD_REMAKE_GOLDENS"):
        PAGE.write_text(remade, encoding="utf-8")
    assert len(EXCERPT.findall(TEXT)) == 9
    assert remade == PAGE.read_text(encoding="utf-8")
