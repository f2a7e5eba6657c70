"""Finds the function that a user names on the command line."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from opyard.export.errors import ExportError, one_line


def load_function(reference: str) -> Callable[[], Any]:
    """Returns the function named by `reference`, "MODULE:FUNCTION" or "FILE.py:FUNCTION".

    Raises:
        ExportError: there is none such, or its module cannot be imported.
    """
    module_name, colon, function_name = reference.rpartition(":")
    if not (module_name and colon and function_name):
        raise ExportError(
            f'"{reference}" does not name a function: expected MODULE:FUNCTION or '
            "FILE.py:FUNCTION, for example opyard.export.models:resnet50"
        )
    if str(Path.cwd()) not in sys.path and "" not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # like `python -m`: modules beside the user are found
    module = _import(module_name)
    function = getattr(module, function_name, None)
    if function is None:
        raise ExportError(f'module "{module_name}" has no function "{function_name}"')
    if not callable(function):
        kind = type(function).__name__
        raise ExportError(f'"{reference}" is a {kind}, expected a function without arguments')
    return function


def _import(name: str) -> ModuleType:
    is_file = name.endswith(".py")
    if is_file and not Path(name).is_file():
        raise ExportError(f'"{name}" is no file: expected MODULE:FUNCTION or FILE.py:FUNCTION')
    try:
        return _import_file(Path(name).resolve()) if is_file else importlib.import_module(name)
    except (Exception, SystemExit) as error:  # whatever the user's module raises
        raise ExportError(f'cannot import "{name}": {one_line(error)}') from error


def _import_file(path: Path) -> ModuleType:
    """Imports `path`, in its package if it lies in one; modules beside it are found."""
    folder, parts = path.parent, [path.stem]
    while (folder / "__init__.py").is_file():
        folder, parts = folder.parent, [folder.name, *parts]
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    if len(parts) > 1:
        return importlib.import_module(".".join(parts))
    # Not by its name: "test.py" or "torch.py" would find another module.
    name = path.stem if path.stem not in sys.modules else f"{path.stem} of the user"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None, "the name ends in .py"
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module
