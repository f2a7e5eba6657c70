"""The page of one plan: its step time, what is wrong with it, and its views."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from opyard import _core
from opyard.viewer.figures import FigureBundle, style
from opyard.viewer.plan_views import views_of
from opyard.viewer.step import Step, step_of
from opyard.viewer.templates import template_environment
from opyard.viewer.words import bytes_text, percent_text, time_text

_NEARLY_FULL = 0.95  # of the memory of a device
_MOST_WAITS = 4  # of a deadlock
_PS = 1e12


@dataclasses.dataclass(frozen=True)
class PlanNames:
    """How a page calls what it shows."""

    plan: str
    command: str
    """What makes the page."""


def plan_page(problem: _core.Problem, plan: _core.Plan, names: PlanNames) -> str:
    """The page as the text of an HTML file that needs no other file and no network.

    Raises:
        PlanError: The plan does not fit the problem.
    """
    step = step_of(problem, plan)
    bundle = FigureBundle()
    first, *others = views_of(step, bundle, "plan")
    environment = template_environment("opyard.viewer")
    return environment.get_template("plan_page.html.j2").render(
        graph=problem.graph.name,
        machine=problem.hardware.name,
        names=names,
        time=time_text(step.end_ps),
        completed=step.completed,
        headline=headline(step),
        facts=facts(step),
        warnings=list(warnings(step)),
        first=first,
        others=others,
        style=style(),
        scripts=bundle.scripts(),
        version=_core.__version__,
    )


def headline(step: Step) -> str:
    """How good the step time is, in a sentence."""
    if not step.completed:
        after = f"after {time_text(step.end_ps)}" if step.end_ps else "at once"
        return f"It fails {after}; the views show what ran until then."
    bound_ps = step.problem.problem_bound_s * _PS
    gap = f"{percent_text(step.end_ps - bound_ps, bound_ps)} above a bound that no plan beats"
    alone = _best_device(step)
    if alone is None:
        return f"No single device can run the step. It is {gap}, {time_text(round(bound_ps))}."
    device, alone_ps = alone
    if step.end_ps <= alone_ps:
        ratio = f"{alone_ps / (step.end_ps or 1):.2f} times as fast as {device} alone"
    else:
        ratio = f"{step.end_ps / (alone_ps or 1):.2f} times as slow as {device} alone"
    return f"It is {ratio} ({time_text(alone_ps)}), and {gap} ({time_text(round(bound_ps))})."


def facts(step: Step) -> list[tuple[str, str]]:
    """The figures of the first screen, each with its word."""
    busiest = max(step.report["devices"], key=lambda device: device["busy_s"])
    fullest = max(step.report["devices"], key=lambda device: device["peak_memory_bytes"])
    copied = sum(span.facts["bytes"] for span in {id(s.facts): s for s in step.transfers}.values())
    return [
        ("devices with ops", f"{len(set(step.plan.placement))} of {len(step.devices)}"),
        (
            f"{busiest['name']}, the busiest",
            percent_text(busiest["busy_s"] * _PS, step.end_ps) + " busy",
        ),
        (
            f"{fullest['name']}, the fullest",
            bytes_text(fullest["peak_memory_bytes"]) + " at its peak",
        ),
        ("copies between devices", f"{step.report['transfers']}, {bytes_text(copied)}"),
        ("kernels", f"{len(step.kernels)} that take time, of {len(step.ops)} ops"),
    ]


def warnings(step: Step) -> Iterator[str]:
    """What a reader has to know before anything else, a sentence each."""
    failure = step.report["failure"]
    if failure is not None:
        reason = _failure(step)
        yield f"{reason[0].upper()}{reason[1:]}."
    if failure is not None and failure["kind"] == "deadlock":
        yield from (f"{text}." for text in failure["waits"][:_MOST_WAITS])
    for device in step.report["devices"]:
        limit = step.limits.get(device["name"])
        if step.completed and limit and device["peak_memory_bytes"] > _NEARLY_FULL * limit:
            yield (
                f"{device['name']} holds {bytes_text(device['peak_memory_bytes'])} of "
                f"{bytes_text(limit)} at its peak: little more does not fit."
            )


def _failure(step: Step) -> str:
    """Why the step does not complete."""
    failure = step.report["failure"]
    if failure["kind"] == "deadlock" and failure["cycle"]:
        shown = ", ".join(failure["cycle"][:_MOST_WAITS])
        more = f" and {len(failure['cycle']) - _MOST_WAITS} more"
        more = more if len(failure["cycle"]) > _MOST_WAITS else ""
        return f"the order of the plan goes round in a circle: {shown}{more}"
    if failure["kind"] == "deadlock":
        return f"nothing can go on, {failure['num_waits']} ops and copies wait for each other"
    where = failure.get("memory_pool", failure["device"])
    return (
        f"{failure['what']} asks for {bytes_text(failure['requested_bytes'])} on {where}, of whose "
        f"{bytes_text(failure['capacity_bytes'])} {bytes_text(failure['in_use_bytes'])} are in use"
    )


def _best_device(step: Step) -> tuple[str, int] | None:
    """The device that runs the whole step fastest alone, and its picoseconds."""
    found = []
    for plan in step.problem.baseline_plans():
        if len(set(plan.placement)) == 1:
            report = step.problem.simulate(plan)
            if report["outcome"] == "completed":
                name = step.devices[plan.placement[0]]
                found.append((round(report["makespan_s"] * _PS), name))
    return min(found)[::-1] if found else None
