"""The parts of a SimGrid platform: hosts, links, zones with their routes."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Host:
    """A host; its speed is that of all cores."""

    name: str
    speed: float  # FLOP per second and core
    cores: int


@dataclass
class PlatformLink:
    """A link; `is_split` has a way up and a way down, each with the whole bandwidth."""

    name: str
    bandwidth: float  # bytes per second
    latency: float  # seconds
    is_split: bool
    is_fatpipe: bool


@dataclass(frozen=True)
class Hop:
    """A link on a way; `is_down` is the way down of a split one."""

    link: str
    is_down: bool = False

    def back(self) -> Hop:
        """The same link on the way back."""
        return Hop(self.link, not self.is_down)


@dataclass
class Route:
    """A way between two points of a zone, or two zones by their gateways."""

    src: str
    dst: str
    gw_src: str
    gw_dst: str
    hops: list[Hop]


@dataclass
class Zone:
    """A zone with what it holds directly."""

    name: str
    routing: str
    points: list[str] = field(default_factory=list)  # hosts and routers
    zones: list[Zone] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)
    # A star: the private links of each point on its way to the middle, and the links there.
    spokes: dict[str, list[Hop]] = field(default_factory=dict)
    middle: list[Hop] = field(default_factory=list)


@dataclass
class Platform:
    """The declarations of a platform."""

    hosts: dict[str, Host] = field(default_factory=dict)
    links: dict[str, PlatformLink] = field(default_factory=dict)
    root: Zone = field(default_factory=lambda: Zone("", "none"))
    ignored: list[str] = field(default_factory=list)  # tags and attributes without a counterpart
