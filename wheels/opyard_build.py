"""The build backend: scikit-build-core's, which says aloud if the learned agents are left out.

pip shows nothing of a build that succeeds, so the notice goes to the terminal as well.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from scikit_build_core import build as backend
from scikit_build_core.build import (  # noqa: F401  (hooks that pip calls)
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

NOTICE = """
==============================================================================
opyard is built WITHOUT its learned agents (go, hdp, placeto, regal, ...): this
build sees no PyTorch. Everything else is there. To have them, too, either

  pip install opyard_learned-*.whl         of the same version, by ./dev wheel

or build against the PyTorch that you use:

  pip install 'torch==2.13.*' 'scikit-build-core>=1.1,<2' pybind11==3.0.4
  pip install --no-build-isolation .
==============================================================================
"""


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Builds the wheel, as PEP 517 says."""
    _notify(config_settings)
    return backend.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Builds the editable wheel, as PEP 660 says."""
    _notify(config_settings)
    return backend.build_editable(wheel_directory, config_settings, metadata_directory)


def is_complete(config_settings: dict[str, Any] | None) -> bool:
    """True if PyTorch is there, or if nothing is compiled."""
    compiles = (config_settings or {}).get("wheel.cmake", "true") != "false"
    is_metadata = os.environ.get("OPYARD_METADATA_ONLY", "").lower() in ("1", "true", "on")
    return importlib.util.find_spec("torch") is not None or not compiles or is_metadata


def _notify(config_settings: dict[str, Any] | None) -> None:
    if is_complete(config_settings):
        return
    print(NOTICE, file=sys.stderr, flush=True)
    with contextlib.suppress(OSError):  # no terminal
        terminal = Path("/dev/tty")
        with terminal.open("w", encoding="utf-8") as out:
            out.write(NOTICE)
