"""The slowdown of the plans between two placements relative to both.

    python scripts/barrier.py 'zoo:gnmt?layers=4&scale=small' p100x4-pcie

prints the step times in ms between everything on one device and `human_expert`: with the groups
that differ moved one after the other in topological order, and with a share of them, sampled at
random, moved.
"""

from __future__ import annotations

import random
import statistics
import sys

import opyard

_SHARES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98)
_DRAWS = 200


def main() -> None:
    """Prints the table of the graph and machine that the command line names."""
    graph, machine = sys.argv[1:]
    problem = opyard.Problem(graph, machine, tasks=["placement"])
    single = _devices_of_groups(problem, "single_device")
    expert = _devices_of_groups(problem, "human_expert")
    differing = [group for group, device in enumerate(expert) if device != single[group]]
    print(
        f"{problem.num_groups} groups, {len(differing)} of them elsewhere: "
        f"one device {_ms(problem, single):.3f}, expert {_ms(problem, expert):.3f}"
    )
    _print_path(problem, single, expert, differing)
    _print_mixtures(problem, single, expert)


def _devices_of_groups(problem: opyard.Problem, agent: str) -> list[int]:
    plan = opyard.place(problem.graph, problem.hardware, agent=agent, tasks=["placement"]).plan
    devices = dict(zip(problem.group_of_op, plan.placement, strict=True))
    return [devices[group] for group in range(problem.num_groups)]


def _ms(problem: opyard.Problem, devices: list[int]) -> float:
    plan = problem.plan([devices[group] for group in problem.group_of_op])
    return 1e3 * problem.simulate(plan)["makespan_s"]


def _print_path(
    problem: opyard.Problem, single: list[int], expert: list[int], differing: list[int]
) -> None:
    first_op = {group: op for op, group in reversed(list(enumerate(problem.group_of_op)))}
    devices = list(single)
    times = []
    for group in sorted(differing, key=lambda each: first_op[each]):
        devices[group] = expert[group]
        times.append(_ms(problem, devices))
    start = _ms(problem, single)
    last_slower = max(k for k, time in enumerate(times) if time >= start) + 1
    print(
        f"one after the other: up to {max(times):.3f}, "
        f"slower than one device until {last_slower} of {len(times)} have moved"
    )


def _print_mixtures(problem: opyard.Problem, single: list[int], expert: list[int]) -> None:
    samples = random.Random(0)
    start = _ms(problem, single)
    print(f"share moved  median    least  faster than one device, of {_DRAWS}")
    for share in _SHARES:
        times = [
            _ms(
                problem,
                [e if samples.random() < share else s for s, e in zip(single, expert, strict=True)],
            )
            for _ in range(_DRAWS)
        ]
        faster = sum(time < start for time in times)
        print(f"{share:11.2f} {statistics.median(times):7.3f} {min(times):8.3f}  {faster}")


if __name__ == "__main__":
    main()
