"""The sentence that a comparison begins with, and how sure it says it is."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import SimpleNamespace

import pytest
import shapes
import stores
from opyard.compare.bounds import Bound
from opyard.compare.comparison import Comparison, Question, compare
from opyard.compare.references import Reference
from opyard.compare.standings import standings
from opyard.compare.statistics import Bootstrap, Estimate
from opyard.compare.verdict import interval, ratio, verdict

FEW = Bootstrap(100)


@pytest.fixture(scope="module")
def real(results) -> Comparison:
    """The comparison of the small store: two workloads, the baseline metis and three more."""
    return compare(Question([results], bootstrap=FEW))


def with_speed_ups(
    real: Comparison,
    means: Mapping[str, Estimate | None],
    cells: Mapping[str, tuple[float | None, ...]],
    failed: Mapping[str, int] | None = None,
    has_many_seeds: bool = True,
) -> Comparison:
    """The comparison as if agents had these speed-ups, over all workloads and on each of them."""
    agents, workloads = list(means), real.matrix.workloads[: len(next(iter(cells.values())))]
    whole = {
        agent: dataclasses.replace(
            real.aggregates[agent], speed_up=mean, runs=4, failed=(failed or {}).get(agent, 0)
        )
        for agent, mean in means.items()
    }
    made = {
        (workload, agent): dataclasses.replace(
            real.summaries.cells[workload, agent],
            speed_up=None if value is None else Estimate(value),
        )
        for agent in agents
        for workload, value in zip(workloads, cells[agent], strict=True)
    }
    summaries = SimpleNamespace(cells=made, baseline="metis", references={})
    certain = frozenset(agents) if has_many_seeds else frozenset()  # these have two seeds
    matrix = dataclasses.replace(
        real.matrix, agents=agents, workloads=workloads, deterministic=certain
    )
    return dataclasses.replace(real, matrix=matrix, aggregates=whole, summaries=summaries)


ONE = Estimate(1.0, 1.0, 1.0)
BEST, NEXT = Estimate(1.28, 1.21, 1.35), Estimate(1.1, 1.05, 1.2)


def test_a_clear_lead_is_said_in_one_sentence_with_numbers(real):
    found = verdict(
        with_speed_ups(
            real,
            {"metis": ONE, "brkga": NEXT, "random": BEST},
            {"metis": (1, 1), "brkga": (1.2, 1.0), "random": (1.7, 0.96)},
        )
    )
    assert found.headline == (
        "Plans of `random` run 1.28 × faster than those of `metis` on 2 workloads "
        "(95 %: 1.21–1.35); "
        "ahead on 1 of 2, behind on 1."
    )
    assert found.certainty == "sure"
    assert found.reasons == [  # 1.28 / 1.1 = 1.164
        "`brkga` comes next, 16 % behind. The interval of `random` lies beyond those of all others."
    ]


@pytest.mark.parametrize(
    ("following", "certainty", "reason"),
    [
        (Estimate(1.2, 1.15, 1.22), "unsure", "do not separate `random` from `brkga`"),
        (Estimate(1.2), "unsure", "do not separate `random` from `brkga`"),  # it may be anything
        (Estimate(1.2, 1.15, 1.2), "sure", "beyond those of all others"),  # 1.2 lies below 1.21
    ],
)
def test_the_lead_is_sure_where_no_interval_reaches_it(real, following, certainty, reason):
    found = verdict(
        with_speed_ups(
            real,
            {"metis": ONE, "brkga": following, "random": BEST},
            {"metis": (1, 1), "brkga": (1.2, 1.2), "random": (1.3, 1.3)},
        )
    )
    assert found.certainty == certainty
    assert reason in found.reasons[0]


def test_a_lead_without_an_interval_has_no_certainty(real):
    found = verdict(
        with_speed_ups(
            real, {"metis": ONE, "brkga": Estimate(1.3)}, {"metis": (1,), "brkga": (1.3,)}
        )
    )
    assert found.certainty == "unknown"
    assert "on `random:layered?n=40&seed=1` (no interval: too few runs)." in found.headline
    assert "another seed may change the order" in found.text


def test_few_seeds_leave_no_lead_certain(real):
    means, cells = {"metis": ONE, "brkga": BEST}, {"metis": (1, 1), "brkga": (1.3, 1.3)}
    found = verdict(with_speed_ups(real, means, cells, has_many_seeds=False))
    assert found.certainty == "unsure"
    assert found.reasons == [
        "The interval of `brkga` lies beyond those of all others, but fewer than 5 seeds make "
        "intervals rough."
    ]


def test_failed_runs_of_the_best_stand_in_its_sentence_and_make_it_unsure(real):
    found = verdict(
        with_speed_ups(
            real,
            {"metis": ONE, "brkga": BEST},
            {"metis": (1, 1), "brkga": (1.3, 1.3)},
            failed={"brkga": 2, "metis": 1},
        )
    )
    assert found.headline.endswith("; ahead on both, but 2 of its 4 runs failed.")
    assert found.certainty == "unsure"
    assert "1 runs of `metis` failed; no mean holds them." in found.reasons


def test_a_baseline_that_nobody_beats_is_named_with_who_comes_next(real):
    found = verdict(
        with_speed_ups(
            real,
            {"brkga": Estimate(0.97, 0.96, 0.98), "metis": ONE, "random": ONE},
            {"brkga": (0.9, 1.05), "metis": (1, 1), "random": (1, 1)},
        )
    )
    assert found.headline == (
        "No agent's plans run faster than those of `metis`, the baseline, on 2 workloads: "
        "`random` comes next with "
        "1.000 × its speed; ahead on 0 of 2, equal on 2."
    )
    assert found.certainty == "unsure"  # random is as fast


def test_agents_with_a_plan_on_some_workloads_compare_on_those(real):
    found = verdict(
        with_speed_ups(
            real, {"metis": ONE, "brkga": BEST}, {"metis": (1, 1), "brkga": (1.28, None)}
        )
    )
    assert found.headline == (
        "No agent compares with `metis` on every workload; on 1 of 2, plans of `brkga` run "
        "1.28 × faster "
        "(95 %: 1.21–1.35)."
    )
    assert found.certainty == "none"
    nobody = with_speed_ups(
        real, {"metis": None, "brkga": None}, {"metis": (None,), "brkga": (None,)}
    )
    assert verdict(nobody).headline == (
        "No agent compares with `metis` on every workload, or on any."
    )


def test_who_is_left_out_is_named(real):
    found = verdict(
        with_speed_ups(
            real,
            {"metis": ONE, "brkga": NEXT, "random": Estimate(9.0)},
            {"metis": (1, 1), "brkga": (1.1, 1.1), "random": (9.0, None)},
        )
    )
    assert found.headline.startswith("Plans of `brkga` run 1.10 × faster")
    assert "Not on every workload, and so left out: `random`." in found.reasons


def test_one_agent_alone_is_compared_with_nobody(results, tmp_path):
    store = stores.copied(results, tmp_path / "alone")
    shapes.one_agent(store)
    stores.execute(store, "DELETE FROM runs WHERE graph LIKE '%n=60%'")
    found = verdict(compare(Question([store], bootstrap=FEW)))
    assert found.headline.startswith("`brkga` finds a step of ")
    assert found.headline.endswith("; there is no other agent to compare it with.")
    assert found.certainty == "none"


@pytest.mark.parametrize(
    ("objective", "words"),
    [('"peak_memory"', "1.28 × lower in peak memory than"),
     ('{"weighted": {"makespan": 1.0}}', "1.28 × better in the objective than")],
)  # fmt: skip
def test_objectives_other_than_the_step_time_have_words_of_their_own(real, objective, words):
    made = with_speed_ups(
        real, {"metis": ONE, "brkga": BEST}, {"metis": (1, 1), "brkga": (1.3, 1.3)}
    )
    renamed = {
        w: dataclasses.replace(w, problem=w.problem.replace('"makespan"', objective, 1))
        for w in made.matrix.workloads
    }
    cells = {(renamed[w], agent): cell for (w, agent), cell in made.summaries.cells.items()}
    made.summaries.cells = cells
    matrix = dataclasses.replace(made.matrix, workloads=list(renamed.values()))
    assert words in verdict(dataclasses.replace(made, matrix=matrix)).headline


def test_bounds_say_what_is_left_to_gain_and_what_is_proven(real):
    made = with_speed_ups(
        real, {"metis": ONE, "brkga": BEST}, {"metis": (1, 1), "brkga": (1.3, 1.3)}
    )
    first, second = made.matrix.workloads
    made.summaries.references = {
        first: Reference(4.0, "these results", Bound(3.0, "problem")),  # 1 - 3/4
        second: Reference(5.0, "these results", Bound(5.0, "cp_sat")),
    }
    assert verdict(made).reasons[1:] == [
        "The best plan is proven optimal on 1 of 2 workloads.",
        "By proven bounds the best plans found can be improved by at most 25.0 %.",
    ]


def test_standings_begin_with_the_best_and_end_with_who_has_no_plan(real):
    made = with_speed_ups(
        real,
        {"random": None, "metis": ONE, "brkga": BEST, "simulated_annealing": Estimate(7.0)},
        {"random": (None, None), "metis": (1, 1), "brkga": (1.7, 0.96),
         "simulated_annealing": (None, 7.0)},
    )  # fmt: skip
    found = standings(made)
    assert [s.agent for s in found] == ["brkga", "metis", "simulated_annealing", "random"]
    assert (found[0].ahead, found[0].behind, found[0].equal) == (1, 1, 0)
    assert [s.is_complete for s in found] == [True, True, False, False]


def test_speed_ups_have_as_many_digits_as_distinguish_them_from_1():
    assert [ratio(value) for value in (1.284, 1.004, 0.996, 12.34, 0.25)] == [
        "1.28", "1.004", "0.996", "12.3", "0.25"
    ]  # fmt: skip
    assert interval(Estimate(2.0, 2.0, 2.0)) == ""
    assert interval(Estimate(2.0)) == " (no interval: too few runs)"


def test_the_verdict_stands_in_the_terminal_and_in_markdown(results, tmp_path):
    words = ("--out", str(tmp_path / "out"), "--views", "none")
    text = stores.opyard("compare", str(results), *words, folder=tmp_path).stdout
    first = text.split("\n")[0]
    assert " × faster than those of metis on 2 workloads" in first
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert page.split("\n")[2].replace("`", "") == first
