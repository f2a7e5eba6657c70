"""Graphs that tests take apart and make again."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import opyard

REFERENCES = [
    "inception_v3",
    "zoo:gnmt?scale=tiny",
    *(f"random:layered?n={n}&seed={n}" for n in (2, 17, 60, 300)),
]


def three() -> dict:
    """A graph with some of everything."""
    return {
        "format": "opyard-graph/1",
        "name": "three",
        "origin": "by hand",
        "measured": "kernel",
        "ops": [
            {
                "name": "w",
                "type": "Variable",
                "param_bytes": 48,
                "outputs": [{"bytes": 24, "shape": [2, 3], "dtype": "f32", "alias": "params"}],
            },
            {
                "name": "a",
                "type": "MatMul",
                "inputs": [[0, 0], [0, 0]],
                "flops": 35.5,
                "gemm": {"m": 2, "n": 3, "k": 4},
                "seconds": {"gpu": 0.25, "*": 0.5},
                "device_kinds": ["gpu", "tpu"],
                "layer": 2,
                "outputs": [{"bytes": 12}, {"bytes": 8, "shape": [2], "alias": 1}],
            },
            {
                "name": "b",
                "type": "Relu",
                "inputs": [[1, 1]],
                "control_inputs": [0],
                "colocation": "left",
                "outputs": [{"bytes": 8, "keep": True}],
            },
        ],
    }


# Values that are wrong almost anywhere.
BAD_VALUES = (
    None,
    True,
    -1,
    2**63,
    1e308,
    float("nan"),
    "",
    "gpu0",
    "1 GiB",
    [],
    {},
    [[0]],
    {"a": 1},
)


def outcome(make: Callable[[Any], object], values: Any) -> str:
    """The type of what `make` makes, or of its error with the place that it begins with."""
    try:
        return type(make(values)).__name__
    except TypeError:
        return "TypeError of a dict" if isinstance(values, dict) else "TypeError"
    except opyard.InputError as error:
        return f"InputError at {re.split('[#:]', str(error))[0]}"


def damaged(values: Any, rng: np.random.Generator) -> Any:
    """A copy of nested dicts and lists in which one value at random is another."""
    if isinstance(values, dict | list) and values and rng.random() < 0.9:
        keys = list(values) if isinstance(values, dict) else range(len(values))
        changed = dict(values) if isinstance(values, dict) else list(values)
        key = keys[rng.integers(len(keys))]
        changed[key] = damaged(values[key], rng)
        return changed
    return BAD_VALUES[rng.integers(len(BAD_VALUES))]
