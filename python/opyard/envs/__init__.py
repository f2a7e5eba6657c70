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
from opyard.envs.list_schedule_env import ListScheduleEnv
from opyard.envs.one_shot import OneShotEnv
from opyard.envs.step_env import ImproveEnv, PlacementEnv
from opyard.envs.vector import StepVectorEnv

__all__ = [
    "DEVICE_FEATURE_NAMES",
    "EDGE_FEATURE_NAMES",
    "FEATURE_NAMES",
    "FEATURE_VERSION",
    "FIRST_RATIO",
    "PAIR_FEATURE_NAMES",
    "ImproveEnv",
    "ListScheduleEnv",
    "OneShotEnv",
    "PlacementEnv",
    "StepVectorEnv",
    "register",
]

# The class of an environment and, where there is one, of its vector.
_ENTRY_POINTS = {
    "opyard/OneShot-v0": ("opyard.envs.one_shot:OneShotEnv", "opyard.envs.vector:make_one_shot"),
    "opyard/Placement-v0": (
        "opyard.envs.step_env:PlacementEnv",
        "opyard.envs.vector:make_placement",
    ),
    "opyard/Improve-v0": ("opyard.envs.step_env:ImproveEnv", "opyard.envs.vector:make_improve"),
    "opyard/ListSchedule-v0": (
        "opyard.envs.list_schedule_env:ListScheduleEnv",
        "opyard.envs.vector:make_list_schedule",
    ),
}


def register() -> None:
    """Registers every id with gymnasium, once."""
    for env_id, (entry_point, vector_entry_point) in _ENTRY_POINTS.items():
        if env_id not in gymnasium.registry:
            gymnasium.register(
                id=env_id, entry_point=entry_point, vector_entry_point=vector_entry_point
            )
