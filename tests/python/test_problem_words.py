"""Python takes the words of a problem that experiments and the command line take."""

from __future__ import annotations

import pickle
from pathlib import Path

import opyard
import pytest

GRAPH = "random:layered?n=12&seed=3"
MACHINE = "p100x2-pcie"
# Lines of: what | text | what is printed for it, or "! " and a part of why it is refused.
TABLE = Path(__file__).parents[1] / "support" / "problem_words.txt"
CASES = [
    tuple(part.strip() for part in line.split("|"))
    for line in TABLE.read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
LEGAL = [case for case in CASES if not case[2].startswith("!")]
REFUSED = [(what, text, answer[1:].strip()) for what, text, answer in CASES if answer[0] == "!"]


def keyword_of(what, text):
    """The keyword that says `what` in Python, and its value."""
    if what in ("tasks", "devices"):
        return what, text.split(",") if text else []
    if what == "max_groups":
        return "group", int(text)
    return ("group" if what == "decide_per" else what), text


def words_of(problem, what):
    """The settings of a problem, as the table prints them."""
    if what in ("tasks", "devices"):
        return ",".join(getattr(problem, what))
    if what == "decide_per":
        return problem.group
    if what == "objective" and isinstance(problem.objective, dict):
        weights = problem.objective["weighted"]
        return f"weighted:{weights['makespan']:g}:{weights['peak_memory']:g}"
    return str(getattr(problem, "group" if what == "max_groups" else what))


@pytest.mark.parametrize(("what", "text", "printed"), LEGAL)
def test_a_problem_says_what_it_was_asked(what, text, printed):
    name, value = keyword_of(what, text)
    problem = opyard.Problem(GRAPH, MACHINE, **{name: value})
    assert words_of(problem, what) == printed
    again = opyard.Problem(GRAPH, MACHINE, **{name: getattr(problem, name)})
    assert getattr(again, name) == getattr(problem, name)


@pytest.mark.parametrize(("what", "text", "answer"), REFUSED)
def test_what_files_and_the_command_line_refuse_is_refused(what, text, answer):
    name, value = keyword_of(what, text)
    for make in (
        lambda: opyard.Problem(GRAPH, MACHINE, **{name: value}),
        lambda: opyard.place(GRAPH, MACHINE, agent="random", **{name: value}),
        lambda: opyard.envs.OneShotEnv(GRAPH, MACHINE, **{name: value}),
    ):
        with pytest.raises(opyard.InputError) as error:
            make()
        assert str(error.value).startswith(f"{name}: ")
        assert answer in str(error.value)


def test_all_wrong_words_are_told_at_once_and_before_anything_is_loaded():
    with pytest.raises(opyard.InputError) as error:
        opyard.Problem(
            "absent.graph.json",
            "absent",
            tasks=["fussion", "placement", "placement"],
            objective={"weighted": {"makespan": -1.0, "speed": 1.0}},
            group="layers",
            fusion="all",
            queue="lifo",
        )
    assert str(error.value).splitlines() == [
        'tasks: found the task "fussion", expected placement, scheduling or fusion; did you mean'
        ' "fusion"?',
        'tasks: found the task "placement" twice, expected it once',
        "objective/weighted/makespan: found -1 as the weight of makespan, expected a number from 0"
        " to 1e+09",
        'objective/weighted/speed: found the weight "speed", expected one of makespan, peak_memory',
        'group: found "layers", expected a number of groups or one of group, op, module,'
        " colocation, none",
        'fusion: found "all", expected one of framework, none, module',
        'queue: found "lifo", expected one of fifo, priority, program, order; did you mean "fifo"?',
    ]


@pytest.mark.parametrize("key", ["weigted", "makespan"])
def test_a_map_is_for_weights_only(key):
    with pytest.raises(opyard.InputError, match=f'found the keys {{"{key}"}}, expected "weighted"'):
        opyard.Problem(GRAPH, MACHINE, objective={key: {"makespan": 1.0}})


def test_the_text_and_the_map_of_a_weighted_objective_are_one():
    as_map = {"weighted": {"makespan": 1.0, "peak_memory": 0.1}}
    assert opyard.Problem(GRAPH, MACHINE, objective="weighted:1:0.1").objective == as_map
    assert opyard.Problem(GRAPH, MACHINE, objective=as_map).objective == as_map


def test_plans_that_decide_no_priorities_have_the_queue_of_their_problem():
    problem = opyard.Problem(GRAPH, MACHINE, queue="priority")
    assert opyard.Problem(GRAPH, MACHINE).plan().queue == "fifo"
    assert problem.plan().queue == "priority"
    assert problem.plan(queue="fifo").queue == "fifo"
    again = pickle.loads(pickle.dumps(problem))
    assert (again.queue, again.plan().queue) == ("priority", "priority")
    found = opyard.place(
        GRAPH, MACHINE, agent="single_device", tasks=["placement"], queue="priority"
    )
    assert found.plan.queue == "priority"


def test_an_environment_fuses_what_its_problem_fuses():
    machines = {"graph": GRAPH, "hardware": MACHINE}
    action = [1] * 12
    makespans = {}
    for fusion in ("framework", "none"):
        env = opyard.envs.OneShotEnv(**machines, fusion=fusion, queue="priority")
        env.reset(seed=0)
        makespans[fusion] = env.step(action)[4]["makespan_s"]
        problem = opyard.Problem(GRAPH, MACHINE, fusion=fusion, queue="priority")
        plan = problem.plan_of_action(action)
        assert makespans[fusion] == problem.simulate(plan)["makespan_s"]
    assert makespans["framework"] < makespans["none"]
