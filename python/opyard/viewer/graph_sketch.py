"""A graph without a plan: groups of ops by phase, and the bytes between them."""

from __future__ import annotations

from collections import Counter

from markupsafe import Markup

from opyard import _core
from opyard.viewer import colours
from opyard.viewer.figures import FigureBundle, legend
from opyard.viewer.graph_figure import Card, graph_figure
from opyard.viewer.op_groups import OpGroups, edges_of, groups_of, several


def graph_sketch(graph: _core.Graph, bundle: FigureBundle, name: str) -> tuple[Markup, int]:
    """Adds a graph to the page.

    Args:
        graph: The graph.
        bundle: Of the page.
        name: The name of the figure on the page.

    Returns:
        The figure with what its colours mean and what its cards are, and its height in pixels.
    """
    placement = [0] * graph.num_ops
    groups = groups_of(graph, placement, [])
    plot, height_px = graph_figure(
        _cards(graph, groups), edges_of(graph, placement, groups), "graph"
    )
    phases = {_phase(op) for op in graph.ops}
    meaning = {phase: colour for phase, colour in colours.PHASES.items() if phase in phases}
    text = Markup('<p class="legends">{}</p><div class="wide">{}</div><p class="note">{}</p>')
    note = (
        f"Each card is a group of ops ({groups.rule}), first what runs first. Its bar is as long "
        "as its ops are many; edges are as wide as their bytes are many."
    )
    return text.format(
        legend(meaning), bundle.add(name, plot, height_px=height_px), note
    ), height_px


def _phase(op: _core.Op) -> str:
    return op.phase if op.phase in colours.PHASES else "no phase"


def _cards(graph: _core.Graph, groups: OpGroups) -> list[Card]:
    types: list[Counter[str]] = [Counter() for _ in groups.names]
    phases: list[Counter[str]] = [Counter() for _ in groups.names]
    for op in graph.ops:
        types[groups.of_op[op.index]][op.type] += 1
        phases[groups.of_op[op.index]][_phase(op)] += 1
    return [
        Card(
            name=name,
            colour=colours.PHASES[of_group.most_common(1)[0][0]],
            bar=[(of_group[p], colour) for p, colour in colours.PHASES.items() if of_group[p]],
            facts={"ops": several(types[i])},
            note=Markup("<br>").join(f"{phase}: {n} ops" for phase, n in of_group.most_common()),
        )
        for i, (name, of_group) in enumerate(zip(groups.names, phases, strict=True))
    ]
