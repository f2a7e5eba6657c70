"""The way of links between two hosts of a SimGrid platform, through nested zones."""

from __future__ import annotations

from collections import deque

from opyard.authoring.importers.request import Problems, shown
from opyard.authoring.importers.simgrid_parts import Hop, Platform, Route, Zone

_SHORTEST = ("floyd", "dijkstra", "dijkstracache")
_MOST_HOPS = 64  # on a route


class NoRouteError(Exception):
    """Two points are not connected; the message says where."""


class RouteFinder:
    """Finds ways as SimGrid does: through the zone that both ends have in common."""

    def __init__(self, platform: Platform, problems: Problems) -> None:
        """Checks the names in routes; raises InputError with all that are wrong."""
        self._zones_of: dict[str, list[Zone]] = {}  # from the outermost to that of the point
        self._routes: dict[int, dict[tuple[str, str], Route]] = {}
        self._trees: dict[tuple[int, str], dict[str, Route | None]] = {}  # by zone and source
        self._platform = platform
        self._problems = problems
        self._add_zone(platform.root, [])
        problems.raise_if_any()

    def find(self, src: str, dst: str) -> list[Hop]:
        """The links from `src` to `dst`.

        Raises:
            NoRouteError: there is no way.
        """
        if src == dst:
            return []
        zones, others = self._zones_of[src], self._zones_of[dst]
        depth = 0
        while depth < min(len(zones), len(others)) and zones[depth] is others[depth]:
            depth += 1
        common = zones[depth - 1]
        left = zones[depth].name if depth < len(zones) else src
        right = others[depth].name if depth < len(others) else dst
        route = self._local(common, left, right)
        return [
            *self._inside(src, route.gw_src or left),
            *route.hops,
            *self._inside(route.gw_dst or right, dst),
        ]

    def followers(self) -> list[str]:
        """The hosts of stars but the first of each."""
        hosts = self._platform.hosts
        firsts: dict[int, str] = {}
        for name in hosts:
            zone = self._zones_of[name][-1]
            if zone.spokes:
                firsts.setdefault(id(zone), name)
        return [name for name in hosts if firsts.get(id(self._zones_of[name][-1]), name) != name]

    def _inside(self, src: str, dst: str) -> list[Hop]:
        return [] if src == dst else self.find(src, dst)

    def _add_zone(self, zone: Zone, path: list[Zone]) -> None:
        path = [*path, zone]
        for point in zone.points:
            if point in self._zones_of:
                self._problems.add(
                    f"zone {shown(zone.name)}", f"{shown(point)} stands for two hosts or routers"
                )
            self._zones_of[point] = path
        names = [child.name for child in zone.zones]
        if len(set(names)) < len(names):
            self._problems.add(f"zone {shown(zone.name)}", "has two zones of one name inside")
        for child in zone.zones:
            self._add_zone(child, path)
        self._routes[id(zone)] = {(route.src, route.dst): route for route in zone.routes}
        for route in zone.routes:
            self._check(route, zone)

    def _check(self, route: Route, zone: Zone) -> None:
        where = f"route from {shown(route.src)} to {shown(route.dst)}"
        zones = {child.name: child for child in zone.zones}
        for end, gateway in ((route.src, route.gw_src), (route.dst, route.gw_dst)):
            if end not in zones and end not in zone.points:
                self._problems.add(
                    where, f"{shown(end)} is no host, router or zone of {shown(zone.name)}"
                )
            elif end not in zones and gateway not in ("", end):
                self._problems.add(
                    where, f"{shown(end)} is no zone, expected no gateway, found {shown(gateway)}"
                )
            elif end in zones and zones[end] not in self._zones_of.get(gateway, []):
                self._problems.add(
                    where, f"the gateway {shown(gateway)} is no host or router inside {shown(end)}"
                )
        for hop in route.hops:
            if hop.link not in self._platform.links:
                self._problems.add(where, f"found link {shown(hop.link)}, expected a declared one")
        if len(route.hops) > _MOST_HOPS:
            self._problems.add(
                where, f"takes {len(route.hops)} links, expected at most {_MOST_HOPS}"
            )

    def _local(self, zone: Zone, src: str, dst: str) -> Route:
        """The way between two children of a zone."""
        route = self._routes[id(zone)].get((src, dst))
        if route is not None:
            return route
        if zone.spokes and src in zone.spokes and dst in zone.spokes:
            back = [hop.back() for hop in reversed(zone.spokes[dst])]
            return Route(src, dst, src, dst, [*zone.spokes[src], *zone.middle, *back])
        if zone.routing in _SHORTEST:
            return self._shortest(zone, src, dst)
        raise NoRouteError(f"zone {shown(zone.name)} has none from {shown(src)} to {shown(dst)}")

    def _shortest(self, zone: Zone, src: str, dst: str) -> Route:
        """The way over the fewest routes of a zone of points; ties go to the first in the file."""
        before = self._tree(zone, src)
        if dst not in before:
            raise NoRouteError(
                f"zone {shown(zone.name)} has none from {shown(src)} to {shown(dst)}"
            )
        hops: list[Hop] = []
        last = before[dst]
        while last is not None:
            hops = [*last.hops, *hops]
            last = before[last.src]
        return Route(src, dst, src, dst, hops)

    def _tree(self, zone: Zone, src: str) -> dict[str, Route | None]:
        """The last route of the way from `src` to each point that it leads to."""
        key = (id(zone), src)
        if key in self._trees:
            return self._trees[key]
        starting: dict[str, list[Route]] = {}
        for route in zone.routes:
            starting.setdefault(route.src, []).append(route)
        before: dict[str, Route | None] = {src: None}
        queue = deque([src])
        while queue:
            for route in starting.get(queue.popleft(), []):
                if route.dst not in before:
                    before[route.dst] = route
                    queue.append(route.dst)
        self._trees[key] = before
        return before
