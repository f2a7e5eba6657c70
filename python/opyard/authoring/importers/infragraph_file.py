"""Reads an InfraGraph, JSON or YAML, and checks what its schema says of each value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from opyard import _core
from opyard.authoring.importers.request import ImportRequest, Problems, shown

_MOST_DEPTH = 32
_MOST_YAML = 4 * 2**20  # characters
_MOST_VALUES = 1_000_000


def read_values(request: ImportRequest) -> dict[str, Any]:
    """The values of the file; a device alone becomes an infrastructure with one instance.

    Raises:
        InputError: it is neither JSON nor YAML, or no map.
    """
    text = request.text()
    is_json = text.lstrip().startswith(("{", "["))
    values = _read_json(text, request.place) if is_json else _read_yaml(text, request.place)
    if not isinstance(values, dict):
        raise _core.InputError(f"{request.place}: found no map, expected that of an InfraGraph")
    _check_size(values, request.place)
    if "components" in values and "devices" not in values:
        name = values.get("name", "device")
        values = {"devices": [values], "instances": [{"name": name, "device": name, "count": 1}]}
    return values


def _read_json(text: str, place: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: _unique(pairs, place))
    except json.JSONDecodeError as error:
        raise _core.InputError(
            f"{place}: line {error.lineno}, column {error.colno}: no JSON, {error.msg}"
        ) from error
    except RecursionError:
        raise _core.InputError(f"{place}: nested too deep, expected an InfraGraph") from None


def _unique(pairs: list[tuple[str, Any]], place: str) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1)
        raise _core.InputError(f"{place}: the key {shown(twice)} stands twice in one map")
    return values


def _read_yaml(text: str, place: str) -> Any:
    """YAML without aliases, of which a small file could make a large one."""
    try:
        import yaml
    except ImportError:
        raise _core.InputError(
            f"{place}: YAML needs the package PyYAML (pip install 'opyard[infragraph]'); JSON is "
            "read without"
        ) from None
    if len(text) > _MOST_YAML:
        raise _core.InputError(f"{place}: more than {_MOST_YAML >> 20} MiB of YAML, expected JSON")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.AliasEvent):
                raise _core.InputError(
                    f"{place}: line {event.start_mark.line + 1}: found an alias, expected YAML "
                    "without: write its value out"
                )
        return yaml.load(text, Loader=loader)  # a safe one
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark is not None else ""
        problem = getattr(error, "problem", None) or "not readable"
        raise _core.InputError(f"{place}: {line}no YAML, {problem}") from error
    except RecursionError:
        raise _core.InputError(f"{place}: nested too deep, expected an InfraGraph") from None


def _check_size(values: Any, place: str) -> None:
    stack, count = [(values, 1)], 0
    while stack:
        value, depth = stack.pop()
        count += 1
        if depth > _MOST_DEPTH or count > _MOST_VALUES:
            raise _core.InputError(
                f"{place}: more than {_MOST_VALUES} values, or nested deeper than {_MOST_DEPTH}"
            )
        inside = value.values() if isinstance(value, dict) else value
        if isinstance(value, dict | list):
            stack += [(each, depth + 1) for each in inside]


class Fields:
    """A map of the file, with the pointer that messages name."""

    def __init__(self, values: Any, pointer: str, problems: Problems) -> None:
        self.pointer = pointer
        self.problems = problems
        self._values = values if isinstance(values, dict) else {}
        if not isinstance(values, dict):
            self.add(f"found {shown(values)}, expected a map")

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def add(self, what: str, key: str = "") -> None:
        """Notes an error of the map, or of one of its keys."""
        self.problems.add(f"{self.pointer}/{key}" if key else self.pointer or "/", what)

    def text(self, key: str, default: str | None = None) -> str:
        """A text; `default` where it is absent, an error without a default."""
        value = self._values.get(key, default)
        if isinstance(value, str) and value:
            return value
        found = "nothing" if value is None else shown(value)
        self.add(f"found {found}, expected a text", key)
        return ""

    def choice(self, key: str, words: tuple[str, ...], default: str | None = None) -> str:
        """One of `words`."""
        value = self.text(key, default)
        if value and value not in words:
            self.add(f"found {shown(value)}, expected one of {', '.join(words)}", key)
            return words[0]
        return value

    def count(self, key: str, most: int) -> int:
        """A whole number from 1 to `most`."""
        value = self._values.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most:
            return value
        found = "nothing" if value is None else shown(value)
        self.add(f"found {found}, expected a whole number from 1 to {most}", key)
        return 1

    def number(self, key: str) -> float | None:
        """A number above 0, or 0 itself; None with an error for anything else."""
        value = self._values.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15:
            return float(value)
        self.add(f"found {shown(value)}, expected a number from 0", key)
        return None

    def map(self, key: str) -> Fields:
        """A map inside."""
        return Fields(self._values.get(key, {}), f"{self.pointer}/{key}", self.problems)

    def items(self, key: str) -> Iterator[Fields]:
        """The maps of a list; an absent list is empty."""
        value = self._values.get(key) or []
        if not isinstance(value, list):
            self.add(f"found {shown(value)}, expected a list", key)
            return
        for index, item in enumerate(value):
            yield Fields(item, f"{self.pointer}/{key}/{index}", self.problems)
