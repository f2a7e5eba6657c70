"""The input of an importer, and the errors of a file."""

from __future__ import annotations

from dataclasses import dataclass

from opyard import _core
from opyard.authoring.cards import type_for_model, usual_host

_MOST_LINES = 20


@dataclass(frozen=True)
class ImportRequest:
    """A file of another tool, and the device types that stand for what it names."""

    data: bytes
    place: str  # how messages name the file
    name: str  # of the machine
    types: dict[str, str]  # known device types and their kinds
    card: str | None = None  # of --card
    host: str | None = None  # of --host

    def text(self) -> str:
        """The file as text.

        Raises:
            InputError: it is no UTF-8.
        """
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise _core.InputError(
                f"{self.place}: byte {error.start} is no UTF-8, expected a text"
            ) from error

    def card_type(self, model: str | None = None) -> str:
        """The type of a card: that of --card, else the known one with the name of `model`.

        Raises:
            InputError: no type is known for it.
        """
        if self.card is not None:
            return self._known(self.card, "--card")
        found = None if model is None else type_for_model(model, self.types)
        if found is not None:
            return found
        cards = [name for name, kind in self.types.items() if kind != "cpu"]
        named = (
            "the file does not say which cards these are" if model is None else f'"{model[:60]}"'
        )
        raise _core.InputError(
            f"{self.place}: {named}, expected --card with one of {', '.join(cards)}; "
            "`opyard profile new --card NAME` writes the file of a new one"
        )

    def host_type(self) -> str:
        """The type of the hosts: that of --host, else one that is usual for the cards."""
        if self.host is None:
            return usual_host(self.card or "", self.types)
        return self._known(self.host, "--host")

    def _known(self, name: str, option: str) -> str:
        if name not in self.types:
            raise _core.InputError(
                f'{option}: found "{name[:60]}", expected one of {", ".join(self.types)}; '
                "`opyard profile new --card NAME` writes the file of a new one"
            )
        return name


class Problems:
    """The errors of one file, gathered so that one message names all of them."""

    def __init__(self, place: str) -> None:
        """`place`: the file, with which each line begins."""
        self._place = place
        self._lines: list[str] = []
        self._count = 0

    def add(self, where: str, what: str) -> None:
        """Notes an error; `where` is a line or an element, `what` says found and expected."""
        self._count += 1
        if len(self._lines) < _MOST_LINES:
            self._lines.append(f"{self._place}: {where}: {what}")

    def raise_if_any(self) -> None:
        """Raises opyard.InputError with all that was noted, if anything was."""
        if self._count > len(self._lines):
            self._lines.append(f"… and {self._count - len(self._lines)} more errors")
        if self._lines:
            raise _core.InputError("\n".join(self._lines))

    def fail(self, where: str, what: str) -> None:
        """Raises at once with all that was noted, and with this."""
        self.add(where, what)
        self.raise_if_any()


def shown(text: object) -> str:
    """A value of a file, short and on one line, for messages."""
    one_line = " ".join(str(text).split())
    return f'"{one_line[:60]}"'
