"""Finds the class that a reference names."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from opyard import _core


def load(reference: str) -> Callable[..., Any]:
    """The class of ``"module:Class"`` or ``"folder/file.py:Class"``.

    Modules are searched from the current folder first.

    Raises:
        InputError: There is none, or its module cannot be imported.
    """
    module_name, _, name = reference.rpartition(":")
    try:
        module = _module_of(module_name)
    except Exception as error:
        raise _core.InputError(
            f"{module_name} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    kind: Any = module
    for part in name.split("."):
        kind = getattr(kind, part, None)
    if not callable(kind):
        found = ", ".join(sorted(key for key, value in vars(module).items() if _is_own(value)))
        raise _core.InputError(
            f'{module_name} has no class "{name}", expected one of: {found or "none is there"}'
        )
    return kind  # type: ignore[no-any-return]


def _is_own(value: object) -> bool:
    return isinstance(value, type) and callable(getattr(value, "search", None))


def _module_of(name: str) -> ModuleType:
    if not name.endswith(".py"):
        return importlib.import_module(name)
    path = Path(name).resolve()
    sys.path.insert(0, str(path.parent))  # as where a script is run, for what lies beside it
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None, "the name ends in .py"
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module
