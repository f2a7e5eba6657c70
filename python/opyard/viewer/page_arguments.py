"""The arguments of `opyard simulate --html FILE`, which needs what is not loaded otherwise."""

from __future__ import annotations

from opyard.export.arguments import Parser

_OPTION = "--html"


def concerns_page(arguments: list[str]) -> bool:
    """True if `arguments` ask to simulate a plan and write its page."""
    if arguments[:1] != ["simulate"] or {"--help", "-h"} & set(arguments):
        return False
    return any(word.partition("=")[0] == _OPTION for word in arguments)


def split_page(arguments: list[str]) -> tuple[str, list[str]]:
    """The file of the page, and the arguments without it; a wrong one ends the program."""
    parser = Parser(prog="opyard simulate", add_help=False)
    parser.add_argument(_OPTION, required=True, metavar="FILE")
    words, rest = [], list(arguments)
    while (place := _place_of(rest)) is not None:
        width = 1 if "=" in rest[place] else 2
        words += rest[place : place + width]
        del rest[place : place + width]
    return str(parser.parse_args(words).html), rest


def _place_of(arguments: list[str]) -> int | None:
    return next((i for i, w in enumerate(arguments) if w.partition("=")[0] == _OPTION), None)
