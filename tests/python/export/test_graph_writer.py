"""The writer of opyard-graph/1, and the command where torch is missing. No torch."""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path

import pytest
from opyard.export.command import add_parser, run
from opyard.export.errors import ExportError
from opyard.export.graph_writer import GRAPH_SUFFIXES, Graph, Op, Output, graph_text, write_graph
from opyard.export.output_file import check_out


def small_graph() -> Graph:
    x = Op("x", "Placeholder", outputs=[Output(8, (2,), "f32")], phase="forward")
    y = Op("y", "Relu", inputs=[(x, 0)], outputs=[Output(8, (2,), "f32", keep=True)], flops=2)
    return Graph("small", "hand-written", [x, y])


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers(dest="subcommand"))
    return parser.parse_args(["export", "torch", *arguments])


def test_text_holds_one_op_per_line_and_only_keys_that_say_something() -> None:
    lines = graph_text(small_graph()).splitlines()
    assert len(lines) == 4  # header, two ops, end
    assert json.loads(lines[2]) == {
        "name": "y",
        "type": "Relu",
        "inputs": [[0, 0]],
        "outputs": [{"bytes": 8, "shape": [2], "dtype": "f32", "keep": True}],
        "flops": 2,
    }


def test_packed_file_is_the_same_text_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("a.json.gz", "b.json.gz"):
        write_graph(small_graph(), tmp_path / name)
    first, second = (tmp_path / "a.json.gz").read_bytes(), (tmp_path / "b.json.gz").read_bytes()
    assert first == second
    assert gzip.decompress(first).decode() == graph_text(small_graph())


def test_writing_leaves_no_other_file(tmp_path: Path) -> None:
    write_graph(small_graph(), tmp_path / "a.json")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_two_ops_of_one_name_are_never_written(tmp_path: Path) -> None:
    graph = small_graph()
    graph.ops[1].name = "x"
    with pytest.raises(AssertionError, match="two ops are called x"):
        write_graph(graph, tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_an_op_before_its_input_is_never_written() -> None:
    graph = small_graph()
    graph.ops.reverse()
    with pytest.raises(AssertionError, match="y stands before its input x"):
        graph_text(graph)


def test_without_torch_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # as if the package were absent
    assert run(parse("some:function", "--out", str(tmp_path / "a.json"))) == 2
    message = capsys.readouterr().err
    assert "needs PyTorch" in message
    assert "pip install" in message
    assert message.count("\n") == 1


@pytest.mark.parametrize(
    ("out", "expected"),
    [("graph.yaml", "ends in neither .json nor .json.gz"), ("absent/a.json", "does not exist")],
)
def test_bad_output_path_ends_with_status_2(
    out: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(parse("some:function", "--out", str(tmp_path / out))) == 2
    assert expected in capsys.readouterr().err


def test_a_graph_goes_through_links_and_keeps_the_mode_of_its_file(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    kept.touch(mode=0o600)
    (tmp_path / "link.json").symlink_to("kept.json")
    write_graph(small_graph(), tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert json.loads(kept.read_text(encoding="utf-8"))["name"] == "small"


def test_a_graph_that_does_not_fit_is_one_error_and_leaves_the_device(tmp_path: Path) -> None:
    # Through a link: were the device itself replaced, the machine would be without it.
    full = tmp_path / "full.json"
    full.symlink_to("/dev/full")
    with pytest.raises(ExportError, match="No space left on device"):
        write_graph(small_graph(), full)
    assert full.is_char_device()


def test_standard_output_and_devices_need_no_suffix(tmp_path: Path) -> None:
    check_out(Path("-"), GRAPH_SUFFIXES)
    check_out(Path("/dev/null"), GRAPH_SUFFIXES)
    with pytest.raises(ExportError, match="ends in neither"):
        check_out(tmp_path / "plain", GRAPH_SUFFIXES)
