"""Annotates the nodes of an ONNX model with their devices, as ONNX Runtime reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from opyard.export.errors import ExportError
from opyard.export.onnx_scope import label_of

if TYPE_CHECKING:
    import onnx

ANNOTATION = "layer_ann"  # the key in metadata_props that ONNX Runtime reads


def annotate(model: onnx.ModelProto, devices: Mapping[str, str]) -> int:
    """Writes the device of each node into its metadata; former annotations go.

    Args:
        model: The model that the graph of the plan was made of; it is changed.
        devices: The device of each op, by its name. An op belongs to the node of its name, or to
            the node that its name begins with (`NODE/…`: ops of functions and subgraphs).

    Returns:
        The number of annotated nodes. The others became no op (constants, shapes that are known),
        and the runtime places them by itself.

    Raises:
        ExportError: The ops of a node are on several devices, or no node has an op.
    """
    by_node = _devices_by_node(model.graph, devices)
    for node in model.graph.node:
        kept = [prop for prop in node.metadata_props if prop.key != ANNOTATION]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
        if label_of(node) in by_node:
            node.metadata_props.add(key=ANNOTATION, value=by_node[label_of(node)])
    if not by_node:
        raise ExportError("no node of the model is an op of the plan; is it of another model?")
    return sum(label_of(node) in by_node for node in model.graph.node)


def _devices_by_node(graph: onnx.GraphProto, devices: Mapping[str, str]) -> dict[str, str]:
    labels = {label_of(node) for node in graph.node}
    by_node: dict[str, str] = {}
    problems: list[str] = []
    for op, device in devices.items():
        label = next((name for name in _prefixes(op) if name in labels), None)
        if label is None:
            continue
        if by_node.setdefault(label, device) != device:
            problems.append(
                f'node "{label}": on {by_node[label]} and {device} (op {op}); '
                "ONNX Runtime places whole nodes"
            )
    if problems:
        raise ExportError("\n".join(problems))
    return by_node


def _prefixes(op: str) -> Iterator[str]:
    """The names that a node of `op` may have, the longest first."""
    yield op
    while "/" in op.lstrip("/"):
        op = op.rpartition("/")[0]
        yield op
