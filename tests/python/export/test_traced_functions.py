"""Steps of JAX and TensorFlow become files that the importers read."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path

import opyard
import pytest
from opyard import cli

JAX_MODULE = """
import jax, jax.numpy as jnp
def loss(w, x):
    return jnp.sum(jnp.tanh(x @ w))
def step():
    def update(w, x):
        return w - 0.1 * jax.grad(loss)(w, x)
    return update, (jax.ShapeDtypeStruct((8, 4), jnp.float32),
                    jax.ShapeDtypeStruct((2, 8), jnp.float32))
def donating():
    update, args = step()
    return jax.jit(lambda w, x: jax.jit(update)(w, x), donate_argnums=0), args
def wrong():
    return 3
"""
TENSORFLOW_MODULE = """
import tensorflow as tf
def step():
    w = tf.Variable(tf.zeros([8, 4]))
    def update(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(x @ w))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss
    return update, (tf.TensorSpec([2, 8]),)
def compiled():
    update, args = step()
    return tf.function(update), args
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name under which the user's modules of this test are found."""
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "traced_user"
    sys.modules.pop("traced_user", None)


def export(framework: str, function: str, out: Path) -> int:
    return cli.main(["export", framework, function, "--out", str(out)])


def test_a_jax_step_is_converted(tmp_path: Path, module: str) -> None:
    pytest.importorskip("jax")
    (tmp_path / f"{module}.py").write_text(JAX_MODULE)
    assert export("jax", f"{module}:step", tmp_path / "step.hlo.txt.gz") == 0
    graph = tmp_path / "step.json"
    assert (
        cli.main(["graph", "convert", str(tmp_path / "step.hlo.txt.gz"), "--out", str(graph)]) == 0
    )
    assert opyard.load_graph(str(graph)).num_ops > 5


def test_a_jitted_jax_step_is_one_op_per_real_op(tmp_path: Path, module: str) -> None:
    pytest.importorskip("jax")
    (tmp_path / f"{module}.py").write_text(JAX_MODULE)
    assert export("jax", f"{module}:donating", tmp_path / "step.hlo.txt") == 0
    path = tmp_path / "step.json"
    assert cli.main(["graph", "convert", str(tmp_path / "step.hlo.txt"), "--out", str(path)]) == 0
    ops = json.loads(path.read_text())["ops"]
    types = Counter(op["type"] for op in ops)
    assert types["call"] == 0
    # The product forward and the gradient of its weight; x needs none.
    assert types["dot"] == 2
    # The step donates its state: w, 8 · 4 · 4 B.
    assert sum(op.get("param_bytes", 0) for op in ops) == 128


@pytest.mark.parametrize("function", ["step", "compiled"])
def test_a_tensorflow_step_is_converted(function: str, tmp_path: Path, module: str) -> None:
    pytest.importorskip("tensorflow")
    (tmp_path / f"{module}.py").write_text(TENSORFLOW_MODULE)
    assert export("tensorflow", f"{module}:{function}", tmp_path / "step.pb.gz") == 0
    path = tmp_path / "step.json"
    assert cli.main(["graph", "convert", str(tmp_path / "step.pb.gz"), "--out", str(path)]) == 0
    types = Counter(op["type"] for op in json.loads(path.read_text())["ops"])
    # The product forward and the gradient of its weight; x needs none.
    assert types["MatMul"] == 2
    assert types["TanhGrad"] == 1


@pytest.mark.parametrize(("framework", "suffix"), [("jax", ".hlo.txt"), ("tensorflow", ".pb")])
def test_a_missing_framework_says_how_to_get_it(
    framework: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if importlib.util.find_spec(framework):
        pytest.skip(f"{framework} is installed")
    assert export(framework, "any:step", tmp_path / f"step{suffix}") == 2
    assert f"not installed here: pip install {framework}" in capsys.readouterr().err


def test_a_foreign_suffix_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export("jax", "any:step", tmp_path / "step.json") == 2
    assert "ends in neither .hlo.txt nor .hlo.txt.gz" in capsys.readouterr().err


def test_a_function_that_returns_no_step_is_refused(
    tmp_path: Path, module: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jax")
    (tmp_path / f"{module}.py").write_text(JAX_MODULE)
    assert export("jax", f"{module}:wrong", tmp_path / "step.hlo.txt") == 2
    assert "returned a int, expected (step, example_args)" in capsys.readouterr().err
