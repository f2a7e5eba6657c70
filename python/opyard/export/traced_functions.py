"""Traces functions of JAX and TensorFlow into files that `opyard graph convert` reads.

FUNCTION takes no arguments and returns `(step, example_args)`: `step` is what
is compiled, for example a whole training step with its optimizer, and
`example_args` are its arguments or their shapes (`jax.ShapeDtypeStruct`,
`tf.TensorSpec`). The file is the framework's own: HLO text before the
compiler's passes, and a GraphDef with shapes.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opyard.export.errors import ExportError, one_line
from opyard.export.function_reference import load_function
from opyard.export.output_file import check_out, write_whole

SUFFIXES = {
    "jax": (".hlo.txt", ".hlo.txt.gz"),
    "tensorflow": (".pb", ".pb.gz"),
}


def export_traced(framework: str, function: str, out: Path) -> int:
    """Traces the step that `function`, "MODULE:FUNCTION", returns, to `out`; returns its bytes.

    Raises:
        ExportError: the framework is missing, the function breaks its contract,
            or `out` has another suffix; the message is one line.
    """
    check_out(out, SUFFIXES[framework])
    data = {"jax": _trace_jax, "tensorflow": _trace_tensorflow}[framework](function)
    write_whole(out, gzip.compress(data, mtime=0) if out.suffix == ".gz" else data)
    return len(data)


def _trace_jax(reference: str) -> bytes:
    try:
        import jax
    except ImportError as error:
        raise _missing("jax", "JAX") from error
    step, args = _load_step(reference)
    try:
        # A step under jax.jit already knows which arguments it donates: those are its state.
        jitted = step if hasattr(step, "lower") else jax.jit(step)
        return _hlo_text(jitted.lower(*args)).encode()
    except Exception as error:  # whatever the user's step raises
        raise ExportError(f"tracing failed: {one_line(error)}") from error


def _hlo_text(lowered: Any) -> str:
    """With op_name, which says forward from backward, where JAX can write it."""
    try:
        return lowered.as_text(dialect="hlo", debug_info=True)
    except TypeError:  # older versions have no such argument
        return lowered.as_text(dialect="hlo")


def _trace_tensorflow(reference: str) -> bytes:
    try:
        import tensorflow as tf
    except ImportError as error:
        raise _missing("tensorflow", "TensorFlow") from error
    step, args = _load_step(reference)
    try:
        # A tf.function within another would be one opaque call.
        traceable = step if hasattr(step, "get_concrete_function") else tf.function(step)
        graph = traceable.get_concrete_function(*args).graph
        return graph.as_graph_def(add_shapes=True).SerializeToString()
    except Exception as error:  # whatever the user's step raises
        raise ExportError(f"tracing failed: {one_line(error)}") from error


def _missing(framework: str, title: str) -> ExportError:
    return ExportError(
        f"`opyard export {framework}` needs {title}, which is not installed here: "
        f"pip install {framework}"
    )


def _load_step(reference: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    try:
        returned = load_function(reference)()
    except ExportError:
        raise
    except Exception as error:  # whatever the user's function raises
        raise ExportError(f'"{reference}" failed: {one_line(error)}') from error
    is_pair = isinstance(returned, (tuple, list)) and len(returned) == 2
    if not is_pair or not callable(returned[0]) or not isinstance(returned[1], (tuple, list)):
        raise ExportError(
            f'"{reference}" returned a {type(returned).__name__}, expected (step, example_args): '
            "a function and the tuple of its arguments"
        )
    return returned[0], tuple(returned[1])
