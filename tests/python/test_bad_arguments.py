"""Bad arguments end in a TypeError or a ValueError in the user's words, whatever the function."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import bad_arguments
import opyard
import pytest
from opyard import _core

CASES = list(bad_arguments.cases())
# A path of our sources, as failed checks of our own promises name it.
SOURCE = re.compile(r"\w\.(cc|h|py):\d+")


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """The outcome of each case. A process that dies is followed by one for the cases left."""
    folder = tmp_path_factory.mktemp("bad_arguments")
    file = tmp_path_factory.mktemp("answers") / "answers"
    answered: dict[str, str] = {}
    first = 0
    while first < len(CASES):
        process = subprocess.run(
            [sys.executable, Path(bad_arguments.__file__), file, str(first)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        answered |= {line["case"]: line["answer"] for line in lines if "answer" in line}
        if len(answered) == len(CASES):
            break
        died = lines[-1]["case"]
        answered[died] = f"died with status {process.returncode}: {process.stderr[-500:]}"
        first = len(answered)
    return answered


def is_refused(answer: str) -> bool:
    """Whether an answer is an error that a user can read."""
    return answer.startswith(("TypeError: ", "ValueError: ")) and not SOURCE.search(answer)


@pytest.mark.parametrize("function", bad_arguments.functions(), ids=lambda function: function.name)
def test_bad_arguments_are_refused_in_the_users_words(function, answers):
    wrong = {
        case.name: answers[case.name]
        for case in CASES
        if case.function == function
        and not (
            is_refused(answers[case.name]) or (case.is_legal and answers[case.name] == "returned")
        )
    }
    assert not wrong, "\n".join(f"{case}: {answer}" for case, answer in wrong.items())


def test_every_exception_to_the_rule_is_needed(answers):
    """LEGAL says nothing of what is refused, or does not exist."""
    accepted: dict[str, set[str]] = {}
    for case in CASES:
        if answers[case.name] == "returned":
            accepted.setdefault(f"{case.function.name}/{case.parameter}", set()).add(case.bad)
    assert accepted == bad_arguments.LEGAL


def test_every_public_name_is_swept():
    owners = {function.owner for function in bad_arguments.functions()}
    names = {function.name for function in bad_arguments.functions()}
    # Values, errors, and what takes no arguments.
    spared = {"AgentInfo", "AgentOption", "EagerRun", "Explanation", "Gantt", "SearchResult"}
    spared |= {"SearchProgress", "agents", "envs", "__version__"}
    for name in opyard.__all__:
        is_error = name.endswith("Error")
        assert is_error or name in spared or name in owners or name in names, name
    classes = {name for name in vars(_core) if isinstance(getattr(_core, name), type)}
    assert {name for name in classes if not name.endswith("Error")} <= owners
