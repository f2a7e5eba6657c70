"""The pieces of a matrix in its results folder, finished or not."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opyard.executors.described import Experiment
from opyard.executors.errors import ExecutorError
from opyard.executors.piece_store import STORE, count_missing, is_finished

FOLDER = "pieces"  # in the results folder; nothing else is there before the pieces are joined
_RECORD = "asked.json"  # in FOLDER: what the pieces are of
_SCHEMA_VERSION = 1


@dataclasses.dataclass(frozen=True)
class Pieces:
    """`count` pieces of the matrix of an experiment, in folders of their own."""

    results: Path
    count: int
    num_runs: int  # of all of them

    @property
    def folder(self) -> Path:
        """The folder that holds them all."""
        return self.results / FOLDER

    def folder_of(self, piece: int) -> Path:
        """The results folder of a piece; pieces are counted from 1."""
        return self.folder / f"piece-{piece}"

    def shard_of(self, piece: int) -> str:
        """The piece as `opyard run --shard` takes it."""
        return f"{piece}/{self.count}"

    def runs_of(self, piece: int) -> int:
        """The number of runs of a piece: `opyard run --shard` deals them in turn."""
        return self.num_runs // self.count + (1 if piece <= self.num_runs % self.count else 0)

    def is_joined(self) -> bool:
        """True if the results hold all runs, whatever has become of the pieces."""
        return count_missing(self.results / STORE) == 0

    def missing(self) -> list[int]:
        """The pieces that lack runs, in order; none once they are joined."""
        if self.is_joined():
            return []
        return [
            piece
            for piece in range(1, self.count + 1)
            if not is_finished(self.folder_of(piece) / STORE, self.shard_of(piece))
        ]

    def drop(self) -> None:
        """Deletes the stores of the pieces, which are joined."""
        for piece in range(1, self.count + 1):
            shutil.rmtree(self.folder_of(piece), ignore_errors=True)


def find_pieces(
    experiment: Experiment, results: Path, asked: int | None, *, resume: bool
) -> Pieces | None:
    """The pieces that an earlier call has made, which this one goes on with.

    Args:
        experiment: Whose matrix is divided.
        results: The results folder.
        asked: How many pieces the user wants; None for as many as there are.
        resume: Whether to go on with what is there.

    Returns:
        None where the folder is absent or empty, or where no piece has begun and the user asks for
        another number of them.

    Raises:
        ExecutorError: The folder holds something else, or pieces of another experiment.
    """
    record = results / FOLDER / _RECORD
    if not resume:
        _refuse_unless_empty(results)
        return None
    if record.exists():
        stored = _read(record)
        may_differ = not _has_begun(results)
        _compare(record, stored, experiment, None if may_differ else asked)
        if may_differ and asked is not None:
            return None
        return Pieces(results=results, count=stored["pieces"], num_runs=experiment.num_runs)
    if (results / STORE).exists():
        raise ExecutorError(
            f"{results}: holds runs of --executor local, which are no pieces; expected another "
            "--out, or --executor local to go on with them"
        )
    return None


def make_pieces(experiment: Experiment, results: Path, count: int) -> Pieces:
    """Makes the folder of the pieces: `count`, but no more than there are runs."""
    count = max(1, min(count, experiment.num_runs))
    record = results / FOLDER / _RECORD
    record.parent.mkdir(parents=True, exist_ok=True)
    _write(record, {"pieces": count, "experiment": experiment.resolved})
    return Pieces(results=results, count=count, num_runs=experiment.num_runs)


def _has_begun(results: Path) -> bool:
    return (results / STORE).exists() or any((results / FOLDER).glob("piece-*"))


def _refuse_unless_empty(results: Path) -> None:
    if results.exists() and (not results.is_dir() or any(results.iterdir())):
        raise ExecutorError(
            f"{results}: this folder is not empty; expected an absent or empty one, or --resume "
            "to go on with the results in it"
        )


def _write(record: Path, what: Mapping[str, Any]) -> None:
    beside = record.with_name(f".{record.name}.new")
    text = json.dumps({"schema_version": _SCHEMA_VERSION, **what}, indent=1)
    beside.write_text(text + "\n", encoding="utf-8")
    beside.replace(record)


def _read(record: Path) -> dict[str, Any]:
    try:
        stored = json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ExecutorError(f"{record}: cannot be read: {error}") from error
    if (
        not isinstance(stored, dict)
        or stored.get("schema_version") != _SCHEMA_VERSION
        or not isinstance(stored.get("pieces"), int)
        or not isinstance(stored.get("experiment"), dict)
    ):
        raise ExecutorError(f"{record}: found something else, expected what an executor wrote")
    return stored


def _compare(
    record: Path, stored: Mapping[str, Any], experiment: Experiment, asked: int | None
) -> None:
    """Refuses to go on with pieces of something else, each difference by its key."""
    lines = []
    if asked is not None and min(asked, experiment.num_runs) != stored["pieces"]:
        lines.append(f"--pieces: found {asked}, there are {stored['pieces']} pieces")
    before, now = stored["experiment"], experiment.resolved
    lines += [
        f"{key}: the pieces were made with {_short(before.get(key))}, the experiment says "
        f"{_short(now.get(key))}"
        for key in sorted({*before, *now})
        if before.get(key) != now.get(key)
    ]
    if lines:
        lines.append("give other pieces another --out")
        raise ExecutorError("\n".join(f"{record}: {line}" for line in lines))


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
