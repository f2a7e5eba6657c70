"""Loads the agents that need LibTorch, or says what is missing and the command that installs it."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from types import ModuleType

from opyard import _core

# In a build and in a wheel with everything; in the wheel `opyard-learned`.
_PLACES = (("opyard", "_agents"), ("opyard_learned", "_agents"))


def load() -> ModuleType:
    """Imports the module `_agents`, which stands in this package or in `opyard_learned`.

    Raises:
        ImportError: It cannot be loaded here; the message is one line that ends with the command
            that mends it.
    """
    if not _core.torch_version:
        raise ImportError(_core.built_without_torch)
    place = find_module()
    if place is None:
        raise ImportError(_core.learned_not_installed)
    require_torch(_core.torch_version)
    return importlib.import_module(place)


def find_module() -> str | None:
    """The module of the learned agents that is installed here; None if there is none."""
    for package, name in _PLACES:
        if importlib.util.find_spec(package) and importlib.util.find_spec(f"{package}.{name}"):
            return f"{package}.{name}"
    return None


def require_torch(version: str) -> None:
    """Checks that the installed PyTorch is the one that opyard was built with.

    LibTorch has no stable ABI: another version may crash instead of failing.

    Args:
        version: What opyard was built with, e.g. "2.13.0".

    Raises:
        ImportError: It is not there, or of another version.
    """
    mend = f"pip install 'torch=={version}'"
    found = _torch_version()
    if found is None:
        raise ImportError(f"PyTorch is not installed; install it: {mend}")
    # "2.13.0+cpu" and "2.13.0+cu130" are builds of one version.
    if found.split("+")[0] != version:
        raise ImportError(
            f"opyard was built with PyTorch {version}, but {found} is installed; "
            f"mend it: {mend}, or build opyard again"
        )


def _torch_version() -> str | None:
    """The installed PyTorch's version, without the second that importing it takes."""
    if importlib.util.find_spec("torch") is None:
        return None
    try:
        return importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return str(importlib.import_module("torch").__version__)
