"""Machines of InfraGraph files: processors and accelerators, with all between them as switches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from opyard.authoring.cards import family_of
from opyard.authoring.draft import LinkEntry, MachineDraft, assumed
from opyard.authoring.importers.infragraph_file import Fields, read_values
from opyard.authoring.importers.infragraph_graph import GraphExpander, InfraGraph, InfraNode, Path
from opyard.authoring.importers.infragraph_links import LinkFigures, figures_of
from opyard.authoring.importers.infragraph_parts import Infrastructure, read_infrastructure
from opyard.authoring.importers.request import ImportRequest, Problems
from opyard.authoring.link_classes import PCIE_HOST_LATENCY
from opyard.authoring.pcie_tree import MEMORY_SOURCE, memory_bandwidth_of

_CARDS = ("xpu", "npu")
_MOST_DEVICES = 1024
_ROUTER = assumed("accelerators of the file forward; this link is as wide as all that it leads to")


def read(request: ImportRequest) -> MachineDraft:
    """The machine of an infrastructure.

    Raises:
        InputError: the file is wrong, the type of the accelerators is not known, or parts of the
            machine are not connected.
    """
    problems = Problems(request.place)
    root = Fields(read_values(request), "", problems)
    infrastructure = read_infrastructure(root)
    problems.raise_if_any()
    graph = GraphExpander(infrastructure, problems).expand()
    return _Converter(request, infrastructure, graph, problems).convert()


class _Converter:
    """Makes devices, switches and links of the nodes and edges."""

    def __init__(
        self,
        request: ImportRequest,
        infrastructure: Infrastructure,
        graph: InfraGraph,
        problems: Problems,
    ) -> None:
        self._request = request
        self._infrastructure = infrastructure
        self._graph = graph
        self._problems = problems
        self._draft = MachineDraft(request.name)
        self._width: dict[Path, int] = {}  # switches that stand for several, and for how many
        self._neighbours: dict[Path, set[Path]] = {path: set() for path in graph.nodes}
        for left, right in graph.edges:
            self._neighbours[left].add(right)
            self._neighbours[right].add(left)

    def convert(self) -> MachineDraft:
        """The whole machine."""
        self._drop_memory()
        self._drop_dead_ends()
        self._merge_switches()
        cards, hosts = self._devices()
        draft = self._draft
        draft.comment = [f"{len(cards)} accelerators and {len(hosts)} processors of an InfraGraph."]
        routers = self._routers(cards, hosts)
        self._add_devices(cards, hosts)
        draft.switches = [_name(path) for path in self._neighbours if self._is_switch(path)]
        draft.switches += [f"{_name(path)}-router" for path in routers]
        self._add_links(routers)
        draft.provenance["devices"] = assumed("components of the file, which names no types")
        if draft.switches:
            draft.provenance["switches"] = assumed("what forwards in the file")
        return draft

    def _is_switch(self, path: Path) -> bool:
        node = self._graph.nodes[path]
        return node.is_asic or node.choice not in (*_CARDS, "cpu")

    def _drop(self, path: Path) -> None:
        for other in self._neighbours.pop(path):
            self._neighbours[other].discard(path)

    def _drop_memory(self) -> None:
        memory = [path for path in self._neighbours if self._graph.nodes[path].choice == "memory"]
        for path in memory:
            self._drop(path)
        if memory:
            self._draft.warnings.append(
                f"{len(memory)} memories: a device has its own here; they were left out"
            )

    def _drop_dead_ends(self) -> None:
        """Drops what forwards and leads to nothing, such as ports without a cable."""
        stack = [path for path in self._neighbours if self._is_dead_end(path)]
        count = 0
        while stack:
            path = stack.pop()
            if path in self._neighbours and self._is_dead_end(path):
                others = list(self._neighbours[path])
                self._drop(path)
                count += 1
                stack += others
        if count:
            self._draft.warnings.append(
                f"{count} network cards, ports and switches lead nowhere and were left out"
            )

    def _is_dead_end(self, path: Path) -> bool:
        return self._is_switch(path) and len(self._neighbours[path]) < 2

    def _merge_switches(self) -> None:
        """Makes one switch of equal ones side by side, over which a transfer is spread."""
        groups: dict[object, list[Path]] = {}
        for path in self._neighbours:
            if self._is_switch(path) and len(self._neighbours[path]) > 1:
                links = frozenset(
                    (other, self._link_between(path, other)) for other in self._neighbours[path]
                )
                groups.setdefault((path[:-1], path[-1][0], links), []).append(path)
        for paths in groups.values():
            for path in paths[1:]:
                self._drop(path)
            if len(paths) > 1:
                self._width[paths[0]] = len(paths)
                self._draft.warnings.append(
                    f"{_name(paths[0])} and {len(paths) - 1} more of its kind join the same parts; "
                    "they are one switch with the sum of their bandwidths here"
                )

    def _link_between(self, left: Path, right: Path) -> str:
        return self._graph.edges[min(left, right), max(left, right)]

    def _devices(self) -> tuple[list[InfraNode], list[InfraNode]]:
        """Accelerators and processors."""
        nodes = [self._graph.nodes[path] for path in self._neighbours if not self._is_switch(path)]
        cards = [node for node in nodes if node.choice in _CARDS]
        if len(nodes) > _MOST_DEVICES or not nodes:
            self._problems.fail(
                "/instances",
                f"make {len(nodes)} accelerators and processors, expected 1 to {_MOST_DEVICES}",
            )
        return cards, [node for node in nodes if node.choice == "cpu"]

    def _add_devices(self, cards: list[InfraNode], hosts: list[InfraNode]) -> None:
        for node in hosts:
            self._draft.add_device(_name(node.path), self._request.host_type())
        if cards:
            card = self._request.card_type()
            for node in cards:
                self._draft.add_device(_name(node.path), card)
        if hosts and self._request.host is None:
            self._draft.warnings.append(
                f"the file does not name processors; {self._request.host_type()} is assumed"
            )

    def _routers(self, cards: list[InfraNode], hosts: list[InfraNode]) -> list[Path]:
        """The devices that get a switch of their own, since transfers of others pass them."""
        routers = [node.path for node in hosts if len(self._neighbours[node.path]) > 1]
        if not self._all_meet(cards + hosts, set(routers)):
            more = [node.path for node in cards if len(self._neighbours[node.path]) > 1]
            if more:
                self._draft.warnings.append(
                    "transfers pass accelerators on their way, each of which has a router here"
                )
            routers += more
        if not self._all_meet(cards + hosts, set(routers)):
            names = ", ".join(_name(part[0]) for part in self._parts(set(routers))[:3])
            self._problems.fail("/edges", f"leave parts of the machine apart: those of {names}")
        return routers

    def _parts(self, routers: set[Path]) -> list[list[Path]]:
        """The connected parts of what forwards, each with the devices at it."""
        parts, seen = [], set()
        for start in self._neighbours:
            if start in seen or not (self._is_switch(start) or start in routers):
                continue
            part, stack = [], [start]
            seen.add(start)
            while stack:
                path = stack.pop()
                part.append(path)
                for other in sorted(self._neighbours[path]):
                    if self._is_switch(other) or other in routers:
                        if other not in seen:
                            seen.add(other)
                            stack.append(other)
                    else:
                        part.append(other)
            parts.append(part)
        return parts

    def _all_meet(self, nodes: list[InfraNode], routers: set[Path]) -> bool:
        """True if any two devices are neighbours, or at one part of what forwards."""
        parts_of: dict[Path, set[int]] = {node.path: set() for node in nodes}
        for index, part in enumerate(self._parts(routers)):
            for path in part:
                if path in parts_of:
                    parts_of[path].add(index)
        return all(
            parts_of[left] & parts_of[right] or right in self._neighbours[left]
            for left, right in combinations(parts_of, 2)
        )

    def _add_links(self, routers: list[Path]) -> None:
        has_router = set(routers)
        figures: dict[tuple[str, str], LinkFigures] = {}
        for index, ((left, right), link) in enumerate(self._kept_edges()):
            key = (self._graph.scopes[left, right], link)
            if key not in figures:
                figures[key] = self._figures(key)
            ends = [
                f"{_name(path)}-router" if path in has_router else _name(path)
                for path in (left, right)
            ]
            each = figures[key]
            width = max(self._width.get(path, 1) for path in (left, right))
            self._draft.links.append(
                LinkEntry(
                    f"{_legal(link)}-{index}",
                    ends,
                    each.bandwidth * width,
                    each.latency,
                    each.source,
                )
            )
        for path in routers:
            self._add_access(path)

    def _kept_edges(self) -> Iterator[tuple[tuple[Path, Path], str]]:
        return (
            (pair, link)
            for pair, link in self._graph.edges.items()
            if pair[0] in self._neighbours and pair[1] in self._neighbours
        )

    def _figures(self, key: tuple[str, str]) -> LinkFigures:
        scope, name = key
        links = self._infrastructure.devices[scope].links if scope else self._infrastructure.links
        family = family_of(self._request.card or "")
        figures = figures_of(links[name], family, self._degree(key))
        if figures.remark and figures.remark not in self._draft.warnings:
            self._draft.warnings.append(figures.remark)
        return figures

    def _degree(self, key: tuple[str, str]) -> int:
        """The most edges of that link at one accelerator."""
        counts: dict[Path, int] = {}
        for pair, link in self._kept_edges():
            if (self._graph.scopes[pair], link) == key:
                width = max(self._width.get(path, 1) for path in pair)
                for path in pair:
                    counts[path] = counts.get(path, 0) + width
        return max(
            (n for path, n in counts.items() if self._graph.nodes[path].choice in _CARDS), default=0
        )

    def _add_access(self, path: Path) -> None:
        """Joins a device to its router."""
        name = _name(path)
        ends = [name, f"{name}-router"]
        if self._graph.nodes[path].choice == "cpu":
            width, latency = memory_bandwidth_of(self._request.host_type()), PCIE_HOST_LATENCY
            self._draft.add_link(f"{name}-access", ends, width, latency, MEMORY_SOURCE)
        else:
            self._draft.add_link(f"{name}-access", ends, self._width_at(ends[1]), 0.0, _ROUTER)

    def _width_at(self, node: str) -> float:
        """The bandwidth of all links at a node."""
        return sum(link.bandwidth for link in self._draft.links if node in link.between)


def _name(path: Path) -> str:
    """host0-xpu1 of host.0.xpu.1."""
    return "-".join(
        f"{_legal(name)}{'_' if name[-1:].isdigit() else ''}{index}" for name, index in path
    )


def _legal(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "_", name)[:40] or "_"
