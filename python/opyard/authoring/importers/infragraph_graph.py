"""Writes an InfraGraph out: a node for every component of every instance, and the edges of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from opyard.authoring.importers.infragraph_parts import Edge, InfraDevice, Infrastructure, Slice
from opyard.authoring.importers.request import Problems, shown

_MOST_NODES = 65_536
_MOST_EDGES = 262_144
_MOST_DEPTH = 8  # of devices inside devices
_COMPUTING = ("xpu", "npu")

Path = tuple[tuple[str, int], ...]  # from the instance inwards: (("host", 0), ("xpu", 1))
PathsOf = Callable[[Sequence[Slice], str], list[Path]]  # of an endpoint; the text names its place


@dataclass
class InfraNode:
    """A component."""

    path: Path
    choice: str
    is_asic: bool  # a cpu of a switch or a network card, which only forwards


@dataclass
class InfraGraph:
    """Nodes by their paths, and the links between them, each pair once."""

    nodes: dict[Path, InfraNode] = field(default_factory=dict)
    edges: dict[tuple[Path, Path], str] = field(default_factory=dict)  # names of links
    scopes: dict[tuple[Path, Path], str] = field(default_factory=dict)  # device, "" outside


class GraphExpander:
    """Expands counts and slices."""

    def __init__(self, infrastructure: Infrastructure, problems: Problems) -> None:
        self._infrastructure = infrastructure
        self._problems = problems
        self._graph = InfraGraph()
        self._refused: set[str] = set()  # edges that are wrong, by their pointers

    def expand(self) -> InfraGraph:
        """All nodes and edges; raises InputError with all that is wrong."""
        for instance in self._infrastructure.instances.values():
            for index in range(instance.count):
                device = self._infrastructure.devices[instance.device]
                self._add_device(device, ((instance.name, index),))
        for edge in self._infrastructure.edges:
            self._add_edges(edge, "", self._outer)
        self._problems.raise_if_any()
        return self._graph

    def _add_device(self, device: InfraDevice, path: Path) -> None:
        if len(path) > _MOST_DEPTH:
            self._problems.fail(
                f"device {shown(device.name)}",
                f"devices stand inside each other more than {_MOST_DEPTH} deep",
            )
        is_asic = _is_forwarding(device)
        for component in device.components.values():
            if len(self._graph.nodes) + component.count > _MOST_NODES:
                self._problems.fail("/instances", f"make more than {_MOST_NODES} components")
            for index in range(component.count):
                inside = (*path, (component.name, index))
                if component.choice == "device":
                    self._add_composed(component.name, device, inside)
                else:
                    is_cpu = component.choice == "cpu"
                    node = InfraNode(inside, component.choice, is_cpu and is_asic)
                    self._graph.nodes[inside] = node
        for edge in device.edges:
            self._add_edges(
                edge, device.name, lambda slices, where: self._inner(device, path, slices, where)
            )

    def _add_composed(self, name: str, device: InfraDevice, path: Path) -> None:
        inner = self._infrastructure.devices.get(name)
        if inner is None:
            self._problems.fail(
                f"device {shown(device.name)}",
                f"component {shown(name)} is a device, expected one of that name in /devices",
            )
            return
        self._add_device(inner, path)

    def _outer(self, slices: Sequence[Slice], where: str) -> list[Path]:
        """The paths of an endpoint of the infrastructure."""
        instance = self._infrastructure.instances.get(slices[0].name) if slices else None
        if instance is None:
            self._refuse(where, f"found no instance {shown(slices[0].name if slices else '')}")
            return []
        device = self._infrastructure.devices[instance.device]
        indices = self._indices(slices[0], instance.count, where)
        return [
            path
            for index in indices
            for path in self._inner(device, ((instance.name, index),), slices[1:], where)
        ]

    def _inner(
        self, device: InfraDevice, path: Path, slices: Sequence[Slice], where: str
    ) -> list[Path]:
        """The paths of an endpoint inside a device."""
        component = device.components.get(slices[0].name) if slices else None
        if component is None:
            known = ", ".join(device.components)
            self._refuse(
                where,
                f"found {shown(slices[0].name if slices else '')}, expected a component of "
                f"{shown(device.name)}: {known}",
            )
            return []
        indices = self._indices(slices[0], component.count, where)
        paths = [(*path, (component.name, index)) for index in indices]
        if component.choice != "device":
            return paths
        inner = self._infrastructure.devices[component.name]
        return [each for part in paths for each in self._inner(inner, part, slices[1:], where)]

    def _indices(self, part: Slice, count: int, where: str) -> range:
        indices = part.indices(count)
        if len(indices) == 0 or (part.last or 0) > count:
            self._refuse(
                where,
                f"{part.name}[{part.first or 0}:{'' if part.last is None else part.last}]: there "
                f"are {count}, expected indices below that",
            )
        return indices

    def _refuse(self, where: str, what: str) -> None:
        """Notes an error of an edge once, however many instances have it."""
        if where not in self._refused:
            self._refused.add(where)
            self._problems.add(where, what)

    def _add_edges(self, edge: Edge, scope: str, paths_of: PathsOf) -> None:
        left, right = paths_of(edge.left, edge.pointer), paths_of(edge.right, edge.pointer)
        for pair in self._pairs(edge, left, right):
            ordered = (min(pair), max(pair))
            self._graph.edges.setdefault(ordered, edge.link)
            self._graph.scopes.setdefault(ordered, scope)
        if len(self._graph.edges) > _MOST_EDGES:
            self._problems.fail(edge.pointer, f"makes more than {_MOST_EDGES} edges")

    def _pairs(
        self, edge: Edge, left: list[Path], right: list[Path]
    ) -> Iterator[tuple[Path, Path]]:
        if len(left) * len(right) > _MOST_EDGES and edge.scheme == "many2many":
            self._problems.fail(edge.pointer, f"makes more than {_MOST_EDGES} edges")
        pairs: Iterable[tuple[Path, Path]]
        if edge.scheme == "ring":
            nodes = list(dict.fromkeys([*left, *right]))
            pairs = zip(nodes, [*nodes[1:], nodes[0]], strict=True) if len(nodes) > 1 else ()
        elif edge.scheme == "one2one":
            pairs = zip(left, right, strict=False)
        else:
            pairs = product(left, right)
        return (pair for pair in pairs if pair[0] != pair[1])


def _is_forwarding(device: InfraDevice) -> bool:
    """True for switches and network cards: they have ports, and nothing that trains."""
    choices = {component.choice for component in device.components.values()}
    return "port" in choices and not choices.intersection((*_COMPUTING, "device"))
