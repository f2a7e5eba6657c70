"""The comparison as one HTML page that needs nothing else."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Iterator, Sequence

import jinja2
from markupsafe import Markup, escape

from opyard.compare.comparison import Comparison
from opyard.compare.plots import make_plots
from opyard.compare.table import Table
from opyard.compare.text_formats import column_blocks
from opyard.compare.verdict import verdict

_MOST_CHARACTERS = 165  # of a line of a table, in a window 1366 pixels wide
_LONGEST_WORD = 20  # of a name, before it is broken wherever it is
_LONGEST_NAME = 32  # of a row, before it takes a second line


def make_page(comparison: Comparison, tables: Sequence[Table], arguments: Sequence[str]) -> str:
    """The page; `arguments` are those of the command that makes it."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("opyard.compare", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    environment.filters |= {"breakable": breakable, "cell": cell_markup, "blocks": blocks}
    whole = comparison.aggregates.values()
    names = ", ".join(name for name in comparison.experiments if name)
    return environment.get_template("report.html.j2").render(
        title=f"Comparison: {names}" if names else "Comparison",
        workloads=len(comparison.matrix.workloads),
        agents=len(comparison.matrix.agents),
        runs=sum(a.runs for a in whole),
        failed=sum(a.failed for a in whole),
        missing=sum(a.missing for a in whole),
        baseline=comparison.baseline,
        repetitions=comparison.summaries.bootstrap.repetitions,
        verdict=verdict(comparison),
        warnings=comparison.warnings,
        fairness=comparison.fairness,
        tables=list(tables),
        plots=make_plots(comparison),
        command=f"opyard {shlex.join(arguments)}",
    )


def _words(name: str) -> list[str]:
    """A name in pieces between which a line may end."""
    pieces = re.findall(r"[^/?&=,:;_. \[\]()-]*(?:[/?&=,:;_. \[\]()-]|$)", name)
    return [
        piece[i : i + _LONGEST_WORD]
        for piece in pieces
        for i in range(0, len(piece), _LONGEST_WORD)
    ]


def breakable(name: str) -> Markup:
    """A name that may go on in the next line, behind what separates its parts."""
    return Markup("<wbr>").join(_words(name))


def cell_markup(text: str) -> Markup:
    """A figure whose interval, in brackets, may stand below it; neither is torn."""
    parts = re.match(r"([^\[(]*)(\[[^\]]*\])?(.*)", text, re.DOTALL)
    assert parts is not None
    figure, interval, rest = (part or "" for part in parts.groups())
    marked = Markup("<span>{}</span>").format(figure.strip())
    if interval:
        marked += Markup(" <span>{}</span>").format(interval)
    return marked + escape(f" {rest.strip()}" if rest.strip() else "")


def _widths(table: Table) -> Iterator[int]:
    """The least number of characters of each column, that of the names first."""
    yield min(_LONGEST_NAME, max(len(name) for name in [table.heading, *dict(table.rows)]))
    for i, column in enumerate(table.columns):
        texts = [entries[i].text for _, entries in table.rows]
        figures = [len(part) for text in texts for part in re.split(r" (?=\[)|(?<=\]) | \(", text)]
        yield max([*figures, *map(len, _words(column))])


def blocks(table: Table) -> list[Table]:
    """The table in pieces that are no wider than the page, each with the names of the rows."""
    return [
        dataclasses.replace(
            table,
            columns=[table.columns[i - 1] for i in block],
            rows=[(name, [entries[i - 1] for i in block]) for name, entries in table.rows],
        )
        for block in column_blocks(list(_widths(table)), _MOST_CHARACTERS)
    ]
