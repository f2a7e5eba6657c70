"""The result stores of pieces: what they hold, and whether what came back is one."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from opyard.executors.errors import ExecutorError

STORE = "results.sqlite"
MOST_BYTES = 512 << 20  # of a piece that comes back
_APPLICATION = 0x6F707964  # "opyd": PRAGMA application_id of a results file


@contextlib.contextmanager
def _opened(store: Path) -> Iterator[sqlite3.Connection]:
    """A store to read only, whose own statements, such as those of triggers, are not trusted."""
    connection = sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if application != _APPLICATION:
            raise sqlite3.DatabaseError("found another kind of database")
        yield connection
    finally:
        connection.close()


def _info(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT key, value FROM info"))


def _num_expected(matrix: str) -> int:
    """The cells of a matrix, as the C++ program counts them: pairs × seeds of each agent."""
    what = json.loads(matrix)
    return len(what["pairs"]) * sum(len(agent["seeds"]) for agent in what["agents"])


def _num_of_shard(num_cells: int, shard: str) -> int:
    if not shard:
        return num_cells
    index, count = map(int, shard.split("/"))
    return num_cells // count + (1 if index <= num_cells % count else 0)


def count_missing(store: Path) -> int | None:
    """Counts the runs that a store, of a piece or of all, still lacks.

    None where there is no store, or one whose making was cut short.
    """
    if not store.is_file() or store.stat().st_size == 0:
        return None
    try:
        with _opened(store) as connection:
            info = _info(connection)
            (num_runs,) = connection.execute("SELECT COUNT(*) FROM runs").fetchone()
            expected = _num_expected(info["matrix"])
            return max(0, _num_of_shard(expected, info.get("shard", "")) - num_runs)
    except (sqlite3.DatabaseError, KeyError, ValueError, TypeError):
        return None


def is_finished(store: Path, shard: str) -> bool:
    """True if `store` is that of the piece `shard` ("2/4"), and holds all of its runs."""
    if count_missing(store) != 0:
        return False
    with _opened(store) as connection:
        return _info(connection).get("shard", "") == _text_of(shard)


def _text_of(shard: str) -> str:
    """A piece as stores name it: 1 of 1 is the whole."""
    return "" if shard == "1/1" else shard


def keep_arrived(data: bytes, folder: Path, shard: str, num_runs: int) -> None:
    """Makes `folder` the results folder of a piece that came back as bytes, as a whole.

    Whatever ends the process, the folder holds the whole piece or is not there.

    Args:
        data: The file `results.sqlite` of the piece.
        folder: Where it goes; what is there is replaced.
        shard: Which piece it has to be.
        num_runs: How many runs it has to hold, each of another cell.

    Raises:
        ExecutorError: `data` is no such store.
    """
    if len(data) > MOST_BYTES:
        raise ExecutorError(f"piece {shard}: {len(data)} bytes came back, at most {MOST_BYTES}", 1)
    beside = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    try:
        (beside / STORE).write_bytes(data)
        _check(beside / STORE, shard, num_runs)
        shutil.rmtree(folder, ignore_errors=True)
        beside.replace(folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _check(store: Path, shard: str, num_runs: int) -> None:
    try:
        with _opened(store) as connection:
            found = _info(connection).get("shard", "")
            (cells,) = connection.execute(
                "SELECT COUNT(*) FROM (SELECT DISTINCT graph, hardware, agent, seed FROM runs)"
            ).fetchone()
            (damage,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        raise ExecutorError(f"piece {shard}: what came back is no store: {error}", 1) from error
    if damage != "ok":
        raise ExecutorError(f"piece {shard}: what came back is damaged: {damage}", 1)
    if found != _text_of(shard) or cells != num_runs:
        raise ExecutorError(
            f"piece {shard}: what came back has {cells} runs of piece {found or '1/1'}, "
            f"expected {num_runs}",
            1,
        )
