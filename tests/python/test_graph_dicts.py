"""Graphs made of dicts, without files."""

from __future__ import annotations

import json

import numpy as np
import opyard
import pytest
from made_graphs import REFERENCES, damaged, outcome, three
from opyard import _core


@pytest.fixture(scope="module", params=REFERENCES)
def graph(request):
    return opyard.load_graph(request.param)


def test_a_dict_makes_what_a_file_makes(tmp_path):
    path = tmp_path / "three.graph.json"
    path.write_text(json.dumps(three()))
    assert opyard.Graph.from_dict(three()) == opyard.load_graph(path)


def test_a_graph_survives_its_dict(graph):
    assert opyard.Graph.from_dict(graph.to_dict()) == graph


def test_the_dict_is_what_the_file_holds(graph, tmp_path):
    _core.write_graph(graph, tmp_path / "g.graph.json")
    assert graph.to_dict() == json.loads((tmp_path / "g.graph.json").read_text())


def test_numbers_of_numpy_and_tuples_are_numbers_and_lists():
    values = three()
    values["ops"][1]["flops"] = np.float32(35.5)
    values["ops"][1]["inputs"] = np.zeros((2, 2), np.uint8)
    values["ops"][0]["outputs"][0]["shape"] = (np.int64(2), np.array(3))
    values["ops"] = tuple(values["ops"])
    assert opyard.Graph.from_dict(values) == opyard.Graph.from_dict(three())


def changed(path: str, value: object) -> dict:
    """`three()` with another value at a place."""
    values = three()
    *parents, last = [int(key) if key.isdecimal() else key for key in path.split("/")]
    target = values
    for key in parents:
        target = target[key]
    target[last] = value
    return values


def nested(levels: int) -> list:
    value: list = []
    for _ in range(levels):
        value = [value]
    return value


def looped() -> list:
    value: list = []
    value += [value, value]
    return value


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("ops/1/flops", float("nan"), "graph#/ops/1/flops: found nan, expected a finite number"),
        ("ops/1/flops", float("inf"), "graph#/ops/1/flops: found inf, expected a finite number"),
        ("ops/1/flops", -1, "graph#/ops/1/flops: found -1"),
        ("ops/1/flops", "7", 'graph#/ops/1/flops: found "7"'),
        ("ops/0/param_bytes", 2**63, "graph#/ops/0/param_bytes: found a whole number beyond 64"),
        ("ops/0/param_bytes", -(2**5000), "graph#/ops/0/param_bytes: found a whole number beyond"),
        ("ops/0/param_bytes", np.uint64(2**63), "graph#/ops/0/param_bytes: found a whole number"),
        ("ops/0/param_bytes", 0.5, "graph#/ops/0/param_bytes: found 0.5"),
        ("ops/0/param_bytes", True, "graph#/ops/0/param_bytes: found true"),
        ("ops/0/outputs/0/bytes", None, "graph#/ops/0/outputs/0/bytes: found null"),
        ("ops/2/inputs", [[7, 0]], "graph#/ops/2/inputs/0/0: found 7, expected the index of an op"),
        ("ops/0/inputs", [[2, 0]], "graph#/ops.*cycle"),
        ("ops/0/name", "b", "graph#/ops/2/name"),
        ("ops/0/colour", "red", 'graph#/ops/0/colour: unknown key|graph#/ops/0: .*"colour"'),
        ("ops/0/name", "\ud800", r"graph#/ops/0/name: found text with half a character"),
        ("ops/0/name", object(), 'graph#/ops/0/name: found a value of the type "object"'),
        ("ops/0/name", {1}, 'graph#/ops/0/name: found a value of the type "set"'),
        ("ops/0/name", np.ndarray, 'graph#/ops/0/name: found a value of the type "type"'),
        ("ops/0/1", 3, None),
        ("ops", nested(40), "nested deeper than 32 levels"),
        ("ops", nested(100_000), "nested deeper than 32 levels"),
        ("ops", looped(), "nested deeper than 32 levels"),
        ("format", "opyard-graph/2", "graph#/format: found"),
        ("ops", [], "graph#"),
        ("ops", np.array([object()]), 'graph#/ops/0: found a value of the type "object"'),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)
def test_a_malformed_dict_is_refused_with_its_place(path, value, message):
    if message is None:
        values = changed("ops/0", {1: 3})
        message = 'graph#/ops/0: found a key of the type "int", expected text'
    else:
        values = changed(path, value)
    with pytest.raises(opyard.InputError, match=message):
        opyard.Graph.from_dict(values)


def test_all_problems_of_a_dict_are_reported_at_once():
    values = changed("ops/1/flops", float("nan"))
    values["ops"][0]["name"] = {3}
    with pytest.raises(opyard.InputError) as error:
        opyard.Graph.from_dict(values)
    assert [line.split(":")[0] for line in str(error.value).splitlines()] == [
        "graph#/ops/0/name",
        "graph#/ops/1/flops",
    ]


def test_a_value_that_changes_its_dict_while_it_is_read_does_no_harm():
    values = three()

    class Evil:
        def tolist(self):
            values["ops"].clear()
            values.clear()
            return "x"

    values["ops"][1]["name"] = Evil()
    assert opyard.Graph.from_dict(values).op_names == ["w", "x", "b"]

    class Endless:
        def tolist(self):
            return self

    with pytest.raises(opyard.InputError, match="nested deeper"):
        opyard.Graph.from_dict(changed("ops/0/name", Endless()))


def test_an_error_of_a_value_comes_through():
    class Broken:
        def tolist(self):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        opyard.Graph.from_dict(changed("ops/0/name", Broken()))


def test_random_damage_to_a_dict_ends_in_an_input_error_or_a_graph():
    rng = np.random.default_rng(7)
    outcomes = {outcome(opyard.Graph.from_dict, damaged(three(), rng)) for _ in range(1000)}
    assert outcomes == {"Graph", "InputError at graph", "TypeError"}
