"""One stored run, and how it went."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

PICOSECOND = 1e-12
DEFAULT_COST_MODEL = "roofline"  # of runs and settings that do not say


@dataclasses.dataclass(frozen=True)
class Run:
    """One row of the table of runs, without its plan."""

    folder: str
    id: int
    graph: str
    hardware: str
    agent: str
    seed: int
    graph_sha256: str
    hardware_sha256: str
    agent_name: str
    params: str
    settings: Mapping[str, Any]
    status: str
    outcome: str
    makespan_ps: int | None
    score: float | None
    evaluations: int
    failures: int
    seconds: float
    seconds_to_best: float | None
    threads: int
    version: str
    reproduce: str
    cpu_seconds: float | None
    training_id: int | None
    start: str | None
    cost_model: str
    agent_bound: float | None  # it proved that no plan scores less, in the units of `score`

    @property
    def is_done(self) -> bool:
        """Whether its best plan completes."""
        return self.status == "done"

    @property
    def makespan_s(self) -> float | None:
        """The step time of its best plan, if that completes."""
        done = self.is_done and self.makespan_ps is not None
        return self.makespan_ps * PICOSECOND if done else None  # type: ignore[operator]

    @property
    def objective(self) -> str:
        """The objective that was minimised, in one word or as JSON."""
        objective = self.settings["problem"]["objective"]
        return objective if isinstance(objective, str) else json.dumps(objective)

    @functools.cached_property
    def value(self) -> float | None:
        """The compared value, in the units of the objective: seconds, bytes or a number."""
        if self.objective == "makespan":
            return self.makespan_s
        return self.score if self.is_done else None


@dataclasses.dataclass(frozen=True)
class History:
    """The improvements of one run, in order."""

    evaluations: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]  # in the units of the objective
