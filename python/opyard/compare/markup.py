"""Names, sentences and tables as markup for a page."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator

from markupsafe import Markup, escape

from opyard.compare.table import Table
from opyard.compare.text_formats import column_blocks

_MOST_CHARACTERS = 165  # of a line of a table, in a window 1366 pixels wide
_LONGEST_WORD = 20  # of a name, before it is broken wherever it is
_LONGEST_NAME = 32  # of a row, before it takes a second line
_LONGEST_SLUG = 48  # characters


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


def named(text: str) -> Markup:
    """A sentence with its names, which stand in backquotes, in bold."""
    parts = text.split("`")
    return Markup("").join(
        Markup("<b>{}</b>").format(breakable(part)) if i % 2 else escape(part)
        for i, part in enumerate(parts)
    )


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


def slugs(names: Iterable[str]) -> list[str]:
    """Ids of names: lower-case letters, digits and hyphens, no two alike, the same again."""
    found: dict[str, None] = {}
    for name in names:
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_LONGEST_SLUG] or "x"
        taken, number = slug, 1
        while taken in found:
            number += 1
            taken = f"{slug}-{number}"
        found[taken] = None
    return list(found)
