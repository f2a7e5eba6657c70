"""Words that the literature does not use stay out: docs/glossary.md has those that it does.

Former names of options and tensors are read from old files; their readers, and the tests of these,
name them. Decision notes tell the history and keep its words.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.check_layers import walk

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = (".h", ".cc", ".py", ".md", ".yaml", ".cmake", ".sh")
# Pattern -> the word of the literature.
PRIVATE_WORDS = {
    r"\bjudg\w*|Judg(e|ing)": "evaluate",
    r"(?<![.\w])(tell|tells|telling|told)\b": "say, report, distinguish",
    r"\b(a|an|one|first|next|this|each) (first |closer )?looks?\b(?! at invalid)": "probe, check",
    r"\bdr[ae]w(s|n)? (a|the|from|by|plans|devices)\b": "sample",
    r"\bverbs?\b": "subcommand",
    r"[Rr]ule ?[Ss]tarts?|rule_starts": "initial plans",
    r"ProblemList|problem list": "Diagnostics",
    r"\bkl_stop\b|\bclip_ratio\b|\bbaseline_decay\b": "target_kl, clip_range, baseline_momentum",
}
# Files that read or explain what was written under former names.
EXEMPT = (
    "agents/base/former_names.cc",
    "agents/learned/common/checkpoint.cc",
    "tests/agents/base/former_names_test.cc",
    "tests/agents/learned/common/checkpoint_test.cc",
    "tests/architecture/test_words.py",
)


def checked_files() -> list[str]:
    return [
        path
        for path in walk(ROOT)
        if path.endswith(SUFFIXES) and not path.startswith("docs/decisions/") and path not in EXEMPT
    ]


@pytest.mark.parametrize("pattern", PRIVATE_WORDS)
def test_no_private_word(pattern: str):
    found = [
        f"{path}:{number}: {line.strip()[:100]}"
        for path in checked_files()
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1)
        if re.search(pattern, line)
    ]
    assert not found, f"say {PRIVATE_WORDS[pattern]!r} instead:\n" + "\n".join(found)


def test_no_file_begins_with_a_fragment():
    """The comment that begins a file says what the file is: a noun phrase or a sentence."""
    fragment = re.compile(r'^(//|#|""") ?(What|Of|How|Where|Whether)\b')
    found = []
    for path in checked_files():
        if path.endswith((".h", ".cc", ".py")):
            first = next(iter((ROOT / path).read_text().splitlines()), "")
            found += [f"{path}: {first}"] if fragment.match(first) else []
    assert not found, "\n".join(found)
