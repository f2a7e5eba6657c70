"""The parts of an InfraGraph: devices of components, links, instances, and edges between them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from opyard.authoring.importers.infragraph_file import Fields
from opyard.authoring.importers.request import shown

CHOICES = ("cpu", "xpu", "npu", "nic", "switch", "port", "memory", "custom", "device")
_SCHEMES = ("many2many", "one2one", "ring")
_MOST_COUNT = 65_536
_ENDPOINT = re.compile(
    r"([^\[\].]+)(?:\[\s*(?:([0-9]{1,6})|([0-9]{0,6})\s*:\s*([0-9]{0,6})\s*(?::\s*([0-9]{0,6}))?)\s*\])?"
)


@dataclass
class Component:
    """Equal parts of a device."""

    name: str
    choice: str
    count: int


@dataclass
class InfraLink:
    """A kind of link; what the file does not say is None."""

    name: str
    description: str = ""
    bandwidth: float | None = None  # bytes per second
    latency: float | None = None  # seconds
    is_in_transfers: bool = False  # given in gigatransfers, for lanes that the file does not count


@dataclass
class Slice:
    """Indices of equal parts: those from `first` to `last`, without the latter."""

    name: str
    first: int | None = None
    last: int | None = None
    step: int = 1

    def indices(self, count: int) -> range:
        """The indices among `count` parts, as Python slices."""
        return range(*slice(self.first, self.last, self.step).indices(count))


@dataclass
class Edge:
    """Edges between two sets of endpoints; each is a path of slices, from outside to inside."""

    left: list[Slice]
    right: list[Slice]
    scheme: str
    link: str
    pointer: str


@dataclass
class InfraDevice:
    """A device with its inner graph."""

    name: str
    components: dict[str, Component] = field(default_factory=dict)
    links: dict[str, InfraLink] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)


@dataclass
class Instance:
    """Equal copies of a device under one name."""

    name: str
    device: str
    count: int


@dataclass
class Infrastructure:
    """The contents of a file."""

    devices: dict[str, InfraDevice] = field(default_factory=dict)
    links: dict[str, InfraLink] = field(default_factory=dict)
    instances: dict[str, Instance] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)


def read_infrastructure(root: Fields) -> Infrastructure:
    """Reads all parts; problems are noted in `root`."""
    infrastructure = Infrastructure(links=_links(root))
    for fields in root.items("devices"):
        device = _device(fields)
        if device.name in infrastructure.devices:
            fields.add(f"two devices are called {shown(device.name)}", "name")
        infrastructure.devices[device.name] = device
    for fields in root.items("instances"):
        instance = Instance(
            fields.text("name"), fields.text("device"), fields.count("count", _MOST_COUNT)
        )
        if instance.device not in infrastructure.devices:
            known = ", ".join(infrastructure.devices)
            fields.add(f"found {shown(instance.device)}, expected one of {known}", "device")
        if instance.name in infrastructure.instances:
            fields.add(f"two instances are called {shown(instance.name)}", "name")
        infrastructure.instances[instance.name] = instance
    if not infrastructure.instances:
        root.add("found none, expected an instance of a device at least", "instances")
    infrastructure.edges = [
        _edge(fields, "instance", infrastructure.links) for fields in root.items("edges")
    ]
    return infrastructure


def _device(fields: Fields) -> InfraDevice:
    device = InfraDevice(fields.text("name"), links=_links(fields))
    for item in fields.items("components"):
        component = Component(
            item.text("name"), item.choice("choice", CHOICES), item.count("count", _MOST_COUNT)
        )
        if component.name in device.components:
            item.add(f"two components are called {shown(component.name)}", "name")
        device.components[component.name] = component
    device.edges = [_edge(item, "device", device.links) for item in fields.items("edges")]
    return device


def _links(fields: Fields) -> dict[str, InfraLink]:
    links: dict[str, InfraLink] = {}
    for item in fields.items("links"):
        link = InfraLink(item.text("name"))
        if "description" in item:
            link.description = item.text("description")
        if "physical" in item:
            _read_physical(item.map("physical"), link)
        if link.name in links:
            item.add(f"two links are called {shown(link.name)}", "name")
        links[link.name] = link
    return links


def _read_physical(fields: Fields, link: InfraLink) -> None:
    rates = {
        "gigabits_per_second": 1e9 / 8,
        "gigabytes_per_second": 1e9,
        "gigatransfers_per_second": 1e9 / 8,
    }
    times = {"ms": 1e-3, "us": 1e-6, "ns": 1e-9}
    if "bandwidth" in fields:
        unit, value = _quantity(fields.map("bandwidth"), rates)
        link.is_in_transfers = unit == "gigatransfers_per_second"
        link.bandwidth = value or None
    if "latency" in fields:
        _, link.latency = _quantity(fields.map("latency"), times)


def _quantity(fields: Fields, factors: dict[str, float]) -> tuple[str, float | None]:
    """The unit that is chosen, or the one that stands there, and the value in SI units."""
    present = next((unit for unit in factors if unit in fields), "")
    unit = fields.choice("choice", tuple(factors), present or None)
    value = fields.number(unit) if unit else None
    return unit, None if value is None else value * factors[unit]


def _edge(fields: Fields, outer: str, links: dict[str, InfraLink]) -> Edge:
    link = fields.text("link")
    if link and link not in links:
        fields.add(f"found {shown(link)}, expected one of {', '.join(links) or 'no link'}", "link")
    return Edge(
        _endpoint(fields.map("ep1"), outer),
        _endpoint(fields.map("ep2"), outer),
        fields.choice("scheme", _SCHEMES, "many2many"),
        link,
        fields.pointer,
    )


def _endpoint(fields: Fields, outer: str) -> list[Slice]:
    """The slices of an endpoint; that of an instance or a composed device comes first."""
    texts = [(outer, fields.text(outer))] if outer in fields or outer == "instance" else []
    texts.append(("component", fields.text("component")))
    slices = []
    for key, text in texts:
        for part in text.split("."):
            match = _ENDPOINT.fullmatch(part)
            if match is None:
                fields.add(f"found {shown(text)}, expected NAME, NAME[0] or NAME[0:2]", key)
            else:
                slices.append(_slice(match))
    return slices


def _slice(match: re.Match[str]) -> Slice:
    name, index, first, last, step = match.groups()
    if index is not None:
        return Slice(name, int(index), int(index) + 1)
    return Slice(
        name, int(first) if first else None, int(last) if last else None, int(step or 0) or 1
    )
