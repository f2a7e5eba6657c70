"""Duels find bad cases that are known by hand, replay, and treat both agents alike."""

from __future__ import annotations

import ctypes
import itertools
import json
import math
import random
import subprocess
import sys

import opyard
import pytest
from opyard.duels import (
    AnnealingSettings,
    Contest,
    duel,
    find_cause,
    given_instance,
    random_instance,
    sentence_of,
)
from opyard.duels.annealing import acceptance
from opyard.duels.changes import add_edge, random_change, without_edge
from opyard.duels.command import run
from opyard.duels.compact import compact_text, instance_of_text
from opyard.duels.starts import HIGHEST, LOWEST
from opyard.library_output import dropped_library_output

SHORT = AnnealingSettings(restarts=2, iterations=60)


def test_an_agent_is_as_good_as_itself():
    result = duel(Contest("simulated_annealing", "simulated_annealing", evaluations=20), SHORT)
    assert result.ratio == 1.0
    assert result.start_ratio == 1.0


def test_the_worst_case_of_one_device_is_found():
    # One device takes at most twice as long as any plan on two: it can do the work of both, one
    # after the other. Two equal ops without an edge on two equal devices take exactly twice.
    settings = AnnealingSettings(restarts=3, ops=(2, 2), devices=(2, 2))
    result = duel(Contest("single_device", "heft"), settings)
    assert 1.9 < result.ratio <= 2
    assert not result.instance.edges


def test_the_ratio_grows_from_that_of_the_start():
    result = duel(Contest("single_device", "heft"), SHORT)
    ratios = [step.ratio for step in result.history]
    assert ratios == sorted(set(ratios))
    assert ratios[-1] == result.ratio > result.start_ratio


def test_equal_seeds_give_equal_results():
    first, second = (duel(Contest("metis", "heft", seed=5), SHORT) for _ in range(2))
    other = duel(Contest("metis", "heft", seed=6), SHORT)
    assert first.instance == second.instance != other.instance
    assert first.history == second.history


def test_the_files_of_a_duel_replay_exactly(tmp_path, capsys):
    out = tmp_path / "found"
    words = ["heft", "single_device", "--restarts", "1", "--iterations", "80", "--json"]
    assert run(["duel", *words, "--out", str(out)]) == 0
    answer = json.loads(capsys.readouterr().out)
    makespans = []
    for command in answer["replay"]:
        program = [sys.executable, "-m", *command.split(), "--json"]
        ended = subprocess.run(program, capture_output=True, check=True)
        makespans.append(json.loads(ended.stdout)["makespan_s"])
    assert makespans == [answer["makespan_s"], answer["opponent_makespan_s"]]
    assert answer["ratio"] == makespans[0] / makespans[1] > 1
    assert json.loads((out / "duel.json").read_text(encoding="utf-8")) == answer


def test_a_better_change_is_always_accepted_and_a_worse_one_as_published():
    assert acceptance(1.5, 1.0, 0.1) == 1.0
    assert acceptance(1.0, 1.0, 0.1) == 1.0
    assert acceptance(1.0, 2.0, 0.5) == math.exp(-1)  # (1 / 2) / 0.5 = 1


def test_changes_keep_an_instance_legal():
    rng = random.Random(1)
    instance = random_instance(rng, "dag", (3, 5), (3, 5))
    for _ in range(300):
        instance = random_change(instance, rng) or instance
        factors = (*instance.ops, *instance.devices, *instance.links)
        tensors = [tensor.factor for tensor in instance.tensors]
        assert all(LOWEST <= factor <= HIGHEST for factor in (*factors, *tensors))
        assert len(instance.tensors) == len(instance.edges)
        assert len(set(instance.pairs())) == len(instance.edges)
        instance.problem()  # refuses cycles


def test_edges_are_added_until_every_pair_has_one():
    rng = random.Random(2)
    instance = random_instance(rng, "chain", (4, 4), (3, 3))
    for _ in range(3):
        instance = add_edge(instance, rng)
    assert sorted(instance.pairs()) == list(itertools.combinations(range(4), 2))
    assert add_edge(instance, rng) is None


def test_a_tensor_stays_as_long_as_an_op_reads_it():
    graph = opyard.Graph.from_dict(
        {
            "format": "opyard-graph/1",
            "name": "fork",
            "ops": [
                {"name": "a", "type": "Task", "seconds": {"*": 1e-3}, "outputs": [{"bytes": 7}]},
                {"name": "b", "type": "Task", "seconds": {"*": 2e-3}, "inputs": [[0, 0]]},
                {"name": "c", "type": "Task", "seconds": {"*": 5e-3}, "inputs": [[0, 0]]},
            ],
        }
    )
    instance = given_instance(graph, opyard.load_machine("processors-2"))
    once = without_edge(instance, 0)
    assert (len(once.tensors), once.pairs()) == (1, [(0, 2)])
    assert (len(without_edge(once, 0).tensors), without_edge(once, 0).pairs()) == (0, [])


def test_a_given_instance_takes_as_long_as_its_graph():
    graph = opyard.load_graph("random:layered?n=20&seed=4")
    machine = opyard.load_machine("p100x4-pcie")
    score = Contest("heft", "single_device").score(given_instance(graph, machine))
    for agent, found in (("heft", score.makespan_s), ("single_device", score.opponent_makespan_s)):
        expected = opyard.place(
            graph, machine, agent=agent, group="none", fusion="none", evaluations=64
        )
        assert found == expected.makespan_s


def test_a_short_text_holds_all_of_an_instance():
    instance = random_instance(random.Random(3), "dag", (3, 5), (3, 5))
    assert instance_of_text(compact_text(instance)) == instance
    for text in ("", "1 / 1", "1 / 1 / / 0-1:1", "1 1 / 1 1 / / 0>1:1"):
        with pytest.raises(opyard.InputError, match='expected "OPS / DEVICES'):
            instance_of_text(text)


def test_the_sentence_names_the_change_that_matters_most():
    # Ops 0 and 1 need nothing from each other: heft takes 1 ms, one device 2 ms. An edge with the
    # slowest transfer would bring them together; the least work in either leaves 1.1 over 1.
    text = "1 1 / 1 1 / 1 /"
    contest = Contest("single_device", "heft")
    instance = instance_of_text(text)
    score = contest.score(instance)
    result = duel(contest, AnnealingSettings(restarts=1, iterations=1), given=instance)
    assert score.ratio == 2
    sentence = sentence_of(result, find_cause(result))
    assert sentence == (
        "single_device takes 2 times as long as heft, and puts 1 of 2 ops on another device. "
        "With the least work in op0 the ratio would be 1.1."
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nobody", "heft"], "nobody"),
        (["heft", "cpop", "--ops", "5:3"], '--ops: found "5:3", expected LOW:HIGH'),
        (["heft", "cpop", "--restarts", "0"], "--restarts: found 0, expected 1 to"),
        (["heft", "cpop", "--graph", "inception_v3"], "found one of them, expected both"),
    ],
)
def test_bad_arguments_are_refused(words, message, capsys):
    assert run(["duel", *words]) == 2
    assert message in capsys.readouterr().err


def test_what_libraries_print_is_dropped(capfd):
    libc = ctypes.CDLL(None)
    with dropped_library_output():
        libc.printf(b"from a library\n")
    print("from here")
    assert capfd.readouterr().out == "from here\n"


def interrupt_after(monkeypatch, num_scores):
    """Has Ctrl-C come in the middle of a duel, at the instance after the first `num_scores`."""
    score = Contest.score
    seen = itertools.count()

    def interrupted(contest, instance):
        if next(seen) == num_scores:
            raise KeyboardInterrupt
        return score(contest, instance)

    monkeypatch.setattr(Contest, "score", interrupted)


def test_ctrl_c_keeps_the_worst_instance_until_then(tmp_path, capsys, monkeypatch):
    settings = AnnealingSettings(restarts=1, iterations=29)
    whole = duel(Contest("single_device", "heft"), settings)  # 30 instances
    interrupt_after(monkeypatch, 30)
    found = duel(
        Contest("single_device", "heft"),
        AnnealingSettings(restarts=1, iterations=40),
        keeps_best_at_interrupt=True,
    )
    assert found.was_interrupted
    assert not whole.was_interrupted
    assert (found.instance, found.history) == (whole.instance, whole.history)

    interrupt_after(monkeypatch, 30)
    folder = tmp_path / "one device"
    words = ["duel", "single_device", "heft", "--restarts", "1", "--out", str(folder)]
    assert run(words) == 130
    printed = capsys.readouterr()
    assert f"{whole.ratio:.4f}" in printed.out
    assert printed.err == "interrupted: the instance is the worst until then\n"
    assert (folder / "duel.json").is_file()
    assert f"--graph '{folder}/duel.graph.json'" in printed.out

    interrupt_after(monkeypatch, 0)
    with pytest.raises(KeyboardInterrupt):
        run(words)


def test_a_duel_without_a_loss_says_so():
    result = duel(Contest("heft", "heft"), AnnealingSettings(restarts=1, iterations=1))
    sentence = "No instance was found on which heft takes longer than heft."
    assert sentence_of(result, find_cause(result)) == sentence
