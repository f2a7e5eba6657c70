"""The results file, read the way docs/formats.md shows."""

from __future__ import annotations

import csv
import math
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from opyard import _core

_FORMATS = Path(__file__).resolve().parents[2] / "docs" / "formats.md"

pytestmark = pytest.mark.skipif(not _core.torch_version, reason="built without LibTorch")


def run(arguments: list[str], folder: Path) -> str:
    """Runs this Python in `folder`; its output."""
    result = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where results/quickstart holds two updates (of 4 plans) of reinforce_lstm."""
    folder = tmp_path_factory.mktemp("results")
    agent = "{name: reinforce_lstm, params: {start: network}}"
    settings = [f"agents=[{agent}]", "budget.evaluations=8", "graphs=[gnmt2]", "seeds=[3]"]
    overrides = [word for setting in settings for word in ("--set", setting)]
    command = ["-m", "opyard", "run", "quickstart", "--out", "results/quickstart", "--quiet"]
    run([*command, *overrides], folder)
    return folder


def test_the_manual_s_python_block_prints_the_training_curve(folder):
    blocks = re.findall(r"```python\n(.*?)```", _FORMATS.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = [block for block in blocks if "training" in block]
    rows = [line.split() for line in run(["-c", block], folder).splitlines()]
    assert [row[:3] for row in rows] == [["gnmt2", "3", "1"], ["gnmt2", "3", "2"]]
    # One of three devices is the host; a policy that has not learned yet is nearly uniform.
    assert 0.9 * math.log(3) < float(rows[0][3]) <= math.log(3) + 1e-6


def test_exported_curves_are_the_stored_ones(folder):
    run(["-m", "opyard", "results", "export", "results/quickstart", "--out", "csv"], folder)
    with (folder / "csv" / "training.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["name"] == "entropy"]
    assert [(row["num_updates"], row["evaluations"]) for row in rows] == [("1", "4"), ("2", "8")]
    assert {row["agent"] for row in rows} == {"reinforce_lstm"}


@pytest.fixture(scope="module", name="parquet")
def fixture_parquet(folder):
    """Where the tables of results/quickstart are as Parquet, too."""
    pytest.importorskip("pyarrow")
    command = ["-m", "opyard", "results", "export", "results/quickstart", "--out", "parquet"]
    printed = run([*command, "--format", "parquet"], folder)
    assert [line.partition(":")[0] for line in printed.splitlines()] == [
        f"parquet/{name}.parquet" for name in ("runs", "history", "training", "trainings", "bounds")
    ]
    return folder


def test_one_documented_line_each_opens_the_tables(parquet, monkeypatch):
    pandas = pytest.importorskip("pandas")
    duckdb = pytest.importorskip("duckdb")
    run(["-m", "opyard", "results", "export", "results/quickstart", "--out", "csv"], parquet)
    page = _FORMATS.read_text(encoding="utf-8")
    lines = re.findall(r"^runs = (.*)$", page, re.MULTILINE)
    assert len(lines) == 4
    monkeypatch.chdir(parquet)
    for line in lines:
        tables = eval(line, {"pandas": pandas, "duckdb": duckdb, "sqlite3": sqlite3})
        runs = tables.df() if line.startswith("duckdb") else tables
        assert list(runs["agent"]) == ["reinforce_lstm"], line
        assert list(runs["seed"]) == [3], line
        assert list(runs["makespan_ps"]) == [whole(parquet, "SELECT makespan_ps FROM runs")], line


def whole(folder: Path, query: str) -> int:
    """The only value of a query on the store."""
    with closing(sqlite3.connect(folder / "results/quickstart/results.sqlite")) as store:
        (value,) = store.execute(query).fetchone()
    return value


def test_parquet_keeps_types_and_null(parquet):
    table = pytest.importorskip("pyarrow.parquet").read_table(parquet / "parquet/runs.parquet")
    types = {field.name: str(field.type) for field in table.schema}
    assert types["makespan_ps"] == "int64"
    assert types["seconds"] == "double"
    assert types["settings"] == "string"
    assert "plan" not in types
    assert table.column("training_id").null_count == 1
    curve = pytest.importorskip("pyarrow.parquet").read_table(parquet / "parquet/training.parquet")
    assert set(curve.column("agent").to_pylist()) == {"reinforce_lstm"}
    assert curve.num_rows == whole(parquet, "SELECT count(*) FROM training")


def test_what_is_no_store_is_bad_input(tmp_path):
    pytest.importorskip("pyarrow")
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE t (x)")
    for results, message in (("none", "no such file"), ("other.sqlite", "another kind")):
        command = ["-m", "opyard", "results", "export", results, "--out", "p", "--format=parquet"]
        ended = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 2
        assert message in ended.stderr
        assert ended.stderr.count("\n") == 1


def test_without_pyarrow_one_line_says_what_to_install(folder):
    code = (
        "import sys; sys.modules['pyarrow'] = None; from opyard.cli import main;"
        "sys.exit(main(['results', 'export', 'results/quickstart', '--out', 'p',"
        " '--format', 'parquet']))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "pip install 'opyard[parquet]'" in ended.stderr
    assert not (folder / "p").exists()
