"""A machine that another one is the pattern of: `opyard profile new --from MACHINE`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opyard import _core
from opyard.authoring.cards import known_types, type_folders
from opyard.authoring.draft import (
    DeviceEntry,
    LinkEntry,
    MachineDraft,
    RouteEntry,
    assumed,
    numbered,
)
from opyard.authoring.units import parse_rate, parse_time

_RULES = ("memory_pools", "rules", "execution", "fusion", "transfers", "memory")


@dataclass
class Pattern:
    """A machine whose values stand in for answers."""

    reference: str  # a file, or the name of a shipped machine
    values: dict[str, Any]  # as of Machine.to_dict
    card: str  # the type of its first accelerator, else of its first device
    count: int  # devices of that type
    host: str | None  # the type of its first processor beside cards

    @property
    def file(self) -> Path | None:
        """Its file, None for a shipped machine."""
        return Path(self.reference) if self.reference.endswith(".yaml") else None


def read_pattern(reference: str) -> Pattern:
    """Reads the machine of `--from`."""
    values = _core.load_machine(reference).to_dict()
    devices = values["devices"]
    cards = [device for device in devices if device["kind"] != "cpu"] or devices
    card = cards[0]["type"]
    hosts = [device["type"] for device in devices if device["kind"] == "cpu"]
    return Pattern(
        reference=reference,
        values=values,
        card=card,
        count=sum(device["type"] == card for device in devices),
        host=next((host for host in hosts if host != card), None),
    )


def copied_machine(pattern: Pattern, name: str, card: str, host: str | None) -> MachineDraft:
    """The links, routes and rules of `pattern` around devices of type `card` and `host`."""
    values = pattern.values
    draft = MachineDraft(name, comment=_comment(pattern, card))
    for device in values["devices"]:
        _add_device(draft, device, pattern, card, host)
    draft.switches = list(values.get("switches", []))
    source = assumed(f"as of {pattern.reference}; look up or measure those of this machine")
    draft.links = [_link(link, source) for link in values.get("links", [])]
    draft.routes = [_route(route) for route in values.get("routes", [])]
    draft.rules = _rules_of(values)
    kept = {"devices": True, "switches": draft.switches, "routes": draft.routes} | draft.rules
    draft.provenance = {key: source for key, value in kept.items() if value and key != "rules"}
    return draft


def _comment(pattern: Pattern, card: str) -> list[str]:
    return [
        f"{pattern.count} x {card}, joined as in {pattern.reference}.",
        "",
        "Made by `opyard profile new --from`: links, routes and rules are those of the pattern, so",
        "that all of them are `assumed` here. Replace what you know, and its provenance.",
    ]


def _add_device(
    draft: MachineDraft, device: dict[str, Any], pattern: Pattern, card: str, host: str | None
) -> None:
    """Adds a device, to the entry before it if it goes on with its numbers."""
    fields = _overrides(device)
    type_name = {pattern.card: card, pattern.host: host or pattern.host}.get(
        device["type"], device["type"]
    )
    if type_name != device["type"] and fields:
        draft.warnings.append(
            f"{device['name']}: {', '.join(fields)} of {pattern.reference} replaced figures of "
            f"{device['type']} and were left out for {type_name}"
        )
        fields = {}
    last = draft.devices[-1] if draft.devices else None
    if last is not None and last.type == type_name and last.fields == fields:
        stem = last.name if last.count is not None else last.name.removesuffix("0")
        count = (last.count or 1) + 1
        if numbered(stem, count) == [*last.names(), device["name"]]:
            last.name, last.count = stem, count
            return
    draft.devices.append(DeviceEntry(device["name"], type_name, None, fields))


def _overrides(device: dict[str, Any]) -> dict[str, Any]:
    """The fields that differ from those of the device's type, if that is a shipped one."""
    try:
        machine = _core.Machine.from_dict(_alone({"name": "device", "type": device["type"]}))
    except _core.InputError:
        return {}
    plain = machine.to_dict()["devices"][0]
    return {
        key: value
        for key, value in device.items()
        if key not in ("name", "type") and plain.get(key) != value
    }


def _alone(device: dict[str, Any]) -> dict[str, Any]:
    return {"schema_version": 1, "name": "alone", "devices": [device]}


def _link(link: dict[str, Any], source: Any) -> LinkEntry:
    return LinkEntry(
        link["name"],
        list(link["between"]),
        parse_rate(link["bandwidth"], "bandwidth"),
        parse_time(link["latency"], "latency"),
        source,
        link["duplex"],
    )


def _route(route: dict[str, Any]) -> RouteEntry:
    return RouteEntry(route["from"], route["to"], list(route["via"]), route.get("latency"))


def _rules_of(values: dict[str, Any]) -> dict[str, Any]:
    """The rules that are not those of every machine."""
    device = {**values["devices"][0], "name": "device"}
    device.pop("memory_pool", None)
    usual = _core.Machine.from_dict(_alone(device)).to_dict()
    rules = {key: _difference(values[key], usual.get(key)) for key in _RULES if key in values}
    return {key: rule for key, rule in rules.items() if rule}


def _difference(rule: Any, usual: Any) -> Any:
    """The unusual part of a rule; None if all of it is usual."""
    if isinstance(rule, dict) and isinstance(usual, dict):
        return {key: value for key, value in rule.items() if usual.get(key) != value}
    return None if rule == usual else rule


def types_to_copy(draft: MachineDraft, pattern: Pattern, out: Path) -> list[Path]:
    """The device files beside the pattern that `out` would not find."""
    known = set(known_types(None if _core.is_standard_output(out) else out))
    known |= {each.name for each in draft.types}
    paths = []
    for name in dict.fromkeys(entry.type for entry in draft.devices):
        if name in known or pattern.file is None:
            continue
        found = [folder / f"{name}.yaml" for folder in type_folders(pattern.file)]
        paths += [path for path in found if path.is_file()][:1]
    return paths
