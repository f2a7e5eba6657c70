"""The graphs in graphs/data: rules of the format, and totals against published counts. No torch."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from graph_checker import find_problems, read_graph, table_row, totals

DATA = Path(__file__).parents[3] / "graphs" / "data"
GRAPHS = ["gnmt2", "inception_v3", "resnet50", "vgg16"]

# torchvision's documentation, table "classification weights": Params and GFLOPS (multiply-adds).
# Inception-v3's 5.71 are without the auxiliary head, which adds 0.01.
PUBLISHED = {  # parameters, multiply-adds of one image's forward pass
    "inception_v3": (27_161_264, 5.71e9),
    "resnet50": (25_557_032, 4.09e9),
    "vgg16": (138_357_544, 15.47e9),
}


def load(name: str) -> dict:
    return read_graph(DATA / f"{name}.graph.json.gz")


def with_type(graph: dict, kind: str) -> list[dict]:
    return [op for op in graph["ops"] if op["type"] == kind]


@pytest.mark.parametrize("name", GRAPHS)
def test_shipped_graph_keeps_every_rule_of_the_format(name: str) -> None:
    assert find_problems(load(name)) == []


@pytest.mark.parametrize("name", GRAPHS)
def test_shipped_graph_is_named_after_its_file_and_tells_its_command(name: str) -> None:
    graph = load(name)
    assert graph["name"] == name
    assert graph["origin"].startswith(f"opyard export torch opyard.export.models:{name} ")


@pytest.mark.parametrize("name", GRAPHS)
def test_shipped_file_is_small_and_has_no_time_in_its_gzip_header(name: str) -> None:
    data = (DATA / f"{name}.graph.json.gz").read_bytes()
    assert len(data) < 200_000
    assert data[4:8] == bytes(4)  # RFC 1952: MTIME


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_parameters_equal_the_published_count(name: str) -> None:
    assert totals(load(name)).parameters == PUBLISHED[name][0]


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_forward_multiply_adds_are_within_three_percent_of_the_published_count(name: str) -> None:
    batch = 32
    assert totals(load(name)).macs["forward"] == pytest.approx(batch * PUBLISHED[name][1], rel=0.03)


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_all_forward_flops_are_within_three_percent_of_twice_the_multiply_adds(name: str) -> None:
    # Normalisation, activations and pooling are small beside the convolutions.
    assert totals(load(name)).flops["forward"] == pytest.approx(
        2 * 32 * PUBLISHED[name][1], rel=0.03
    )


@pytest.mark.parametrize("name", GRAPHS)
def test_backward_does_about_twice_the_forward_multiply_adds(name: str) -> None:
    # Each product has two gradients; only the first layer lacks that of its input.
    macs = totals(load(name)).macs
    assert 1.95 <= macs["backward"] / macs["forward"] <= 2.0


@pytest.mark.parametrize("name", GRAPHS)
def test_flops_of_heavy_ops_follow_from_their_shape_blocks(name: str) -> None:
    graph = load(name)
    count = totals(graph)
    heavy = sum(op["flops"] for op in graph["ops"] if "gemm" in op or "conv" in op)
    # A bias adds one per output element on top of 2 per multiply-add.
    assert heavy == pytest.approx(2 * sum(count.macs.values()), rel=0.001)


def test_gnmt_parameters_follow_from_its_sizes() -> None:
    hidden, words = 1024, 32_000

    def lstm(inputs: int) -> int:
        return 4 * hidden * (inputs + hidden) + 4 * hidden

    encoder = words * hidden + 2 * lstm(hidden) + lstm(2 * hidden)
    attention = 2 * hidden * hidden + hidden  # keys, query, score
    decoder = words * hidden + 2 * lstm(2 * hidden)
    projection = words * hidden + words
    expected = encoder + attention + decoder + projection  # 154,980,608
    assert totals(load("gnmt2")).parameters == expected


def test_gnmt_multiply_adds_follow_from_its_sizes() -> None:
    hidden, words, batch, steps = 1024, 32_000, 128, 20
    bottom, wide = 4 * hidden * 2 * hidden, 4 * hidden * 3 * hidden  # one LSTM step
    encoder = steps * (2 * bottom + wide) + steps * hidden * hidden  # with the keys
    attention = hidden * hidden + 2 * steps * hidden  # query; scores and context
    decoder = steps * (2 * wide + attention + hidden * words)
    assert totals(load("gnmt2")).macs["forward"] == batch * (encoder + decoder)


@pytest.mark.parametrize("name", GRAPHS)
def test_every_variable_with_a_gradient_is_colocated_with_its_update(name: str) -> None:
    graph = load(name)
    updates = with_type(graph, "ApplyGradient")
    assert len(updates) > 0
    for update in updates:
        variable = graph["ops"][update["inputs"][0][0]]
        assert variable["type"] == "Variable"
        assert variable["colocation"] == update["colocation"]


def test_momentum_doubles_the_resident_bytes_of_a_weight() -> None:
    graph = load("vgg16")
    for variable in with_type(graph, "Variable"):
        assert variable["param_bytes"] == 2 * variable["outputs"][0]["bytes"]


def test_resnet_has_one_op_per_convolution_gradient() -> None:
    graph = load("resnet50")
    # 53 convolutions; the first one's input is the image, which needs no gradient.
    counts = [
        len(with_type(graph, kind))
        for kind in ("Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput")
    ]
    assert counts == [53, 53, 52]


@pytest.mark.parametrize("name", GRAPHS)
def test_no_weight_is_updated_before_its_last_reader(name: str) -> None:
    ops = load(name)["ops"]
    before: list[int] = []  # for each op the ops that must precede it, as bits
    weight_of: dict[int, int] = {}  # Variable or view of it → Variable
    readers: dict[int, list[int]] = {}
    for index, op in enumerate(ops):
        bits = 0
        sources = [producer for producer, _ in op.get("inputs", [])]
        for producer in sources + op.get("control_inputs", []):
            bits |= before[producer] | 1 << producer
        before.append(bits)
        is_view = bool(op.get("outputs")) and all(o.get("alias") == 0 for o in op["outputs"])
        if op["type"] == "Variable":
            weight_of[index] = index
        elif is_view and op["phase"] != "update" and sources[0] in weight_of:
            weight_of[index] = weight_of[sources[0]]
        elif op["type"] != "ApplyGradient":
            for producer in sources:
                if producer in weight_of:
                    readers.setdefault(weight_of[producer], []).append(index)
        else:
            waits_for = [reader for reader in readers[sources[0]] if before[index] >> reader & 1]
            assert waits_for == readers[sources[0]], op["name"]


@pytest.mark.parametrize("name", GRAPHS)
def test_layers_are_numbered_without_gaps(name: str) -> None:
    layers = {op["layer"] for op in load(name)["ops"]}
    assert layers == set(range(len(layers)))


@pytest.mark.parametrize("name", GRAPHS)
def test_readme_quotes_the_counts_of_the_file(name: str) -> None:
    assert table_row(load(name)) in (DATA / "README.md").read_text(encoding="utf-8")


def test_checker_finds_a_cycle_a_missing_input_and_a_wrong_size() -> None:
    good = {"bytes": 4, "shape": [1], "dtype": "f32"}
    op = {"name": "a", "type": "Relu", "phase": "forward", "outputs": [good]}
    graph = {"format": "opyard-graph/1", "name": "g", "origin": "test"}
    loop = [op | {"inputs": [[1, 0]]}, op | {"name": "b", "inputs": [[0, 0]]}]
    assert find_problems(graph | {"ops": loop}) == ["the graph has a cycle"]
    assert find_problems(graph | {"ops": [op | {"inputs": [[0, 1]]}]}) == [
        "a: input [0, 1] does not exist"
    ]
    wrong = op | {"outputs": [good | {"bytes": math.prod([2, 4])}]}
    assert find_problems(graph | {"ops": [wrong]}) == ["a: 8 bytes, but shape and dtype make 4"]
