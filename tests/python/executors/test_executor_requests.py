"""Requests that executors refuse, and pieces of a matrix: each run in exactly one of them."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest
from opyard.executors import concerns_executors
from opyard.executors.described import Experiment
from opyard.executors.errors import ExecutorError
from opyard.executors.piece_store import is_finished, keep_arrived
from opyard.executors.pieces import Pieces, find_pieces, make_pieces
from opyard.executors.request import make_parser, read_request
from opyard.executors.shipment import make_shipment, unpack
from spread_experiment import opyard, runs_of, write_experiment


def experiment(folder: Path, **changes: object) -> Experiment:
    """An experiment of 7 runs in `folder`."""
    resolved = {"graphs": [], "hardware": [], "agents": [{"name": "random"}], **changes}
    return Experiment(
        name="seven",
        folder=folder,
        results=folder / "out",
        num_runs=7,
        indivisible=None,
        inputs={},
        trained=[],
        resolved=resolved,
    )


@pytest.mark.parametrize(
    ("words", "is_concerned"),
    [
        (["run", "e", "--executor", "ray"], True),
        (["tune", "e", "--executor=slurm"], True),
        (["run", "e", "--executor", "local"], False),
        (["run", "e", "--executor", "ray", "--help"], False),
        (["place", "--executor", "ray"], False),
        ([], False),
    ],
)
def test_other_executors_than_this_process_are_recognised(words: list[str], is_concerned: bool):
    assert concerns_executors(words) == is_concerned


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--executor", "ray", "--shard", "1/2"], "expected --pieces"),
        (["--executor", "ray", "--threads", "2"], "expected --cpus-per-piece"),
        (["--executor", "ray", "--submit"], "--submit: found it with --executor ray"),
        (["--executor", "slurm", "--ray-address", "a:1"], "--ray-address: found it with"),
        (["--executor", "ray", "--plugin", "mine.so"], "a shared library is not sent"),
        (["--executor", "ray", "--tensorboard", "e"], "--tensorboard: found it with"),
        (["--executor", "slurm", "--progress-json", "-"], "would write into one file"),
    ],
)
def test_options_that_do_not_go_together_are_refused(words: list[str], message: str):
    with pytest.raises(ExecutorError, match=re.escape(message)):
        read_request(["run", "e.yaml", *words])


@pytest.mark.parametrize("subcommand", ["run", "train", "tune"])
def test_both_programs_know_the_same_options(subcommand: str, tmp_path: Path):
    listed = opyard(tmp_path, "complete", subcommand, "--").stdout.split()
    words = {word for word in listed if word not in ("--help", "--version")}
    known = set(make_parser(subcommand)._option_string_actions) - {"-h", "--help"}
    assert known == words


def test_every_run_is_in_exactly_one_piece(tmp_path: Path):
    for count in range(1, 8):
        pieces = Pieces(results=tmp_path, count=count, num_runs=7)
        sizes = [pieces.runs_of(piece) for piece in range(1, count + 1)]
        assert sum(sizes) == 7
        assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("piece", [2, 3])
def test_pieces_are_as_large_as_the_program_makes_them(piece: int, tmp_path: Path):
    (tmp_path / "e.yaml").write_text(
        "schema_version: 1\nname: seven\ngraphs: ['random:layered?n=5']\n"
        "hardware: [p100x2-pcie]\nagents: [single_device, random, {name: random, label: b}]\n"
        "seeds: [0, 1, 2]\nbudget: {evaluations: 3}\n"
    )
    words = ("--shard", f"{piece}/5", "--dry-run", "--json")
    answer = json.loads(opyard(tmp_path, "run", "e.yaml", *words).stdout)
    assert answer["runs"] == Pieces(results=tmp_path, count=5, num_runs=7).runs_of(piece)


def test_there_are_no_more_pieces_than_runs(tmp_path: Path):
    assert make_pieces(experiment(tmp_path), tmp_path / "out", 100).count == 7


def test_earlier_pieces_are_gone_on_with_unless_they_are_of_something_else(tmp_path: Path):
    out = tmp_path / "out"
    make_pieces(experiment(tmp_path), out, 3)
    found = find_pieces(experiment(tmp_path), out, None, resume=True)
    assert found is not None
    assert found.count == 3
    assert find_pieces(experiment(tmp_path), out, 4, resume=True) is None  # nothing has begun
    found.folder_of(1).mkdir()
    with pytest.raises(ExecutorError, match="--pieces: found 4, there are 3 pieces"):
        find_pieces(experiment(tmp_path), out, 4, resume=True)
    with pytest.raises(ExecutorError, match="budget: the pieces were made with null"):
        find_pieces(experiment(tmp_path, budget=1), out, None, resume=True)
    with pytest.raises(ExecutorError, match="this folder is not empty"):
        find_pieces(experiment(tmp_path), out, None, resume=False)


def test_pieces_that_come_back_are_checked(tmp_path: Path):
    words = ("--set", "budget.evaluations=3", "--shard", "1/2", "--out", "one", "--quiet")
    write_experiment(tmp_path)
    assert opyard(tmp_path, "run", "spread.yaml", *words).returncode == 0
    data = (tmp_path / "one" / "results.sqlite").read_bytes()
    piece = tmp_path / "pieces" / "piece-1"
    keep_arrived(data, piece, "1/2", 7)
    assert is_finished(piece / "results.sqlite", "1/2")
    assert not is_finished(piece / "results.sqlite", "2/2")
    assert len(runs_of(piece)) == 7 + 1
    for damaged in (b"", b"no store at all", data[: len(data) // 2], data[:-4096]):
        with pytest.raises(ExecutorError, match="piece 1/2"):
            keep_arrived(damaged, tmp_path / "damaged", "1/2", 7)
    with pytest.raises(ExecutorError, match="has 7 runs of piece 1/2, expected 7"):
        keep_arrived(data, tmp_path / "damaged", "2/2", 7)
    with pytest.raises(ExecutorError, match="expected 8"):
        keep_arrived(data, tmp_path / "damaged", "1/2", 8)
    other = tmp_path / "other.sqlite"
    sqlite3.connect(other).execute("CREATE TABLE runs (id)").connection.close()
    with pytest.raises(ExecutorError, match="another kind of database"):
        keep_arrived(other.read_bytes(), tmp_path / "damaged", "1/2", 7)
    assert not (tmp_path / "damaged").exists()


def test_files_are_sent_with_their_places(tmp_path: Path):
    place = write_experiment(tmp_path / "here")
    sent = make_shipment(
        experiment(place, graphs=["models/mine.graph.json"], hardware=["machines/two.yaml"]), place
    )
    root = tmp_path / "there"
    unpack(sent, root)
    files = {str(file.relative_to(root)) for file in root.rglob("*") if file.is_file()}
    inside = str(place).lstrip("/")
    assert files == {
        f"{inside}/{name}"
        for name in (
            "models/mine.graph.json",
            "machines/two.yaml",
            "devices/small.yaml",
            ".opyard-sent.yaml",
        )
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"graphs": ["/else/where.graph.json"]}, "absolute path"),
        ({"agents": [{"name": "mine/agent.py:Mine"}]}, "is a file of this machine"),
        ({"agents": [{"name": "go", "params": {"checkpoint": "/w"}}]}, "absolute path"),
    ],
)
def test_what_would_be_something_else_elsewhere_is_not_sent(
    changes: dict[str, object], message: str, tmp_path: Path
):
    with pytest.raises(ExecutorError, match=message):
        make_shipment(experiment(tmp_path, **changes), tmp_path)
