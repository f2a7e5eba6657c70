"""Pages that are named and not there are found at their line; others are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_check_layers import found, write

_PAGE = "# Page\n\n## 2. Order of events\n\n*Transfers.* One each.\n\n    t = 1 (7)\n"


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ("docs/gone.md", "docs/gone.md is no page of this repository"),
        ('docs/page.md, "Gaps"', 'docs/page.md has no heading "Gaps"'),
        ('docs/page.md, section "Order of eve"', 'has no heading "Order of eve"'),
        ("docs/page.md, section 3", "docs/page.md has no section 3"),
        ("docs/page.md, equation (8)", "docs/page.md has no equation (8)"),
        ("docs/page.md#transfer", "docs/page.md has no heading #transfer"),
        ("SIMULATION, section 2", "SIMULATION is no page of this repository"),
    ],
)
@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("sim/base/ids.h", "\nint x;  // {}\n", 2),
        ("env/a.py", 'x = 1\ny = 2  # {}\n"""Text."""\n', 2),
        ("env/b.py", 'def f():\n    """Does it.\n\n    See {}.\n    """\n', 4),
        ("machines/a.yaml", "name: a\n# {}\n", 2),
        ("docs/other.md", "# Other\n\nRead {}.\n", 3),
    ],
)
def test_a_page_or_part_of_it_that_is_not_there_is_found_at_its_line(
    tmp_path: Path, names: str, problem: str, path: str, text: str, line: int
):
    write(tmp_path, docs__page_md=_PAGE)
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(text.format(names), encoding="utf-8")
    (violation,) = found(tmp_path)
    assert violation.startswith(f"{path}:{line}: ")
    assert violation.endswith(problem)


def test_a_heading_may_follow_on_the_next_line_of_a_comment(tmp_path: Path):
    text = 'int x;\n// One each (docs/page.md,\n// "Transfer of tensors").\n'
    write(tmp_path, docs__page_md=_PAGE, sim__base__ids_h=text)
    assert found(tmp_path) == [
        'sim/base/ids.h:2: docs/page.md has no heading "Transfer of tensors"'
    ]


@pytest.mark.parametrize(
    "line",
    [
        '// docs/page.md, "Order", and docs/page.md, "Transfers"; docs/page.md, section 2',
        "// docs/page.md, equation 7 and docs/page.md#2-order-of-events",
        "// https://example.org/gone.md",
        'const char* page = "docs/gone.md, FORMATS";',
    ],
)
def test_pages_that_are_there_and_texts_of_the_program_are_left_alone(tmp_path: Path, line: str):
    write(tmp_path, docs__page_md=_PAGE, sim__base__ids_h=line + "\n")
    assert found(tmp_path) == []
