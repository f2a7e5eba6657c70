"""opyard: where op placement, scheduling and fusion agents meet under one simulator.

Importing it needs neither PyTorch nor LibTorch. It registers the gymnasium ids `opyard/...`.
"""

from __future__ import annotations

import os
from pathlib import Path

# A wheel carries the shipped machines, graphs and experiments inside the package; in a checkout
# that folder is absent and the C++ side finds the source tree by itself.
_DATA = Path(__file__).parent / "data"
if _DATA.is_dir():
    os.environ.setdefault("OPYARD_DATA", str(_DATA))

# ruff: noqa: E402  (OPYARD_DATA must be set before the C++ side reads it)
from opyard import _core, envs
from opyard._core import (
    Error,
    Evaluator,
    Graph,
    InputError,
    Machine,
    Op,
    Plan,
    PlanError,
    Problem,
    Tensor,
    UnsupportedError,
    export_plan,
    load_graph,
    load_machine,
    load_plan,
    microbatch,
    op_seconds,
    pipeline_units,
    plan_from_pipeline,
    plan_from_schedule,
    simulate,
)
from opyard.moirai import import_moirai
from opyard.search import (
    AgentInfo,
    AgentOption,
    EagerRun,
    SearchProgress,
    SearchResult,
    agents,
    place,
)
from opyard.views import Explanation, Gantt

__all__ = [
    "AgentInfo",
    "AgentOption",
    "EagerRun",
    "Error",
    "Evaluator",
    "Explanation",
    "Gantt",
    "Graph",
    "InputError",
    "Machine",
    "Op",
    "Plan",
    "PlanError",
    "Problem",
    "SearchProgress",
    "SearchResult",
    "Tensor",
    "UnsupportedError",
    "__version__",
    "agents",
    "envs",
    "export_plan",
    "import_moirai",
    "load_graph",
    "load_machine",
    "load_plan",
    "microbatch",
    "op_seconds",
    "pipeline_units",
    "place",
    "plan_from_pipeline",
    "plan_from_schedule",
    "simulate",
]

__version__: str = _core.__version__

envs.register()
