"""Asks on a terminal for what a command line leaves out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from opyard import _core

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Question:
    """The wording of an option on a terminal."""

    option: str  # "--card"
    text: str
    default: str = ""  # what an empty answer stands for; empty: there has to be one
    choices: Sequence[str] = ()
    hint: str = field(default="", kw_only=True)  # how to answer, in the error


class Asker:
    """Asks one question after another; where nobody is there to answer, names the options."""

    def __init__(self, is_terminal: bool | None = None) -> None:
        self.is_terminal = sys.stdin.isatty() if is_terminal is None else is_terminal
        self._missing: list[str] = []

    def ask(self, question: Question, read: Callable[[str], Answer]) -> Answer | None:
        """The answer as `read` takes it, asked for again while `read` raises InputError.

        Returns None without a terminal, and notes the option as missing.
        """
        if not self.is_terminal:
            self._missing.append(question.option + (f" ({question.hint})" if question.hint else ""))
            return None
        while True:
            text = _answer_to(question)
            try:
                return read(text)
            except _core.InputError as error:
                print(error, file=sys.stderr)

    def raise_if_missing(self) -> None:
        """Raises InputError with the options that nobody could be asked for."""
        if self._missing:
            raise _core.InputError(
                "standard input is no terminal to ask on, expected also " + ", ".join(self._missing)
            )


def _answer_to(question: Question) -> str:
    """One answer that is not empty; standard output may take a file, so that prompts avoid it."""
    choices = f" ({', '.join(question.choices)})" if question.choices else ""
    default = f" [{question.default}]" if question.default else ""
    while True:
        print(f"{question.text}{choices}{default}: ", end="", file=sys.stderr, flush=True)
        try:
            text = input().strip()
        except EOFError:
            raise _core.InputError(
                f"the answers end before {question.option}; nothing was written"
            ) from None
        if text or question.default:
            return text or question.default
