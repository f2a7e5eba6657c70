"""A machine on its way into a file: plain values in SI units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_MOST_OTHERS = 16  # links with a provenance of their own


@dataclass(frozen=True)
class Source:
    """The origin of a number: an entry of `provenance`."""

    kind: str  # "datasheet", "measured", "fitted" or "assumed"
    source: str


def assumed(source: str) -> Source:
    """The provenance of a guess."""
    return Source("assumed", source)


@dataclass
class DeviceType:
    """The contents of a device file."""

    name: str
    kind: str
    memory_bytes: int
    memory_bandwidth: float  # bytes per second
    peak_flops: dict[str, float]  # by element type, FLOP per second
    launch_overhead: float  # seconds
    cost: dict[str, Any]
    provenance: dict[str, Source]
    comment: list[str] = field(default_factory=list)


@dataclass
class DeviceEntry:
    """Devices of one type: NAME, or NAME0 … NAME(count − 1)."""

    name: str
    type: str
    count: int | None = None
    fields: dict[str, Any] = field(default_factory=dict)  # that replace those of the type

    def names(self) -> list[str]:
        """The names of the devices."""
        return [self.name] if self.count is None else numbered(self.name, self.count)


@dataclass
class LinkEntry:
    """A link between two nodes, a bus between more, or a shorthand of many links."""

    name: str
    between: list[str]
    bandwidth: float  # bytes per second
    latency: float  # seconds
    source: Source | None = None
    duplex: str = "full"
    topology: str = ""  # of a shorthand of many links


@dataclass
class RouteEntry:
    """The links of a route in one direction."""

    src: str
    dst: str
    via: list[str]
    latency: str | None = None  # instead of the sum over the links


@dataclass
class MachineDraft:
    """The contents of a machine file, with the warnings for its author."""

    name: str
    comment: list[str] = field(default_factory=list)
    devices: list[DeviceEntry] = field(default_factory=list)
    switches: list[str] = field(default_factory=list)
    links: list[LinkEntry] = field(default_factory=list)
    routes: list[RouteEntry] = field(default_factory=list)
    rules: dict[str, Any] = field(default_factory=dict)  # `transfers`, `memory` and their like
    provenance: dict[str, Source] = field(default_factory=dict)
    types: list[DeviceType] = field(default_factory=list)  # device files to write beside it
    copied_types: list[Path] = field(default_factory=list)  # device files to copy beside it
    warnings: list[str] = field(default_factory=list)

    def add_devices(self, name: str, type_name: str, count: int) -> list[str]:
        """Adds `count` equal devices; returns their names."""
        entry = (
            DeviceEntry(name, type_name, count) if count > 1 else DeviceEntry(f"{name}0", type_name)
        )
        self.devices.append(entry)
        return entry.names()

    def add_device(self, name: str, type_name: str) -> None:
        """Adds one device, whose name says its number already."""
        self.devices.append(DeviceEntry(name, type_name))

    def add_link(
        self,
        name: str,
        between: Sequence[str],
        bandwidth: float,
        latency: float,
        source: Source | None = None,
    ) -> None:
        """Adds a full-duplex link between two nodes."""
        self.links.append(LinkEntry(name, list(between), bandwidth, latency, source))

    def link_provenance(self) -> dict[str, Source]:
        """Joins the sources of the most frequent kind; links of other kinds have their own."""
        by_source: dict[Source, list[str]] = {}
        for link in self.links:
            if link.source is not None:
                by_source.setdefault(link.source, []).append(link.name)
        if not by_source:
            return {}
        kinds = Counter(link.source.kind for link in self.links if link.source is not None)
        kind = kinds.most_common(1)[0][0]
        common = {source: names for source, names in by_source.items() if source.kind == kind}
        others = {
            f"links.{name}": source
            for source, names in by_source.items()
            if source.kind != kind
            for name in names
        }
        if len(others) > _MOST_OTHERS:
            return {"links": Source("assumed", _joined(by_source))}
        return {"links": Source(kind, _joined(common)), **others}

    def all_provenance(self) -> dict[str, Source]:
        """The entries under `provenance` of the machine file."""
        return {**self.provenance, **self.link_provenance()}

    def assumed_keys(self) -> list[str]:
        """The keys of the file that hold guesses."""
        return [key for key, source in self.all_provenance().items() if source.kind == "assumed"]

    def device_names(self) -> list[str]:
        """The names of all devices, in their order."""
        return [name for entry in self.devices for name in entry.names()]


def numbered(name: str, count: int) -> list[str]:
    """NAME0 … NAME(count − 1)."""
    return [f"{name}{index}" for index in range(count)]


def _joined(by_source: dict[Source, list[str]]) -> str:
    """One text for all sources; where there are several, with the stems of the links' names."""
    if len(by_source) == 1:
        return next(iter(by_source)).source
    texts = []
    for source, names in by_source.items():
        stems = dict.fromkeys(name.rstrip("0123456789-").partition("-")[0] for name in names)
        texts.append(f"{', '.join(stems)}: {source.source}")
    return "; ".join(texts)
