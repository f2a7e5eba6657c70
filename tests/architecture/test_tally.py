"""The closing line counts every case once, and shows a failure that a report hides."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_SCRIPT = Path(__file__).parents[2] / ".ci" / "tally.py"
_PASSED = '<testcase name="a" status="run"/>'
_FAILED = '<testcase name="b" status="fail"><failure message=""/></testcase>'
_ERROR = '<testcase name="c"><error message="fixture"/></testcase>'
_SKIPPED = '<testcase name="d"><skipped message=""/></testcase>'
_NOT_RUN = '<testcase name="e" status="notrun"/>'


def lines(*arguments: str) -> tuple[int, list[str]]:
    """The exit status and what is printed."""
    command = [sys.executable, str(_SCRIPT), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout.splitlines()


def tally(*arguments: str) -> tuple[int, str]:
    """The exit status and the last line."""
    status, printed = lines(*arguments)
    return status, printed[-1]


def report(folder: Path, *cases: str) -> Path:
    """A JUnit file of these cases."""
    path = folder / "report.xml"
    path.write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")
    return path


def test_cases_of_all_suites_are_added(tmp_path: Path):
    path = report(tmp_path, _PASSED, _PASSED, _SKIPPED, _NOT_RUN)
    # 2 + 2 cases that passed and a check without a report.
    assert tally(f"x=0=2={path}", f"y=0=3={path}", "lint=0=5") == (0, "tests: 5 passed, 0 failed")


def test_failures_and_errors_of_fixtures_are_failed(tmp_path: Path):
    path = report(tmp_path, _PASSED, _FAILED, _ERROR)
    assert tally(f"x=1=2={path}") == (1, "tests: 1 passed, 2 failed")


def test_a_status_that_the_report_does_not_explain_is_one_failure(tmp_path: Path):
    path = report(tmp_path, _PASSED)
    assert tally(f"x=139=2={path}") == (1, "tests: 1 passed, 1 failed")


def test_a_report_that_is_missing_is_one_failure(tmp_path: Path):
    assert tally(f"x=0=2={tmp_path / 'gone.xml'}") == (1, "tests: 0 passed, 1 failed")


def test_a_report_that_is_cut_short_is_one_failure(tmp_path: Path):
    path = tmp_path / "report.xml"
    path.write_text("<testsuites><testcase")
    assert tally(f"x=0=2={path}") == (1, "tests: 0 passed, 1 failed")


def test_a_suite_without_a_passing_case_has_failed(tmp_path: Path):
    path = report(tmp_path, _SKIPPED)
    assert tally(f"x=0=2={path}") == (1, "tests: 0 passed, 1 failed")


def test_a_check_that_ends_badly_is_one_failure():
    assert tally("lint=1=2", "layers=0=3") == (1, "tests: 1 passed, 1 failed")


def test_nothing_at_all_is_no_success():
    assert tally()[0] == 1


def test_every_line_ends_with_its_seconds(tmp_path: Path):
    path = report(tmp_path, _PASSED, _PASSED, _SKIPPED)
    assert lines("build dev==655", f"ctest=0=7={path}", "lint=0=2", "in all==664") == (
        0,
        [
            "build dev: 655 s",
            "ctest: 2 passed, 0 failed, 1 skipped, 7 s",
            "lint: 1 passed, 0 failed, 2 s",
            "in all: 664 s",
            "tests: 3 passed, 0 failed",
        ],
    )


def test_what_failed_is_named_before_the_sum(tmp_path: Path):
    path = tmp_path / "report.xml"
    case = '<testcase classname="tests.test_values" name="test_b"><failure message=""/></testcase>'
    path.write_text(f"<testsuites><testsuite>{_PASSED}{case}</testsuite></testsuites>")
    assert lines(f"pytest=1=7={path}", "lint=2=1") == (
        1,
        [
            "pytest: 1 passed, 1 failed, 7 s",
            "lint: 0 passed, 1 failed, 1 s",
            "failed: pytest: tests.test_values.test_b",
            "failed: lint: exit status 2",
            "tests: 1 passed, 2 failed",
        ],
    )


def test_a_failure_has_its_reason_and_its_place(tmp_path: Path):
    path = tmp_path / "report.xml"
    text = "    assert 1 == 2\n\ntests/test_values.py:7: AssertionError\n"
    message = "AssertionError: assert 1 == 2&#10;more"
    case = (
        f'<testcase classname="t" name="b"><failure message="{message}">{text}</failure></testcase>'
    )
    path.write_text(f"<testsuites><testsuite>{case}</testsuite></testsuites>")
    assert lines(f"pytest=1=7={path}")[1][1:-1] == [
        "failed: pytest: t.b",
        "    AssertionError: assert 1 == 2",
        "    tests/test_values.py:7: AssertionError",
    ]


def test_a_step_without_a_suite_is_no_test():
    assert tally("set-up==3") == (1, "tests: 0 passed, 0 failed")
