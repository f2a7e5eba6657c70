"""Reads what a SimGrid platform declares, and writes its clusters out."""

from __future__ import annotations

import re

from opyard.authoring.importers.request import Problems, shown
from opyard.authoring.importers.simgrid_parts import (
    Hop,
    Host,
    Platform,
    PlatformLink,
    Route,
    Zone,
)
from opyard.authoring.importers.simgrid_units import flops_of, rate_of, seconds_of
from opyard.authoring.importers.xml_tree import Element

_ZONES = ("zone", "AS")
_ZONE_ROUTES = ("zoneRoute", "ASroute")
_ROUTINGS = ("full", "floyd", "dijkstra", "dijkstracache", "none", "")
_POLICIES = ("SPLITDUPLEX", "FULLDUPLEX", "SHARED", "FATPIPE")
_RADICAL = re.compile(r"\s*([0-9]{1,9})\s*(?:-\s*([0-9]{1,9})\s*)?")
_MOST_HOSTS = 1024  # devices of a machine
_MOST_ROUTES = 20_000
_IGNORED = ("config", "prop", "disk", "storage", "storage_type", "mount", "trace", "trace_connect")


class PlatformReader:
    """Reads the elements of a platform."""

    def __init__(self, place: str) -> None:
        self.problems = Problems(place)
        self.platform = Platform()
        self._num_routes = 0

    def read(self, root: Element) -> Platform:
        """Reads `<platform>`; raises InputError with all that is wrong."""
        version = root.attributes.get("version", "")
        if not re.match(r"4(\.|$)", version):
            self.problems.fail(
                _where(root),
                f"found version {shown(version)}, expected 4 or 4.1: simgrid_update_xml brings it "
                "there",
            )
        self._read_children(root, self.platform.root)
        if not self.platform.hosts:
            self.problems.add(_where(root), "found no host, expected one at least")
        self.problems.raise_if_any()
        return self.platform

    def _read_children(self, element: Element, zone: Zone) -> None:
        readers = {
            "host": self._read_host,
            "router": self._read_router,
            "link": self._read_link,
            "cluster": self._read_cluster,
            "route": self._read_route,
            **dict.fromkeys(_ZONES, self._read_zone),
            **dict.fromkeys(_ZONE_ROUTES, self._read_zone_route),
        }
        for child in element.children:
            if child.tag in readers:
                readers[child.tag](child, zone)
            elif child.tag in _IGNORED:
                self._ignore(f"<{child.tag}>")
            else:
                self.problems.add(
                    _where(child), f"is not read, expected one of {', '.join(sorted(readers))}"
                )

    def _read_zone(self, element: Element, parent: Zone) -> None:
        routing = element.attributes.get("routing", "").lower()
        if routing not in _ROUTINGS:
            self.problems.add(
                _where(element),
                f"routing: found {shown(routing)}, expected Full, Floyd, Dijkstra or None: write "
                "the routes of this zone out",
            )
        zone = Zone(self._name(element), routing)
        parent.zones.append(zone)
        self._read_children(element, zone)

    def _read_host(self, element: Element, zone: Zone) -> None:
        name = self._name(element)
        speeds = element.attributes.get("speed", "").split(",")
        self._add_host(element, name, speeds[0], zone)
        if len(speeds) > 1:
            self._ignore("speeds behind the first (pstate)")
        for attribute in ("availability_file", "state_file", "coordinates"):
            if attribute in element.attributes:
                self._ignore(f"{attribute} of hosts")
        for child in element.children:
            self._ignore(f"<{child.tag}> of hosts")

    def _add_host(self, element: Element, name: str, speed: str, zone: Zone) -> None:
        value = flops_of(speed)
        cores = self._whole(element, "core")
        if value is None:
            self.problems.add(
                _where(element), f"speed: found {shown(speed)}, expected FLOP/s such as 1Gf"
            )
        if name in self.platform.hosts:
            self.problems.add(_where(element), f"two hosts are called {shown(name)}")
        if len(self.platform.hosts) >= _MOST_HOSTS:
            self.problems.fail(
                _where(element), f"is host {_MOST_HOSTS + 1}, expected at most {_MOST_HOSTS}"
            )
        self.platform.hosts[name] = Host(name, value or 1.0, cores)
        zone.points.append(name)

    def _read_router(self, element: Element, zone: Zone) -> None:
        zone.points.append(self._name(element))

    def _read_link(self, element: Element, zone: Zone) -> None:
        attributes = element.attributes
        policy = attributes.get("sharing_policy", "SPLITDUPLEX")
        if policy not in _POLICIES:
            self.problems.add(
                _where(element),
                f"sharing_policy: found {shown(policy)}, expected one of {', '.join(_POLICIES)}",
            )
        for attribute in ("bandwidth_file", "latency_file", "state_file"):
            if attribute in attributes:
                self._ignore(f"{attribute} of links")
        self._add_link(
            element,
            self._name(element),
            (attributes.get("bandwidth", ""), attributes.get("latency", "0")),
            policy,
        )

    def _add_link(self, element: Element, name: str, figures: tuple[str, str], policy: str) -> None:
        bandwidth, latency = rate_of(figures[0]), seconds_of(figures[1])
        if bandwidth is None:
            self.problems.add(
                _where(element),
                f"bandwidth: found {shown(figures[0])}, expected a rate such as 125MBps or 1Gbps",
            )
        if latency is None:
            self.problems.add(
                _where(element), f"latency: found {shown(figures[1])}, expected a time such as 50us"
            )
        if name in self.platform.links:
            self.problems.add(_where(element), f"two links are called {shown(name)}")
        self.platform.links[name] = PlatformLink(
            name,
            bandwidth or 1.0,
            latency or 0.0,
            policy in ("SPLITDUPLEX", "FULLDUPLEX"),
            policy == "FATPIPE",
        )

    def _read_cluster(self, element: Element, parent: Zone) -> None:
        """Adds a cluster as a star: a private link for each host, and a backbone if it has one."""
        attributes = element.attributes
        topology = attributes.get("topology", "FLAT")
        if topology != "FLAT":
            self.problems.add(
                _where(element), f"topology: found {shown(topology)}, expected FLAT: write it out"
            )
        name = self._name(element)
        zone = Zone(name, "star")
        parent.zones.append(zone)
        zone.middle = self._add_backbone(element, name)
        for number in self._radical(element):
            self._add_node(element, number, zone)
        prefix, suffix = attributes.get("prefix", ""), attributes.get("suffix", "")
        router = attributes.get("router_id") or f"{prefix}{name}_router{suffix}"
        zone.points.append(router)
        zone.spokes[router] = []
        for attribute in ("limiter_link", "loopback_bw", "loopback_lat"):
            if attribute in attributes:
                self._ignore(f"{attribute} of clusters")

    def _add_backbone(self, element: Element, name: str) -> list[Hop]:
        attributes = element.attributes
        if "bb_bw" not in attributes:
            return []
        link = f"{name}-backbone"
        policy = attributes.get("bb_sharing_policy", "SHARED")
        figures = (attributes["bb_bw"], attributes.get("bb_lat", "0"))
        self._add_link(element, link, figures, policy)
        return [Hop(link)]

    def _add_node(self, element: Element, number: int, zone: Zone) -> None:
        attributes = element.attributes
        name = f"{attributes.get('prefix', '')}{number}{attributes.get('suffix', '')}"
        self._add_host(element, name, attributes.get("speed", ""), zone)
        figures = (attributes.get("bw", ""), attributes.get("lat", "0"))
        policy = attributes.get("sharing_policy", "SPLITDUPLEX")
        self._add_link(element, f"{zone.name}-link-{number}", figures, policy)
        zone.spokes[name] = [Hop(f"{zone.name}-link-{number}")]

    def _radical(self, element: Element) -> list[int]:
        text = element.attributes.get("radical", "")
        numbers: list[int] = []
        for part in re.split(r"[,;]", text):
            match = _RADICAL.fullmatch(part)
            first, last = (0, -1) if match is None else (int(match[1]), int(match[2] or match[1]))
            if last < first or last - first >= _MOST_HOSTS:
                self.problems.fail(
                    _where(element),
                    f"radical: found {shown(text)}, expected numbers such as 0-7 or 0-3,8, at most "
                    f"{_MOST_HOSTS} of them",
                )
            numbers += range(first, last + 1)
            if len(numbers) > _MOST_HOSTS:
                self.problems.fail(_where(element), f"radical: makes more than {_MOST_HOSTS} hosts")
        return numbers

    def _read_route(self, element: Element, zone: Zone) -> None:
        src, dst = element.attributes.get("src", ""), element.attributes.get("dst", "")
        self._add_routes(element, zone, Route(src, dst, src, dst, self._hops(element)))

    def _read_zone_route(self, element: Element, zone: Zone) -> None:
        src, dst = element.attributes.get("src", ""), element.attributes.get("dst", "")
        gw_src, gw_dst = (element.attributes.get(key, "") for key in ("gw_src", "gw_dst"))
        self._add_routes(element, zone, Route(src, dst, gw_src, gw_dst, self._hops(element)))

    def _add_routes(self, element: Element, zone: Zone, route: Route) -> None:
        """Adds a route, and its way back unless it has one direction only."""
        zone.routes.append(route)
        self._num_routes += 1
        if self._num_routes > _MOST_ROUTES:
            self.problems.fail(_where(element), f"is one of more than {_MOST_ROUTES} routes")
        symmetrical = element.attributes.get("symmetrical", "YES").upper()
        if symmetrical not in ("YES", "NO"):
            self.problems.add(
                _where(element), f"symmetrical: found {shown(symmetrical)}, expected YES or NO"
            )
        if symmetrical == "YES" and route.src != route.dst:
            back = [hop.back() for hop in reversed(route.hops)]
            zone.routes.append(Route(route.dst, route.src, route.gw_dst, route.gw_src, back))

    def _hops(self, element: Element) -> list[Hop]:
        hops = []
        for child in element.all("link_ctn"):
            direction = child.attributes.get("direction", "UP").upper()
            if direction not in ("UP", "DOWN", "NONE"):
                self.problems.add(
                    _where(child), f"direction: found {shown(direction)}, expected UP or DOWN"
                )
            hops.append(Hop(child.attributes.get("id", ""), direction == "DOWN"))
        return hops

    def _name(self, element: Element) -> str:
        name = element.attributes.get("id", "")
        if not name:
            self.problems.add(_where(element), "has no id, expected a name")
        return name

    def _whole(self, element: Element, attribute: str) -> int:
        text = element.attributes.get(attribute, "1")
        if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 1_000_000:
            return int(text[:9])
        self.problems.add(
            _where(element), f"{attribute}: found {shown(text)}, expected a whole number from 1"
        )
        return 1

    def _ignore(self, what: str) -> None:
        if what not in self.platform.ignored:
            self.platform.ignored.append(what)


def _where(element: Element) -> str:
    name = element.attributes.get("id")
    return f"line {element.line}: <{element.tag}{f' id={name[:40]}' if name else ''}>"
