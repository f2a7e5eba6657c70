"""Whole ways of users through opyard, as they type them.

The first minutes; a policy of their own; a machine and a model of their own; an agent of their own.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import gymnasium
import numpy as np
import opyard  # noqa: F401 (registers the environments)
import pytest
from opyard.cli import main

ROOT = Path(__file__).resolve().parents[2]
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs PyTorch")


@pytest.fixture(name="command")
def fixture_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd) -> Callable[..., str]:
    """Runs a command `opyard` in the temporary folder, and returns what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(line: str, status: int = 0) -> str:
        ended = main(shlex.split(line)[1:])
        printed = capfd.readouterr()
        assert ended == status, printed.err
        return printed.out

    return run


def test_the_first_minutes(command, tmp_path: Path):
    problem = "--graph 'zoo:inception_v3?batch=32' --hardware p100x2-pcie"
    assert "simulator          yes" in command("opyard doctor")
    assert "\nm_etf " in command("opyard agents list")
    assert "\nzoo:inception_v3 " in command("opyard graph list")
    assert "\np100x2-pcie " in command("opyard profile list")
    placed = command(f"opyard place {problem} --agent m_etf --out best.plan.json")
    simulate = f"opyard simulate {problem} --plan best.plan.json --trace t.json --explain"
    simulated = command(simulate)
    (makespan,) = re.findall(r"step time ([\d.]+) ms \(no plan", placed)
    assert f"completed: {makespan} ms" in simulated
    assert "what if" in simulated
    assert json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))["traceEvents"]


def test_the_first_episode_is_rendered():
    env = gymnasium.make(
        "opyard/OneShot-v0",
        graph="zoo:inception_v3?batch=32",
        hardware="p100x2-pcie",
        render_mode="ansi",
    )
    env.reset(seed=0)
    info = env.step(env.action_space.sample())[-1]
    assert f"makespan {1e3 * info['makespan_s']:g} ms" in env.render()


def test_a_vector_of_environments_gives_masks_and_repeats_by_its_seed():
    returns = []
    for _ in range(2):
        envs = gymnasium.make_vec(
            "opyard/Placement-v0",
            num_envs=64,
            graph="random:layered?n=64&seed=1",
            hardware="p100x2-pcie",
            autoreset_mode="same_step",
            threads=2,
        )
        rng = np.random.default_rng(0)
        info = envs.reset(seed=3)[1]
        rewards = []
        for _ in range(70):  # beyond the end of the first episode
            mask = np.asarray(info["action_mask"], dtype=bool)
            actions = (rng.random(mask.shape) * mask).argmax(-1)
            _, reward, _, _, info = envs.step(actions)
            rewards.append(reward)
        returns.append(np.asarray(rewards))
    assert (returns[0] == returns[1]).all()
    assert np.count_nonzero(returns[0]) > 0


@needs_torch
def test_a_policy_repeats_by_its_seed_and_by_its_file(tmp_path: Path, capsys):
    pytest.importorskip("sb3_contrib", reason="needs sb3-contrib")
    path = ROOT / "examples" / "train" / "sb3_maskable_ppo.py"
    spec = importlib.util.spec_from_file_location("sb3_maskable_ppo", path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    few = ["--graph", "random:layered?n=16&seed=1", "--envs", "4"]
    few += ["--steps", "96", "--samples", "2"]
    printed = []
    for word, name in (("--out", "a.zip"), ("--out", "b.zip"), ("--evaluate", "a.zip")):
        program.main([*few, word, str(tmp_path / name)])
        printed.append(capsys.readouterr().out.partition("zip: ")[2])
    assert printed[0].startswith("step time ")
    assert printed == [printed[0]] * 3


_MODEL = """
import torch


def step():
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 8))
    labels = torch.zeros(32, dtype=torch.int64)
    return model, torch.randn(32, 64), lambda out: torch.nn.functional.cross_entropy(out, labels)
"""


@needs_torch
def test_a_machine_and_a_model_of_ones_own(command, tmp_path: Path):
    shutil.copy(ROOT / "tests/python/authoring/inputs/quad_mesh.topo.txt", tmp_path / "topo.txt")
    (tmp_path / "mine.py").write_text(_MODEL, encoding="utf-8")
    command("opyard profile import nvidia-smi topo.txt --out mybox.yaml", status=2)
    card = "--card v100-sxm2-16gb"
    command(f"opyard profile import nvidia-smi topo.txt {card} --out mybox.yaml")
    assert "a valid machine" in command("opyard profile validate mybox.yaml")
    assert "gpu3" in command("opyard profile show mybox.yaml")
    difference = command("opyard profile diff mybox.yaml v100x8-dgx1", status=1)
    assert "+ devices.gpu7" in difference
    command("opyard export torch mine:step --out model.graph.json")
    assert "MatMul" in command("opyard graph info model.graph.json")
    problem = "--graph model.graph.json --hardware mybox.yaml"
    search = "--agent brkga --seconds 0.2 --tasks placement,scheduling,fusion --out best.plan.json"
    placed = json.loads(command(f"opyard place {problem} {search} --json"))
    assert placed["outcome"] == "completed"
    assert placed["makespan_s"] >= placed["problem_bound_s"] > 0
    simulated = command(f"opyard simulate {problem} --plan best.plan.json --json")
    assert json.loads(simulated)["makespan_s"] == placed["makespan_s"]


def test_memory_that_does_not_suffice_is_explained_by_device(command, tmp_path: Path):
    (tmp_path / "big.graph.json").write_text(
        '{"format": "opyard-graph/1", "name": "big", "ops": [{"name": "a", "type": "MatMul",'
        ' "seconds": {"*": 1e-6}, "outputs": [{"bytes": 1000000000000}]}]}',
        encoding="utf-8",
    )
    place = "opyard place --graph big.graph.json --hardware p100x2-pcie --out big.plan.json"
    assert "which needs 931.32 GiB on" in command(place, status=1)
    simulate = "opyard simulate --graph big.graph.json --hardware p100x2-pcie --plan big.plan.json"
    assert "asked for by op a " in command(f"{simulate} --explain", status=1)


_EXPERIMENT = """\
schema_version: 1
name: my_agent
graphs: ["random:layered?n=24&seed=1"]
hardware: [p100x2-pcie]
problem: {tasks: [placement]}
budget: {evaluations: 50, seconds: 60}
agents:
  - single_device
  - {label: my_agent, name: "my_agent.py:HillClimb"}
seeds: [0]
"""


def test_an_agent_of_ones_own_is_compared(command, tmp_path: Path):
    shutil.copy(ROOT / "examples/python_agent/hill_climb.py", tmp_path / "my_agent.py")
    (tmp_path / "my_agent.yaml").write_text(_EXPERIMENT, encoding="utf-8")
    ran = command("opyard run my_agent.yaml --set budget.seconds=10 --out results")
    assert re.search(r"^my_agent +[\d.]+ +[\d.]+x +50 ", ran, re.MULTILINE), ran
    assert "2 of 2" in command("opyard validate results")


def test_the_build_without_pytorch_has_its_presets():
    presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
    for kind in ("configurePresets", "buildPresets", "testPresets"):
        assert "notorch" in {preset["name"] for preset in presets[kind]}
