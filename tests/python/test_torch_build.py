"""cmake/Torch.cmake: which torch it takes, refuses, and does without."""

from __future__ import annotations

import re
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
# A program that uses torch, where looking for any package but the Python is an error.
_PROGRAM = """cmake_minimum_required(VERSION 3.25)
project(probe LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH "{root}/cmake")
function(find_package name)
  if(NOT name STREQUAL Python)
    message(FATAL_ERROR "looks for the package ${{name}}")
  endif()
endfunction()
include(Torch)
add_executable(probe probe.cc)
target_link_libraries(probe PRIVATE opyard::torch)
"""

pytestmark = pytest.mark.skipif(
    shutil.which("cmake") is None or not (_ROOT / "cmake").is_dir(), reason="needs cmake"
)


def configure(
    folder: Path, answer: str, *options: str, project: str = _PROJECT
) -> subprocess.CompletedProcess[str]:
    """Configures a project whose Python answers `answer` (a shell script's body)."""
    python = folder / "python"
    python.write_text(f"#!/bin/sh\n{answer}\n")
    python.chmod(0o755)
    (folder / "CMakeLists.txt").write_text(project.format(root=_ROOT))
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


def make_library(path: Path, source: str, *needs: Path) -> None:
    """Compiles `source` to the shared library `path`, which finds others as torch's wheels do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    code = path.with_suffix(".cc")
    code.write_text(source)
    search = "-Wl,-rpath,$ORIGIN:$ORIGIN/../../nvidia/cu13/lib"
    options = ["-shared", "-fPIC", "-Wl,--no-as-needed", f"-Wl,-soname,{path.name}", search]
    subprocess.run(["c++", *options, "-o", path, code, *needs], check=True)


def make_cuda_wheel(site_packages: Path) -> Path:
    """Lays out stand-ins for the libraries of a CUDA-enabled wheel: its folder `torch`.

    libtorch_cpu needs the CUDA runtime, which lies in a package of NVIDIA's; the CMake package of
    the wheel cannot be loaded without the toolkit.
    """
    torch = site_packages / "torch"
    runtime = site_packages / "nvidia" / "cu13" / "lib" / "libcudart.so.13"
    library = {
        name: torch / "lib" / f"lib{name}.so"
        for name in ("c10", "c10_cuda", "torch_cpu", "torch_cuda", "torch")
    }
    make_library(runtime, "int cuda_runtime() { return 7; }")
    make_library(library["c10"], "int c10() { return 11; }")
    make_library(library["c10_cuda"], "", library["c10"], runtime)
    make_library(
        library["torch_cpu"],
        "int cuda_runtime(); int torch_cpu() { return cuda_runtime(); }",
        library["c10"],
        runtime,
    )
    make_library(library["torch_cuda"], "", library["torch_cpu"], library["c10_cuda"])
    make_library(library["torch"], "", library["torch_cpu"], library["torch_cuda"])
    header = torch / "include" / "torch" / "csrc" / "api" / "include" / "torch" / "torch.h"
    header.parent.mkdir(parents=True)
    header.write_text("int torch_cpu();\nint c10();\n")
    config = torch / "share" / "cmake" / "Torch" / "TorchConfig.cmake"
    config.parent.mkdir(parents=True)
    config.write_text('message(FATAL_ERROR "needs the CUDA toolkit")\n')
    return torch


def test_a_cuda_wheel_is_linked_without_the_cuda_toolkit(tmp_path):
    torch = make_cuda_wheel(tmp_path / "site-packages")
    (tmp_path / "probe.cc").write_text(
        "#include <torch/torch.h>\nint main() { return torch_cpu() + c10(); }\n"
    )
    result = configure(tmp_path, f"echo '{torch};2.13.0+cu130;True'", project=_PROGRAM)
    assert result.returncode == 0, result.stderr
    subprocess.run(["cmake", "--build", tmp_path / "build"], check=True, capture_output=True)
    probe = tmp_path / "build" / "probe"
    dynamic = subprocess.run(["readelf", "-d", probe], check=True, capture_output=True, text=True)
    needed = re.findall(r"NEEDED.*\[lib(.*?)\.so", dynamic.stdout)
    assert {name for name in needed if re.match("torch|c10|cu", name)} == {"torch_cpu", "c10"}
    assert subprocess.run([probe], check=False).returncode == 7 + 11
