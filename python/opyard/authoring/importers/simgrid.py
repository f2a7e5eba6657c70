"""Machines of SimGrid platforms: hosts as processors, links with their sharing, routes."""

from __future__ import annotations

import re
from itertools import permutations

from opyard.authoring.draft import DeviceType, LinkEntry, MachineDraft, RouteEntry, Source, assumed
from opyard.authoring.importers.request import ImportRequest, Problems, shown
from opyard.authoring.importers.simgrid_parts import Hop, Host, Platform
from opyard.authoring.importers.simgrid_platform import PlatformReader
from opyard.authoring.importers.simgrid_routes import NoRouteError, RouteFinder
from opyard.authoring.importers.simgrid_wiring import Wirer, Wiring
from opyard.authoring.importers.xml_tree import read_xml

_MEMORY_BYTES = 64 * 2**30
# So many bytes for each FLOP that ops take their FLOPs, as in SimGrid.
_BYTES_PER_FLOP = 20
_MODEL = Source("datasheet", "the platform says bandwidth and latency; LV08's factors are left out")
_ACCESS = assumed("SimGrid's hosts forward; this link is as wide as all that it leads to")
_MOST_WRITTEN = 20_000  # routes, which take some 60 bytes each of the megabyte of a file
_ALL_CLASSES = ("heavy", "elementwise", "broadcast", "reduction", "reshape", "opaque")


def read(request: ImportRequest) -> MachineDraft:
    """The machine of a platform.

    Raises:
        InputError: the file is wrong, or two hosts are not connected.
    """
    root = read_xml(request.data, request.place, "platform")
    reader = PlatformReader(request.place)
    platform = reader.read(root)
    wiring = _wiring(platform, reader.problems)
    draft = MachineDraft(request.name, comment=_comment(platform))
    _add_hosts(draft, platform, request)
    _add_links(draft, platform, wiring)
    draft.rules = {"transfers": {"sharing": "fair"}, "memory": {"on_exceed": "ignore"}}
    _add_provenance(draft)
    _add_warnings(draft, platform, wiring)
    return draft


def _comment(platform: Platform) -> list[str]:
    return [
        f"{len(platform.hosts)} hosts and {len(platform.links)} links of a SimGrid platform. Its",
        "memory never runs out, and transfers share links; an op takes its FLOPs over the speed of",
        "its host.",
    ]


def _wiring(platform: Platform, problems: Problems) -> Wiring:
    """The wiring of all routes between hosts.

    Hosts of one star differ in their own links only. If the routes from and to the first of each
    star make a tree, so do all of them, and none has to be written out.
    """
    finder = RouteFinder(platform, problems)
    followers = set(finder.followers())
    pairs = list(permutations(platform.hosts, 2))
    some = [pair for pair in pairs if not followers.issuperset(pair)]
    wiring = _wired(platform, _routes(finder, some, problems))
    if wiring.is_tree or len(some) == len(pairs):
        return wiring
    if len(pairs) > _MOST_WRITTEN:
        problems.fail(
            "<platform>",
            f"{len(platform.hosts)} hosts need {len(pairs)} routes written out, expected at most "
            f"{_MOST_WRITTEN}: import a part of it",
        )
    return _wired(platform, _routes(finder, pairs, problems))


def _wired(platform: Platform, routes: dict[tuple[str, str], list[Hop]]) -> Wiring:
    return Wirer(list(platform.hosts), platform.links, routes).wire()


def _routes(
    finder: RouteFinder, pairs: list[tuple[str, str]], problems: Problems
) -> dict[tuple[str, str], list[Hop]]:
    routes = {}
    for src, dst in pairs:
        try:
            routes[src, dst] = finder.find(src, dst)
        except NoRouteError as error:
            problems.add(
                f"no route from host {shown(src)} to {shown(dst)}",
                f"{error}; expected <route> or <zoneRoute> for it",
            )
    problems.raise_if_any()
    return routes


def _add_hosts(draft: MachineDraft, platform: Platform, request: ImportRequest) -> None:
    """Adds the hosts; those of one speed share a type."""
    types: dict[tuple[float, int], str] = {}
    for name, host in platform.hosts.items():
        key = (host.speed, host.cores)
        if key not in types:
            types[key] = f"{request.name}-host{len(types)}"
            draft.types.append(_device_type(types[key], host))
        draft.add_device(_legal(name), types[key])


def _device_type(name: str, host: Host) -> DeviceType:
    peak = host.speed * host.cores
    cores = (
        f" on each of {host.cores} cores, which work on one op together" if host.cores > 1 else ""
    )
    return DeviceType(
        name=name,
        kind="cpu",
        memory_bytes=_MEMORY_BYTES,
        memory_bandwidth=max(peak * _BYTES_PER_FLOP, 1e9),
        peak_flops={"f32": peak},
        launch_overhead=0.0,
        cost={
            "default_sustained_fraction": 1,
            "softmax_q": 8,
            "memory_efficiency": 1,
            "gemm": {"f32": {"e_max": 1}},
            "classes": {name: {"efficiency": 1} for name in _ALL_CLASSES},
        },
        provenance={
            "memory": assumed("SimGrid's hosts have no memory; the machine never runs out of it"),
            "memory_bandwidth": assumed("so much that ops take their FLOPs over the speed"),
            "peak_flops": Source("datasheet", f"speed of the host in the platform{cores}"),
            "launch_overhead": assumed("SimGrid starts an execution in no time"),
            "cost": assumed("an op takes its FLOPs over the speed, whatever it is"),
        },
        comment=["A host of a SimGrid platform."],
    )


def _add_links(draft: MachineDraft, platform: Platform, wiring: Wiring) -> None:
    draft.switches = [_legal(name) for name in wiring.switches]
    for link in wiring.links:
        declared = platform.links[link.source]
        draft.links.append(
            LinkEntry(
                _legal(link.name),
                [_legal(node) for node in link.nodes],
                declared.bandwidth,
                declared.latency,
                _MODEL,
                "half" if link.is_bus else "full",
            )
        )
    for host, switch in wiring.access:
        width = sum(
            platform.links[link.source].bandwidth for link in wiring.links if switch in link.nodes
        )
        draft.add_link(
            f"{_legal(host)}-access", [_legal(host), _legal(switch)], width, 0.0, _ACCESS
        )
    if not wiring.is_tree:
        draft.routes = [
            RouteEntry(_legal(src), _legal(dst), [_legal(name) for name in via])
            for (src, dst), via in wiring.routes.items()
        ]


def _legal(name: str) -> str:
    """A name as files take it: what they refuse becomes a low line."""
    return re.sub(r"[ \"'\\/\x00-\x1f\x7f]", "_", name)[:128] or "_"


def _add_provenance(draft: MachineDraft) -> None:
    draft.provenance = {
        "devices": Source("datasheet", "hosts of the platform"),
        "transfers": assumed(
            "SimGrid shares links by max-min fairness, too, but weighs flows by their latencies"
        ),
        "memory": assumed("SimGrid has no memory"),
    }
    if draft.switches:
        draft.provenance["switches"] = assumed(
            "where links meet that routes name one after another"
        )
    if draft.routes:
        draft.provenance["routes"] = Source("datasheet", "routes of the platform, written out")


def _add_warnings(draft: MachineDraft, platform: Platform, wiring: Wiring) -> None:
    for what in platform.ignored:
        draft.warnings.append(f"{what}: has no counterpart here and was left out")
    used = {link.source for link in wiring.links}
    unused = [name for name in platform.links if name not in used]
    if unused:
        draft.warnings.append(
            f"{_some(unused)}: on no way between two hosts (loopbacks are not simulated); left out"
        )
    pipes = [name for name in platform.links if name in used and platform.links[name].is_fatpipe]
    if pipes:
        draft.warnings.append(
            f"{_some(pipes)}: FATPIPE has no counterpart, transfers share the bandwidth here"
        )
    cores = [host.name for host in platform.hosts.values() if host.cores > 1]
    if cores:
        draft.warnings.append(f"{_some(cores)}: all cores of a host work on one op here")
    if wiring.repeated:
        draft.warnings.append(
            f"{_some(list(dict.fromkeys(wiring.repeated)))}: twice on one way, counted once"
        )


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
