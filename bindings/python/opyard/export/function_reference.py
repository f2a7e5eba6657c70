"""Finds the function that a user names on the command line."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opyard.export.errors import ExportError, one_line


def load_function(reference: str) -> Callable[[], Any]:
    """Returns the function named by `reference`, "MODULE:FUNCTION"; imports MODULE."""
    module_name, colon, function_name = reference.partition(":")
    if not (module_name and colon and function_name):
        raise ExportError(
            f'"{reference}" does not name a function: expected MODULE:FUNCTION, '
            "for example opyard.export.models:resnet50"
        )
    if str(Path.cwd()) not in sys.path and "" not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # like `python -m`: modules beside the user are found
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # whatever the user's module raises
        raise ExportError(f'cannot import "{module_name}": {one_line(error)}') from error
    function = getattr(module, function_name, None)
    if function is None:
        raise ExportError(f'module "{module_name}" has no function "{function_name}"')
    if not callable(function):
        kind = type(function).__name__
        raise ExportError(f'"{reference}" is a {kind}, expected a function without arguments')
    return function
