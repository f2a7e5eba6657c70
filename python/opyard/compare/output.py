"""Writes a comparison into a folder."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from opyard import _core
from opyard.compare.answer import LISTS, make_answer
from opyard.compare.comparison import Comparison
from opyard.compare.tables import make_tables
from opyard.compare.text_formats import latex_text, markdown_text
from opyard.compare.verdict import verdict


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of equal keys, under their names; nothing stands for None."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def write_report(comparison: Comparison, folder: Path, page: str) -> list[str]:
    """Writes the page, the tables and all figures; returns the names of the files.

    Args:
        comparison: The comparison to write.
        folder: An existing folder.
        page: The page, as `opyard.compare.page.make_page` makes it.

    Raises:
        opyard.InputError: A file cannot be written.
    """
    tables = make_tables(comparison)
    answer = make_answer(comparison)
    conditions = [*comparison.fairness, *(f"warning: {line}" for line in comparison.warnings)]
    files = {
        "report.html": page,
        "report.md": "\n".join(
            [
                "# Comparison",
                "",
                verdict(comparison).text,
                "",
                *map(markdown_text, tables),
                *(f"- {c}" for c in conditions),
                "",
            ]
        ),
        "report.tex": "% Needs \\usepackage{booktabs}.\n" + "\n".join(map(latex_text, tables)),
        "report.json": json.dumps(answer, ensure_ascii=False, allow_nan=False, indent=1) + "\n",
    }
    files |= {f"{name}.csv": csv_text(answer[name]) for name in LISTS if answer[name]}
    for name, text in files.items():
        _core.write_output(folder / name, text.encode())
    return list(files)
