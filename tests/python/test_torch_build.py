"""cmake/Torch.cmake: which torch it takes, refuses, and does without."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_PROJECT = """cmake_minimum_required(VERSION 3.25)
project(probe LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH "{root}/cmake")
function(find_package)  # the Python is given
endfunction()
include(Torch)
message(STATUS "HAS_TORCH=${{OPYARD_HAS_TORCH}}")
"""

pytestmark = pytest.mark.skipif(
    shutil.which("cmake") is None or not (_ROOT / "cmake").is_dir(), reason="needs cmake"
)


def configure(folder: Path, answer: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Configures a project whose Python answers `answer` (a shell script's body)."""
    python = folder / "python"
    python.write_text(f"#!/bin/sh\n{answer}\n")
    python.chmod(0o755)
    (folder / "CMakeLists.txt").write_text(_PROJECT.format(root=_ROOT))
    command = ["cmake", "-S", folder, "-B", folder / "build", f"-DPython_EXECUTABLE={python}"]
    return subprocess.run([*command, *options], capture_output=True, text=True, check=False)


def unwrapped(text: str) -> str:
    """CMake breaks its messages into lines."""
    return " ".join(text.split())


def test_another_minor_version_is_refused_with_the_command_that_mends_it(tmp_path):
    result = configure(tmp_path, "echo '/x/torch;2.12.1+cpu;True'")
    assert result.returncode != 0
    error = unwrapped(result.stderr)
    assert "torch 2.12.1+cpu in /x/torch, but opyard is made for torch 2.13." in error
    assert "-m pip install 'torch==2.13.*'" in error


def test_without_torch_the_rest_is_built(tmp_path):
    result = configure(tmp_path, "exit 1")
    assert result.returncode == 0, result.stderr
    assert "HAS_TORCH=OFF" in result.stdout
    assert "-m pip install 'torch==2.13.*'" in result.stdout


def test_without_torch_it_fails_where_it_was_asked_for(tmp_path):
    result = configure(tmp_path, "echo 'no module' >&2; exit 1", "-DOPYARD_WITH_TORCH=ON")
    assert result.returncode != 0
    assert "no module" in result.stderr
    assert "-m pip install 'torch==2.13.*'" in unwrapped(result.stderr)


def test_switched_off_python_is_not_asked(tmp_path):
    result = configure(tmp_path, "echo '/x/torch;2.12.1;True'", "-DOPYARD_WITH_TORCH=OFF")
    assert result.returncode == 0, result.stderr
    assert "HAS_TORCH=OFF" in result.stdout
