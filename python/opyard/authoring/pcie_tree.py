"""PCIe trees: cards below switches below the sockets of a host."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

from opyard import _core
from opyard.authoring.draft import MachineDraft, Source, assumed
from opyard.authoring.link_classes import PCIE_CARD_LATENCY, PCIE_HOST_LATENCY, LinkClass
from opyard.authoring.units import parse_rate

USUAL_MEMORY_BANDWIDTH = 76.8e9  # bytes per second; four channels of DDR4-2400
MEMORY_SOURCE = assumed(
    "the bandwidth of the processor's memory; latency so that a copy from or to the host takes "
    "about 30 us"
)


@dataclass
class Branch:
    """A device, or a switch with what hangs below it."""

    bandwidth: float  # bytes per second of the link upwards
    source: Source
    device: str = ""  # empty for a switch
    children: list[Branch] = field(default_factory=list)


@dataclass
class Socket:
    """A processor with the branches of its PCIe root; without `host` nothing runs on it."""

    host: str
    branches: list[Branch]
    memory_bandwidth: float = USUAL_MEMORY_BANDWIDTH


def memory_bandwidth_of(host: str) -> float:
    """The bandwidth of a shipped processor's memory, a usual one for any other."""
    alone = {"schema_version": 1, "name": "alone", "devices": [{"name": "host", "type": host}]}
    try:
        device = _core.Machine.from_dict(alone).to_dict()["devices"][0]
    except _core.InputError:
        return USUAL_MEMORY_BANDWIDTH
    return parse_rate(device["memory_bandwidth"], host)


class TreeBuilder:
    """Adds the switches and links of PCIe trees to a machine."""

    def __init__(self, draft: MachineDraft) -> None:
        self._draft = draft
        self._num_switches = 0
        self._num_device_links = 0
        self._num_uplinks = 0

    def add_sockets(self, sockets: list[Socket], between: LinkClass) -> None:
        """Adds the trees of all sockets, and the links that join their roots."""
        if len(sockets) == 1 and len(sockets[0].branches) == 1:
            self._add_single(sockets[0].branches[0], sockets[0].host)
            return
        roots = [f"root{index}" for index in range(len(sockets))]
        self._draft.switches += roots
        for index, (root, socket) in enumerate(zip(roots, sockets, strict=True)):
            self._add_socket(root, index, socket)
        for left, right in combinations(range(len(roots)), 2):
            self._draft.add_link(
                f"socket{left}-{right}",
                [roots[left], roots[right]],
                between.bandwidth,
                between.latency,
                between.source(),
            )

    def _add_single(self, branch: Branch, host: str) -> None:
        """Joins the only branch to the host itself; without one, it needs no way up."""
        if host:
            self._add_branch(branch, host, PCIE_HOST_LATENCY)
        elif not branch.device:
            self._add_children(branch)

    def _add_socket(self, root: str, index: int, socket: Socket) -> None:
        for branch in socket.branches:
            self._add_branch(branch, root, 0.0)
        if socket.host:
            self._draft.add_link(
                f"memory{index}",
                [root, socket.host],
                socket.memory_bandwidth,
                PCIE_HOST_LATENCY,
                MEMORY_SOURCE,
            )

    def _add_branch(self, branch: Branch, above: str, latency_above: float) -> None:
        """Adds a branch below the node `above`, whose own latency its uplink takes over."""
        if branch.device:
            self._draft.add_link(
                f"pcie{self._num_device_links}",
                [branch.device, above],
                branch.bandwidth,
                PCIE_CARD_LATENCY + latency_above,
                branch.source,
            )
            self._num_device_links += 1
            return
        switch = self._add_children(branch)
        self._draft.add_link(
            f"uplink{self._num_uplinks}",
            [switch, above],
            branch.bandwidth,
            latency_above,
            branch.source,
        )
        self._num_uplinks += 1

    def _add_children(self, branch: Branch) -> str:
        """Adds a switch and what hangs below it; returns its name."""
        switch = f"plx{self._num_switches}"
        self._num_switches += 1
        self._draft.switches.append(switch)
        for child in branch.children:
            self._add_branch(child, switch, 0.0)
        return switch
