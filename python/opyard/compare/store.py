"""Reads result stores: the SQLite files of `opyard run` (docs/formats.md, "Results")."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import os
import sqlite3
import urllib.parse
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from opyard import _core
from opyard.compare.errors import CompareError
from opyard.compare.reports import CURVE_NAME, Report, Reports, read_curve
from opyard.compare.run import DEFAULT_COST_MODEL, PICOSECOND, History, Run

FILE_NAME = "results.sqlite"
_APPLICATION = 0x6F707964  # "opyd"
_MOST_BYTES = 512 << 20  # of a plan, graph or machine, unpacked
# Since version 1; what came later may be absent.
_COLUMNS = (
    "id",
    "graph",
    "hardware",
    "agent",
    "seed",
    "graph_sha256",
    "hardware_sha256",
    "agent_name",
    "params",
    "settings",
    "status",
    "outcome",
    "makespan_ps",
    "score",
    "evaluations",
    "failures",
    "seconds",
    "seconds_to_best",
    "threads",
    "version",
    "reproduce",
)
_LATER_COLUMNS = ("cpu_seconds", "training_id", "start", "cost_model", "agent_bound")


@dataclasses.dataclass(frozen=True)
class Experiment:
    """The request of an experiment (docs/formats.md, "Results": `resolved` and `matrix`)."""

    problem: Mapping[str, Any]  # its key `problem`, with all defaults
    pairs: list[tuple[str, str]]  # graph, machine
    seeds: list[int]
    seeds_of: dict[str, list[int]]  # by agent: fewer of those that sample nothing


def _read_experiment(resolved: Mapping[str, Any], matrix: Mapping[str, Any]) -> Experiment:
    problem = resolved["problem"]
    problem["tasks"], problem["objective"]
    return Experiment(
        problem=problem,
        pairs=[(graph, hardware) for graph, hardware in matrix["pairs"]],
        seeds=list(resolved["seeds"]),
        seeds_of={agent["label"]: list(agent["seeds"]) for agent in matrix["agents"]},
    )


def file_of(results: Path) -> Path:
    """The file that a results folder, or a file, means."""
    return results / FILE_NAME if results.is_dir() else results


def _address(path: Path) -> str:
    """To read only. Where nobody may write, SQLite cannot make the index of its log, either."""
    has_log = path.with_name(f"{path.name}-wal").exists()
    is_fixed = not has_log and not os.access(path.parent, os.W_OK)
    return f"file:{urllib.parse.quote(str(path))}?mode=ro{'&immutable=1' if is_fixed else ''}"


class Store:
    """One store, open to read. Use it as a context."""

    def __init__(self, results: Path) -> None:
        """Opens it.

        Raises:
            CompareError: There is none, or it is none of ours, damaged, or of a later version.
        """
        self.path = file_of(results)
        self.folder = str(results)
        if not self.path.is_file():
            raise CompareError(
                f"{self.path}: there is no such file, expected the results of `opyard run`"
            )
        self._database = sqlite3.connect(_address(self.path.resolve()), uri=True)
        with self._told():
            self._check()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Errors of SQLite as ours."""
        try:
            yield
        except sqlite3.Error as error:
            raise CompareError(f"{self.path}: {error}") from error

    def _check(self) -> None:
        (application,) = self._database.execute("PRAGMA application_id").fetchone()
        (self.version,) = self._database.execute("PRAGMA user_version").fetchone()
        if application != _APPLICATION:
            raise CompareError(
                f"{self.path}: found another kind of database, expected the results of `opyard run`"
            )
        if not 1 <= self.version <= _core.results_schema_version:
            raise CompareError(
                f"{self.path}: found results of schema version {self.version}, expected 1 to "
                f"{_core.results_schema_version}: they are of a later opyard, which has to read "
                "them (pip install --upgrade opyard)"
            )

    def columns(self, table: str) -> set[str]:
        """The columns of a table; empty if there is none."""
        return {row[1] for row in self._database.execute(f"PRAGMA table_info({table})")}

    def experiment(self) -> str:
        """The name of the experiment."""
        return self._info("experiment") or ""

    def asked(self) -> Experiment | None:
        """The request of the experiment; None in stores that did not keep it (before version 5)."""
        resolved, matrix = self._info("resolved"), self._info("matrix")
        if not resolved or not matrix:
            return None
        if self.version < _core.first_schema_with_new_names:
            resolved, matrix = _core.experiment_with_new_names(resolved, matrix)
        try:
            return _read_experiment(json.loads(resolved), json.loads(matrix))
        except (ValueError, TypeError, KeyError) as error:
            raise CompareError(
                f"{self.path}: damaged: its experiment does not say what was asked"
            ) from error

    def _info(self, key: str) -> str | None:
        with self._told():
            row = self._database.execute("SELECT value FROM info WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def runs(self) -> list[Run]:
        """All runs, in the order in which they ended."""
        with self._told():
            present = self.columns("runs")
            later = [name if name in present else "NULL" for name in _LATER_COLUMNS]
            words = ", ".join([*_COLUMNS, *later])
            rows = self._database.execute(f"SELECT {words} FROM runs ORDER BY id").fetchall()
        return [self._run(row) for row in rows]

    def _run(self, row: tuple[Any, ...]) -> Run:
        fields = dict(zip((*_COLUMNS, *_LATER_COLUMNS), row, strict=True))
        fields["settings"] = self._settings(fields["settings"], fields["id"])
        fields["cost_model"] = fields["cost_model"] or DEFAULT_COST_MODEL
        if self.version < _core.first_schema_with_new_names:
            fields["agent"], fields["agent_name"], fields["params"] = _core.with_new_names(
                fields["agent"], fields["agent_name"], fields["params"]
            )
        return Run(folder=self.folder, **fields)

    def _settings(self, text: str, run: int) -> Mapping[str, Any]:
        try:
            settings = json.loads(text)
            settings["problem"]["objective"], settings["problem"]["tasks"]
        except (ValueError, KeyError, TypeError) as error:
            raise CompareError(
                f"{self.path}: run {run}: damaged: its settings do not say what was asked"
            ) from error
        return settings

    def training_cpu_seconds(self) -> dict[int, float]:
        """The processor time of the trainings for runs of this store, by their ids."""
        with self._told():
            if "cpu_seconds" not in self.columns("trainings"):
                return {}
            return dict(self._database.execute("SELECT id, cpu_seconds FROM trainings"))

    def training_reports(self) -> dict[str, Reports]:
        """The curves of the trainings for runs of this store, by agent, as far as they are there.

        They are in the results folder, beside the weights (docs/formats.md, "Training").
        """
        with self._told():
            if "weights" not in self.columns("trainings"):
                return {}
            rows = self._database.execute("SELECT agent, weights FROM trainings").fetchall()
        folder = self.path.parent.resolve()
        found = {}
        for agent, weights in rows:
            path = (folder / weights).with_name(CURVE_NAME).resolve()
            if path.is_relative_to(folder) and (reports := read_curve(path)):
                found[agent] = reports
        return found

    def reports(self) -> dict[int, Reports]:
        """The values that agents reported of their updates, by the run's id and their names."""
        with self._told():
            if not self.columns("training"):
                return {}
            rows = self._database.execute(
                "SELECT run, name, num_updates, value FROM training ORDER BY run, name, num_updates"
            ).fetchall()
        found: dict[int, dict[str, Report]] = {}
        for (run, name), part in itertools.groupby(rows, key=lambda row: row[:2]):
            table = np.array([row[2:] for row in part], dtype=np.float64)
            found.setdefault(run, {})[name] = Report(table[:, 0], table[:, 1])
        return {**found}

    def bounds(self) -> dict[tuple[str, str], dict[str, float]]:
        """Makespans in seconds that plans are measured against: graph, machine → kind → s."""
        found: dict[tuple[str, str], dict[str, float]] = {}
        with self._told():
            if "makespan_ps" not in self.columns("bounds"):
                return {}
            for graph, hardware, kind, makespan_ps in self._database.execute(
                "SELECT graph, hardware, kind, makespan_ps FROM bounds"
            ):
                found.setdefault((graph, hardware), {})[kind] = makespan_ps * PICOSECOND
        return found

    def histories(self) -> dict[int, History]:
        """The improvements of each run that has any, by the run's id; scores where they differ."""
        with self._told():
            rows = self._database.execute(
                "SELECT run, evaluations, seconds, score FROM history ORDER BY run, evaluations"
            ).fetchall()
        if not rows:
            return {}
        table = np.array(rows, dtype=np.float64)
        ids, first = np.unique(table[:, 0], return_index=True)
        parts = np.split(table, first[1:])
        return {
            int(run): History(part[:, 1], part[:, 2], part[:, 3])
            for run, part in zip(ids, parts, strict=True)
        }

    def plan(self, run: int) -> bytes | None:
        """The text of the best plan of a run; None without one."""
        with self._told():
            row = self._database.execute("SELECT plan FROM runs WHERE id = ?", (run,)).fetchone()
        return self._unpacked(row[0], f"run {run}") if row and row[0] is not None else None

    def input(self, sha256: str) -> bytes | None:
        """The text of a graph or machine; None where the store has none (before version 3)."""
        with self._told():
            if not self.columns("inputs"):
                return None
            row = self._database.execute(
                "SELECT data FROM inputs WHERE sha256 = ?", (sha256,)
            ).fetchone()
        return self._unpacked(row[0], "a stored input") if row else None

    def _unpacked(self, data: bytes, what: str) -> bytes:
        unpacker = zlib.decompressobj()
        try:
            text = unpacker.decompress(data, _MOST_BYTES)
        except zlib.error as error:
            raise CompareError(f"{self.path}: {what}: damaged: {error}") from error
        if not unpacker.eof:
            raise CompareError(f"{self.path}: {what}: damaged: it does not end as packed text does")
        return text
