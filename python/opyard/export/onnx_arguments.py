"""Which commands concern ONNX: known from their words, before what reads ONNX is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from opyard.export.onnx_recognition import has_onnx_name, is_onnx

_CONVERT = ["graph", "convert"]
_READERS = ("graph", "place", "simulate")
_WRITTEN = ("--out", "--trace")  # options whose files are written


def concerns_onnx(arguments: list[str]) -> bool:
    """True if `arguments` ask to convert from or to ONNX: a file of that name or content."""
    if arguments[:2] != _CONVERT:
        return False
    words = arguments[2:]
    if any(has_onnx_name(Path(word.removeprefix("--out="))) for word in words):
        return True
    is_forced = any(word.split("=")[0] == "--from" for word in words)
    outs = {words[i + 1] for i, word in enumerate(words[:-1]) if word == "--out"}
    return not is_forced and any(
        not word.startswith("-") and word not in outs and is_onnx(Path(word)) for word in words
    )


def names_models(arguments: list[str]) -> bool:
    """True if a command that reads graphs is given an ONNX model as one."""
    return any(True for _ in models_in(arguments))


def models_in(arguments: list[str]) -> Iterator[tuple[int, str, Path]]:
    """The arguments that are models to read, each with the option before it: `--graph=`."""
    if arguments[:1] == [] or arguments[0] not in _READERS or arguments[:2] == _CONVERT:
        return
    for index, word in enumerate(arguments):
        option, equals, path = word.partition("=") if word.startswith("--") else ("", "", word)
        is_written = (option or arguments[index - 1]) in _WRITTEN
        if not is_written and is_onnx(Path(path)):
            yield index, option + equals, Path(path)
