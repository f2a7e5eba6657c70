"""Adds to a joint graph what `torch.utils.checkpoint` computes again in the backward pass.

For each call of `checkpoint` the ops whose results its own backward ops read
are repeated, with all that they need from inside; those read the copies, so
that the first results can be freed. The copies wait for the gradient that the
first of these backward ops reads, as the recomputation waits at run time. What
the checkpoint was given, and what a policy saves, is read as it is.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from torch.fx import Graph, Node

from opyard.export.aten_nodes import is_view
from opyard.export.checkpoint_regions import Checkpoint, checkpoints_of, is_saved
from opyard.export.scopes import is_backward, mark_backward

_WAITS = "opyard_waits_for"


def awaited_by(node: Node) -> list[Node]:
    """The nodes that `node` waits for without reading them."""
    return node.meta.get(_WAITS, [])


def add_recomputation(graph: Graph) -> None:
    """Repeats in `graph` what its checkpoints recompute; its nodes stay in topological order."""
    forward = [node for node in graph.nodes if node.op == "call_function" and not is_backward(node)]
    outermost = _by_checkpoint(forward, depth=0)
    if outermost:
        recomputation = _Recomputation(graph)
        for checkpoint, nodes in outermost.items():
            recomputation.repeat(checkpoint, nodes, depth=0)
        recomputation.sort()


def _by_checkpoint(nodes: Iterable[Node], depth: int) -> dict[Checkpoint, list[Node]]:
    found: dict[Checkpoint, list[Node]] = {}
    for node in nodes:
        if len(checkpoints_of(node)) > depth:
            found.setdefault(checkpoints_of(node)[depth], []).append(node)
    return found


def _shown_by(node: Node) -> Node:
    """The node behind `node`, which may be a view, or a view of one."""
    while node.op == "call_function" and is_view(node) and node.all_input_nodes:
        node = node.all_input_nodes[0]
    return node


class _Recomputation:
    """The copies made so far, and where they belong in the order of the graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._output = next(node for node in graph.nodes if node.op == "output")
        self._original = list(graph.nodes)
        self._position = {node: (i, 0, 0) for i, node in enumerate(self._original)}
        self._placed: dict[Node, tuple[int, int, int]] = {}  # copies
        self._updated = self._find_updated_inputs()

    def _find_updated_inputs(self) -> dict[Node, Node]:
        """For each input that the step updates (running statistics) its new value."""
        inputs = {node.meta["desc"]: node for node in self._graph.nodes if node.op == "placeholder"}
        pairs = zip(self._output.args[0], self._output.meta["desc"], strict=True)
        return {
            inputs[descriptor.mutated_input]: source
            for source, descriptor in pairs
            if type(descriptor).__name__ == "InputMutationAOTOutput"
        }

    def repeat(self, checkpoint: Checkpoint, nodes: list[Node], depth: int) -> None:
        """Repeats `nodes`, all of `checkpoint`, which has `depth` checkpoints around it."""
        repeated = [node for node in self._without_outer_views(nodes) if not is_saved(node)]
        readers = self._backward_readers(repeated, checkpoint, depth)
        if not readers:
            return
        first, views = self._first_op(readers)
        copies = self._copy(repeated, before=self._begin_of(first, readers))
        for reader in readers:
            for node, copy in copies.items():
                reader.replace_input_with(node, copy)
        self._wait_for_gradient(list(copies.values()), first, views)
        for inner, inner_copies in _by_checkpoint(copies.values(), depth + 1).items():
            self.repeat(inner, inner_copies, depth + 1)
        if not checkpoint.is_whole:
            self._drop_unread(list(copies.values()))

    @staticmethod
    def _without_outer_views(nodes: list[Node]) -> list[Node]:
        """`nodes` without views of what was made outside of them: those hold no storage."""
        made: set[Node] = set()
        for node in nodes:
            if not is_view(node) or any(source in made for source in node.all_input_nodes):
                made.add(node)
        return [node for node in nodes if node in made]

    def _backward_readers(
        self, nodes: list[Node], checkpoint: Checkpoint, depth: int
    ) -> list[Node]:
        """Backward ops of what ran under `checkpoint` that read what `nodes` made."""
        readers = {
            user
            for node in nodes
            for user in node.users
            if user in self._position
            and is_backward(user)
            and checkpoints_of(user)[depth : depth + 1] == (checkpoint,)
        }
        return sorted(readers, key=self._position.__getitem__)

    def _copy(self, nodes: list[Node], before: tuple[int, int, int]) -> dict[Node, Node]:
        copies: dict[Node, Node] = {}
        inside = set(nodes)

        def source_of(node: Node) -> Node:
            updated = self._updated.get(node)
            return updated if updated in inside else copies.get(node, node)

        for node in nodes:
            with self._graph.inserting_before(self._output):
                copy = self._graph.node_copy(node, source_of)
            mark_backward(copy)
            copy.meta.pop(_WAITS, None)
            copies[node] = copy
        self._place(copies.values(), before)
        return copies

    def _place(self, copies: Iterable[Node], before: tuple[int, int, int]) -> None:
        for copy in copies:
            self._placed[copy] = (before[0], -1, len(self._placed))

    def _first_op(self, readers: list[Node]) -> tuple[Node, set[Node]]:
        """The first of `readers`, or of what reads views among them, that is none; the views."""
        views: set[Node] = set()
        queue = [(self._position[reader], i, reader) for i, reader in enumerate(readers)]
        heapq.heapify(queue)
        while queue:
            _, _, node = heapq.heappop(queue)
            if node.op == "output" or not is_view(node):
                return node, views
            views.add(node)
            for user in node.users:
                heapq.heappush(queue, (self._position[user], len(views) + len(queue), user))
        return readers[0], views

    def _begin_of(self, first: Node, readers: list[Node]) -> tuple[int, int, int]:
        """Where the gradient of an op begins of which `first` is a part: it reads all at once."""
        number = first.meta.get("seq_nr")
        parts = [
            node
            for node in self._original
            if number is not None and node.meta.get("seq_nr") == number and is_backward(node)
        ]
        return min(self._position[node] for node in [*parts, *readers])

    def _wait_for_gradient(self, copies: list[Node], first: Node, views: set[Node]) -> None:
        """Lets copies that read no copy wait for what the first backward op reads beside them."""
        known = views | set(copies)
        read = [_shown_by(source) for source in first.all_input_nodes if source not in known]
        gradients = [source for source in read if source in self._position and is_backward(source)]
        for copy in copies:
            if not any(source in known for source in copy.all_input_nodes):
                copy.meta[_WAITS] = gradients

    def _drop_unread(self, copies: list[Node]) -> None:
        for copy in reversed(copies):
            if not copy.users:
                del self._placed[copy]
                self._graph.erase_node(copy)

    def sort(self) -> None:
        """Moves every node behind what it reads and waits for, else as little as possible."""
        position = self._position | self._placed
        waiting = {node: set(node.all_input_nodes) | set(awaited_by(node)) for node in position}
        readers: dict[Node, list[Node]] = {node: [] for node in position}
        for node, sources in waiting.items():
            for source in sources:
                readers[source].append(node)
        ready = [(position[node], node) for node, sources in waiting.items() if not sources]
        heapq.heapify(ready)
        while ready:
            _, node = heapq.heappop(ready)
            if node is not self._output:
                self._output.prepend(node)
            for reader in readers[node]:
                waiting[reader].discard(node)
                if not waiting[reader]:
                    heapq.heappush(ready, (position[reader], reader))
