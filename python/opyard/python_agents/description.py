"""The description of an agent by its class: its docstring, its attributes, its parameters."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any

from opyard import _core

TASKS = ("placement", "scheduling", "fusion")
# Parameters that opyard itself takes beside an agent's own.
RESERVED = ("timeout_s", "memory_gib")
_TYPES = (bool, int, float, str)


def describe(kind: Callable[..., Any]) -> dict[str, Any]:
    """The agent as `opyard agents show` describes it, but for its name.

    Raises:
        InputError: It is not what an agent is, with all that is wrong.
    """
    problems: list[str] = []
    description = {
        "tasks": _tasks_of(kind, problems),
        "start": _start_of(kind),
        "paper": _text_of(kind, "paper", problems),
        "summary": _summary_of(kind, problems),
        "deviations": _deviations_of(kind, problems),
        "options": _options_of(kind, problems),
    }
    if not callable(getattr(kind, "search", None)):
        problems.append("search: found none, expected a method search(problem, evaluator, seed)")
    if problems:
        raise _core.InputError("\n".join(problems))
    return description


def _tasks_of(kind: object, problems: list[str]) -> list[str]:
    tasks = getattr(kind, "tasks", None)
    is_list = isinstance(tasks, tuple | list) and len(tasks) > 0
    if not is_list or not set(tasks) <= set(TASKS) or len(set(tasks)) < len(tasks):
        problems.append(f"tasks: found {tasks!r}, expected a tuple of some of {', '.join(TASKS)}")
        return []
    return list(tasks)


def _start_of(kind: object) -> str:
    """Where its searches begin, "" if it does not say: `start` may as well be a method."""
    start = getattr(kind, "start", "")
    return " ".join(start.split()) if isinstance(start, str) else ""


def _text_of(kind: object, name: str, problems: list[str]) -> str:
    text = getattr(kind, name, "")
    if not isinstance(text, str):
        problems.append(f"{name}: found {text!r}, expected a text")
        return ""
    return " ".join(text.split())


def _deviations_of(kind: object, problems: list[str]) -> list[str]:
    deviations = getattr(kind, "deviations", ())
    is_list = isinstance(deviations, tuple | list)
    if not is_list or not all(isinstance(text, str) for text in deviations):
        problems.append(f"deviations: found {deviations!r}, expected a tuple of texts")
        return []
    return list(deviations)


def _summary_of(kind: object, problems: list[str]) -> str:
    """The first paragraph of the docstring, on one line, and what the agent lacks here."""
    text = inspect.cleandoc(getattr(kind, "__doc__", None) or "").split("\n\n")[0]
    if not text:
        problems.append("docstring: found none, expected one that says what the agent does")
    missing = _text_of(kind, "missing", problems)
    return " ".join(text.split()) + (f" Not available here: {missing}" if missing else "")


def _options_of(kind: Callable[..., Any], problems: list[str]) -> list[dict[str, Any]]:
    """The parameters of `__init__`."""
    init = getattr(kind, "__init__", None)
    try:
        hints = typing.get_type_hints(init, include_extras=True)
    except Exception as error:
        problems.append(f"__init__: its types cannot be read: {type(error).__name__}: {error}")
        return []
    if init is object.__init__:
        return []
    options = []
    for parameter in list(inspect.signature(init).parameters.values())[1:]:  # type: ignore[arg-type]
        try:
            options.append(_option_of(parameter, hints.get(parameter.name)))
        except ValueError as error:
            problems.append(f"__init__: {parameter.name}: {error}")
    return options


def _option_of(parameter: inspect.Parameter, hint: Any) -> dict[str, Any]:
    """One parameter; ValueError says what is wrong with it."""
    if parameter.name in RESERVED:
        raise ValueError("found a name that opyard itself takes, expected another")
    default = parameter.default
    if parameter.kind is parameter.POSITIONAL_ONLY or type(default) not in _TYPES:
        found = "none" if default is parameter.empty else repr(default)
        raise ValueError(f"found the default {found}, expected a bool, an int, a float or a str")
    extras: tuple[Any, ...] = ()
    if typing.get_origin(hint) is typing.Annotated:
        hint, *extras = typing.get_args(hint)
    if hint is float and type(default) is int:
        default = float(default)
    option = {"name": parameter.name, "default": default}
    if typing.get_origin(hint) is typing.Literal:
        option["allowed"] = _words_of(hint, default)
    for extra in extras:
        if isinstance(extra, str):
            option["meaning"] = extra
        elif isinstance(extra, tuple):
            option["range"] = _range_of(extra, default)
    return option


def _words_of(hint: Any, default: object) -> list[str]:
    words = list(typing.get_args(hint))
    if not all(isinstance(word, str) for word in words) or default not in words:
        raise ValueError(f"found {words}, expected texts, the default among them")
    return words


def _range_of(ends: tuple[Any, ...], default: Any) -> list[Any]:
    """The least and the greatest legal number, of the default's type."""
    kind = type(default)
    is_number = kind in (int, float)
    if not is_number or len(ends) != 2 or not all(type(end) in (int, kind) for end in ends):
        raise ValueError(f"found the range {ends!r}, expected two numbers like the default")
    if not ends[0] <= default <= ends[1]:
        raise ValueError(f"found the default {default!r}, expected it in the range {ends!r}")
    return [kind(end) for end in ends]
