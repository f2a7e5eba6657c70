"""The network of `event_policy` and its training: probabilities, gradients, a known optimum."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import opyard
import pytest
import torch
from opyard.event_policy import family
from opyard.event_policy.episodes import (
    Episodes,
    env_arguments,
    make_envs,
    plans_of,
    play,
    play_by,
)
from opyard.event_policy.network import EventPolicy
from opyard.event_policy.path_priorities import paths_to_sink
from opyard.event_policy.reinforce import advantages, log_probabilities
from opyard.event_policy.training import Settings, Training

GRAPH = "random:layered?n=40&seed=5"
MACHINE = "p100x4-pcie"


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    """Tensors are small: threads would wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def placed() -> family.PlacedProblem:
    return family.placed_problem(GRAPH, MACHINE, "round_robin")


@pytest.fixture(scope="module")
def tiny() -> family.PlacedProblem:
    """A problem with 27 episodes: few enough to list all pairs of them."""
    return tiny_problem(num_ops=14, seed=0)


def tiny_problem(num_ops: int, seed: int) -> family.PlacedProblem:
    graph = f"random:barabasi_albert?n={num_ops}&seed={seed}"
    return family.placed_problem(graph, "p100x2-pcie", "round_robin")


def policy_of(seed: int) -> EventPolicy:
    torch.manual_seed(seed)
    return EventPolicy()


def sequences_from(env: opyard.envs.ListScheduleEnv) -> list[list[int]]:
    """The actions of every way in which an episode may go on."""
    found = []
    for op in np.flatnonzero(env.action_masks()).tolist():
        branch = env.fork()
        is_over = branch.step(op)[2]
        found += [[op, *rest] for rest in ([[]] if is_over else sequences_from(branch))]
    return found


def all_episodes(placed: family.PlacedProblem) -> Episodes:
    """Every episode that there is, a lane each."""
    env = opyard.envs.ListScheduleEnv(plans=[placed.plan], **env_arguments(placed.problem))
    env.reset(seed=0)
    return play_sequences(placed, sequences_from(env))


def play_sequences(placed: family.PlacedProblem, sequences: list[list[int]]) -> Episodes:
    """The episodes of given actions, a lane each."""
    left = [iter(sequence) for sequence in sequences]
    envs = make_envs(placed.problem, placed.plan, len(sequences))
    return play_by(lambda _, lanes: np.array([next(left[lane]) for lane in lanes]), envs)


def gradient_of(value: torch.Tensor, policy: EventPolicy) -> torch.Tensor:
    """All parameters' gradient as one vector."""
    parameters = list(policy.parameters())
    parts = torch.autograd.grad(value, parameters, allow_unused=True)
    return torch.cat(
        [
            (torch.zeros_like(parameter) if part is None else part).flatten()
            for parameter, part in zip(parameters, parts, strict=True)
        ]
    )


def probabilities_of(policy: EventPolicy, episodes: Episodes) -> torch.Tensor:
    """The probability of each lane's episode: [L]."""
    chosen, _ = log_probabilities(policy, episodes)
    lanes = torch.from_numpy(episodes.lanes)
    return chosen.new_zeros(len(episodes.cost)).index_add(0, lanes, chosen).exp()


def test_probabilities_of_legal_ops_add_up_to_one(placed):
    policy = policy_of(0)
    episodes = play(policy, make_envs(placed.problem, placed.plan, 4), np.random.default_rng(0))
    found = policy(episodes.graph, policy.embed(episodes.graph), episodes.states)
    assert torch.isneginf(found[~episodes.states.legal]).all()
    assert torch.isfinite(found[episodes.states.legal]).all()
    # Sums of at most 40 numbers of float32.
    assert torch.allclose(found.exp().sum(1), torch.ones(len(found)), atol=1e-5)


def test_probabilities_of_all_episodes_add_up_to_one(tiny):
    episodes = all_episodes(tiny)
    assert len(episodes.cost) == 27
    total = probabilities_of(policy_of(1), episodes).sum()
    assert total.item() == pytest.approx(1, abs=1e-5)  # float32


def test_probabilities_do_not_depend_on_what_else_is_in_the_batch(placed):
    policy = policy_of(0)
    episodes = play(policy, make_envs(placed.problem, placed.plan, 3), np.random.default_rng(0))
    whole, _ = log_probabilities(policy, episodes)
    alone = play_sequences(placed, [episodes.actions_of(1)])
    own, _ = log_probabilities(policy, alone)
    assert torch.allclose(own, whole[torch.from_numpy(episodes.lanes == 1)], atol=1e-5)


def test_the_path_channels_begin_as_the_paths_of_the_rules(placed):
    policy = policy_of(0)
    episodes = play(policy, make_envs(placed.problem, placed.plan, 1), np.random.default_rng(0))
    torch.nn.init.zeros_(policy.path_factors[-1].weight)  # factors of 1
    channels = policy.embed(episodes.graph).paths.detach().numpy()
    for column, with_transfers in enumerate((False, True)):
        path = paths_to_sink(placed.problem, placed.plan.placement, with_transfers=with_transfers)
        # The other weights begin at a hundredth, not at 0.
        assert np.corrcoef(channels[:, column], path)[0, 1] > 0.999


def test_the_gradient_of_probabilities_is_that_of_finite_differences(tiny):
    policy = policy_of(2).double()
    episodes = in_double(all_episodes(tiny))
    cost = torch.from_numpy(episodes.cost)
    gradient = gradient_of((probabilities_of(policy, episodes) * cost).sum(), policy)
    direction = torch.from_numpy(np.random.default_rng(0).normal(size=len(gradient)))
    start = torch.nn.utils.parameters_to_vector(policy.parameters()).detach()
    step = 1e-6  # errors: of the order step^2, and 1e-16 / step
    values = []
    for sign in (1, -1):
        moved = start + sign * step * direction
        torch.nn.utils.vector_to_parameters(moved, policy.parameters())
        values.append((probabilities_of(policy, episodes) * cost).sum().item())
    difference = (values[0] - values[1]) / (2 * step)
    assert difference == pytest.approx((gradient @ direction).item(), rel=1e-4)


def test_the_expected_update_is_the_gradient_of_the_expected_cost(tiny):
    policy = policy_of(2).double()
    episodes = in_double(all_episodes(tiny))
    probability = probabilities_of(policy, episodes)
    exact = gradient_of((probability * torch.from_numpy(episodes.cost)).sum(), policy)
    # The estimate with two lanes, over all pairs of episodes with their probabilities.
    chosen, _ = log_probabilities(policy, episodes)
    weight = np.zeros(len(chosen))
    for first, second in itertools.product(range(len(episodes.cost)), repeat=2):
        pair = (probability[first] * probability[second]).item()
        steps = [np.flatnonzero(episodes.lanes == lane) for lane in (first, second)]
        gain = advantages(pair_of(episodes, first, second))
        for own, gains in zip(steps, np.split(gain, [len(steps[0])]), strict=True):
            np.add.at(weight, own, pair * gains / 2)
    estimate = gradient_of((chosen * torch.from_numpy(weight)).sum(), policy)
    assert torch.allclose(-estimate, exact, rtol=1e-6, atol=1e-9)  # sums of float64


def in_double(episodes: Episodes) -> Episodes:
    """The same with tensors of float64."""

    def doubled(holder):
        changed = {
            field.name: value.double()
            for field in dataclasses.fields(holder)
            if isinstance(value := getattr(holder, field.name), torch.Tensor)
            and value.is_floating_point()
        }
        return dataclasses.replace(holder, **changed)

    return dataclasses.replace(
        episodes, graph=doubled(episodes.graph), states=doubled(episodes.states)
    )


def pair_of(episodes: Episodes, first: int, second: int) -> Episodes:
    """Two lanes, perhaps the same one twice, lane after lane."""
    steps = [np.flatnonzero(episodes.lanes == lane) for lane in (first, second)]
    both = np.concatenate(steps)
    return dataclasses.replace(
        episodes,
        actions=episodes.actions[both],
        lanes=np.repeat([0, 1], [len(own) for own in steps]),
        started=episodes.started[both],
        cost_so_far=episodes.cost_so_far[both],
        cost=episodes.cost[[first, second]],
    )


def test_plans_of_episodes_simulate_to_their_makespans(placed):
    envs = make_envs(placed.problem, placed.plan, 3)
    episodes = play(policy_of(0), envs, np.random.default_rng(0), num_greedy=1)
    plans = plans_of(placed.problem, placed.plan, episodes)
    found = [placed.problem.simulate(plan)["makespan_s"] for plan in plans]
    assert found == episodes.makespan_s.tolist()


def test_training_goes_on_from_a_checkpoint_as_if_it_had_not_stopped(tmp_path, tiny):
    settings = Settings(updates=4, problems_per_update=1, episodes_per_problem=4)
    whole = Training(settings)
    for _ in range(4):
        whole.update(lambda _: tiny)
    parts = Training(settings)
    parts.update(lambda _: tiny)
    parts.save(tmp_path / "checkpoint.pt")
    parts = Training.from_checkpoint(tmp_path / "checkpoint.pt")
    while not parts.is_done:
        parts.update(lambda _: tiny)
    for name, value in whole.policy.state_dict().items():
        assert torch.equal(parts.policy.state_dict()[name], value)


def test_a_damaged_checkpoint_is_refused(tmp_path):
    (tmp_path / "checkpoint.pt").write_bytes(b"nothing")
    with pytest.raises(opyard.InputError, match="no checkpoint of event_policy"):
        Training.from_checkpoint(tmp_path / "checkpoint.pt")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_training_finds_the_optimum_of_a_problem_whose_episodes_are_all_known(seed):
    placed = tiny_problem(num_ops=16, seed=12)
    costs = all_episodes(placed).cost
    assert len(costs) == 240
    best = costs.min()
    assert (costs <= best * 1.001).sum() == 6  # so many orders are optimal
    settings = Settings(updates=80, problems_per_update=1, episodes_per_problem=16, seed=seed)
    training = Training(settings)
    while not training.is_done:
        training.update(lambda _: placed)
    envs = make_envs(placed.problem, placed.plan, 64)
    sampled = play(training.policy, envs, np.random.default_rng(0), num_greedy=1).cost
    assert sampled[0] == pytest.approx(best)
    assert np.median(sampled) == pytest.approx(best)
