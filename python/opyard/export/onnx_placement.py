"""Writes a graph as ONNX, with the device of every op as metadata: Netron shows it.

The ops stand in a domain of their own, `opyard`: the file is for looking at, no
runtime executes it. Control edges are listed in the metadata `after`.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from opyard.export.errors import ExportError
from opyard.export.onnx_types import ONNX_NAMES
from opyard.export.output_file import write_whole


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file that opyard wrote, packed or not."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    return json.loads(data)


def write_onnx(graph: dict[str, Any], out: Path, plan: dict[str, Any] | None = None) -> None:
    """Writes `graph`, an `opyard-graph/1` object, to `out`; `plan` is an `opyard-plan/1` object.

    Raises:
        ExportError: the plan is of another graph.
    """
    import onnx

    ops = graph["ops"]
    placement = (plan or {}).get("placement", [])
    if plan is not None and len(placement) != len(ops):
        raise ExportError(
            f"the plan places {len(placement)} ops, the graph {graph['name']} has {len(ops)}"
        )
    nodes = []
    for index, op in enumerate(ops):
        node = onnx.helper.make_node(
            op["type"],
            [_tensor(producer, port) for producer, port in op.get("inputs", [])],
            [_tensor(index, port) for port in range(len(op.get("outputs", [])))],
            name=op["name"],
            domain="opyard",
        )
        for key, value in _metadata(op, ops, placement[index] if placement else None).items():
            node.metadata_props.add(key=key, value=str(value))
        nodes.append(node)
    onnx_graph = onnx.helper.make_graph(nodes, graph["name"], [], _kept(ops))
    onnx_graph.value_info.extend(_value_infos(ops))
    model = onnx.helper.make_model(
        onnx_graph,
        producer_name="opyard",
        opset_imports=[onnx.helper.make_opsetid("opyard", 1)],
    )
    write_whole(out, model.SerializeToString(deterministic=True))


def _tensor(producer: int, port: int) -> str:
    return f"{producer}:{port}"


def _metadata(op: dict[str, Any], ops: list[dict[str, Any]], device: str | None) -> dict[str, Any]:
    keys = ("phase", "module", "colocation", "flops", "param_bytes")
    known = {key: op[key] for key in keys if key in op}
    if device is not None:
        known = {"device": device} | known
    if op.get("control_inputs"):
        known["after"] = ", ".join(ops[before]["name"] for before in op["control_inputs"])
    return known


def _value_info(index: int, port: int, output: dict[str, Any]) -> Any:
    import onnx

    name = ONNX_NAMES.get(output.get("dtype", ""), "UNDEFINED")
    data_type = onnx.TensorProto.DataType.Value(name)
    return onnx.helper.make_tensor_value_info(_tensor(index, port), data_type, output.get("shape"))


def _value_infos(ops: list[dict[str, Any]]) -> list[Any]:
    return [
        _value_info(index, port, output)
        for index, op in enumerate(ops)
        for port, output in enumerate(op.get("outputs", []))
        if not output.get("keep")
    ]


def _kept(ops: list[dict[str, Any]]) -> list[Any]:
    """The graph's results: tensors that live to its end."""
    return [
        _value_info(index, port, output)
        for index, op in enumerate(ops)
        for port, output in enumerate(op.get("outputs", []))
        if output.get("keep")
    ]
