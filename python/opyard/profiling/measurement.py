"""Times the cases that a file of rows does not hold yet, within a budget."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch

from opyard.execution.device_facts import tiny_ops
from opyard.profiling.kernels import CannotRunError, Kernels
from opyard.profiling.rows import Case, Row, RowFile, key_of, row_of
from opyard.profiling.timing import Effort, time_call

_SECONDS_BETWEEN_LINES = 5


@dataclass
class Outcome:
    """Counts of cases by what became of them."""

    measured: int = 0
    known: int = 0  # rows that the file held before
    left: int = 0  # that the budget did not reach
    skipped: Counter[str] = field(default_factory=Counter)  # cases by the reason


def measure(
    name: str,
    device: torch.device,
    cases: Sequence[Case],
    file: RowFile,
    budget_s: float,
    progress: Callable[[str], None],
    least: int = 0,
) -> Outcome:
    """Times `cases` on `device` and adds a row to `file` after each.

    Args:
        name: The device in the rows.
        device: Where the kernels run.
        cases: What is timed, the most important first.
        file: Whose rows of the same device and shape are not measured again.
        budget_s: No case begins later, in seconds.
        progress: Gets a line now and then.
        least: The number of first cases that are measured whatever the budget.
    """
    known = {key_of(row) for row in file.rows}
    missing = [case for case in cases if key_of(row_of(name, case, [1.0])) not in known]
    outcome = Outcome(known=len(cases) - len(missing), left=len(missing))
    effort = Effort(seconds=max(0.02, 2 * budget_s / max(1, len(cases))))
    kernels = Kernels(device)
    always = set(cases[:least])
    began = last_line = time.monotonic()
    for case in missing:
        now = time.monotonic()
        if now - began > budget_s and case not in always:
            break
        if now - last_line > _SECONDS_BETWEEN_LINES:
            done = len(cases) - outcome.left
            progress(f"{done} of {len(cases)} kernels, {now - began:.0f} s: {case}")
            last_line = now
        row = _row(name, case, device, kernels, effort, outcome)
        if row is not None:
            file.append(row)
            outcome.measured += 1
        outcome.left -= 1
    return outcome


def _row(
    name: str, case: Case, device: torch.device, kernels: Kernels, effort: Effort, outcome: Outcome
) -> Row | None:
    """The row of a case; None, with the reason in `outcome`, if it does not run here."""
    try:
        seconds = _seconds(case, device, kernels, effort)
    except torch.OutOfMemoryError:
        torch.cuda.empty_cache()
        outcome.skipped["out of memory"] += 1
    except CannotRunError as error:
        outcome.skipped[str(error)] += 1
    except (RuntimeError, NotImplementedError, MemoryError, ValueError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:120]
        outcome.skipped[f"{case.op} {case.dtype}: {reason}"] += 1
    else:
        if sorted(seconds)[len(seconds) // 2] > 0:
            return row_of(name, case, seconds)
        outcome.skipped["shorter than the clock resolves"] += 1
    return None


def _seconds(case: Case, device: torch.device, kernels: Kernels, effort: Effort) -> list[float]:
    if case.op in ("launch", "dispatch"):
        part = ("launch", "dispatch").index(case.op)
        return [tiny_ops(device)[part] for _ in range(9)]
    return time_call(kernels.prepare(case), device, effort)
