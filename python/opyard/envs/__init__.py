"""The gymnasium environments of opyard, registered under `opyard/...` when opyard is imported."""

from __future__ import annotations

import gymnasium

from opyard._core import (
    DEVICE_FEATURE_NAMES,
    EDGE_FEATURE_NAMES,
    FEATURE_NAMES,
    FEATURE_VERSION,
    FIRST_RATIO,
    PAIR_FEATURE_NAMES,
)
from opyard.envs.one_shot import OneShotEnv

__all__ = [
    "DEVICE_FEATURE_NAMES",
    "EDGE_FEATURE_NAMES",
    "FEATURE_NAMES",
    "FEATURE_VERSION",
    "FIRST_RATIO",
    "PAIR_FEATURE_NAMES",
    "OneShotEnv",
    "register",
]

_ENTRY_POINTS = {"opyard/OneShot-v0": "opyard.envs.one_shot:OneShotEnv"}


def register() -> None:
    """Registers every id with gymnasium, once."""
    for env_id, entry_point in _ENTRY_POINTS.items():
        if env_id not in gymnasium.registry:
            gymnasium.register(id=env_id, entry_point=entry_point)
