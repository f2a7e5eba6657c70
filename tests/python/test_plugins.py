"""Agents in C++ from shared libraries: the command and the functions of the package take them."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import opyard
import pytest
from opyard import _core

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = Path(_core.__file__).resolve().parents[2] / "plugins" / "least_loaded.so"
PAIR = ROOT / "examples" / "cpp" / "hardware" / "machines" / "pair.yaml"
# a takes 2 ms and makes 1 MB, which takes 1 ms to the other card, for b (3 ms) and for c (5 ms).
FORK = """{"format": "opyard-graph/1", "name": "fork", "ops": [
 {"name": "a", "type": "Custom", "outputs": [{"bytes": 1000000}], "seconds": {"*": 0.002}},
 {"name": "b", "type": "Custom", "inputs": [[0, 0]], "seconds": {"*": 0.003}},
 {"name": "c", "type": "Custom", "inputs": [[0, 0]], "seconds": {"*": 0.005}}]}"""
# b goes to the other card, which has nothing to do, and c, after it, to the first: 2 + 5 ms, while
# b ends after 2 + 1 + 3 ms.
LEAST_LOADED_S = 0.007


@pytest.fixture
def fork(tmp_path: Path) -> Path:
    path = tmp_path / "fork.graph.json"
    path.write_text(FORK, encoding="utf-8")
    return path


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the installed command, with further environment variables."""
    return subprocess.run(
        [sys.executable, "-m", "opyard", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )


def test_the_command_places_with_an_agent_of_a_plugin(fork):
    words = ["place", "--graph", fork, "--hardware", PAIR, "--agent", "least_loaded", "--json"]
    by_option = run(*words, "--plugin", PLUGIN)
    assert by_option.returncode == 0, by_option.stderr
    assert json.loads(by_option.stdout)["makespan_s"] == LEAST_LOADED_S
    by_environment = run(*words, "--param", "devices=1", OPYARD_PLUGINS=str(PLUGIN))
    assert json.loads(by_environment.stdout)["makespan_s"] == 0.010  # 2 + 3 + 5 ms on one card
    without = run(*words)
    assert without.returncode == 2
    assert 'agent "least_loaded" does not exist' in without.stderr


def test_its_agents_are_listed_and_shown():
    listed = run("agents", "list", "--plugin", PLUGIN, "--json")
    (info,) = [agent for agent in json.loads(listed.stdout) if agent["name"] == "least_loaded"]
    digest = sha256(PLUGIN.read_bytes()).hexdigest()
    assert info["plugin"] == {"file": str(PLUGIN), "sha256": digest}
    shown = run("agents", "show", "least_loaded", "--plugin", PLUGIN)
    assert f"plugin: {PLUGIN}, SHA-256 {digest}" in shown.stdout
    assert run("complete", "agents", "show", "least", OPYARD_PLUGINS=str(PLUGIN)).stdout == (
        "least_loaded\n"
    )


def test_runs_are_stored_with_the_plugin_and_validated_without_it(fork, tmp_path):
    (tmp_path / "e.yaml").write_text(
        f"schema_version: 1\nname: e\ngraphs: [{fork}]\nhardware: [{PAIR}]\n"
        "agents: [single_device, least_loaded, random]\nseeds: [0, 1]\n"
        "budget: {evaluations: 4}\n",
        encoding="utf-8",
    )
    out = tmp_path / "out"
    words = ["run", tmp_path / "e.yaml", "--out", out, "--quiet", "--jobs", "2"]
    ran = run(*words, "--plugin", PLUGIN)
    assert ran.returncode == 0, ran.stderr
    with closing(sqlite3.connect(out / "results.sqlite")) as store:
        (row,) = store.execute(
            "SELECT makespan_ps, settings, reproduce FROM runs WHERE agent = 'least_loaded'"
        )
    assert row[0] == 7_000_000_000
    digest = sha256(PLUGIN.read_bytes()).hexdigest()
    assert json.loads(row[1])["plugin"] == {"file": PLUGIN.name, "sha256": digest}
    assert f"--agent least_loaded --plugin {PLUGIN} " in row[2]
    assert run("validate", out).returncode == 0
    assert run("compare", out).returncode == 0
    again = run(*words, "--resume", "--plugin", PLUGIN)
    assert again.returncode == 0, again.stderr
    assert "least_loaded" in run(*words, "--resume").stderr  # which is not known there


def test_another_file_of_the_same_name_is_another_agent_to_resume(fork, tmp_path):
    (tmp_path / "e.yaml").write_text(
        f"schema_version: 1\nname: e\ngraphs: [{fork}]\nhardware: [{PAIR}]\n"
        "agents: [least_loaded]\nseeds: [0]\n",
        encoding="utf-8",
    )
    mine = tmp_path / "mine.so"
    mine.write_bytes(PLUGIN.read_bytes())
    words = ["run", tmp_path / "e.yaml", "--out", tmp_path / "out", "--quiet", "--plugin", mine]
    assert run(*words).returncode == 0
    mine.write_bytes(PLUGIN.read_bytes() + b"\0")
    resumed = run(*words, "--resume")
    assert resumed.returncode == 2
    assert "agent least_loaded: plugin" in resumed.stderr


def test_an_experiment_file_cannot_name_a_plugin(tmp_path):
    for key in ("plugin", "plugins"):
        (tmp_path / "e.yaml").write_text(
            f"schema_version: 1\nname: e\n{key}: [{PLUGIN}]\ngraphs: [gnmt2]\n"
            "hardware: [p100x2-pcie]\nagents: [single_device]\nseeds: [0]\n",
            encoding="utf-8",
        )
        refused = run("run", tmp_path / "e.yaml", "--out", tmp_path / "out")
        assert refused.returncode == 2
        assert key in refused.stderr


def test_functions_take_plugins(fork):
    infos = {agent.name: agent for agent in opyard.agents(plugins=[PLUGIN])}
    assert infos["least_loaded"].kind == "classical"
    assert [option.name for option in infos["least_loaded"].options] == ["devices"]
    found = opyard.place(fork, PAIR, agent="least_loaded", plugins=[PLUGIN])
    assert found.makespan_s == LEAST_LOADED_S
    assert found.plan.placement == [0, 1, 0]


def test_functions_heed_the_environment(fork, monkeypatch):
    monkeypatch.setenv("OPYARD_PLUGINS", str(PLUGIN))
    assert opyard.place(fork, PAIR, agent="least_loaded").makespan_s == LEAST_LOADED_S
    monkeypatch.setenv("OPYARD_PLUGINS", f"{PLUGIN}:/nowhere.so")
    with pytest.raises(opyard.InputError, match=r"plugin /nowhere.so: there is no such file"):
        opyard.agents()


def test_what_is_no_plugin_is_one_line_and_status_2(tmp_path):
    text = tmp_path / "text.so"
    text.write_text("no library", encoding="utf-8")
    for file in (tmp_path / "none.so", tmp_path, text, Path(_core.__file__)):
        refused = run("agents", "list", "--plugin", file)
        assert refused.returncode == 2, file
        assert refused.stdout == ""
        assert refused.stderr.startswith(f"plugin {file}: ")
        assert refused.stderr.count("\n") == 1
