#!/usr/bin/env python3
"""Prints the results and seconds of several test suites and one closing line with their sum.

    tally.py NAME=STATUS=SECONDS=REPORT NAME=STATUS=SECONDS NAME==SECONDS ...

STATUS is the exit status of the suite, REPORT its JUnit file. A suite without a report counts
as one test; so does a failure that the report does not show (a crash, nothing collected). What
has no status is no suite (set-up, a build): only its seconds are printed. Failed cases follow by
name, with the reason and the place that the report gives. The last line is `tests: N passed, M
failed`; ends with 1 if anything failed or nothing passed.
"""

from __future__ import annotations

import dataclasses
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Count:
    """Cases of one suite."""

    passed: int = 0
    failures: tuple[str, ...] = ()
    skipped: int = 0

    @property
    def failed(self) -> int:
        """The number of failures."""
        return len(self.failures)

    def __add__(self, other: Count) -> Count:
        """Both together."""
        return Count(
            self.passed + other.passed,
            self.failures + other.failures,
            self.skipped + other.skipped,
        )


def failure_of(case: ElementTree.Element) -> str:
    """The name of a failed case; below it the first line of its message and the last of its text.

    pytest ends its text with the place: `tests/x.py:7: AssertionError`.
    """
    reasons = []
    for child in case:
        if child.tag in ("failure", "error"):
            reasons += (child.get("message") or "").strip().splitlines()[:1]
            reasons += (child.text or "").strip().splitlines()[-1:]
    name = f"{case.get('classname')}.{case.get('name')}"
    return "\n".join([name, *(f"    {reason[:300]}" for reason in reasons)])


def count_cases(report: Path) -> Count:
    """Counts the cases of a JUnit file, as GoogleTest, CTest and pytest write it."""
    total = Count()
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            total += Count(failures=(failure_of(case),))
        elif "skipped" in kinds or case.get("status") in ("notrun", "disabled"):
            total += Count(skipped=1)
        else:
            total += Count(passed=1)
    return total


def count_suite(status: int, report: Path | None) -> Count:
    """The part of the sum that one suite adds."""
    if report is None:
        return Count(passed=1) if status == 0 else Count(failures=(f"exit status {status}",))
    try:
        count = count_cases(report)
    except (OSError, ElementTree.ParseError):
        return Count(failures=(f"no report, exit status {status}",))
    if count.failed == 0 and (status != 0 or count.passed == 0):
        count += Count(failures=(f"exit status {status}",))
    return count


def print_suite(argument: str) -> Count:
    """Prints the line of one suite or other step, and returns what it adds to the sum."""
    name, status, seconds, *report = argument.split("=", 3)
    if not status:
        print(f"{name}: {seconds} s")
        return Count()
    count = count_suite(int(status), Path(report[0]) if report else None)
    skipped = f", {count.skipped} skipped" if count.skipped else ""
    print(f"{name}: {count.passed} passed, {count.failed} failed{skipped}, {seconds} s")
    return dataclasses.replace(count, failures=tuple(f"{name}: {f}" for f in count.failures))


def main(arguments: Sequence[str]) -> int:
    """Prints a line per suite and the closing line."""
    total = sum(map(print_suite, arguments), Count())
    for failure in total.failures:
        print(f"failed: {failure}")
    print(f"tests: {total.passed} passed, {total.failed} failed")
    return 0 if total.failed == 0 and total.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
