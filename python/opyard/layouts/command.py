"""`opyard plan export --to onnxruntime --onnx MODEL`: the annotated model beside the settings."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from opyard import _core
from opyard.export.errors import ExportError, one_line
from opyard.export.onnx_model import require_onnx
from opyard.export.onnx_recognition import read_bytes
from opyard.export.output_file import write_whole
from opyard.layouts.onnx_annotation import annotate

_OPTION = "--onnx"
_BAD_INPUT = 2


def run(arguments: list[str]) -> int:
    """Runs the command; returns its exit status: 0, 1 as of the C++ program, 2 for bad input."""
    words = list(arguments)
    try:
        model = _take(words, _OPTION)
        if _value(words, "--to") != "onnxruntime":
            raise ExportError("--onnx: models are annotated for --to onnxruntime alone")
        out = _value(words, "--out")
        if out is None:
            raise ExportError("--onnx: expected --out, the folder for the annotated model")
        require_onnx()
        sys.stdout.flush()
        status = _core.run_command_line(words)
        if status == 0:
            _annotate(Path(model), Path(out), is_quiet="--json" in words)
    except (ExportError, _core.InputError, OSError) as error:
        text = one_line(error) if isinstance(error, OSError) else str(error)
        print(f"opyard plan export: {text}", file=sys.stderr)
        return _BAD_INPUT
    return status


def _take(words: list[str], option: str) -> str:
    """The value of `option`, which is taken out of `words`."""
    for index, word in enumerate(words):
        if word == option and index + 1 < len(words):
            del words[index]
            return words.pop(index)
        if word.startswith(f"{option}="):
            return words.pop(index).partition("=")[2]
    raise ExportError(f"{option}: expected a model, an .onnx file")


def _value(words: list[str], option: str) -> str | None:
    rest = list(words)
    try:
        return _take(rest, option)
    except ExportError:
        return None


def _annotate(path: Path, folder: Path, *, is_quiet: bool) -> None:
    import onnx

    devices = json.loads((folder / "node_devices.json").read_text(encoding="utf-8"))
    model = onnx.ModelProto.FromString(read_bytes(path))
    count = annotate(model, devices)
    out = folder / path.name
    if out.exists() and out.samefile(path):
        raise ExportError(f"{out}: is the model itself, expected another folder")
    write_whole(out, model.SerializeToString(deterministic=True))
    if not is_quiet:
        print(f"{out}: {count} of {len(model.graph.node)} nodes annotated")
