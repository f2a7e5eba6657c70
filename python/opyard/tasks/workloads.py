"""Workloads of a program search: a graph, a machine, and the best step time known for them."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opyard import _core
from opyard.tasks.sandbox import Limits

FILE = "workloads.json"
_FORMAT = "opyard-task/1"
_KEYS = {"format", "limits", "workloads"}


@dataclasses.dataclass(frozen=True)
class Workload:
    """A problem that programs place and order."""

    graph: str
    """A reference, as `load_graph` takes it; paths are absolute or relative to the folder."""
    hardware: str
    best_known_s: float
    """The least step time that is known, in seconds."""
    source: str
    """By what it was found."""
    stage: int = 2
    """1: small, also run as the first stage of a cascade; 2: only with all."""

    @property
    def name(self) -> str:
        """Graph and machine in one word, as a metric is called."""
        return re.sub(r"\W+", "_", f"{self.graph}_on_{self.hardware}").strip("_")

    @property
    def title(self) -> str:
        """Graph and machine for readers."""
        return f"{self.graph} on {self.hardware}"

    def problem(self) -> _core.Problem:
        """Placement and order of single ops; ops that may fuse do.

        Raises:
            InputError: The graph or the machine does not exist, or is not legal.
        """
        tasks = ["placement", "scheduling"]
        return _core.Problem(self.graph, self.hardware, tasks=tasks, group="none")


def write_workloads(path: Path, workloads: Sequence[Workload], limits: Limits) -> None:
    """Writes the workloads of a folder, one per line."""
    lines = ",\n".join(f"  {json.dumps(dataclasses.asdict(each))}" for each in workloads)
    path.write_text(
        f'{{"format": "{_FORMAT}",\n "limits": {json.dumps(dataclasses.asdict(limits))},\n'
        f' "workloads": [\n{lines}\n]}}\n',
        encoding="utf-8",
    )


def read_workloads(folder: Path) -> tuple[list[Workload], Limits]:
    """The workloads of a folder and the limits of programs there.

    Raises:
        InputError: The file is missing, or not legal.
    """
    path = folder / FILE
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _core.InputError(
            f"{path}: {error.strerror}; opyard task new makes such a folder"
        ) from error
    except ValueError as error:
        raise _core.InputError(f"{path}: is no JSON: {error}") from error
    if not isinstance(values, dict) or values.get("format") != _FORMAT or set(values) != _KEYS:
        raise _core.InputError(
            f'{path}: expected the keys {", ".join(sorted(_KEYS))}, with format "{_FORMAT}"'
        )
    limits = _made(Limits, values["limits"], f"{path}#/limits")
    rows = values["workloads"]
    if not isinstance(rows, list) or not rows:
        raise _core.InputError(f"{path}#/workloads: expected a list with an entry at least")
    workloads = [_made(Workload, row, f"{path}#/workloads/{i}") for i, row in enumerate(rows)]
    for i, workload in enumerate(workloads):
        if not (math.isfinite(workload.best_known_s) and workload.best_known_s > 0):
            raise _core.InputError(
                f"{path}#/workloads/{i}/best_known_s: found {workload.best_known_s}, expected a "
                "time above 0"
            )
    return workloads, limits


def _made(kind: type, values: Any, place: str) -> Any:
    """A dataclass from a dict with its keys and types."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    if not isinstance(values, dict) or not set(values) <= set(fields):
        raise _core.InputError(f"{place}: expected some of the keys {', '.join(fields)}")
    types = {"float": (int, float), "int": (int,), "str": (str,)}
    for key, value in values.items():
        if not isinstance(value, types[str(fields[key].type)]) or isinstance(value, bool):
            raise _core.InputError(f"{place}/{key}: found {value!r}, expected {fields[key].type}")
    try:
        return kind(**values)
    except TypeError as error:
        raise _core.InputError(f"{place}: {error}") from error
