"""`opyard bench env`: what it measures and answers; no figure is tested, since machines differ."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import gymnasium
import numpy as np
import opyard
import pytest
from gymnasium.utils.env_checker import check_env
from opyard import _core, cli
from opyard.bench import env_cases as cases
from opyard.bench.idle_env import IdleEnv
from opyard.bench.measurement import Case, Speed, measure, rate_of
from opyard.bench.random_episodes import RandomEpisodes, plans_of
from opyard.bench.ratios import ratios_of

GRAPH = "random:layered?n=8&seed=1"
MACHINE = "p100x2-pcie"
SHORT = ["--graph", GRAPH, "--num-envs", "3", "--seconds", "0.001", "--rounds", "1"]
ROWS = {  # (environment, mode, environments of a vector, threads)
    ("opyard/Placement-v0", "native", 3, 1),
    ("opyard/Placement-v0", "native", 3, 2),
    ("opyard/Placement-v0", "native_copies", 3, 1),
    ("opyard/Placement-v0", "native_copies", 3, 2),
    ("opyard/Placement-v0", "sync_vector", 3, 1),
    ("opyard/Placement-v0", "gym_make", 1, 1),
    ("idle", "gym_make", 1, 1),
    ("opyard/Improve-v0", "native", 3, 1),
    ("opyard/Improve-v0", "native", 3, 2),
    ("engine", "plans_of_improve", 1, 1),
    ("engine", "plans_of_improve", 1, 2),
    ("opyard/OneShot-v0", "gym_make", 1, 1),
    ("opyard/OneShot-v0", "native", 3, 1),
    ("opyard/OneShot-v0", "sync_vector", 3, 1),
    ("opyard/ListSchedule-v0", "native", 3, 1),
    ("Evaluator", "arrays", 3, 1),
    ("Evaluator", "plans", 3, 1),
    ("engine", "random_placements", 1, 1),
}


def stand_in(folder: Path, rate: float) -> Path:
    """A program that answers as envpool_steps.py does."""
    path = folder / "python"
    path.write_text(f'#!/bin/sh\necho \'{{"version": "1", "steps_per_second": {rate}}}\'\n')
    path.chmod(0o755)
    return path


def test_the_answer_has_a_row_per_case(capsys):
    assert cli.main(["bench", "env", *SHORT, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    keys = {"env", "graph_ops", "num_envs", "mode", "threads", "steps_per_second"}
    assert all(set(row) == keys for row in answer)
    found = [(row["env"], row["mode"], row["num_envs"], row["threads"]) for row in answer]
    assert len(found) == len(ROWS)
    assert set(found) == ROWS
    assert {row["graph_ops"] for row in answer} == {8}
    assert all(row["steps_per_second"] > 0 for row in answer)


def test_the_table_has_the_ratios_to_another_pythons_envpool(capsys, tmp_path):
    python = str(stand_in(tmp_path, rate=1e12))
    assert cli.main(["bench", "env", *SHORT, "--threads", "1", "--envpool", python]) == 0
    printed = capsys.readouterr().out
    assert "1,000,000,000,000" in printed
    (line,) = [line for line in printed.splitlines() if "views : CartPole" in line]
    assert line.split()[-5:] == ["0.00", "at", "least", "1.5", "missed"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--num-envs", "0"], "--num-envs: found 0, expected 1 to 65536"),
        (["--threads", "0"], "--threads: found 0, expected 1 to 1024"),
        (["--rounds", "0"], "--rounds: found 0, expected 1 to 1000"),
        (["--seconds", "nan"], "--seconds: found nan, expected 0.001 to 60"),
        (["--graph", "random:nothing"], "random:nothing"),
        (["--envpool", "no/python"], "--envpool no/python: found"),
        (["--envpool", sys.executable], "No module named 'envpool'"),
    ],
)
def test_what_is_wrong_is_named(words, message, capsys):
    assert cli.main(["bench", "env", *SHORT, *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("opyard bench env: ")
    assert message in error


def test_the_program_alone_names_the_package(capfd):
    assert _core.run_command_line(["bench", "env"]) == 2
    assert "pip install" in capfd.readouterr().err


def speed(env: str, mode: str, rate: float, threads: int = 1) -> Speed:
    return Speed(env, 100, 64, mode, threads, rate)


def test_ratios_are_those_of_the_speeds():
    speeds = [
        speed(cases.PLACEMENT, cases.VIEWS, 600.0),
        speed(cases.PLACEMENT, cases.VIEWS, 750.0, threads=2),
        speed(cases.PLACEMENT, cases.COPIES, 80.0),
        speed(cases.PLACEMENT, cases.COPIES, 90.0, threads=2),
        speed(cases.PLACEMENT, cases.SYNC, 50.0),
        speed(cases.PLACEMENT, cases.SINGLE, 30.0),
        speed(cases.IDLE, cases.SINGLE, 120.0),
        speed(cases.IMPROVE, cases.VIEWS, 80.0),
        speed(cases.ENGINE, cases.OF_IMPROVE, 100.0),
        speed(cases.IMPROVE, cases.VIEWS, 120.0, threads=2),
        speed(cases.ENGINE, cases.OF_IMPROVE, 200.0, threads=2),
        speed(cases.EVALUATOR, cases.ARRAYS, 40_000.0),
        speed(cases.ENGINE, cases.OF_EVALUATOR, 50_000.0),
        speed(cases.CARTPOLE, cases.ENVPOOL, 300.0, threads=2),
    ]
    ratios = ratios_of(speeds)
    # 600 / 50 on one thread, 750 / 300 and 90 / 300 on two, 30 / 120, 80 / 100, 120 / 200, and
    # 25 us - 20 us
    assert [ratio.value for ratio in ratios] == pytest.approx([12, 2.5, 0.3, 0.25, 0.8, 0.6, 5])
    assert [ratio.is_met for ratio in ratios] == [True, True, False, False, True, False, True]
    assert len(ratios_of(speeds[:-1])) == 5  # without EnvPool


def test_the_best_round_counts_and_the_first_does_not():
    rates = {"a": iter([9.0, 3.0, 5.0]), "b": iter([1.0, 2.0, 1.0])}
    measured = [Case(name, "mode", 1, 1, lambda _, name=name: next(rates[name])) for name in rates]
    speeds = measure(measured, graph_ops=7, seconds=0.5, rounds=2)
    assert speeds == [Speed("a", 7, 1, "mode", 1, 5.0), Speed("b", 7, 1, "mode", 1, 2.0)]


def test_a_rate_counts_all_steps_of_the_time():
    calls = []
    rate = rate_of(lambda: calls.append(1) or 10)(0.01)
    assert rate <= 10 * len(calls) / 0.01
    assert len(calls) > 1
    calls.clear()
    assert rate_of(lambda: calls.append(1) or 10)(0.0) > 0
    assert len(calls) == 1


def test_the_engine_runs_the_plans_that_improve_simulates():
    episodes = RandomEpisodes.of(GRAPH, MACHINE)
    actions = episodes.actions(2, seed=5)
    problem = opyard.Problem(GRAPH, MACHINE)
    plans = plans_of(problem, episodes.improvements(actions))
    evaluator = opyard.Evaluator(problem, threads=1)
    expected = [found["makespan_s"] for found in evaluator.evaluate(plans)]
    env = gymnasium.make("opyard/Improve-v0", graph=GRAPH, hardware=MACHINE)
    found = np.empty(actions.shape)
    for episode in range(2):
        env.reset(seed=0)
        for step, action in enumerate(actions[:, episode]):
            found[step, episode] = env.step(int(action))[4]["makespan_s"]
    assert found.ravel().tolist() == expected


def test_the_idle_environment_is_one_of_gymnasium():
    env = gymnasium.make("opyard/Placement-v0", graph=GRAPH).unwrapped
    idle = IdleEnv(env.reset(seed=0)[0], env.observation_space, length=3)
    check_env(idle, skip_render_check=True)
    idle.reset(seed=0)
    assert [idle.step(0)[2] for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize("threads", [1, 2, 0])
def test_runs_of_the_engine_take_time(threads):
    problem = opyard.Problem(GRAPH, MACHINE)
    plan = problem.plan()
    assert _core.time_runs(problem, [plan] * 5, threads) > 0
    with pytest.raises(opyard.PlanError, match="placement"):
        _core.time_runs(problem, [plan, opyard.Plan([7] * 8)], threads)
