"""Links between cards beside PCIe: in pairs, or through one switch."""

from __future__ import annotations

from collections.abc import Mapping

from opyard.authoring.draft import MachineDraft, Source

_SWITCH = "nvswitch0"


def add_pairs(
    draft: MachineDraft, bandwidths: Mapping[tuple[str, str], float], latency: float, source: Source
) -> None:
    """Adds a link for each pair of devices; `bandwidths` are in bytes per second."""
    for pair, bandwidth in bandwidths.items():
        draft.add_link(f"nv-{pair[0]}-{pair[1]}", pair, bandwidth, latency, source)


def add_switch(
    draft: MachineDraft, bandwidths: Mapping[str, float], latency: float, source: Source
) -> None:
    """Adds one switch and a link to it for each device; `latency` is from device to device."""
    draft.switches.append(_SWITCH)
    for device, bandwidth in bandwidths.items():
        draft.add_link(f"nv-{device}", [device, _SWITCH], bandwidth, latency / 2, source)
