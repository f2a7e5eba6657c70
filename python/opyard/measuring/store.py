"""Measurements on disk, kept as they are made, so that an interrupted command goes on."""

from __future__ import annotations

import hashlib
import json
import pickle
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from opyard.execution.errors import ExecutionError
from opyard.execution.program import Program

_TABLES = """
CREATE TABLE IF NOT EXISTS subject (fingerprint TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS facts (device TEXT PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS steps (
  device TEXT NOT NULL, part INTEGER NOT NULL, seconds TEXT NOT NULL, ops TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS copies (
  sender TEXT NOT NULL, receiver TEXT NOT NULL, bytes INTEGER NOT NULL, seconds REAL NOT NULL);
"""


def fingerprint_of(program: Program, hardware_names: dict[str, str]) -> str:
    """What measurements are of: a program and the hardware of devices by their names."""
    digest = hashlib.sha256(pickle.dumps(program))
    digest.update(json.dumps(hardware_names, sort_keys=True).encode())
    return digest.hexdigest()


class Store:
    """The measurements of one model on some devices, in one SQLite file.

    Raises:
        ExecutionError: The file holds those of another model or of other hardware.
    """

    def __init__(self, path: Path, fingerprint: str) -> None:
        self._path = path
        with closing(self._connect()) as connection, connection:
            connection.executescript(_TABLES)
            row = connection.execute("SELECT fingerprint FROM subject").fetchone()
            if row is None:
                connection.execute("INSERT INTO subject VALUES (?)", (fingerprint,))
            elif row[0] != fingerprint:
                raise ExecutionError(
                    f'"{path}" holds measurements of another model, optimizer or set of devices: '
                    "give another --out, or remove it"
                )

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path)

    def facts(self, device: str) -> dict[str, Any] | None:
        """What was found of a device as a whole; None if nothing was."""
        rows = self._read("SELECT json FROM facts WHERE device = ?", (device,))
        return json.loads(rows[0][0]) if rows else None

    def set_facts(self, device: str, facts: dict[str, Any]) -> None:
        """Keeps what was found of a device as a whole."""
        self._write("INSERT OR REPLACE INTO facts VALUES (?, ?)", [(device, json.dumps(facts))])

    def steps(self, device: str) -> list[tuple[list[float], list[dict[int, float]]]]:
        """For each part: seconds of whole steps, and seconds by op of others."""
        rows = self._read(
            "SELECT seconds, ops FROM steps WHERE device = ? ORDER BY part", (device,)
        )
        return [
            (json.loads(seconds), [{int(op): s for op, s in step} for step in json.loads(ops)])
            for seconds, ops in rows
        ]

    def add_steps(
        self, device: str, seconds: Sequence[float], ops: Sequence[dict[int, float]]
    ) -> None:
        """Keeps a part of the steps of a device."""
        part = len(self.steps(device))
        text = json.dumps([list(step.items()) for step in ops])
        self._write(
            "INSERT INTO steps VALUES (?, ?, ?, ?)",
            [(device, part, json.dumps(list(seconds)), text)],
        )

    def copies(self, sender: str, receiver: str) -> list[tuple[int, float]]:
        """Bytes and seconds of each copy from one device to another."""
        return self._read(
            "SELECT bytes, seconds FROM copies WHERE sender = ? AND receiver = ? ORDER BY rowid",
            (sender, receiver),
        )

    def add_copies(self, sender: str, receiver: str, times: dict[int, list[float]]) -> None:
        """Keeps the times of copies by size."""
        rows = [(sender, receiver, size, s) for size, each in times.items() for s in each]
        self._write("INSERT INTO copies VALUES (?, ?, ?, ?)", rows)

    def _read(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        with closing(self._connect()) as connection:
            return connection.execute(query, values).fetchall()

    def _write(self, query: str, rows: list[tuple[Any, ...]]) -> None:
        with closing(self._connect()) as connection, connection:
            connection.executemany(query, rows)
