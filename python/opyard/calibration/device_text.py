"""The text of a device file that was calibrated."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opyard.authoring.yaml_text import flow

_SCHEMA = "../schema/device.v1.json"
_MOST_WIDTH = 110


def device_text(device: Mapping[str, Any], schema: str = _SCHEMA) -> str:
    """The device as a file: a key a line, blocks that fit a line in one line."""
    lines = [f"# yaml-language-server: $schema={schema}"]
    for key, value in device.items():
        if key == "provenance":
            continue
        lines += _entry(key, value, "")
    if device.get("provenance"):
        lines.append("provenance:")
        lines += [f"  {flow(key)}: {_source(value)}" for key, value in _entries(device)]
    return "\n".join(lines) + "\n"


def _entries(device: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return list(device["provenance"].items())


def _source(entry: Mapping[str, Any]) -> str:
    """Texts quoted, so that dates and versions stay texts."""
    cells = [
        f"{key}: {value if key == 'kind' else json.dumps(value, ensure_ascii=False, default=str)}"
        for key, value in entry.items()
    ]
    return "{" + ", ".join(cells) + "}"


def _entry(key: str, value: Any, indent: str) -> list[str]:
    line = f"{indent}{flow(key)}: {flow(value)}"
    if not isinstance(value, Mapping) or (len(line) <= _MOST_WIDTH and key != "cost"):
        return [line]
    lines = [f"{indent}{flow(key)}:"]
    for inner, part in value.items():
        lines += _entry(inner, part, indent + "  ")
    return lines
