"""Every file that a guide on adding something names is there, as it is for the guide's example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDES = ("CONTRIBUTING.md", "agents/README.md", "graphs/README.md", "experiments/README.md")
# The words of a row for the reader to replace, in paths and in shell patterns.
_PLACEHOLDER = re.compile(r"NAME|\*|\{|DIR|FILE|PATH")
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+/?|README\.md")


def named_files(page: str) -> list[str]:
    """The paths from the root between backquotes in the tables of a page whose head says "file"."""
    paths: list[str] = []
    is_guide = False
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            is_guide = False
        elif line.startswith("| file"):
            is_guide = True
        elif is_guide:
            cell = line.split("|")[1]
            paths += [word for word in re.findall(r"`([^`]+)`", cell) if _PATH.fullmatch(word)]
    return paths


@pytest.mark.parametrize("page", GUIDES[1:])
def test_the_files_of_a_guide_are_there(page: str):
    paths = named_files(page)
    assert len(paths) >= 8
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", GUIDES)
def test_files_that_are_named_from_the_root_are_there(page: str):
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    layers = r"(?:agents|bindings|docs|env|experiments|graphs|python|scripts|sim|tests)/"
    words = re.findall(rf"`({layers}[^`\s]*)`", text)
    paths = [word for word in words if not _PLACEHOLDER.search(word)]
    assert [path for path in paths if not (ROOT / path).exists()] == []
