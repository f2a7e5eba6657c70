"""Einsum: the shape that an equation gives, and what its contraction costs."""

from __future__ import annotations

import string
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from opyard.export.onnx_types import Shape

Term = tuple[str, ...]  # one index per axis; those of an ellipsis are numbers, counted from behind


@dataclass(frozen=True)
class Equation:
    """An equation with its ellipses written out."""

    terms: tuple[Term, ...]
    result: Term
    extents: dict[str, int]

    def size(self, indices: frozenset[str]) -> int:
        return prod(self.extents[index] for index in indices)


def parse(equation: str, shapes: Sequence[Shape]) -> Equation:
    """Reads an equation such as `bij,bjk->bik`.

    Raises:
        ValueError: it does not fit the shapes.
    """
    left, arrow, right = "".join(equation.split()).partition("->")
    written = left.split(",")
    if len(written) != len(shapes):
        raise ValueError(f'"{equation}" has {len(written)} terms, found {len(shapes)} inputs')
    terms = [_term(text, len(shape)) for text, shape in zip(written, shapes, strict=True)]
    extents = _extents(terms, shapes)
    dots = sorted({i for term in terms for i in term if i.isdigit()}, key=int, reverse=True)
    result = _result(right, dots) if arrow else _implicit(terms, dots)
    unknown = [index for index in result if index not in extents]
    if unknown or len(set(result)) != len(result):
        raise ValueError(f'the result of "{equation}" names indices twice or of no input')
    return Equation(tuple(terms), result, extents)


def _term(text: str, rank: int) -> Term:
    before, dots, behind = text.partition("...")
    named = len(before) + len(behind)
    if not (before + behind).isalpha() and named:
        raise ValueError(f'found "{text}", expected letters and at most one "..."')
    spread = rank - named if dots else 0
    if spread < 0 or named + spread != rank:
        raise ValueError(f'"{text}" stands for a tensor of {rank} axes')
    return (*before, *[str(i) for i in range(spread, 0, -1)], *behind)


def _extents(terms: Sequence[Term], shapes: Sequence[Shape]) -> dict[str, int]:
    extents: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for index, extent in zip(term, shape, strict=True):
            known = extents.setdefault(index, extent)
            if 1 in (known, extent):  # an extent of 1 is repeated
                extents[index] = extent if known == 1 else known
            elif known != extent:
                raise ValueError(f'index "{index}" has extents {known} and {extent}')
    return extents


def _result(text: str, dots: list[str]) -> Term:
    before, has_dots, behind = text.partition("...")
    return (*before, *(dots if has_dots else []), *behind)


def _implicit(terms: Sequence[Term], dots: list[str]) -> Term:
    letters = [index for term in terms for index in term if not index.isdigit()]
    return (*dots, *sorted(index for index in set(letters) if letters.count(index) == 1))


def einsum_shape(equation: str, shapes: Sequence[Shape]) -> Shape:
    """The shape of the result; raises ValueError where the equation does not fit."""
    parsed = parse(equation, shapes)
    return tuple(parsed.extents[index] for index in parsed.result)


def einsum_flops(equation: str, shapes: Sequence[Shape]) -> int:
    """Two operations per combination of the indices of two inputs, as a multiply-add.

    Several inputs are contracted in the order that numpy's greedy path gives; n at
    once count n operations per combination. One input is summed, or only moved.
    """
    parsed = parse(equation, shapes)
    terms = [frozenset(term) for term in parsed.terms]
    if len(terms) == 1:
        return parsed.size(terms[0]) if terms[0] - frozenset(parsed.result) else 0
    flops = 0
    for step in _path(parsed):
        chosen = [terms[position] for position in step]
        indices = frozenset().union(*chosen)
        flops += len(step) * parsed.size(indices)
        terms = [term for position, term in enumerate(terms) if position not in step]
        terms.append(indices & frozenset(parsed.result).union(*terms))
    return flops


def _path(parsed: Equation) -> list[tuple[int, ...]]:
    """Which terms are contracted in each step; the result stands behind those that are left."""
    if len(parsed.terms) <= 2:
        return [tuple(range(len(parsed.terms)))]
    import numpy as np

    letters = dict(zip(parsed.extents, string.ascii_letters, strict=False))
    if len(letters) < len(parsed.extents):
        raise ValueError(f"found {len(parsed.extents)} indices, expected {len(letters)} at most")

    def written(term: Term) -> str:
        return "".join(letters[index] for index in term)

    equation = f"{','.join(map(written, parsed.terms))}->{written(parsed.result)}"
    zero = np.zeros(())  # repeated without being stored
    views = [np.broadcast_to(zero, [parsed.extents[i] for i in term]) for term in parsed.terms]
    path, _ = np.einsum_path(equation, *views, optimize=("greedy", sys.maxsize))
    return [tuple(step) for step in path[1:]]


def einsum_gemm(equation: str, shapes: Sequence[Shape]) -> dict[str, int] | None:
    """The batch of matrix products that an equation of two inputs is, if it is one."""
    parsed = parse(equation, shapes)
    if len(parsed.terms) != 2:
        return None
    first, second = map(frozenset, parsed.terms)
    kept = frozenset(parsed.result)
    if (first | second) - kept - (first & second):
        return None  # an index of one input alone is summed
    if any(len(set(term)) != len(term) for term in parsed.terms):
        return None  # a diagonal
    both = first & second
    block = {
        "m": parsed.size(first - both),
        "n": parsed.size(second - both),
        "k": parsed.size(both - kept),
    }
    batch = parsed.size(both & kept)
    return block | ({"batch": batch} if batch != 1 else {})
