"""The learned agents: loaded where PyTorch is, and a clear word where it is not."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys

import pytest
from opyard import _core, learned

_WITHOUT_TORCH = "import sys; sys.modules['torch'] = None; "
_PLACE = (
    "from opyard.cli import main; "
    "sys.exit(main(['place', '--graph', 'inception_v3', '--hardware', 'p100x2-pcie', "
    "'--agent', '{agent}', '--evaluations', '1', '--out', r'{out}']))"
)

needs_learned = pytest.mark.skipif(not _core.torch_version, reason="built without LibTorch")


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Runs `code` in a fresh interpreter."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_without_torch_a_learned_agent_names_the_command_that_installs_it(tmp_path):
    out = tmp_path / "plan.json"
    result = run(_WITHOUT_TORCH + _PLACE.format(agent="reinforce_lstm", out=out))
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    assert "agent reinforce_lstm needs LibTorch" in result.stderr
    assert "pip install 'torch==2.13" in result.stderr


def test_without_torch_the_other_agents_work(tmp_path):
    out = tmp_path / "plan.json"
    result = run(_WITHOUT_TORCH + _PLACE.format(agent="random", out=out))
    assert result.returncode == 0, result.stderr
    assert out.exists()


def test_without_torch_the_learned_agents_are_listed_and_say_so():
    code = "from opyard.cli import main; main(['agents', 'show', 'reinforce_lstm', '--json'])"
    result = run(_WITHOUT_TORCH + code)
    assert result.returncode == 0, result.stderr
    shown = json.loads(result.stdout)
    assert "Not available here" in shown["summary"]
    assert {"hidden", "learning_rate", "save"} <= {option["name"] for option in shown["options"]}


@needs_learned
def test_import_opyard_loads_no_libtorch():
    code = "import opyard, opyard.cli; print('libtorch' in open('/proc/self/maps').read())"
    assert run(code).stdout.strip() == "False"


@needs_learned
def test_another_version_of_torch_is_refused_with_the_command_that_mends_it(monkeypatch):
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "2.12.1+cpu")
    with pytest.raises(ImportError, match=r"but 2\.12\.1\+cpu is installed.*pip install 'torch=="):
        learned.load()


@needs_learned
def test_the_module_itself_checks_the_version():
    code = (
        "import importlib.metadata as m; m.version = lambda name: '2.14.0'; import opyard._agents"
    )
    result = run(code)
    assert result.returncode == 1
    assert "but 2.14.0 is installed" in result.stderr


@needs_learned
def test_the_module_is_built_with_the_version_that_the_core_says():
    assert learned.load().torch_version == _core.torch_version


@needs_learned
def test_a_learned_agent_searches_from_python_and_lives_beside_torch(tmp_path):
    out = tmp_path / "plan.json"
    code = "import sys, torch; torch.zeros(2).sum(); " + _PLACE.format(
        agent="reinforce_lstm", out=out
    )
    result = run(code)
    assert result.returncode == 0, result.stderr
    assert out.exists()
