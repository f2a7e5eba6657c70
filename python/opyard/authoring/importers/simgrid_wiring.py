"""Nodes for the ends of SimGrid's links, which routes name without saying where they end.

A split link (SPLITDUPLEX) becomes a full-duplex link where all routes agree on its two ends, else
two buses, one for either way. Others become one bus. A bus joins whatever stands before or behind
it on some route.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count

from opyard.authoring.importers.simgrid_parts import Hop, PlatformLink

_MOST_ATTEMPTS = 16  # before no link is taken for one of two ends

Token = tuple[str, ...]  # ("host", NAME), ("end", LINK, "0" or "1"), ("between", BUS, BUS)


@dataclass
class WiredLink:
    """A link with its nodes."""

    name: str
    source: str  # the link of the platform
    nodes: list[str]
    is_bus: bool


@dataclass
class Wiring:
    """The nodes, links and routes of a platform."""

    switches: list[str] = field(default_factory=list)
    links: list[WiredLink] = field(default_factory=list)
    access: list[tuple[str, str]] = field(default_factory=list)  # host and its switch
    routes: dict[tuple[str, str], list[str]] = field(default_factory=dict)  # names of links
    repeated: list[str] = field(default_factory=list)  # links that a route uses twice
    is_tree: bool = False  # one way between any two nodes


class Wirer:
    """Wires all routes between hosts at once."""

    def __init__(
        self,
        hosts: Sequence[str],
        links: dict[str, PlatformLink],
        routes: dict[tuple[str, str], list[Hop]],
    ) -> None:
        self._hosts = hosts
        self._links = links
        self._routes = routes
        self._split = {name for name, link in links.items() if link.is_split}
        self._parent: dict[Token, Token] = {}
        self._attached: dict[str, dict[Token, None]] = {}  # by bus
        self._transit: set[Token] = set()

    def wire(self) -> Wiring:
        """Joins ends until no link has both in one node."""
        for attempt in count():
            self._parent, self._attached, self._transit = {}, {}, set()
            for (src, dst), hops in self._routes.items():
                self._follow(src, dst, hops)
            loops = {
                name
                for name in self._split
                if self._find(("end", name, "0")) == self._find(("end", name, "1"))
            }
            if not loops:
                break
            self._split -= self._split if attempt >= _MOST_ATTEMPTS else loops
        return self._wiring()

    def _follow(self, src: str, dst: str, hops: Sequence[Hop]) -> None:
        """Joins the ends that meet on a route."""
        here: Token | str = ("host", src)  # a token, or the name of a bus
        for index, hop in enumerate(hops):
            if hop.link in self._split:
                first, last = ("1", "0") if hop.is_down else ("0", "1")
                self._join(here, ("end", hop.link, first), is_transit=index > 0)
                here = ("end", hop.link, last)
            else:
                bus = self._bus(hop)
                self._join(here, bus, is_transit=index > 0)
                here = bus
        self._join(here, ("host", dst), is_transit=False)

    def _bus(self, hop: Hop) -> str:
        """The name of a bus: that of the link, with its direction where the link is a split one."""
        if not self._links[hop.link].is_split:
            return hop.link
        return f"{hop.link}-{'down' if hop.is_down else 'up'}"

    def _join(self, here: Token | str, there: Token | str, *, is_transit: bool) -> None:
        """Lets two ends meet; of a bus, notes what stands at it."""
        if isinstance(here, str) and isinstance(there, str):
            between: Token = ("between", *sorted((here, there)))
            self._attach(here, between)
            self._attach(there, between)
            return
        if isinstance(here, str):
            here, there = there, here
        if isinstance(there, str):
            self._attach(there, here)
        else:
            assert not isinstance(here, str)
            self._parent[self._find(here)] = self._find(there)
        if is_transit and not isinstance(here, str):
            self._transit.add(here)

    def _attach(self, bus: str, token: Token | str) -> None:
        assert not isinstance(token, str)
        self._attached.setdefault(bus, {})[token] = None

    def _find(self, token: Token) -> Token:
        root = token
        while self._parent.get(root, root) != root:
            root = self._parent[root]
        while self._parent.get(token, token) != root:
            self._parent[token], token = root, self._parent[token]
        return root

    def _wiring(self) -> Wiring:
        names = _NodeNames(self)
        wiring = Wiring(access=names.access, switches=names.switches)
        for link in self._used_split():
            ends = [names.of(self._find(("end", link, end))) for end in ("0", "1")]
            wiring.links.append(WiredLink(link, link, ends, False))
        for bus, tokens in self._attached.items():
            nodes = list(dict.fromkeys(names.of(self._find(token)) for token in tokens))
            source = bus if bus in self._links else bus.rpartition("-")[0]
            wiring.links.append(WiredLink(bus, source, nodes, True))
        self._add_routes(wiring)
        wiring.is_tree = _is_tree(wiring)
        return wiring

    def _used_split(self) -> Iterable[str]:
        used = dict.fromkeys(hop.link for hops in self._routes.values() for hop in hops)
        return (name for name in used if name in self._split)

    def _add_routes(self, wiring: Wiring) -> None:
        access = {host: f"{host}-access" for host, _ in wiring.access}
        for (src, dst), hops in self._routes.items():
            via = [hop.link if hop.link in self._split else self._bus(hop) for hop in hops]
            once = list(dict.fromkeys(via))
            wiring.repeated += [name for name in once if via.count(name) > 1]
            first = [access[src]] if src in access else []
            last = [access[dst]] if dst in access else []
            wiring.routes[src, dst] = [*first, *once, *last]

    def hosts_by_node(self) -> dict[Token, list[str]]:
        """The hosts at each node, by the token that stands for it."""
        nodes: dict[Token, list[str]] = {}
        for host in self._hosts:
            nodes.setdefault(self._find(("host", host)), []).append(host)
        return nodes

    def forwarding(self) -> set[Token]:
        """The nodes that some route passes, by the tokens that stand for them."""
        return {self._find(token) for token in self._transit}


class _NodeNames:
    """Names of nodes: a host where it is alone and forwards nothing, else a switch."""

    def __init__(self, wirer: Wirer) -> None:
        self.switches: list[str] = []
        self.access: list[tuple[str, str]] = []
        self._names: dict[Token, str] = {}
        self._taken = set(wirer._hosts)
        forwarding = wirer.forwarding()
        for token, hosts in wirer.hosts_by_node().items():
            if len(hosts) == 1 and token not in forwarding:
                self._names[token] = hosts[0]
            else:
                switch = self._new_switch(token, f"{hosts[0]}-switch")
                self.access += [(host, switch) for host in hosts]

    def of(self, token: Token) -> str:
        """The name of the node that `token` stands for."""
        if token not in self._names:
            self._new_switch(token, f"switch{len(self.switches)}")
        return self._names[token]

    def _new_switch(self, token: Token, name: str) -> str:
        base, number = name, 2
        while name in self._taken:
            name, number = f"{base}-{number}", number + 1
        self._taken.add(name)
        self._names[token] = name
        self.switches.append(name)
        return name


def _is_tree(wiring: Wiring) -> bool:
    """True if links and nodes make a tree: then routes follow from the links."""
    nodes = {node for link in wiring.links for node in link.nodes}
    nodes |= {node for pair in wiring.access for node in pair}
    edges = sum(len(link.nodes) for link in wiring.links) + 2 * len(wiring.access)
    has_one_way = any(link.is_bus and link.name != link.source for link in wiring.links)
    return not has_one_way and edges == len(nodes) + len(wiring.links) + len(wiring.access) - 1
