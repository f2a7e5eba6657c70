"""Opens `If`: the branch of a condition that is known, else the dearest.

What only the other branch reads is waited for, too; what was assumed is noted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from opyard.export.errors import ExportError
from opyard.export.onnx_bodies import Inputs, graph_at, inner_scope, outer_reads, results_of
from opyard.export.onnx_flat import Frame
from opyard.export.onnx_ops import IDENTITIES
from opyard.export.onnx_scope import Binding, Gate, Scope, label_of, tensors_of
from opyard.export.onnx_work import cost_of

if TYPE_CHECKING:
    import onnx

    from opyard.export.onnx_opening import Opening


def open_if(opening: Opening, node: onnx.NodeProto, inputs: Inputs, scope: Scope) -> None:
    """Opens one `If`."""
    if len(inputs) != 1:
        raise ExportError(f'node "{label_of(node)}" (If): found {len(inputs)} inputs, expected 1')
    branches = {name: graph_at(node, name) for name in ("then_branch", "else_branch")}
    condition = opening.data(inputs[0])
    frame = Frame(label_of(node), scope.frame)
    if condition is not None:
        graph = branches["then_branch" if condition.any() else "else_branch"]
        inner = inner_scope(scope, frame, scope.gate)
        opening.add_graph(graph, inner)
        results = results_of(graph, inner)
    else:
        results = _dearest(
            opening, node, branches, tensors_of(inputs), inner_scope(scope, frame, None)
        )
    for name, found in zip(node.output, results, strict=False):
        if name:
            opening.bind(scope, name, found)


def _dearest(
    opening: Opening,
    node: onnx.NodeProto,
    branches: dict[str, onnx.GraphProto],
    condition: list[str],
    around: Scope,
) -> list[Binding]:
    """Keeps the branch with most FLOPs, then bytes; the nodes of the other one go again."""
    begin = len(opening.flat.nodes)
    tried = []
    for name, graph in branches.items():
        outer = around.outer
        gate = Gate(condition, outer.gate if outer else None)
        inner = replace(around, bindings={}, declared={}, gate=gate)
        opening.add_graph(graph, inner)
        nodes = opening.flat.nodes[begin:]
        del opening.flat.nodes[begin:]
        tried.append((cost_of(nodes, opening.flat), name, nodes, results_of(graph, inner)))
    (best, name, nodes, results) = tried[0] if tried[0][0] >= tried[1][0] else tried[1]
    last = next((made for made in reversed(nodes) if made.op not in IDENTITIES), None)
    if last is not None:
        reads = [*condition, *outer_reads(node, opening, around)]
        known = {read for made in nodes for read in (*made.inputs, *made.waits_for)}
        last.waits_for += [tensor for tensor in reads if tensor not in known]
    opening.flat.nodes += nodes
    opening.flat.notes.append(
        f"not known: condition of If {label_of(node)}, its dearest branch {name} is taken "
        f"({best[0]} FLOPs against {min(tried[0][0], tried[1][0])[0]})"
    )
    return results
