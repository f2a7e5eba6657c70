"""Bandwidth and latency of an InfraGraph's links, from the file or from the class of their name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from opyard.authoring.cards import CardFamily, num_links_of
from opyard.authoring.draft import Source, assumed
from opyard.authoring.importers.infragraph_parts import InfraLink
from opyard.authoring.link_classes import LINK_CLASSES, SOCKET_LINKS, LinkClass

_LANES = 16  # of PCIe, which gigatransfers leave open
_INNER = LinkClass("inner links", 100e9, 1e-6, "the file does not say what the link is")
_NUMBER = re.compile(r"(?:nvlink|gen|pcie)[ _-]*([1-6])")


@dataclass
class LinkFigures:
    """Bandwidth and latency of a link."""

    bandwidth: float  # bytes per second
    latency: float  # seconds
    source: Source
    remark: str = ""  # what was guessed, for a warning


def figures_of(link: InfraLink, family: CardFamily, degree: int) -> LinkFigures:
    """The figures of a link, of which a card has `degree`: they share the NVLinks of the card."""
    kind = _class_of(f"{link.name} {link.description}".lower(), family)
    latency = kind.latency / 2 if link.latency is None else link.latency
    if link.bandwidth is None:
        is_lane = kind.name.startswith("nvlink") and degree > 0
        links = num_links_of(family, kind.name) / degree if is_lane else 1.0
        bandwidth = kind.bandwidth * max(links, 1.0)
        remark = f"bandwidth is not said; {bandwidth / 1e9:.4g} GB/s of {kind.name} is assumed"
        return LinkFigures(bandwidth, latency, kind.source(), f"link {link.name}: {remark}")
    if link.is_in_transfers:
        remark = f"gigatransfers of one lane; {_LANES} lanes are assumed"
        source = assumed(f"gigatransfers in the file, times {_LANES} lanes")
        return LinkFigures(link.bandwidth * _LANES, latency, source, f"link {link.name}: {remark}")
    said = "bandwidth and latency" if link.latency is not None else "the bandwidth"
    return LinkFigures(link.bandwidth, latency, Source("datasheet", f"the file says {said}"))


def _class_of(text: str, family: CardFamily) -> LinkClass:
    match = _NUMBER.search(text)
    number = match[1] if match else ""
    if "nvlink" in text:
        return LINK_CLASSES.get(f"nvlink{number}") or LINK_CLASSES[family.nvlink or "nvlink3"]
    if "pci" in text:
        return LINK_CLASSES.get(f"pcie{number}") or LINK_CLASSES[family.pcie]
    if re.search(r"xgmi|infinity|upi|qpi|fabric", text):
        return SOCKET_LINKS[4]
    if re.search(r"ethernet|leaf|spine|gbe", text):
        return LINK_CLASSES["ethernet100"]
    return LINK_CLASSES["infiniband-edr"] if "infiniband" in text else _INNER
