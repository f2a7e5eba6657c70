"""References for found plans: the best that is known of each workload, and bounds."""

from __future__ import annotations

import csv
import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from opyard.compare.bounds import Bound, greatest_bound
from opyard.compare.errors import CompareError
from opyard.compare.matrix import Matrix, Workload
from opyard.compare.run import DEFAULT_COST_MODEL
from opyard.compare.store import Store

TABLE_NAME = "best_known.csv"
_COLUMNS = ("graph", "machine", "tasks", "objective", "queue", "fusion", "score", "lower_bound_s")
_HASHES = ("graph_sha256", "machine_sha256")


@dataclasses.dataclass(frozen=True)
class Reference:
    """The reference of one workload, in the units of its objective."""

    best: float
    source: str  # "best known", "proven optimum" or "these results"
    bound: Bound | None = None  # no plan is better


@dataclasses.dataclass(frozen=True)
class _Row:
    score: float
    bound: float
    hashes: tuple[str, ...]


class BestKnown:
    """A table as `opyard results best-known` writes it (docs/formats.md, "Best known plans")."""

    def __init__(self, path: Path) -> None:
        """Reads it.

        Raises:
            CompareError: It cannot be read, lacks a column, or holds a number that is none.
        """
        self.path = path / TABLE_NAME if path.is_dir() else path
        try:
            text = self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            found = error.strerror if isinstance(error, OSError) else error
            raise CompareError(
                f"{self.path}: {found}; expected a table of `opyard results best-known`, or "
                "its folder"
            ) from error
        reader = csv.DictReader(text.splitlines())
        absent = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
        if absent:
            raise CompareError(
                f"{self.path}: lacks the columns {', '.join(absent)}; expected a table of "
                "`opyard results best-known`"
            )
        self._rows = {self._key(row): self._row(row, line) for line, row in enumerate(reader, 2)}

    @staticmethod
    def _key(row: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(row[name] for name in _COLUMNS[:6])

    def _row(self, row: Mapping[str, str], line: int) -> _Row:
        numbers = []
        for name in ("score", "lower_bound_s"):
            try:
                numbers.append(float(row[name]))
            except (TypeError, ValueError):
                numbers.append(math.nan)
            if not 0 <= numbers[-1] < math.inf:
                raise CompareError(
                    f'{self.path}:{line}: {name}: found "{row[name]}", expected a number from 0'
                )
        score, bound = numbers
        return _Row(score, bound, tuple(row.get(name) or "" for name in _HASHES))

    def find(self, workload: Workload, hashes: tuple[str, str]) -> _Row | None:
        """The row of a workload; None if there is none, as under any but the default cost model.

        Raises:
            CompareError: It is one of another graph or machine of that name.
        """
        if workload.cost_model != DEFAULT_COST_MODEL:
            return None
        words = workload.words
        defaults = words.get("defaults", {})
        key = (
            workload.graph,
            workload.hardware,
            ",".join(words["tasks"]),
            workload.objective,
            defaults.get("queue", ""),
            defaults.get("fusion", ""),
        )
        row = self._rows.get(key)
        if row and any(a and a != b for a, b in zip(row.hashes, hashes, strict=True)):
            raise CompareError(
                f"{self.path}: {workload.label} was another graph or machine (another SHA-256)"
            )
        return row


def find_references(
    matrix: Matrix,
    stores: Sequence[Store],
    best_known: BestKnown | None,
    problem_bounds: Mapping[Workload, float],
) -> dict[Workload, Reference]:
    """The best of these results, of the stores' own tables of optima, and of `best_known`.

    A workload without any is left out: nobody has a plan for it.

    Args:
        matrix: The runs.
        stores: What they are from.
        best_known: A table of best known plans.
        problem_bounds: Bounds of the makespan in seconds, of the workloads that were simulated.
    """
    stored: dict[tuple[str, str], dict[str, float]] = {}
    for store in stores:
        for pair, kinds in store.bounds().items():
            stored.setdefault(pair, {}).update(kinds)
    references = {}
    for workload in matrix.workloads:
        kinds = stored.get((workload.graph, workload.hardware), {})
        if workload in problem_bounds:
            kinds = {**kinds, "problem": problem_bounds[workload]}
        reference = _reference(matrix, workload, kinds, best_known)
        if reference is not None:
            references[workload] = reference
    return references


def _reference(
    matrix: Matrix, workload: Workload, kinds: Mapping[str, float], best_known: BestKnown | None
) -> Reference | None:
    runs = [run for agent in matrix.agents for run in matrix.of(workload, agent)]
    found = [(run.value, "these results") for run in runs if run.value is not None]
    is_time = workload.objective == "makespan"
    bounds = _time_bounds(kinds) if is_time else []
    if is_time:
        for kind, source in (("proven_optimum", "proven optimum"), ("best_known", "best known")):
            found += [(kinds[kind], source)] if kind in kinds else []
    if best_known is not None and runs:
        row = best_known.find(workload, (runs[0].graph_sha256, runs[0].hardware_sha256))
        if row is not None:
            found.append((row.score, "best known"))
            bounds += [Bound(row.bound, "best known")] if is_time else []
    if not found:
        return None
    # Among equal ones, the one that is known from elsewhere.
    best, source = min(found, key=lambda pair: (pair[0], pair[1] == "these results"))
    bounds += [Bound(r.agent_bound, r.agent) for r in runs if r.agent_bound is not None]
    return Reference(best, source, greatest_bound(bounds, best))


def _time_bounds(kinds: Mapping[str, float]) -> list[Bound]:
    sources = (
        ("problem", "problem"),
        ("lower_bound", "problem"),
        ("proven_optimum", "proven optimum"),
    )
    return [Bound(kinds[kind], source) for kind, source in sources if kind in kinds]
