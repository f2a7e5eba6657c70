"""Ways to colour the kernels of a timeline."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from opyard.viewer import colours
from opyard.viewer.step import Span, Step

_MOST_CATEGORIES = 11


@dataclasses.dataclass(frozen=True)
class Colouring:
    """One way to colour the kernels."""

    of_kernel: list[str]
    meaning: Mapping[str, str]
    """Word -> colour."""


def kernel_colours(step: Step) -> dict[str, Colouring]:
    """The ways to colour kernels, the usual one first; each has two colours at least."""
    ways: dict[str, Callable[[Span], str]] = {
        "phase": lambda span: span.facts.get("phase", "no phase"),
        "module": lambda span: _module_of(step, span),
        "op type": lambda span: str(span.facts.get("type", "several kernels")),
    }
    weights = [span.duration_ps for span in step.kernels]
    found = {}
    for text, way in ways.items():
        words = [way(span) for span in step.kernels]
        meaning = colours.colours_of(words, weights, _MOST_CATEGORIES)
        if text == "phase":
            meaning = {word: colour for word, colour in colours.PHASES.items() if word in words}
        if len(meaning) > 1 or text == "phase":
            grey = meaning.get("others", colours.GREY)
            found[text] = Colouring([meaning.get(word, grey) for word in words], meaning)
    if step.path:
        on_path = {span.name for span in step.path if span.facts["kind"] == "kernel"}
        meaning = {"on the critical path": colours.LIMIT, "not on it": "#9fb3c8"}
        words = ["on the critical path" if s.name in on_path else "not on it" for s in step.kernels]
        found["critical path"] = Colouring([meaning[word] for word in words], meaning)
    return found


def _module_of(step: Step, span: Span) -> str:
    """The module of the first op of a kernel, by its outermost names."""
    op = step.ops.get(span.ops[0])
    module = op.module if op is not None else None
    return ".".join((module or "the network itself").split(".")[: step.module_depth])
