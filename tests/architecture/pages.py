"""Pages that comments, docstrings and Markdown name, and the headings that they name in them.

A page is named by its path, from the root or from the file that names it, and a part of it by its
heading, its number or an equation's: docs/modelling.md, "Neighbours"; docs/modelling.md, section 7;
docs/modelling.md, equation 9. A heading may be cut short after any word; words in italics that
begin a paragraph, as in docs/modelling.md, "Transfers", are headings, too.
"""

from __future__ import annotations

import bisect
import functools
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from rules import PAGES_ELSEWHERE

_PAGE = re.compile(
    r"(?<![\w./:<>*-])(?P<link>\x01)?(?P<page>(?:[\w.-]+/)*[\w-]+\.md)(?:#(?P<anchor>[\w-]+))?"
    r'(?:, (?:section )?"(?P<heading>[^"]+)"|, section (?P<section>\d+)'
    r"|, equation \(?(?P<equation>\d+))?"
)
_ELSEWHERE = re.compile(rf"\b({'|'.join(PAGES_ELSEWHERE)})\b")
_LINK = re.compile(r"\[[^\]]*\](?:\(\s*|:\s+)<?([^)\s>]+)>?\)?")
_HEADING = re.compile(r"^(?:#+ |\*{1,2}(?=[A-Z]))(?:(?P<number>\d+)\. )?(?P<text>[^*\n]+)", re.M)
_EQUATION = re.compile(r"\((\d+)\)$", re.M)
_SLASHES = re.compile(r"""(?:^|[^:"'/])//+ ?(.*)""")
_HASHES = re.compile(r"""(?:^|\s)#+ (.*)""")
# Tokens that may stand before the first token of a docstring.
_BEFORE_DOCSTRING = (tokenize.ENCODING, tokenize.NEWLINE, tokenize.INDENT)
_NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.DEDENT)

# A line of prose: its number and its text.
Line = tuple[int, str]


def find_page_problems(root: Path, path: str) -> Iterator[Line]:
    """(line, what is wrong) of each page that the file names and that is not there as named."""
    for numbers, starts, text in paragraphs(prose_lines(root / path)):
        named = [(m, check_page(root, path, m)) for m in _PAGE.finditer(text)]
        named += [(m, f"{m.group()} is no page of this repository") for m in elsewhere(text)]
        for match, problem in named:
            if problem:
                yield numbers[bisect.bisect_right(starts, match.start()) - 1], problem


def elsewhere(text: str) -> Iterator[re.Match[str]]:
    """Where `text` names a page of the design, which lies outside of the repository."""
    return _ELSEWHERE.finditer(text)


def check_page(root: Path, path: str, match: re.Match[str]) -> str | None:
    """The fault of a page that the file `path` names; None if there is none."""
    name = match["page"]
    places = (root / name, (root / path).parent / name)
    page = next((place for place in places if place.is_file()), None)
    if page is None:  # a link that leads nowhere is found as such
        return None if match["link"] else f"{name} is no page of this repository"
    parts = parts_of(page)
    if match["heading"] and not parts.has_heading(match["heading"]):
        return f'{name} has no heading "{match["heading"]}"'
    if match["section"] and match["section"] not in parts.numbers:
        return f"{name} has no section {match['section']}"
    if match["equation"] and match["equation"] not in parts.equations:
        return f"{name} has no equation ({match['equation']})"
    if match["anchor"] and match["anchor"] not in parts.anchors:
        return f"{name} has no heading #{match['anchor']}"
    return None


class Parts:
    """The parts of a page that can be named."""

    def __init__(self, text: str):
        found = list(_HEADING.finditer(text))
        self.headings = [m["text"].replace("`", "").strip().rstrip(".") for m in found]
        self.anchors = {anchor_of(m["text"], m["number"]) for m in found}
        self.numbers = {m["number"] for m in found if m["number"]}
        self.equations = set(_EQUATION.findall(text))

    def has_heading(self, words: str) -> bool:
        """Whether a heading is `words`, or begins with them."""
        begin = re.compile(re.escape(words) + r"(?!\w)")
        return any(begin.match(heading) for heading in self.headings)


@functools.cache
def parts_of(page: Path) -> Parts:
    """The parts of the page; each page is read once."""
    return Parts(page.read_text(encoding="utf-8"))


def anchor_of(heading: str, number: str | None) -> str:
    """The fragment by which a link names the heading."""
    words = f"{number} {heading}" if number else heading
    return re.sub(r"[^\w -]", "", words.strip().lower()).replace(" ", "-")


def paragraphs(lines: Iterator[Line]) -> Iterator[tuple[list[int], list[int], str]]:
    """Lines that follow each other, joined: their numbers, where each begins, and the text."""
    numbers: list[int] = []
    starts: list[int] = []
    text = ""
    for number, line in lines:
        if numbers and (number != numbers[-1] + 1 or not line.strip()):
            yield numbers, starts, text
            numbers, starts, text = [], [], ""
        numbers.append(number)
        starts.append(len(text))
        text += line.strip() + " "
    if numbers:
        yield numbers, starts, text


def prose_lines(file: Path) -> Iterator[Line]:
    """The lines of a file that people read: comments and docstrings; of Markdown, all but code."""
    text = file.read_text(encoding="utf-8", errors="replace")
    if file.suffix == ".py":
        yield from python_prose(text)
    elif file.suffix == ".md":
        yield from markdown_prose(text)
    else:
        comment = _SLASHES if file.suffix in (".h", ".cc") else _HASHES
        for number, line in enumerate(text.splitlines(), start=1):
            if match := comment.search(line):
                yield number, match.group(1)


def python_prose(text: str) -> Iterator[Line]:
    """The comments and docstrings of a Python file."""
    before = tokenize.ENCODING
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_docstring = token.type == tokenize.STRING and before in _BEFORE_DOCSTRING
        if token.type == tokenize.COMMENT or is_docstring:
            prose = token.string.strip('"') if is_docstring else token.string.lstrip("# ")
            for i, line in enumerate(prose.splitlines()):
                yield token.start[0] + i, line
        if token.type not in _NO_CODE:
            before = token.type


def markdown_prose(text: str) -> Iterator[Line]:
    """The lines of a Markdown text without code blocks.

    A link is replaced by what it leads to, after the character 1.
    """
    in_code = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        elif not in_code:
            yield number, _LINK.sub(lambda match: "\x01" + match.group(1), line)
