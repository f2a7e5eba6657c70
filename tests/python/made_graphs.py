"""Graphs that tests take apart and make again."""

from __future__ import annotations

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
