"""An independent reader of `opyard-graph/1`: rules of the format and totals.

It knows nothing of the exporter and needs no torch. As a program it prints the
rows of the table in `graphs/data/README.md`:
`python tests/python/export/graph_checker.py graphs/data/*.graph.json.gz`
"""

from __future__ import annotations

import gzip
import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Op = dict[str, Any]

OP_KEYS = {
    "name", "type", "dtype", "inputs", "control_inputs", "outputs", "flops", "bytes_accessed",
    "param_bytes", "gemm", "conv", "attention", "fusion_class", "phase", "layer", "module",
    "colocation",
}  # fmt: skip
ATTENTION_KEYS = {"pass", "batch", "heads", "queries", "keys", "width", "value_width"}
OUTPUT_KEYS = {"bytes", "shape", "dtype", "alias", "keep"}
CONV_KEYS = {
    "n", "c", "h", "w", "k", "r", "s", "pad_h", "pad_w", "stride_h", "stride_w", "groups", "pass",
}  # fmt: skip
ELEMENT_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "u8": 1, "bool": 1}


def read_graph(path: Path) -> dict[str, Any]:
    """Parses a plain or packed graph; NaN and infinity are refused."""

    def refuse(text: str) -> float:
        raise ValueError(f"{path}: {text} is no JSON number")

    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return json.loads(text, parse_constant=refuse)


def find_problems(graph: dict[str, Any]) -> list[str]:
    """Returns a line for each rule of the format that `graph` breaks."""
    problems = [] if set(graph) == {"format", "name", "origin", "ops"} else ["keys of the graph"]
    if graph.get("format") != "opyard-graph/1":
        problems.append("format")
    ops = graph["ops"]
    names = [op["name"] for op in ops]
    if len(set(names)) != len(names):
        problems.append("names are not unique")
    for op in ops:
        problems += [f"{op['name']}: {problem}" for problem in _op_problems(op, ops)]
    if not problems and len(topological_order(ops)) != len(ops):
        problems.append("the graph has a cycle")
    return problems


def _op_problems(op: Op, ops: list[Op]) -> list[str]:
    problems = [f"unknown key {key}" for key in set(op) - OP_KEYS]
    for producer, port in op.get("inputs", []):
        if not 0 <= producer < len(ops) or not 0 <= port < len(ops[producer].get("outputs", [])):
            problems.append(f"input [{producer}, {port}] does not exist")
    problems += [
        f"control input {before} does not exist"
        for before in op.get("control_inputs", [])
        if not 0 <= before < len(ops)
    ]
    for key in ("flops", "bytes_accessed", "param_bytes", "layer"):
        if not isinstance(op.get(key, 0), int) or op.get(key, 0) < 0:
            problems.append(f"{key} is no count")
    if op.get("phase") not in ("forward", "backward", "update"):
        problems.append("phase")
    if not set(op.get("conv", {})) <= CONV_KEYS:
        problems.append("conv")
    if not set(op.get("attention", {})) <= ATTENTION_KEYS:
        problems.append("attention")
    for output in op.get("outputs", []):
        problems += _output_problems(output, op)
    return problems


def _output_problems(output: dict[str, Any], op: Op) -> list[str]:
    problems = [f"unknown output key {key}" for key in set(output) - OUTPUT_KEYS]
    alias = output.get("alias")
    if isinstance(alias, int) and not 0 <= alias < len(op.get("inputs", [])):
        problems.append(f"alias {alias} does not exist")
    if alias == "params" and op["type"] != "Variable":
        problems.append("only a Variable shows its parameters")
    if "shape" in output:
        size = math.prod(output["shape"]) * ELEMENT_BYTES[output["dtype"]]
        if size != output["bytes"]:
            problems.append(f"{output['bytes']} bytes, but shape and dtype make {size}")
    elif output["bytes"] != 0:
        problems.append("bytes without a shape")
    return problems


def topological_order(ops: list[Op]) -> list[int]:
    """Kahn's order; shorter than `ops` if there is a cycle."""
    readers: list[list[int]] = [[] for _ in ops]
    missing = [0] * len(ops)
    for index, op in enumerate(ops):
        before = [producer for producer, _ in op.get("inputs", [])] + op.get("control_inputs", [])
        missing[index] = len(before)
        for producer in before:
            readers[producer].append(index)
    order = [index for index, count in enumerate(missing) if count == 0]
    for index in order:
        for reader in readers[index]:
            missing[reader] -= 1
            if missing[reader] == 0:
                order.append(reader)
    return order


@dataclass(frozen=True)
class Totals:
    """Sums over a graph. `macs` are multiply-adds of convolutions and matrix products."""

    ops: int
    edges: int
    parameters: int
    macs: dict[str, int]
    flops: dict[str, int]
    resident_bytes: int
    peak_bytes: int


def totals(graph: dict[str, Any]) -> Totals:
    """Counts `graph`; parameters are the elements of the Variables that get a gradient."""
    ops = graph["ops"]
    macs = dict.fromkeys(("forward", "backward", "update"), 0)
    flops = dict(macs)
    for op in ops:
        flops[op["phase"]] += op.get("flops", 0)
        macs[op["phase"]] += shape_macs(op)
    updated = [ops[op["inputs"][0][0]] for op in ops if op["type"] == "ApplyGradient"]
    return Totals(
        ops=len(ops),
        edges=sum(len(op.get("inputs", [])) + len(op.get("control_inputs", [])) for op in ops),
        parameters=sum(math.prod(op["outputs"][0]["shape"]) for op in updated),
        macs=macs,
        flops=flops,
        resident_bytes=sum(op.get("param_bytes", 0) for op in ops),
        peak_bytes=peak_bytes(ops),
    )


def shape_macs(op: Op) -> int:
    """Multiply-adds that the shape block of `op` stands for; not taken from `flops`."""
    if "gemm" in op:
        gemm = op["gemm"]
        return gemm["m"] * gemm["n"] * gemm["k"] * gemm.get("batch", 1)
    if "conv" not in op:
        return 0
    conv = op["conv"]
    rows = (conv["h"] + 2 * conv["pad_h"] - conv["r"]) // conv["stride_h"] + 1
    columns = (conv["w"] + 2 * conv["pad_w"] - conv["s"]) // conv["stride_w"] + 1
    filter_size = conv["c"] // conv.get("groups", 1) * conv["r"] * conv["s"]
    return conv["n"] * conv["k"] * rows * columns * filter_size


def peak_bytes(ops: list[Op]) -> int:
    """Most bytes in use on one device that runs the ops in the order of the file."""
    owner: dict[tuple[int, int], tuple[int, int] | None] = {}
    last_use: dict[tuple[int, int], int] = {}
    for index, op in enumerate(ops):
        sources = [owner[producer, port] for producer, port in op.get("inputs", [])]
        last_use.update((source, index) for source in sources if source is not None)
        for port, output in enumerate(op.get("outputs", [])):
            alias = output.get("alias")
            own = None if alias == "params" else (index, port)
            owner[index, port] = sources[alias] if isinstance(alias, int) else own
            if output.get("keep") and owner[index, port] is not None:
                last_use[owner[index, port]] = len(ops)
    in_use = peak = sum(op.get("param_bytes", 0) for op in ops)
    freed = [0] * (len(ops) + 1)
    for index, op in enumerate(ops):
        for port, output in enumerate(op.get("outputs", [])):
            if owner[index, port] == (index, port):
                in_use += output["bytes"]
                end = max(last_use.get((index, port), index), index)
                freed[end] += output["bytes"]
        peak = max(peak, in_use)
        in_use -= freed[index]
    return peak


def table_row(graph: dict[str, Any]) -> str:
    """The row of `graph` in the table of counts."""
    count = totals(graph)
    images = next(op for op in graph["ops"] if op["name"] == "input_0")
    batch = images["outputs"][0]["shape"][0]
    cells = [
        graph["name"],
        f"{count.ops:,}",
        f"{count.edges:,}",
        f"{count.parameters:,}",
        f"{count.macs['forward'] / batch / 1e9:.3f}",
        f"{count.flops['forward'] / 1e9:,.1f}",
        f"{count.flops['backward'] / 1e9:,.1f}",
        f"{count.resident_bytes / 2**20:,.0f}",
        f"{count.peak_bytes / 2**20:,.0f}",
    ]
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(table_row(read_graph(Path(argument))))
