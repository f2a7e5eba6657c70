"""Branches, loops, scans and functions of ONNX models stand opened in the graph."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_models import body, floats, number, save_model, typed, weight, whole
from opyard.export.errors import ExportError
from opyard.export.graph_writer import Op
from opyard.export.onnx_file import Summary, read_onnx
from opyard.export.onnx_opening import Limits

make = helper.make_node
_SQUARE = 2 * 64 * 128 * 128  # FLOPs of [64, 128] by [128, 128]


def read(path: Path, limits: Limits | None = None) -> tuple[dict[str, Op], Summary]:
    graph, summary = read_onnx(path, limits=limits)
    return {op.name: op for op in graph.ops}, summary


def inputs_of(op: Op) -> set[str]:
    return {producer.name for producer, _ in op.inputs}


def branches(folder: Path, condition: list[onnx.TensorProto] | None = None) -> Path:
    """relu(x w), then either its product with v, or the sum with what another op made."""
    then = body([make("MatMul", ["r", "v"], ["t"])], [], "t")
    other = body([make("Add", ["r", "s"], ["e"])], [], "e")
    nodes = [
        make("MatMul", ["x", "w"], ["p"], "mm"),
        make("Relu", ["p"], ["r"], "relu"),
        make("Sigmoid", ["x"], ["s"], "gate"),
        make("If", ["c"], ["y"], "choose", then_branch=then, else_branch=other),
    ]
    inputs = [floats("x", 64, 128)] + ([] if condition else [typed("c", TensorProto.BOOL)])
    weights = [weight("w", 128, 128), weight("v", 128, 128), *(condition or [])]
    return save_model(folder, nodes, inputs, weights)


def test_the_dearest_branch_is_taken_and_waits_for_all_that_either_reads(tmp_path: Path) -> None:
    ops, summary = read(branches(tmp_path))
    assert inputs_of(ops["choose"]) == {"relu", "v", "c", "gate"}
    assert (ops["choose"].type, ops["choose"].flops) == ("MatMul", _SQUARE)
    # It moves what the product reads and makes, not what it only waits for.
    assert ops["choose"].bytes_accessed == 4 * (64 * 128 + 128 * 128 + 64 * 128)
    assert any("its dearest branch then_branch is taken" in line for line in summary.lines())


def test_an_identity_at_either_end_of_a_branch_does_not_lose_the_condition(tmp_path: Path) -> None:
    nodes = [
        make("Identity", ["x"], ["a"]),
        make("MatMul", ["a", "w"], ["b"], "mm"),
        make("Identity", ["b"], ["t"]),
    ]
    other = body([make("Relu", ["z"], ["e"])], [], "e")
    node = make("If", ["c"], ["y"], "choose", then_branch=body(nodes, [], "t"), else_branch=other)
    inputs = [floats("x", 64, 128), floats("z", 64, 128), typed("c", TensorProto.BOOL)]
    ops, summary = read(save_model(tmp_path, [node], inputs, [weight("w", 128, 128)]))
    assert inputs_of(ops["choose"]) == {"x", "w", "c", "z"}
    assert f"({_SQUARE} FLOPs against {64 * 128})" in summary.notes[0]


def test_a_condition_that_is_constant_chooses(tmp_path: Path) -> None:
    ops, summary = read(branches(tmp_path, [number("c", 0, TensorProto.BOOL)]))
    assert (ops["choose"].type, inputs_of(ops["choose"])) == ("Add", {"relu", "gate"})
    assert "v" not in ops  # only the branch that never runs reads it
    assert not summary.notes


def test_weights_within_a_branch_stand_in_the_graph(tmp_path: Path) -> None:
    then = body([make("MatMul", ["x", "inner"], ["t"])], [], "t", [weight("inner", 128, 32)])
    other = body([make("MatMul", ["x", "outer"], ["e"])], [], "e")
    nodes = [make("If", ["c"], ["y"], "choose", then_branch=then, else_branch=other)]
    inputs = [floats("x", 64, 128), typed("c", TensorProto.BOOL)]
    ops, _ = read(save_model(tmp_path, nodes, inputs, [weight("outer", 128, 16)]))
    assert ops["inner"].param_bytes == 4 * 128 * 32
    assert ops["outer"].param_bytes == 4 * 128 * 16
    assert inputs_of(ops["choose"]) == {"x", "inner", "outer", "c"}


def loop(folder: Path, trips: int, stacked: bool = False) -> Path:
    """`trips` layers h = relu(h w); stacked: each one is a result, too."""
    nodes = [
        make("MatMul", ["h_in", "w"], ["p"], "mm"),
        make("Relu", ["p"], ["h_out"], "relu"),
        make("Identity", ["cond_in"], ["cond_out"]),
        make("Identity", ["p"], ["each"]),
    ]
    inputs = [typed("i", TensorProto.INT64), typed("cond_in", TensorProto.BOOL)]
    layers = body(nodes, [*inputs, floats("h_in", 64, 128)], "cond_out h_out" + " each" * stacked)
    outputs = ["y", "all"] if stacked else ["y"]
    node = make("Loop", ["n", "", "x"], outputs, "layers", body=layers)
    weights = [number("n", trips, TensorProto.INT64), weight("w", 128, 128)]
    return save_model(folder, [node], [floats("x", 64, 128)], weights, " ".join(outputs))


def test_a_loop_of_constant_length_is_unrolled(tmp_path: Path) -> None:
    ops, summary = read(loop(tmp_path, 3))
    assert list(ops) == [
        *("w", "x", "layers/0/mm", "layers/0/relu", "layers/1/mm", "layers/1/relu"),
        *("layers/2/mm", "layers"),
    ]
    assert inputs_of(ops["layers/1/mm"]) == {"layers/0/relu", "w"}
    assert inputs_of(ops["layers"]) == {"layers/2/mm"}
    assert ops["layers"].outputs[0].keep
    assert sum(op.flops for op in ops.values()) == 3 * (_SQUARE + 64 * 128)
    assert sum(op.param_bytes for op in ops.values()) == 4 * 128 * 128  # one weight for all
    assert not summary.notes


def test_results_of_all_iterations_are_stacked(tmp_path: Path) -> None:
    ops, _ = read(loop(tmp_path, 3, stacked=True))
    stack = ops["layers"]
    assert stack.type == "Stack"
    assert [producer.name for producer, _ in stack.inputs] == [f"layers/{i}/mm" for i in range(3)]
    assert stack.outputs[0].shape == (3, 64, 128)
    assert ops["layers/2/relu"].outputs[0].keep


def test_a_longer_loop_stands_once_with_its_work_multiplied(tmp_path: Path) -> None:
    ops, summary = read(loop(tmp_path, 1000, stacked=True), Limits(trips=100))
    product = ops["layers/body/mm"]
    assert product.flops == 1000 * _SQUARE
    assert product.gemm == {"m": 64, "n": 128, "k": 128, "batch": 1000}
    assert product.bytes_accessed == 1000 * 4 * (2 * 64 * 128 + 128 * 128)
    assert product.outputs[0].bytes == 4 * 64 * 128
    assert ops["layers"].outputs[0].shape == (1000, 64, 128)
    assert summary.notes == [
        "not unrolled: Loop layers, 1000 trips are more than 100: its body is taken once, its "
        "work times 1000"
    ]


def test_loops_with_many_nodes_are_not_unrolled(tmp_path: Path) -> None:
    ops, summary = read(loop(tmp_path, 200), Limits(nodes=300))
    assert sum(op.flops for op in ops.values()) == 200 * (_SQUARE + 64 * 128)
    assert len(ops) == 4
    assert "its iterations have more than 300 nodes" in summary.notes[0]


def test_a_loop_of_unknown_length_stands_once(tmp_path: Path) -> None:
    model = onnx.load(str(loop(tmp_path, 3)))
    del model.graph.initializer[0]
    model.graph.input.append(typed("n", TensorProto.INT64))
    onnx.save(model, str(tmp_path / "model.onnx"))
    ops, summary = read(tmp_path / "model.onnx")
    assert sum(op.flops for op in ops.values()) == _SQUARE + 64 * 128
    assert inputs_of(ops["layers/body/mm"]) == {"x", "w", "n"}  # it waits for its length
    assert "its condition is not known: its body is taken once" in summary.notes[0]


def test_a_counter_that_is_carried_ends_a_loop(tmp_path: Path) -> None:
    nodes = [
        make("Add", ["k", "one"], ["k_out"]),
        make("Less", ["k_out", "end"], ["cond_out"]),
        make("MatMul", ["h", "w"], ["h_out"], "mm"),
    ]
    inputs = [typed("i", TensorProto.INT64), typed("cond_in", TensorProto.BOOL)]
    inputs += [typed("k", TensorProto.INT64), floats("h", 64, 128)]
    node = make("Loop", ["", "", "zero", "x"], ["last", "y"], "while")
    node.attribute.append(
        helper.make_attribute("body", body(nodes, inputs, "cond_out k_out h_out"))
    )
    numbers = [number(n, v, TensorProto.INT64) for n, v in (("zero", 0), ("one", 1), ("end", 5))]
    path = save_model(tmp_path, [node], [floats("x", 64, 128)], [weight("w", 128, 128), *numbers])
    ops, summary = read(path)
    assert sum(op.flops for op in ops.values()) == 5 * _SQUARE
    assert list(ops)[-1] == "while"
    assert not summary.notes


def test_a_tensor_that_grows_in_a_loop_has_its_shape_in_each_iteration(tmp_path: Path) -> None:
    nodes = [
        make("Concat", ["h", "x"], ["h_out"], "grow", axis=0),
        make("Identity", ["cond_in"], ["cond_out"]),
    ]
    inputs = [typed("i", TensorProto.INT64), typed("cond_in", TensorProto.BOOL)]
    inner = body(nodes, [*inputs, floats("h", "rows", 8)], "cond_out h_out")
    node = make("Loop", ["n", "", "x"], ["y"], "loop", body=inner)
    path = save_model(tmp_path, [node], [floats("x", 2, 8)], [number("n", 3, TensorProto.INT64)])
    ops, _ = read(path)
    assert ops["loop/1/grow"].outputs[0].shape == (6, 8)
    assert ops["loop"].outputs[0].shape == (8, 8)


def test_a_scan_reads_one_slice_of_each_input_per_step(tmp_path: Path) -> None:
    nodes = [
        make("MatMul", ["h", "w"], ["p"], "mm"),
        make("Add", ["p", "x_t"], ["h_out"], "add"),
        make("Identity", ["h_out"], ["out"]),
    ]
    inner = body(nodes, [floats("h", 4, 8), floats("x_t", 4, 8)], "h_out out")
    node = make("Scan", ["h0", "x"], ["h_n", "y"], "rnn", body=inner, num_scan_inputs=1)
    node.attribute.append(helper.make_attribute("scan_input_axes", [1]))
    node.attribute.append(helper.make_attribute("scan_output_axes", [1]))
    inputs = [floats("h0", 4, 8), floats("x", 4, 6, 8)]
    ops, summary = read(save_model(tmp_path, [node], inputs, [weight("w", 8, 8)], "h_n y"))
    # 6 steps: a product of [4, 8] by [8, 8] and a sum.
    assert sum(op.flops for op in ops.values()) == 6 * (2 * 4 * 8 * 8 + 4 * 8)
    assert inputs_of(ops["rnn/2/add"]) == {"rnn/2/mm", "rnn/2/x_t"}
    assert ops["rnn/2/x_t"].bytes_accessed == 2 * 4 * 4 * 8  # the slice, in and out
    assert ops["rnn"].outputs[0].shape == (4, 6, 8)
    assert not summary.notes


def test_functions_are_opened_with_their_attributes_and_overloads(tmp_path: Path) -> None:
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("pkg", 1)]
    transpose = make("Transpose", ["W"], ["T"], "turn")
    transpose.attribute.add(name="perm", ref_attr_name="order", type=onnx.AttributeProto.INTS)
    product = make("MatMul", ["X", "T"], ["Y"], "mm")
    linear = helper.make_function(
        "pkg", "Linear", ["X", "W"], ["Y"], [transpose, product], opsets, attributes=["order"]
    )
    call = make("Linear", ["X", "W"], ["H"], "fc", domain="pkg", order=[1, 0])
    block = helper.make_function(
        "pkg", "Block", ["X", "W"], ["Y"], [call, make("Relu", ["H"], ["Y"], "act")], opsets
    )
    other = helper.make_function(
        "pkg", "Block", ["X", "W"], ["Y"], [make("Tanh", ["X"], ["Y"])], opsets, overload="tanh"
    )
    nodes = [
        make("Block", ["x", "w"], ["a"], "block0", domain="pkg"),
        make("Block", ["a", "w"], ["y"], "block1", domain="pkg", overload="tanh"),
    ]
    path = save_model(
        tmp_path,
        nodes,
        [floats("x", 64, 128)],
        [weight("w", 32, 128)],
        functions=[linear, block, other],
    )
    ops, _ = read(path)
    assert list(ops) == ["w", "x", "block0/fc/turn", "block0/fc", "block0", "block1"]
    assert ops["block0/fc"].flops == 2 * 64 * 32 * 128
    assert ops["block0/fc/turn"].outputs[0].shape == (128, 32)
    assert (ops["block0"].type, ops["block1"].type) == ("Relu", "Tanh")


def test_functions_that_grow_without_bound_are_refused_at_once(tmp_path: Path) -> None:
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("pkg", 1)]
    functions = [
        helper.make_function("pkg", "F0", ["X"], ["Y"], [make("Relu", ["X"], ["Y"])], opsets)
    ]
    for level in range(1, 40):  # 2^39 nodes
        name = f"F{level - 1}"
        calls = [make(name, ["X"], ["A"], domain="pkg"), make(name, ["A"], ["Y"], domain="pkg")]
        functions.append(helper.make_function("pkg", f"F{level}", ["X"], ["Y"], calls, opsets))
    nodes = [make("F39", ["x"], ["y"], domain="pkg")]
    path = save_model(tmp_path, nodes, [floats("x", 1)], functions=functions)
    with pytest.raises(ExportError, match="more than 1048576 nodes after opening functions"):
        read(path)


def test_a_function_that_calls_itself_is_refused(tmp_path: Path) -> None:
    call = make("F", ["X"], ["Y"], domain="pkg")
    function = helper.make_function(
        "pkg", "F", ["X"], ["Y"], [call], [helper.make_opsetid("pkg", 1)]
    )
    nodes = [make("F", ["x"], ["y"], domain="pkg")]
    with pytest.raises(ExportError, match="function F calls itself"):
        read(save_model(tmp_path, nodes, [floats("x", 1)], functions=[function]))


def test_nested_bodies_read_from_all_around(tmp_path: Path) -> None:
    inner = body([make("MatMul", ["h", "w"], ["t"])], [], "t")
    other = body([make("Identity", ["h"], ["e"])], [], "e")
    nodes = [
        make("Equal", ["i", "first"], ["c"]),
        make("If", ["c"], ["h_out"], "pick", then_branch=inner, else_branch=other),
        make("Identity", ["cond_in"], ["cond_out"]),
    ]
    inputs = [typed("i", TensorProto.INT64), typed("cond_in", TensorProto.BOOL)]
    layers = body(nodes, [*inputs, floats("h", 64, 128)], "cond_out h_out")
    node = make("Loop", ["n", "", "r"], ["y"], "loop", body=layers)
    numbers = [number("n", 3, TensorProto.INT64), number("first", 0, TensorProto.INT64)]
    path = save_model(
        tmp_path,
        [make("Relu", ["x"], ["r"], "relu"), node],
        [floats("x", 64, 128)],
        [weight("w", 128, 128), *numbers],
    )
    ops, _ = read(path)
    # The condition is known in each iteration: one product, in the first.
    assert inputs_of(ops["loop"]) == {"relu", "w"}
    assert ops["loop"].flops == _SQUARE
    assert len(ops) == 4


def test_nodes_are_sorted_and_a_cycle_is_named(tmp_path: Path) -> None:
    nodes = [make("Relu", ["p"], ["y"], "relu"), make("MatMul", ["x", "w"], ["p"], "mm")]
    ops, _ = read(save_model(tmp_path, nodes, [floats("x", 64, 128)], [weight("w", 128, 128)]))
    assert list(ops) == ["w", "x", "mm", "relu"]
    nodes = [make("Relu", ["b"], ["a"], "one"), make("Relu", ["a"], ["b"], "two")]
    with pytest.raises(ExportError, match='node "one" waits for itself'):
        read(save_model(tmp_path, nodes, [floats("x", 1)], results="b"))


def test_names_are_unique(tmp_path: Path) -> None:
    nodes = [
        make("Relu", ["x"], ["a"], "same"),
        make("Relu", ["a"], ["b"], "same"),
        make("Relu", ["b"], ["c"]),
        make("Reshape", ["c", "shape"], ["y"], "same_1"),
    ]
    ops, _ = read(save_model(tmp_path, nodes, [floats("x", 6)], [whole("shape", [2, 3])]))
    assert list(ops) == ["x", "same", "same_1", "c", "same_1_1"]


def counted_loop(folder: Path, end: int, most: int, is_known: bool = True) -> Path:
    """`while k < end`, at most `most` times, as PyTorch exports it; `end` may be an input."""
    nodes = [
        make("Add", ["k", "one"], ["k_out"]),
        make("Less", ["k_out", "end"], ["cond_out"], "less"),
        make("MatMul", ["h", "w"], ["h_out"], "mm"),
    ]
    inputs = [typed("i", TensorProto.INT64), typed("cond_in", TensorProto.BOOL)]
    inputs += [typed("k", TensorProto.INT64), floats("h", 64, 128)]
    inner = body(nodes, inputs, "cond_out k_out h_out")
    node = make("Loop", ["most", "", "zero", "x"], ["last", "y"], "while", body=inner)
    values = {"zero": 0, "one": 1, "most": most} | ({"end": end} if is_known else {})
    numbers = [number(name, value, TensorProto.INT64) for name, value in values.items()]
    given = [floats("x", 64, 128)] + ([] if is_known else [typed("end", TensorProto.INT64)])
    return save_model(folder, [node], given, [weight("w", 128, 128), *numbers])


def test_a_limit_that_no_run_reaches_multiplies_nothing(tmp_path: Path) -> None:
    ops, summary = read(counted_loop(tmp_path, 5, 2**63 - 1))
    assert sum(op.flops for op in ops.values()) == 5 * _SQUARE
    assert not summary.notes
    for path in (
        counted_loop(tmp_path, 9000, 2**63 - 1),
        counted_loop(tmp_path, 5, 2**63 - 1, is_known=False),
    ):
        ops, summary = read(path)
        assert sum(op.flops for op in ops.values() if op.gemm) == _SQUARE
        assert "its body is taken once" in summary.notes[0]


def test_a_weight_within_a_body_is_one_for_all_iterations(tmp_path: Path) -> None:
    nodes = [make("MatMul", ["h", "w"], ["p"]), make("Add", ["p", "b"], ["h_out"], "add")]
    bias = numpy_helper.from_array(np.zeros(128, np.float32), "b")
    nodes.insert(0, make("Constant", [], ["b"], value=bias))
    nodes.append(make("Identity", ["cond_in"], ["cond_out"]))
    inputs = [typed("i", TensorProto.INT64), typed("cond_in", TensorProto.BOOL)]
    inner = body(nodes, [*inputs, floats("h", 64, 128)], "cond_out h_out", [weight("w", 128, 128)])
    node = make("Loop", ["n", "", "x"], ["y"], "loop", body=inner)
    path = save_model(tmp_path, [node], [floats("x", 64, 128)], [number("n", 5, TensorProto.INT64)])
    ops, _ = read(path)
    assert sum(op.param_bytes for op in ops.values()) == 4 * (128 * 128 + 128)
    assert sum(op.type == "MatMul" for op in ops.values()) == 5


def test_loops_within_loops_end_soon(tmp_path: Path) -> None:
    inner = [make("Relu", ["h"], ["h_out"]), make("Greater", ["s", "s"], ["cond_out"])]
    inputs = [typed("i", TensorProto.INT64), typed("cond_in", TensorProto.BOOL)]
    for _ in range(20):
        graph = body(inner, [*inputs, floats("h", 4)], "cond_out h_out")
        loop_node = make("Loop", ["", "c", "h"], ["h_out"], body=graph)
        inner = [loop_node, make("Greater", ["s", "s"], ["cond_out"])]
    node = make(
        "Loop", ["", "c", "x"], ["y"], body=body(inner, [*inputs, floats("h", 4)], "cond_out h_out")
    )
    given = [floats("x", 4), floats("s"), typed("c", TensorProto.BOOL)]
    with pytest.raises(ExportError, match="loops lie deeper than 8 levels"):
        read(save_model(tmp_path, [node], given))
