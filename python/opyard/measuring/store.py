"""Measurements on disk, kept as they are made, so that an interrupted command goes on."""

from __future__ import annotations

import hashlib
import json
import pickle
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from opyard.execution.errors import ExecutionError
from opyard.execution.program import Program

_TABLES = """
CREATE TABLE IF NOT EXISTS subject (fingerprint TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS facts (device TEXT PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS steps (
  device TEXT NOT NULL, part INTEGER NOT NULL, seconds TEXT NOT NULL, ops TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS copies (
  sender TEXT NOT NULL, receiver TEXT NOT NULL, bytes INTEGER NOT NULL, seconds REAL NOT NULL,
  sender_s REAL NOT NULL, receiver_s REAL NOT NULL);
"""
_VERSION = b"2"  # of the tables


class Copy(NamedTuple):
    """One message between two devices, and what it took of their processors."""

    bytes: int
    seconds: float
    sender_s: float
    receiver_s: float


def fingerprint_of(program: Program, hardware_names: dict[str, str]) -> str:
    """What measurements are of: a program and the hardware of devices by their names."""
    digest = hashlib.sha256(_VERSION + pickle.dumps(program))
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
                    f'"{path}" holds measurements of another model, optimizer or set of devices, '
                    "or of an older opyard: give another --out, or remove it"
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

    def copies(self, sender: str, receiver: str) -> list[Copy]:
        """The copies from one device to another."""
        rows = self._read(
            "SELECT bytes, seconds, sender_s, receiver_s FROM copies "
            "WHERE sender = ? AND receiver = ? ORDER BY rowid",
            (sender, receiver),
        )
        return [Copy(*row) for row in rows]

    def add_copies(self, sender: str, receiver: str, copies: Sequence[Copy]) -> None:
        """Keeps the copies from one device to another."""
        rows = [(sender, receiver, *copy) for copy in copies]
        self._write("INSERT INTO copies VALUES (?, ?, ?, ?, ?, ?)", rows)

    def _read(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        with closing(self._connect()) as connection:
            return connection.execute(query, values).fetchall()

    def _write(self, query: str, rows: list[tuple[Any, ...]]) -> None:
        with closing(self._connect()) as connection, connection:
            connection.executemany(query, rows)
