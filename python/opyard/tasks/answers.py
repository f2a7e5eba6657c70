"""Plans from the answers of programs, which may be anything that JSON holds."""

from __future__ import annotations

from typing import Any

from opyard import _core

_KEYS = ("placement", "priority", "order")
_MOST_PRIORITY = 2**53


class AnswerError(ValueError):
    """An answer that is no plan; the message is for those who mend the program."""


def plan_of(problem: _core.Problem, answer: Any) -> _core.Plan:
    """The plan of an answer: a dict with `placement`, perhaps `priority` or `order`.

    Raises:
        AnswerError: It is no plan, or does not fit the problem.
    """
    if not isinstance(answer, dict):
        raise AnswerError(f'expected a dict with "placement", found {_short(answer)}')
    unknown = sorted(set(answer) - set(_KEYS))
    if unknown:
        raise AnswerError(f"expected the keys {', '.join(_KEYS)}, found {', '.join(unknown)[:200]}")
    num_ops = len(problem.graph)
    placement = _numbers(answer, "placement", num_ops, 0, problem.hardware.num_devices - 1)
    has_priority = answer.get("priority") is not None
    if has_priority and answer.get("order") is not None:
        raise AnswerError("expected priority or order, found both")
    try:
        if answer.get("order") is not None:
            order = _order(answer["order"], problem.hardware.num_devices)
            fusing = problem.plan(placement).fusion_priority
            return _core.Plan(placement, order=order, fusion_priority=fusing)
        if has_priority:
            priority = _numbers(answer, "priority", num_ops, -_MOST_PRIORITY, _MOST_PRIORITY)
            return problem.plan(placement, priority)
        return problem.plan(placement)
    except _core.Error as error:
        raise AnswerError(str(error)[:2000]) from error


def _numbers(answer: dict[str, Any], key: str, length: int, low: int, high: int) -> list[int]:
    values = answer.get(key)
    if not isinstance(values, list) or len(values) != length:
        found = f"{len(values)} entries" if isinstance(values, list) else _short(values)
        raise AnswerError(f"{key}: expected {length} whole numbers, one for each op, found {found}")
    return [_number(value, f"{key}[{i}]", low, high) for i, value in enumerate(values)]


def _number(value: Any, place: str, low: int, high: int) -> int:
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not is_whole or not low <= value <= high:
        raise AnswerError(
            f"{place}: expected a whole number from {low} to {high}, found {_short(value)}"
        )
    return int(value)


def _order(value: Any, num_devices: int) -> list[list[list[int]]]:
    """The one stream of each device."""
    if not isinstance(value, list) or len(value) != num_devices:
        raise AnswerError(f"order: expected {num_devices} lists, one for each device")
    streams = []
    for d, ops in enumerate(value):
        if not isinstance(ops, list):
            raise AnswerError(f"order[{d}]: expected a list of ops, found {_short(ops)}")
        numbers = [_number(op, f"order[{d}][{i}]", 0, 2**31) for i, op in enumerate(ops)]
        streams.append([numbers] if numbers else [])
    return streams


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
