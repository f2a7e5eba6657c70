"""`opyard results export --format parquet`; CSV is the C++ program's."""

from __future__ import annotations

import argparse
import importlib
import sqlite3
import sys
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

from opyard.export.arguments import Parser

_APPLICATION = 0x6F707964  # "opyd": PRAGMA application_id of a results file
_FILE = "results.sqlite"
# Table -> what is left out of it. A table that an older store lacks is not written.
_TABLES = {
    "runs": {"plan"},
    "history": set[str](),
    "training": set[str](),
    "trainings": set[str](),
    "bounds": set[str](),
}
_CELL = ("graph", "hardware", "agent", "seed")


class ParquetError(Exception):
    """A store cannot be read, or the tables cannot be written."""


def concerns_parquet(arguments: list[str]) -> bool:
    """True if `arguments` ask to export results as Parquet."""
    if arguments[:2] != ["results", "export"] or {"--help", "-h"} & set(arguments):
        return False
    return "--format=parquet" in arguments or ("--format", "parquet") in pairwise(arguments)


def run(arguments: list[str]) -> int:
    """Runs the command; returns its exit status: 0, or 2 for bad input."""
    args = _parser().parse_args(arguments[2:])
    try:
        for file, num_rows in export(Path(args.results), Path(args.out)):
            print(f"{file}: {num_rows} rows")
    except (ParquetError, OSError) as error:
        print(f"opyard results export: {error}", file=sys.stderr)
        return 2
    return 0


def export(results: Path, folder: Path) -> list[tuple[Path, int]]:
    """Writes the tables of a store as Parquet files.

    Args:
        results: A results folder or its file.
        folder: Where the files go; made if it is absent.

    Returns:
        Each file with its number of rows.

    Raises:
        ParquetError: pyarrow is missing, or `results` is no store.
    """
    arrow, parquet = _arrow()
    written = []
    with closing(_open(results)) as store:
        tables = {row[0] for row in store.execute("SELECT name FROM sqlite_master")}
        folder.mkdir(parents=True, exist_ok=True)
        for name in _TABLES:
            if name in tables:
                table = _table(store, name, arrow)
                _write(table, folder / f"{name}.parquet", parquet)
                written.append((folder / f"{name}.parquet", table.num_rows))
    return written


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="opyard results export",
        epilog="Example: opyard results export results/mine --out parquet --format parquet",
    )
    parser.add_argument("results", metavar="RESULTS", help="results folder or file")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder to write the tables to")
    parser.add_argument("--format", choices=("csv", "parquet"))
    return parser


def _arrow() -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise ParquetError(
            "--format parquet needs pyarrow, which is not installed: "
            "pip install 'opyard[parquet]', or export as CSV"
        ) from error


def _open(results: Path) -> sqlite3.Connection:
    file = results / _FILE if results.is_dir() else results
    if not file.is_file():
        raise ParquetError(f"{file}: no such file; expected the results of `opyard run`")
    store = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
    try:
        (application,) = store.execute("PRAGMA application_id").fetchone()
    except sqlite3.DatabaseError as error:
        store.close()
        raise ParquetError(f"{file}: {error}") from error
    if application != _APPLICATION:
        store.close()
        raise ParquetError(
            f"{file}: found another kind of database, expected the results of `opyard run`"
        )
    return store


def _table(store: sqlite3.Connection, name: str, arrow: Any) -> Any:
    """A table with the types of its columns, each row with the cell of its run."""
    types = {"INTEGER": arrow.int64(), "REAL": arrow.float64(), "TEXT": arrow.string()}
    columns = {
        row[1]: types[row[2]]
        for row in store.execute(f"PRAGMA table_info({name})")
        if row[1] not in _TABLES[name]
    }
    chosen = [f"{name}.{column}" for column in columns]
    source = name
    if "run" in columns:
        chosen += [f"runs.{column} AS {column}" for column in _CELL]
        columns |= {"graph": types["TEXT"], "hardware": types["TEXT"], "agent": types["TEXT"]}
        columns["seed"] = types["INTEGER"]
        source += f" JOIN runs ON runs.id = {name}.run"
    rows = store.execute(f"SELECT {', '.join(chosen)} FROM {source}").fetchall()
    values = zip(*rows, strict=True) if rows else ([] for _ in columns)
    arrays = [arrow.array(v, type=t) for v, t in zip(values, columns.values(), strict=True)]
    return arrow.Table.from_arrays(arrays, names=list(columns))


def _write(table: Any, file: Path, parquet: Any) -> None:
    """Writes a file as a whole: readers see the old one or the new one."""
    beside = file.with_name(f".{file.name}.new")
    parquet.write_table(table, beside)
    beside.replace(file)
