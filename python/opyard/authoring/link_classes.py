"""Classes of links with the bandwidth and latency that new machines begin with."""

from __future__ import annotations

from dataclasses import dataclass

from opyard import _core
from opyard.authoring.draft import Source, assumed

# A small copy between cards over PCIe takes 21.5 us, half of it at either card; one from or to the
# host about 30 us, the rest of it at the host.
PCIE_CARD_LATENCY = 10.75e-6
PCIE_HOST_LATENCY = 19.25e-6
NVLINK_LATENCY = 10e-6


@dataclass(frozen=True)
class LinkClass:
    """A kind of link; bandwidth is that of one lane bundle (a PCIe slot, one NVLink), one way."""

    name: str
    bandwidth: float  # bytes per second
    latency: float  # seconds, from end to end
    why: str

    def source(self, remark: str = "") -> Source:
        """The provenance of links that have the figures of the class."""
        return assumed(
            f"class figures of {self.name}: {self.why}" + (f"; {remark}" if remark else "")
        )


def _pcie(generation: int, bandwidth: float, why: str) -> LinkClass:
    return LinkClass(f"pcie{generation}", bandwidth, 2 * PCIE_CARD_LATENCY, why)


def _nvlink(generation: int, bandwidth: float, why: str) -> LinkClass:
    return LinkClass(f"nvlink{generation}", bandwidth, NVLINK_LATENCY, why)


_PEER = "Tartan measures 21.5 us for small peer copies"
_ON_DGX1 = "latency 10 us measured by Tartan on NVLink 1"

LINK_CLASSES = {
    each.name: each
    for each in (
        _pcie(3, 12.35e9, f"gpu-benches measures 12.35 GB/s over 16 lanes; {_PEER}"),
        _pcie(4, 24.7e9, f"twice the 12.35 GB/s that gpu-benches measures on PCIe 3; {_PEER}"),
        _pcie(5, 49.4e9, f"four times the 12.35 GB/s that gpu-benches measures on PCIe 3; {_PEER}"),
        _pcie(6, 98.8e9, f"eight times the 12.35 GB/s measured on PCIe 3; {_PEER}"),
        _nvlink(1, 18.4e9, f"Tartan measures 18.4 GB/s a link on P100; {_ON_DGX1}"),
        _nvlink(2, 23.9e9, f"Dell measures 47.9 GB/s over two links of V100; {_ON_DGX1}"),
        _nvlink(3, 23.9e9, f"25 GB/s a link, of which NVLink 2 reaches 23.9; {_ON_DGX1}"),
        _nvlink(4, 20.3e9, f"366 GB/s measured over the 18 links of H100; {_ON_DGX1}"),
        _nvlink(5, 40.6e9, f"twice the 20.3 GB/s a link of NVLink 4; {_ON_DGX1}"),
        LinkClass("xgmi", 51e9, 10e-6, "64 GB/s a link, of which four fifths are reached"),
        LinkClass("ethernet10", 1.2e9, 30e-6, "10 Gb/s less frames; 30 us through sockets"),
        LinkClass("ethernet100", 11.8e9, 20e-6, "100 Gb/s less frames; 20 us from card to card"),
        LinkClass("infiniband-edr", 12e9, 10e-6, "EDR reaches about 12 GB/s"),
        LinkClass("infiniband-ndr", 48e9, 10e-6, "400 Gb/s, of which EDR's share is reached"),
        LinkClass("shared-memory", 5e9, 20e-6, "a copy between processes of one host"),
    )
}

# Between the processors of a host, by the generation of its PCIe: QPI, then UPI and xGMI.
SOCKET_LINKS = {
    3: LinkClass("socket-link", 10.28e9, 0.0, "Tartan measures 10.28 GB/s over QPI on a DGX-1"),
    4: LinkClass("socket-link", 20e9, 0.0, "twice the 10.28 GB/s that Tartan measures over QPI"),
    5: LinkClass("socket-link", 40e9, 0.0, "four times the 10.28 GB/s measured over QPI"),
    6: LinkClass("socket-link", 40e9, 0.0, "as that of hosts with PCIe 5"),
}


def link_class(name: str, what: str) -> LinkClass:
    """The class of that name; `what` begins the message where there is none."""
    if name not in LINK_CLASSES:
        raise _core.InputError(
            f'{what}: found "{name[:60]}", expected one of {", ".join(LINK_CLASSES)}'
        )
    return LINK_CLASSES[name]
