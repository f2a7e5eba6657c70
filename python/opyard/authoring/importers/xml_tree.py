"""XML as a tree of elements with their lines; entities are refused, nothing outside is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from opyard import _core

_MOST_ELEMENTS = 200_000
_MOST_DEPTH = 256


@dataclass
class Element:
    """An element with its attributes and children."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""  # directly inside, of all parts

    def all(self, *tags: str) -> list[Element]:
        """The children of these tags, in their order."""
        return [child for child in self.children if child.tag in tags]

    def walk(self) -> Iterator[Element]:
        """The element and all inside it, parents first."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack += reversed(element.children)


class _Builder:
    """Takes the parser's events."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._open: list[Element] = []
        self._texts: list[list[str]] = []
        self._count = 0
        self.root: Element | None = None
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._add_text
        self.parser.EntityDeclHandler = self._refuse_entity

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._count += 1
        line = self.parser.CurrentLineNumber
        if self._count > _MOST_ELEMENTS or len(self._open) >= _MOST_DEPTH:
            raise _core.InputError(
                f"{self._place}: line {line}: more than {_MOST_ELEMENTS} elements, or nested "
                f"deeper than {_MOST_DEPTH}"
            )
        element = Element(tag, attributes, line)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)
        self._texts.append([])

    def _end(self, tag: str) -> None:
        self._open.pop().text = "".join(self._texts.pop())

    def _add_text(self, text: str) -> None:
        self._texts[-1].append(text)

    def _refuse_entity(self, name: str, *rest: object) -> None:
        raise _core.InputError(
            f"{self._place}: line {self.parser.CurrentLineNumber}: found the entity "
            f'"{name[:60]}", expected XML without entities: write its text instead'
        )


def read_xml(data: bytes, place: str, root: str) -> Element:
    """Reads a file whose root is `root`.

    Raises:
        InputError: it is no XML, declares entities, is too large, or has another root.
    """
    builder = _Builder(place)
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise _core.InputError(
            f"{place}: line {error.lineno}, column {error.offset + 1}: no XML, "
            f"{expat.ErrorString(error.code)}"
        ) from error
    except (ValueError, LookupError) as error:
        if isinstance(error, _core.InputError):
            raise
        raise _core.InputError(f"{place}: its encoding is not known, expected UTF-8") from error
    element = builder.root
    if element is None or element.tag != root:
        found = "nothing" if element is None else f"<{element.tag[:60]}>"
        raise _core.InputError(f"{place}: line 1: found {found}, expected <{root}>")
    return element
