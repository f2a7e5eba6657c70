"""Graphs in memory and their `opyard-graph/1` text (docs/formats.md, "Graph").

The text is a function of the graph alone: keys in a fixed order, one op per
line, no time stamps, a gzip header without time or file name.
"""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opyard.export.output_file import write_whole

FORMAT = "opyard-graph/1"
GRAPH_SUFFIXES = (".json", ".json.gz")


@dataclass
class Output:
    """One tensor made by an op.

    `alias` is the position of the input whose storage it shares, "params" for
    the op's own parameters, or None for storage of its own.
    """

    bytes: int
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    alias: int | str | None = None
    keep: bool = False


@dataclass(eq=False)
class Op:
    """One op; `inputs` name producers and their output index, in argument order."""

    name: str
    type: str
    dtype: str | None = None
    inputs: list[tuple[Op, int]] = field(default_factory=list)
    control_inputs: list[Op] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    flops: int = 0
    bytes_accessed: int | None = None  # None: inputs + outputs
    param_bytes: int = 0
    gemm: dict[str, int] | None = None
    conv: dict[str, int | str] | None = None
    attention: dict[str, int | str | bool] | None = None
    fusion_class: str | None = None  # None: derived from the type by the reader
    phase: str | None = None
    layer: int | None = None
    module: str | None = None  # dotted path; "" for the network itself
    colocation: str | None = None
    seconds: dict[str, float] | None = None  # measured, by device


@dataclass
class Graph:
    """Ops in topological order: every producer stands before its consumers."""

    name: str
    origin: str
    ops: list[Op]


def _output_json(output: Output) -> dict[str, Any]:
    record: dict[str, Any] = {"bytes": output.bytes}
    if output.shape is not None:
        record["shape"] = list(output.shape)
    if output.dtype is not None:
        record["dtype"] = output.dtype
    if output.alias is not None:
        record["alias"] = output.alias
    if output.keep:
        record["keep"] = True
    return record


def _op_json(op: Op, index: dict[Op, int]) -> dict[str, Any]:
    record: dict[str, Any] = {"name": op.name, "type": op.type}
    optional = {
        "dtype": op.dtype,
        "inputs": [[index[producer], port] for producer, port in op.inputs] or None,
        "control_inputs": [index[before] for before in op.control_inputs] or None,
        "outputs": [_output_json(output) for output in op.outputs] or None,
        "flops": op.flops or None,
        "bytes_accessed": op.bytes_accessed,
        "param_bytes": op.param_bytes or None,
        "gemm": op.gemm,
        "conv": op.conv,
        "attention": op.attention,
        "fusion_class": op.fusion_class,
        "phase": op.phase,
        "layer": op.layer,
        "module": op.module,
        "colocation": op.colocation,
        "seconds": op.seconds or None,
    }
    record.update((key, value) for key, value in optional.items() if value is not None)
    return record


def _checked_index(graph: Graph) -> dict[Op, int]:
    """Numbers the ops; raises AssertionError where the graph breaks a rule of the format."""
    index: dict[Op, int] = {}
    names: set[str] = set()
    for op in graph.ops:
        assert op.name not in names, f"two ops are called {op.name}"
        names.add(op.name)
        for producer, port in op.inputs:
            assert producer in index, f"{op.name} stands before its input {producer.name}"
            assert 0 <= port < len(producer.outputs), f"{producer.name} has no output {port}"
        for before in op.control_inputs:
            assert before in index, f"{op.name} stands before its control input {before.name}"
        for output in op.outputs:
            if isinstance(output.alias, int):
                assert output.alias < len(op.inputs), f"{op.name} aliases a missing input"
        index[op] = len(index)
    return index


def graph_text(graph: Graph) -> str:
    """Returns the JSON text of `graph`: a header line, then one op per line."""
    index = _checked_index(graph)

    def dump(value: object) -> str:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)

    lines = ",\n".join(dump(_op_json(op, index)) for op in graph.ops)
    header = f'{{"format":{dump(FORMAT)},"name":{dump(graph.name)},"origin":{dump(graph.origin)}'
    return f'{header},"ops":[\n{lines}\n]}}\n'


def write_graph(graph: Graph, path: Path) -> None:
    """Writes `graph` to `path`, packed if the name ends in .gz, through a file beside it."""
    data = graph_text(graph).encode()
    if path.suffix == ".gz":
        buffer = io.BytesIO()
        with gzip.GzipFile("", "wb", compresslevel=9, fileobj=buffer, mtime=0) as packed:
            packed.write(data)
        data = buffer.getvalue()
    write_whole(path, data)
