"""The graph of a plan: groups of ops with their devices and times, and the bytes between them."""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np
from markupsafe import Markup

from opyard.viewer import colours
from opyard.viewer.figures import FigureBundle, legend
from opyard.viewer.graph_figure import BETWEEN, WITHIN, Card, graph_figure
from opyard.viewer.op_groups import OpGroups, edges_of, groups_of, several
from opyard.viewer.step import Step
from opyard.viewer.words import percent_text, time_text


@dataclasses.dataclass
class Node:
    """A group of ops."""

    name: str
    num_ops: int = 0
    types: Counter[str] = dataclasses.field(default_factory=Counter)
    ps: Counter[str] = dataclasses.field(default_factory=Counter)
    """Device -> picoseconds that it runs ops of the group; a fused kernel counts for its ops in
    proportion to the times that they would take alone."""
    ops_on: Counter[str] = dataclasses.field(default_factory=Counter)
    """Device -> number of ops, those without a time included."""


def nodes_of(step: Step, groups: OpGroups) -> list[Node]:
    """The nodes, in the order of the groups."""
    nodes = [Node(name) for name in groups.names]
    alone = step.problem.arrays()["op_seconds"]
    placement = step.plan.placement
    for op in step.ops.values():
        node = nodes[groups.of_op[op.index]]
        node.num_ops += 1
        node.types[op.type] += 1
        node.ops_on[step.devices[placement[op.index]]] += 1
    for span in step.kernels:
        members = [step.ops[name].index for name in span.ops if name in step.ops]
        weights = np.array([alone[member, placement[member]] for member in members])
        parts = weights / weights.sum() if weights.sum() > 0 else np.full(len(members), 1.0)
        for member, part in zip(members, parts / parts.sum(), strict=True):
            nodes[groups.of_op[member]].ps[span.row] += round(span.duration_ps * part)
    return nodes


def graph_view(step: Step, bundle: FigureBundle, name: str) -> tuple[Markup, str]:
    """Adds the graph to the page.

    Args:
        step: The step.
        bundle: Of the page.
        name: The name of the figure on the page.

    Returns:
        The figure with what its colours mean, and a note on what its nodes are.
    """
    graph, placement = step.problem.graph, step.plan.placement
    groups = groups_of(graph, placement, step.devices)
    nodes = nodes_of(step, groups)
    plot, height_px = graph_figure(_cards(nodes, step), edges_of(graph, placement, groups), "graph")
    used = [name for name in step.devices if any(node.ops_on[name] for node in nodes)]
    known = colours.device_colours(step.devices)
    meaning = {device: known[device] for device in used}
    meaning |= {"data within a device": WITHIN, "copies between devices": BETWEEN}
    head = Markup('<p class="legends">{}</p><div class="wide">').format(legend(meaning))
    return head + bundle.add(name, plot, height_px=height_px) + Markup("</div>"), _note(groups)


def _note(groups: OpGroups) -> str:
    return (
        f"Each card is a group of ops ({groups.rule}), first what runs first. Its bar "
        "is as long as its kernels take, in the colours of their devices; the longest one "
        "is as wide as a card. A copy that several groups read counts for each of them."
    )


def _cards(nodes: list[Node], step: Step) -> list[Card]:
    known = colours.device_colours(step.devices)
    whole = sum(node.ps.total() for node in nodes)
    return [
        Card(
            name=node.name,
            colour=known[_main_device(node)],
            bar=[(node.ps[name], known[name]) for name in step.devices if node.ps[name]],
            facts={
                "ops": several(node.types),
                "time": time_text(node.ps.total()),
                "part": percent_text(node.ps.total(), whole) + " of all kernel time",
            },
            note=Markup("<br>").join(
                Markup("{}: {} ops, {}").format(device, count, time_text(node.ps[device]))
                for device, count in node.ops_on.most_common()
            ),
        )
        for node in nodes
    ]


def _main_device(node: Node) -> str:
    """The device with most of the time, or of the ops where none takes any."""
    return (node.ps.most_common(1) or node.ops_on.most_common(1))[0][0]
