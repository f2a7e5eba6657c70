"""Tables as text: for the terminal, as Markdown and as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

from opyard.compare.table import Entry, Table

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "↔": r"$\leftrightarrow$",
    "τ": r"$\tau$",
    "—": "---",
}


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


def _starred(entry: Entry) -> str:
    return f"*{entry.text}" if entry.is_best else entry.text


def column_blocks(widths: Sequence[int], width: int) -> list[range]:
    """Ranges of columns that fit beside the first one, which is column 0."""
    blocks, first, used = [], 1, widths[0]
    for column in range(1, len(widths)):
        if column > first and used + 2 + widths[column] > width:
            blocks.append(range(first, column))
            first, used = column, widths[0]
        used += 2 + widths[column]
    return [*blocks, range(first, len(widths))]


def terminal_text(table: Table, width: int = 120) -> str:
    """Columns of equal width, `*` before the best; wide tables in several blocks."""
    lines = [[table.heading, *map(_one_line, table.columns)]]
    lines += [[_one_line(name), *map(_starred, entries)] for name, entries in table.rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    out = [table.title]
    for block in column_blocks(widths, width):
        for line in lines:
            cells = (line[i].rjust(widths[i]) for i in block)
            out.append("  ".join([line[0].ljust(widths[0]), *cells]).rstrip())
        out.append("")
    return "\n".join(out)


def _piped(text: str) -> str:
    return _one_line(text).replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def markdown_text(table: Table) -> str:
    """A heading, the table, and what it means."""

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    out = [f"## {table.title}", ""]
    out.append(line([table.heading, *map(_piped, table.columns)]))
    out.append("|---|" + "---:|" * len(table.columns))
    for name, entries in table.rows:
        cells = [f"**{_piped(e.text)}**" if e.is_best else _piped(e.text) for e in entries]
        out.append(line([_piped(name), *cells]))
    return "\n".join([*out, "", table.note, ""])


def latex_escaped(text: str) -> str:
    """Any text, as LaTeX prints it."""
    return "".join(_LATEX.get(c, c) for c in _one_line(text))


def latex_text(table: Table) -> str:
    """A table environment; needs the package booktabs."""

    def line(cells: Sequence[str]) -> str:
        return f"  {' & '.join(cells)} \\\\"

    out = [
        r"\begin{table}",
        f"  \\caption{{{latex_escaped(f'{table.title}. {table.note}')}}}",
        f"  \\label{{tab:{table.name}}}",
        r"  \centering",
        f"  \\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
        r"  \toprule",
        line([table.heading, *map(latex_escaped, table.columns)]),
        r"  \midrule",
    ]
    for name, entries in table.rows:
        cells = [
            f"\\textbf{{{latex_escaped(e.text)}}}" if e.is_best else latex_escaped(e.text)
            for e in entries
        ]
        out.append(line([latex_escaped(name), *cells]))
    return "\n".join([*out, r"  \bottomrule", r"  \end{tabular}", r"\end{table}", ""])
