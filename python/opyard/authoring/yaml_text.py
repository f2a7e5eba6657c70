"""The texts of device and machine files, as one writes them by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from opyard.authoring.draft import (
    DeviceEntry,
    DeviceType,
    LinkEntry,
    MachineDraft,
    RouteEntry,
    Source,
)
from opyard.authoring.units import flop_rate_text, rate_text, size_text, time_text

# Words that YAML takes for something else than a text.
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_.+-]*\*?")
_QUANTITY = re.compile(r"[0-9][0-9.eE+-]* [A-Za-z/]+")


def machine_text(draft: MachineDraft, schema: str) -> str:
    """The text of a machine file; `schema` is where its JSON Schema stands."""
    lines = [f"# yaml-language-server: $schema={schema}", *_comments(draft.comment)]
    lines += ["schema_version: 1", f"name: {flow(draft.name)}"]
    lines += _items("devices", [_device(entry) for entry in draft.devices])
    if draft.switches:
        lines.append(f"switches: {flow(draft.switches)}")
    lines += _items("links", [_link(link) for link in draft.links])
    lines += _items("routes", [_route(route) for route in draft.routes])
    lines += [f"{key}: {flow(value)}" for key, value in draft.rules.items()]
    return _with_provenance(lines, draft.all_provenance())


def device_text(device: DeviceType, schema: str) -> str:
    """The text of a device file."""
    lines = [f"# yaml-language-server: $schema={schema}", *_comments(device.comment)]
    peaks = {dtype: flop_rate_text(peak) for dtype, peak in device.peak_flops.items()}
    lines += [
        "schema_version: 1",
        f"name: {flow(device.name)}",
        f"kind: {device.kind}",
        f"memory: {size_text(device.memory_bytes)}",
        f"memory_bandwidth: {rate_text(device.memory_bandwidth)}",
        f"peak_flops: {flow(peaks)}",
        f"launch_overhead: {time_text(device.launch_overhead)}",
    ]
    if device.cost:
        lines += ["cost:", *(f"  {key}: {flow(value)}" for key, value in device.cost.items())]
    return _with_provenance(lines, device.provenance)


def flow(value: Any) -> str:
    """A value in one line: maps and lists in braces, texts bare where YAML reads them as texts."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, str):
        return value if _is_bare(value) else json.dumps(value, ensure_ascii=False)
    if isinstance(value, Sequence):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return json.dumps(value)


def _is_bare(text: str) -> bool:
    if _QUANTITY.fullmatch(text):
        return True
    return _BARE.fullmatch(text) is not None and text.lower() not in _WORDS


def _comments(lines: Sequence[str]) -> list[str]:
    return [f"# {line}".rstrip() for line in lines]


def _items(key: str, items: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"{key}:", *(f"  - {flow(item)}" for item in items)] if items else []


def _with_provenance(lines: list[str], provenance: Mapping[str, Source]) -> str:
    if provenance:
        lines.append("provenance:")
    for key, entry in provenance.items():
        source = json.dumps(entry.source, ensure_ascii=False)
        lines.append(f"  {flow(key)}: {{kind: {entry.kind}, source: {source}}}")
    return "\n".join(lines) + "\n"


def _device(entry: DeviceEntry) -> dict[str, Any]:
    count = {} if entry.count is None else {"count": entry.count}
    return {"name": entry.name, "type": entry.type, **count, **entry.fields}


def _link(link: LinkEntry) -> dict[str, Any]:
    topology = {"topology": link.topology} if link.topology else {}
    return {
        "name": link.name,
        **topology,
        "between": link.between,
        "bandwidth": rate_text(link.bandwidth),
        "latency": time_text(link.latency),
        "duplex": link.duplex,
    }


def _route(route: RouteEntry) -> dict[str, Any]:
    latency = {} if route.latency is None else {"latency": route.latency}
    return {"from": route.src, "to": route.dst, "via": route.via, **latency}
