"""The agent `event_policy`: how it is run, the rules beside it, and its weights."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import opyard
import pytest
import torch
from opyard.event_policy import family, rules, weights
from opyard.event_policy.agent import EventPolicyAgent
from opyard.event_policy.episodes import make_envs, play
from opyard.event_policy.network import EventPolicy
from opyard.event_policy.path_priorities import ranks_of

GRAPH = "random:layered?n=40&seed=5"
MACHINE = "p100x4-pcie"


def policy_of(seed: int) -> EventPolicy:
    torch.manual_seed(seed)
    return EventPolicy()


def test_rules_are_those_of_their_agents():
    result = opyard.place(GRAPH, MACHINE, agent="critical_path", fusion="none", group="none")
    problem = opyard.Problem(
        GRAPH, MACHINE, tasks=("placement", "scheduling"), fusion="none", group="none"
    )
    plan = opyard.Plan(result.plan.placement)
    found = rules.makespans_of_agents(family.PlacedProblem("", problem, plan))
    assert found["critical_path"] == result.makespan_s


@pytest.mark.parametrize("rule", ["mopnr", "spt"])
def test_the_orders_of_rules_are_those_of_their_agents(rule):
    result = opyard.place(GRAPH, MACHINE, agent=f"{rule}_aware", fusion="none", group="none")
    problem = opyard.Problem(
        GRAPH, MACHINE, tasks=("placement", "scheduling"), fusion="none", group="none"
    )
    plan = opyard.Plan(result.plan.placement)
    found = rules.makespans_of_agents(family.PlacedProblem("", problem, plan))
    assert found[rule] == result.makespan_s


def test_ranks_of_equal_keys_fall_with_the_index():
    assert ranks_of(np.array([2.0, 1.0, 2.0, 3.0])) == [2, 0, 1, 3]


class Recorder:
    """An evaluator that keeps the plans that it is given."""

    def __init__(self, evaluations: int, tasks: tuple[str, ...] = EventPolicyAgent.tasks) -> None:
        self.problem = opyard.Problem(GRAPH, MACHINE, tasks=tasks)
        self._evaluator = opyard.Evaluator(self.problem, evaluations=evaluations)
        self.plans: list[opyard.Plan] = []

    def evaluate(self, plans: list[opyard.Plan]) -> list[dict]:
        self.plans += plans
        return self._evaluator.evaluate(plans)

    @property
    def is_done(self) -> bool:
        return self._evaluator.is_done

    def search(self, agent: EventPolicyAgent, seed: int = 0) -> list[opyard.Plan]:
        agent.search(self.problem, self, seed)
        return self.plans


def test_the_agent_is_run_through_the_same_door_as_others():
    result = opyard.place(GRAPH, MACHINE, agent="event_policy", evaluations=20)
    assert result.outcome == "completed"
    assert result.evaluations == 20
    assert result.makespan_s == opyard.simulate(GRAPH, MACHINE, result.plan)["makespan_s"]
    assert result.history[0]["evaluations"] == 1  # the placer's plan


def test_the_agent_runs_in_experiments(tmp_path):
    (tmp_path / "own.yaml").write_text(
        "schema_version: 1\n"
        "name: own\n"
        f"graphs: ['{GRAPH}']\n"
        f"hardware: [{MACHINE}]\n"
        "budget: {evaluations: 3}\n"
        "agents: [{name: event_policy, params: {placer: metis}}]\n"
        "seeds: [3]\n"
    )
    command = [sys.executable, "-m", "opyard", "run", "own.yaml", "--out", "results"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    (row,) = [line for line in run.stdout.splitlines() if "event_policy" in line]
    assert row.split()[-1] == "0/1"  # failed runs


def test_the_same_seed_gives_the_same_plans_and_another_one_others():
    plans = [Recorder(20).search(EventPolicyAgent(), seed) for seed in (3, 3, 4)]
    assert plans[0] == plans[1]
    assert plans[0][:2] == plans[2][:2]  # the placer's, and the greedy one
    assert plans[0] != plans[2]


def test_no_plan_is_evaluated_twice():
    plans = Recorder(60).search(EventPolicyAgent(batch=8))
    assert len(set(plans)) == len(plans) >= 60  # temperatures rise until the budget is spent


def test_the_search_ends_when_no_sample_is_new():
    problem = opyard.Problem("random:layered?n=2&seed=0", MACHINE, tasks=("scheduling",))
    evaluator = opyard.Evaluator(problem, evaluations=1000)
    EventPolicyAgent().search(problem, evaluator, 0)
    assert evaluator.num_evaluations < 10


def test_the_agent_improves_on_the_order_of_a_bad_placement():
    recorder = Recorder(20)
    plans = recorder.search(EventPolicyAgent(placer="round_robin"))
    found = [recorder.problem.simulate(plan)["makespan_s"] for plan in plans[:20]]
    assert min(found[1:]) < found[0]


def test_without_scheduling_only_the_placement_is_evaluated():
    assert len(Recorder(20, tasks=("placement",)).search(EventPolicyAgent())) == 1


def test_an_unknown_placer_is_refused():
    with pytest.raises(opyard.InputError, match="nobody"):
        Recorder(20).search(EventPolicyAgent(placer="nobody"))


def test_without_torch_the_agent_says_what_to_install():
    code = (
        "import sys; sys.modules['torch'] = None; import opyard\n"
        "from opyard.event_policy.agent import EventPolicyAgent\n"
        f"problem = opyard.Problem({GRAPH!r}, {MACHINE!r}, tasks=('scheduling',))\n"
        "EventPolicyAgent().search(problem, opyard.Evaluator(problem, evaluations=3), 0)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'opyard[torch]'" in run.stderr.splitlines()[-1]


def test_the_shipped_weights_give_this_plan():
    policy, record = weights.load(weights.shipped_path())
    assert record["command"].startswith("python -m opyard.event_policy")
    placed = family.placed_problem("random:layered?n=24&seed=11", "p100x2-pcie", "metis")
    envs = make_envs(placed.problem, placed.plan, 1)
    episodes = play(policy, envs, np.random.default_rng(0), num_greedy=1)
    assert episodes.actions_of(0) == GOLDEN


# What the weights chose when they were shipped; other weights have other choices.
GOLDEN = [0, 2, 4, 3, 7, 14, 1, 8, 10, 9, 11, 12, 15, 19, 17, 18, 21, 22, 23]


def test_weights_are_read_as_they_were_written(tmp_path):
    policy = policy_of(4)
    weights.save(tmp_path / "w.npz", policy, {"seed": 4})
    read, record = weights.load(tmp_path / "w.npz")
    assert record["seed"] == 4
    for name, value in policy.state_dict().items():
        assert torch.equal(read.state_dict()[name], value)


@pytest.mark.parametrize(
    "fault", ["cut", "text", "missing", "pickled", "shape", "nan", "other", "bomb"]
)
def test_damaged_weights_are_refused(tmp_path, fault):
    path = tmp_path / "w.npz"
    weights.save(path, policy_of(4), {})
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    name = "path_weights"
    if fault == "missing":
        del arrays[name]
    if fault == "pickled":
        arrays[name] = np.array([object()], dtype=object)
    if fault == "shape":
        arrays[name] = arrays[name][:2]
    if fault == "nan":
        arrays[name][0] = math.nan
    if fault == "other":
        arrays["stranger"] = arrays[name]
    if fault == "bomb":
        arrays["zeros"] = np.zeros(2**24 + 1, np.float32)  # 64 MiB in a file of 64 kB
        np.savez_compressed(path, **arrays)
    else:
        np.savez(path, **arrays)
    if fault == "cut":
        path.write_bytes(path.read_bytes()[:-300])
    if fault == "text":
        path.write_text("no weights")
    with pytest.raises(opyard.InputError, match=r"w\.npz: no weights of event_policy"):
        weights.load(path)
