"""Searches for plans: which agents there are, and one search of one of them."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from opyard import _core, learned
from opyard.python_agents.installed import python_agents
from opyard.viewer.notebook import search_html


@dataclasses.dataclass(frozen=True)
class AgentOption:
    """One parameter of an agent, as `place` takes it in `params`."""

    name: str
    """As `params` takes it."""
    default: bool | int | float | str
    """What counts where it is not given; its type is the parameter's."""
    range: tuple[float, float] | None
    """The least and the greatest legal number; None for any, and for what is no number."""
    allowed: tuple[bool | str, ...]
    """The legal words, or True and False; empty for a number and for a free text."""
    meaning: str
    """What it does, in a phrase."""
    paper: str
    """The published value, or ``""`` where none is known."""


@dataclasses.dataclass(frozen=True)
class AgentInfo:
    """The description of an agent, as `opyard agents show` prints it."""

    name: str
    """As `place` takes it."""
    kind: str
    """``"classical"``, ``"search"``, ``"learned"`` or ``"python"``."""
    tasks: tuple[str, ...]
    """What it can decide, some of ``"placement"``, ``"scheduling"`` and ``"fusion"``."""
    start: str
    """Where its search begins, at the defaults: a value of its parameter `start`, such as
    ``"rules"`` or ``"random"``, or what it says of itself; ``""`` if it builds its plan, or does
    not say."""
    paper: str
    """Authors, venue and year, or ``""``."""
    summary: str
    """One sentence; for an agent that cannot run here, why."""
    deviations: tuple[str, ...]
    """Where it differs from the paper whatever its parameters, a sentence each."""
    options: tuple[AgentOption, ...]
    """Its parameters."""


@dataclasses.dataclass(frozen=True)
class EagerRun:
    """The run of a placement in an eager runtime: ops by topological index, none fused."""

    outcome: str
    """``"completed"``, ``"out_of_memory"`` or the like."""
    makespan_s: float
    """Its step time in seconds; where memory ran out, when it did."""
    peak_memory_bytes: int
    """Its greatest memory use over all devices, in bytes."""


@dataclasses.dataclass(frozen=True)
class SearchResult:
    """The result of a search."""

    plan: _core.Plan | None
    """The best plan, None if none was tried within the budget. While none completes, the one that
    ran longest before memory ran out."""
    outcome: str
    """``"completed"``, ``"out_of_memory"`` or the like of `plan`; ``"no_plan"`` without one."""
    makespan_s: float | None
    """Its step time in seconds; where memory ran out, when it did."""
    score: float | None
    """Its value under the objective, lower is better; None unless it completes."""
    peak_memory_bytes: int | None
    """Its greatest memory use over all devices, in bytes."""
    transfers: int | None
    """How many copies between devices it makes."""
    problem_bound_s: float
    """A step time in seconds that no plan beats."""
    evaluations: int
    """How many plans were evaluated."""
    failures: int
    """How many of them did not complete."""
    seconds: float
    """The wall time that the search took, the making of the agent included."""
    cpu_seconds: float
    """Its processor time, summed over the threads that searched and evaluated plans."""
    reference_score: float | None
    """What an agent that learns was rewarded against; None for others."""
    reference_seconds: float | None
    """The wall time that it took to find that out, which `seconds` leaves out."""
    reference_cpu_seconds: float | None
    """The same in processor time."""
    history: list[dict[str, object]]
    """Each improvement in order: ``evaluations``, ``seconds``, ``score``, ``makespan_s``."""
    eager: EagerRun | None
    """The same placement as an eager runtime runs it; None without a plan, and where the problem
    asks for such plans alone (``queue="program"``, ``fusion="none"``)."""
    problem: _core.Problem
    """What was asked, for ``plan.gantt(problem)`` and other views of the plan."""

    def _repr_html_(self) -> str:
        words = f"{self.outcome}, {self.evaluations} evaluations in {self.seconds:.3g} s"
        return search_html(self.problem, self.plan, self.makespan_s, words)


@dataclasses.dataclass(frozen=True)
class SearchProgress:
    """The progress of a search, as the `callback` of `place` is called with it."""

    evaluations: int
    """How many plans were evaluated so far."""
    failures: int
    """How many of them did not complete."""
    seconds: float
    """The wall time of the search so far."""
    score: float | None
    """The value of the best plan under the objective; None while none completed."""
    makespan_s: float | None
    """The step time of the best plan in seconds; None while none completed."""
    improvements: list[dict[str, float]]
    """Each improvement since the call before, in order: ``evaluations``, ``score``,
    ``makespan_s``."""
    plan: _core.Plan | None
    """The best plan; None while none completed."""


def agents(*, plugins: Sequence[str | os.PathLike[str]] = ()) -> list[AgentInfo]:
    """The agents that exist, sorted by name; loads PyTorch and all agents of Python packages.

    Args:
        plugins: Shared libraries with agents in C++, as for `place`.

    Raises:
        InputError: One of `plugins`, or of ``OPYARD_PLUGINS``, is no plugin of this opyard.
    """
    return [_info_of(info) for info in _with_plugins(_all_agents(), plugins).infos()]


def place(
    graph: str | os.PathLike[str] | _core.Graph,
    hardware: str | os.PathLike[str] | _core.Machine,
    *,
    agent: str = "auto",
    params: Mapping[str, bool | int | float | str] | None = None,
    tasks: Sequence[str] = ("placement", "scheduling"),
    objective: str | Mapping[str, Mapping[str, float]] = "makespan",
    group: str | int = "colocation",
    fusion: str = "framework",
    queue: str = "fifo",
    devices: Sequence[str] | None = None,
    cost_model: str = "roofline",
    contiguous: bool = False,
    evaluations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    reference: float | None = None,
    threads: int = 0,
    plugins: Sequence[str | os.PathLike[str]] = (),
    callback: Callable[[SearchProgress], object] | None = None,
    callback_seconds: float = 1.0,
) -> SearchResult:
    """Searches one plan with one agent, as ``opyard place`` does.

    The same arguments and seed give the same plan, unless `seconds` or `callback` end the search.
    Other Python threads run meanwhile; Ctrl-C raises KeyboardInterrupt soon.

    Args:
        graph: A graph, or its reference as `load_graph` takes it.
        hardware: A machine, or its reference as `load_machine` takes it.
        agent: The name of one of `agents()`; `auto` is a portfolio of those that do not learn. Or
            where a class is that is an agent, ``"module:Class"`` or ``"folder/file.py:Class"``.
        params: Parameters of the agent by name, e.g. ``{"cooling": 0.9}``.
        tasks: What is decided, as for `Problem`.
        objective: What is made small, as for `Problem`.
        group: What is decided together, as for `Problem`.
        fusion: What fuses where fusion is no task, as for `Problem`.
        queue: The queues of devices, as for `Problem`.
        devices: Names of the devices that ops may be placed on, as for `Problem`.
        cost_model: What ops take, as for `Problem`.
        contiguous: Whether devices follow the network's order, as for `Problem`.
        evaluations: The most plans to evaluate, from 1 to 2^40; 2000 if no budget is given.
        seconds: The most wall time to take, from 0.001 to 4.6e6.
        seed: Fixes the random choices, from 0 to 2^63 - 1.
        reference: The score, in the units of the objective, that an agent that learns is rewarded
            against; by default that of ``single_device``, which is searched for then. Others do
            not use it.
        threads: From 1 to 1024, or 0 for one per core; plans do not depend on it.
        plugins: Shared libraries with agents in C++, beside those that ``OPYARD_PLUGINS`` names.
            Their code runs in this process and stays until it ends.
        callback: A function that is called with the progress while the search goes on, in the
            thread of the caller, and once more at its end. The search stops soon once it returns
            True, with the best plan until then, or raises, and then `place` raises the same.
        callback_seconds: The least time between two calls while the search goes on, 0 or more; it
            goes on meanwhile. A call comes after a batch of evaluations.

    Raises:
        InputError: An argument, the graph or the machine is not legal, there is no such agent or
            parameter, a plugin is none of this opyard, or the agent needs PyTorch, which is not
            there.
        UnsupportedError: The machine asks for what is not simulated.
        Error: An agent written in Python or of a plugin broke.
    """
    problem = _core.Problem(
        graph,
        hardware,
        tasks=tasks,
        objective=objective,
        group=group,
        fusion=fusion,
        queue=queue,
        devices=devices,
        cost_model=cost_model,
        contiguous=contiguous,
    )
    answer = _core.search(
        _with_plugins(registry_with(agent), plugins),
        problem,
        agent=agent,
        params=dict(params or {}),
        evaluations=evaluations,
        seconds=seconds,
        seed=seed,
        reference=reference,
        threads=threads,
        progress=None if callback is None else _call_of(callback),
        progress_seconds=callback_seconds,
    )
    return _result_of(answer, problem)


def _call_of(
    callback: Callable[[SearchProgress], object],
) -> Callable[[_core._Progress], bool]:
    """A function for the C++ module: what `callback` returns beside True stops no search."""

    def call(progress: _core._Progress) -> bool:
        answer = callback(
            SearchProgress(
                evaluations=progress["evaluations"],
                failures=progress["failures"],
                seconds=progress["seconds"],
                score=progress["score"],
                makespan_s=progress["makespan_s"],
                improvements=[dict(item) for item in progress["improvements"]],
                plan=progress["plan"],
            )
        )
        return isinstance(answer, bool | np.bool_) and bool(answer)

    return call


def _info_of(info: _core._AgentInfo) -> AgentInfo:
    """The C++ module's description of an agent, as a value."""
    return AgentInfo(
        name=info["name"],
        kind=info["kind"],
        tasks=tuple(info["tasks"]),
        start=info["start"],
        paper=info["paper"],
        summary=info["summary"],
        deviations=tuple(info["deviations"]),
        options=tuple(_option_of(option) for option in info["options"]),
    )


def _option_of(option: _core._AgentOption) -> AgentOption:
    """The C++ module's description of a parameter, as a value."""
    return AgentOption(
        name=option["name"],
        default=option["default"],
        range=option["range"],
        allowed=tuple(option["allowed"]),
        meaning=option["meaning"],
        paper=option["paper"],
    )


def _result_of(answer: _core._Answer, problem: _core.Problem) -> SearchResult:
    """The answer of a search, in the words of users."""
    best = answer["best"]
    reference = answer["reference"]
    return SearchResult(
        plan=answer["plan"],
        outcome=best["outcome"] if best else "no_plan",
        makespan_s=best["makespan_s"] if best else None,
        score=best["score"] if best and best["outcome"] == "completed" else None,
        peak_memory_bytes=best["peak_memory_bytes"] if best else None,
        transfers=best["transfers"] if best else None,
        problem_bound_s=problem.problem_bound_s,
        evaluations=answer["evaluations"],
        failures=answer["failures"],
        seconds=answer["seconds"],
        cpu_seconds=answer["cpu_seconds"],
        reference_score=reference["score"] if reference else None,
        reference_seconds=reference["seconds"] if reference else None,
        reference_cpu_seconds=reference["cpu_seconds"] if reference else None,
        history=[dict(improvement) for improvement in answer["history"]],
        eager=EagerRun(**answer["eager"]) if answer["eager"] else None,
        problem=problem,
    )


def _with_plugins(
    registry: _core.AgentRegistry, plugins: Sequence[str | os.PathLike[str]]
) -> _core.AgentRegistry:
    """Those of `registry`, of `plugins`, and of the plugins that the environment names."""
    return _core.with_plugins(registry, [os.fspath(plugin) for plugin in plugins])


def _all_agents() -> _core.AgentRegistry:
    """The agents that can run here; those that cannot say why."""
    python = python_agents()
    try:
        all_agents: _core.AgentRegistry = learned.load().agents(python)
    except ImportError as error:
        return _core.classical_agents(str(error), python)
    return all_agents


def registry_with(name: str) -> _core.AgentRegistry:
    """Agents among which is `name`, if it exists; loads PyTorch only for one that needs it."""
    ours = _core.classical_agents().infos()
    if any(info["name"] == name and info["kind"] == "learned" for info in ours):
        return _all_agents()
    return _core.classical_agents(python=python_agents())
