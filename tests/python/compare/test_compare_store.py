"""Stores of every age, and such as are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import stores
from opyard import _core
from opyard.compare.errors import CompareError
from opyard.compare.store import Store
from stores import opyard

# The columns that schema versions before 4 lack (docs/formats.md, "Results").
LATER_COLUMNS = ("cpu_seconds", "reference_score", "reference_makespan_ps", "reference_seconds",
                 "reference_cpu_seconds", "training_id")  # fmt: skip


def aged(results: Path, to: Path, version: int) -> Path:
    """The store as an older opyard made it."""
    old = stores.copied(results, to)
    with stores.opened(old) as store:
        present = {row[1] for row in store.execute("PRAGMA table_info(runs)")}
        for column in LATER_COLUMNS if version < 4 else ():
            if column in present:
                store.execute(f"ALTER TABLE runs DROP COLUMN {column}")
        for since, table in ((2, "training"), (3, "inputs"), (5, "trainings"), (5, "bounds")):
            if version < since:
                store.execute(f"DROP TABLE IF EXISTS {table}")
        store.execute(f"PRAGMA user_version = {version}")
    return old


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_older_stores_are_read_and_lack_what_they_lack(results, tmp_path, version):
    old = aged(results, tmp_path / "old", version)
    found = json.loads(opyard("compare", str(old), "--json", folder=tmp_path).stdout)
    assert len(found["cells"]) == 16
    assert (found["cells"][0]["cpu_seconds"] is None) == (version < 4)
    replayed = {row["peak_memory_bytes"] is not None for row in found["summaries"]}
    assert replayed == {version >= 3}
    printed = any("kept no graphs and machines" in line for line in found["warnings"])
    assert printed == (version < 3)


def test_a_later_store_is_refused_with_what_reads_it(results, tmp_path):
    later = _core.results_schema_version + 1
    new = aged(results, tmp_path / "new", later)
    text = opyard("compare", str(new), folder=tmp_path, status=2).stderr
    assert f"found results of schema version {later}" in text
    assert "pip install --upgrade opyard" in text


def test_a_folder_without_the_right_to_write_is_read(results, tmp_path, monkeypatch):
    fixed = stores.copied(results, tmp_path / "fixed")
    monkeypatch.setattr("os.access", lambda *_: False)
    with Store(fixed) as store:
        assert len(store.runs()) == 16
    assert [path.name for path in fixed.iterdir()] == ["results.sqlite"]


def test_another_database_is_refused(results, tmp_path):
    other = stores.copied(results, tmp_path / "other")
    stores.execute(other, "PRAGMA application_id = 7")
    with pytest.raises(CompareError, match="another kind of database"):
        Store(other)


def test_a_file_that_is_none_is_refused(tmp_path):
    (tmp_path / "results.sqlite").write_text("no database, but long enough to be read as one")
    with pytest.raises(CompareError, match="not a database"):
        Store(tmp_path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("resolved", "no JSON"),
        ("resolved", '{"problem": {}, "seeds": [0]}'),
        ("matrix", "3"),
        ("matrix", '{"pairs": [["g"]], "agents": []}'),
        ("matrix", '{"pairs": [], "agents": [{"name": "x"}]}'),
    ],
)
def test_a_damaged_experiment_is_refused(results, tmp_path, key, value):
    bad = stores.copied(results, tmp_path / "bad")
    stores.ask(bad)
    stores.put_info(bad, key, value)
    with Store(bad) as store, pytest.raises(CompareError, match="its experiment does not say"):
        store.asked()


def test_damaged_settings_are_refused_by_their_run(results, tmp_path):
    bad = stores.copied(results, tmp_path / "bad")
    stores.execute(bad, "UPDATE runs SET settings = '{}' WHERE id = 3")
    with Store(bad) as store, pytest.raises(CompareError, match="run 3: damaged"):
        store.runs()


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("UPDATE runs SET plan = x'00'", "damaged"),
        ("UPDATE runs SET plan = substr(plan, 1, length(plan) - 5)", "does not end"),
        (
            "UPDATE inputs SET data = (SELECT data FROM inputs WHERE what = 'graph' LIMIT 1)"
            " WHERE what = 'graph'",
            "is another",
        ),
        ("UPDATE runs SET makespan_ps = makespan_ps - 1", "opyard validate"),
    ],
)
def test_what_does_not_simulate_as_stored_is_refused(results, tmp_path, sql, said):
    bad = stores.copied(results, tmp_path / "bad")
    stores.execute(bad, sql)
    text = opyard("compare", str(bad), folder=tmp_path, status=2).stderr
    assert said in text
    assert "Traceback" not in text


def test_a_store_without_runs_is_told(results, tmp_path):
    empty = stores.copied(results, tmp_path / "empty")
    stores.execute(empty, "DELETE FROM runs")
    assert "there are no runs" in opyard("compare", str(empty), folder=tmp_path, status=2).stderr


def test_trainings_and_bounds_are_read_where_there_are_any(results, tmp_path):
    own = stores.copied(results, tmp_path / "own")
    with stores.opened(own) as store:
        present = {row[0] for row in store.execute("SELECT name FROM sqlite_master")}
        columns = {row[1] for row in store.execute("PRAGMA table_info(runs)")}
        if "trainings" not in present:  # as later schemas have them, with what is read of them
            store.execute("CREATE TABLE trainings (id INTEGER PRIMARY KEY, cpu_seconds REAL)")
            store.execute("CREATE TABLE bounds (graph, hardware, kind, makespan_ps)")
        store.execute("DELETE FROM trainings")
    with stores.opened(own) as store:
        names = [row[1] for row in store.execute("PRAGMA table_info(trainings)")]
        values = {"id": 1, "cpu_seconds": 30.0}
        row = [values.get(name, 0 if name in _NUMBERS else "x") for name in names]
        store.execute(f"INSERT INTO trainings VALUES ({', '.join('?' * len(row))})", row)
        if "training_id" not in columns:
            store.execute("ALTER TABLE runs ADD COLUMN training_id INTEGER")
        store.execute("UPDATE runs SET training_id = 1 WHERE agent = 'brkga'")
        store.execute("UPDATE runs SET cpu_seconds = 2 WHERE agent = 'brkga'")
        store.execute("UPDATE runs SET cpu_seconds = 9.5 WHERE agent = 'random'")
    found = json.loads(opyard("compare", str(own), "--json", folder=tmp_path).stdout)
    agents = {row["agent"]: row["training_cpu_seconds"] for row in found["agents"]}
    assert agents["brkga"] == 30.0
    assert agents["random"] is None
    text = opyard("compare", str(own), folder=tmp_path).stdout
    # 30 + 4 × 2 s over 4 runs: 9.5 s each; 30 / (9.5 − 2) = 4 searches of random.
    (cost,) = [line.split() for line in text.splitlines() if line.startswith("brkga  ")
               and line.split()[-2:] == ["30.00", "9.50"]]  # fmt: skip
    assert cost[-3] == "2.00"
    repaid = text[text.index("Searches until training is repaid") :].splitlines()
    assert repaid[2].split()[0] == "brkga"
    assert "4" in repaid[2].split()


_NUMBERS = ("num_updates", "evaluations", "seconds")
