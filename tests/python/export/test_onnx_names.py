"""The modules in names of ONNX nodes."""

from __future__ import annotations

import pytest

pytest.importorskip("onnx")

from opyard.export.onnx_names import module_of


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("/layers.0/attn/MatMul", "layers.0.attn"),
        ("encoder/MatMul_3", "encoder"),
        ("MatMul", None),
        ("/MatMul", None),
        ("a//b./c", "a.b"),
        ("a/" * 100 + "c", ".".join(["a"] * 64)),
    ],
)
def test_a_node_is_of_the_module_that_its_scope_names(name, module):
    assert module_of(name) == module
