"""The rows of `opyard doctor` on packages, and the notice of a build that leaves agents out."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from opyard import _core, installed_packages, learned

BACKEND = Path(__file__).parents[2] / "wheels" / "opyard_build.py"


@pytest.fixture(scope="module")
def backend():
    """The build backend, as pip loads it."""
    spec = importlib.util.spec_from_file_location("opyard_build", BACKEND)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def without_torch(monkeypatch):
    """No import finds PyTorch."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "torch" else find(name)
    )


def test_extras_and_what_they_bring_are_those_of_the_package():
    found = installed_packages.requirements()
    assert found[""] == ["gymnasium", "numpy"]
    assert found["exact"] == ["ortools"]
    assert found["sb3"] == ["stable-baselines3", "sb3-contrib"]


def test_a_package_that_is_not_here_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr(
        installed_packages, "requirements", lambda: {"": ["numpy"], "odd": ["numpy", "no-such-one"]}
    )
    rows = installed_packages.installed_packages()
    there, detail = rows["extra odd"]
    assert not there
    assert detail.startswith("numpy 2.")
    assert detail.endswith("; lacks no-such-one: pip install 'opyard[odd]'")
    assert rows["Python"][1].startswith(f"{sys.version_info.major}.{sys.version_info.minor}.")


def test_a_build_without_torch_says_what_it_leaves_out(backend, monkeypatch, capsys):
    made = []
    monkeypatch.setattr(backend.backend, "build_wheel", lambda *words: made.append(words) or "w")
    monkeypatch.delenv("OPYARD_METADATA_ONLY", raising=False)
    without_torch(monkeypatch)
    assert backend.build_wheel("out") == "w"
    said = capsys.readouterr().err
    assert "WITHOUT its learned agents" in said
    assert "pip install --no-build-isolation ." in said
    assert made == [("out", None, None)]


def test_a_build_that_compiles_nothing_says_nothing(backend, monkeypatch, capsys):
    monkeypatch.setattr(backend.backend, "build_wheel", lambda *words: "w")
    without_torch(monkeypatch)
    backend.build_wheel("out", {"wheel.cmake": "false"})
    monkeypatch.setenv("OPYARD_METADATA_ONLY", "true")
    backend.build_wheel("out")
    assert capsys.readouterr().err == ""


def test_where_the_learned_agents_are_a_package_that_is_not_there(monkeypatch):
    monkeypatch.setattr(learned, "_PLACES", (("opyard_learned", "_agents"),))
    monkeypatch.setattr(_core, "torch_version", "2.13.0")
    with pytest.raises(ImportError, match="pip install the wheel opyard-learned"):
        learned.load()
