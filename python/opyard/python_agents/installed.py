"""Which agents in Python there are."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Mapping

from opyard import _core

GROUP = "opyard.agents"
# Agents of opyard itself that are written in Python.
OWN = {
    "cp_sat": "opyard.cp_sat.agent:CpSatAgent",
    "event_policy": "opyard.event_policy.agent:EventPolicyAgent",
}


def python_agents(found: Mapping[str, tuple[bool, str]] | None = None) -> _core.AgentRegistry:
    """Ours, those that packages offer as entry points, and any MODULE:CLASS; none is loaded yet.

    Args:
        found: Further rows of `opyard doctor` by their names: whether it is there, and the detail.
    """
    # Where Python is part of another program, nothing says how a second one is started.
    command = [sys.executable, "-m", "opyard.python_agents"] if sys.executable else []
    return _core.python_agents(command, installed(), found or {})


def installed() -> dict[str, str]:
    """Where each agent is, as MODULE:CLASS, by its name; no package takes the name of ours."""
    points = importlib.metadata.entry_points(group=GROUP)
    return {point.name: f"{point.module}:{point.attr}" for point in points} | OWN
