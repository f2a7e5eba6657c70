"""An argument parser that answers misspelled options and choices with the nearest ones."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable, Sequence
from typing import Any


class Parser(argparse.ArgumentParser):
    """As `argparse.ArgumentParser`, without abbreviations."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, allow_abbrev=False, **kwargs)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Refuses options that do not exist before it checks for those that are missing."""
        known = self._option_string_actions
        if args is not None and self._subparsers is None:
            for word in args:
                option = word.partition("=")[0]
                if option.startswith("--") and option != "--" and option not in known:
                    self.error(f"{option} is not an option{_did_you_mean(option, known)}")
        return super().parse_known_args(args, namespace)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            hint = _did_you_mean(str(value), action.choices)
            names = ", ".join(map(str, action.choices))
            raise argparse.ArgumentError(action, f'found "{value}"{hint}, expected one of {names}')


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f'; did you mean "{close[0]}"?' if close else ""
