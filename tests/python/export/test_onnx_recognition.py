"""ONNX models are known by their content, whatever they are called."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from onnx_models import LIGHT, damaged, small_network
from opyard import cli
from opyard.export.onnx_recognition import is_onnx


@pytest.mark.parametrize(
    "name", ["model.pb", "network", "frozen.bin", "net.onnx.gz", "model.pb.gz"]
)
def test_the_command_reads_a_model_of_any_name(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = small_network(tmp_path).read_bytes()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    out = tmp_path / "step.json"
    assert cli.main(["graph", "convert", str(path), "--out", str(out)]) == 0
    assert "(onnx): read 6 nodes, wrote 10 ops" in capsys.readouterr().out
    assert json.loads(out.read_text())["name"] == name.removesuffix(".gz").split(".")[0] or (
        name == "frozen.bin"
    )


def test_published_models_are_recognised() -> None:
    for path in LIGHT.glob("*.onnx"):
        assert is_onnx(path)


def test_other_files_are_not(tmp_path: Path) -> None:
    others = {
        "graph.pb": b"\x0a\x08\x0a\x01x\x12\x03Add",  # a GraphDef: its first field is a node
        "saved_model.pb": b"\x08\x01\x12\x02\x0a\x00",  # a SavedModel: version 1, a graph
        "weights.pt": b"PK\x03\x04" + bytes(100),
        "empty.pb": b"",
        "step.json": b'{"format": "opyard-graph/1"}',
        "cut.gz": gzip.compress(bytes(1000))[:20],
    }
    for name, data in others.items():
        (tmp_path / name).write_bytes(data)
        assert not is_onnx(tmp_path / name), name
    assert not is_onnx(tmp_path / "missing")
    assert not is_onnx(tmp_path)


def test_damaged_models_are_told_apart_or_not_but_quickly(tmp_path: Path) -> None:
    from random import Random

    original, rng = small_network(tmp_path).read_bytes(), Random(5)
    path = tmp_path / "damaged.pb"
    for _ in range(200):
        path.write_bytes(damaged(original, rng))
        assert is_onnx(path) in (True, False)


def test_an_option_of_onnx_is_refused_where_none_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = small_network(tmp_path)
    out = str(tmp_path / "step.json")
    for word, message in [("unrol=3", 'no option "unrol"'), ("unroll=x", 'found "x"')]:
        assert cli.main(["graph", "convert", str(model), "--option", word, "--out", out]) == 2
        assert message in capsys.readouterr().err


def test_a_model_stands_where_a_graph_is_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = small_network(tmp_path)
    assert cli.main(["graph", "info", str(model)]) == 0
    assert "model" in capfd.readouterr().out
    plan = tmp_path / "plan.json"
    arguments = ["--graph", str(model), "--hardware", "p100x2-pcie", "--agent", "heft"]
    assert cli.main(["place", *arguments, "--evaluations", "1", "--out", str(plan)]) == 0
    assert json.loads(plan.read_text())["graph"] == "model"
    arguments = [f"--graph={model}", "--hardware", "p100x2-pcie", "--plan", str(plan)]
    assert cli.main(["simulate", *arguments]) == 0


def test_a_model_with_open_dimensions_has_to_be_converted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = small_network(tmp_path, batch="n")
    assert cli.main(["graph", "info", str(model)]) == 2
    said = capfd.readouterr().err
    assert f"give them by --dim n=N to opyard graph convert {model} --out model.graph.json" in said
    assert said.count("\n") == 1
