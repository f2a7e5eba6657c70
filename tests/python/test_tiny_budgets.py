"""Messages of `opyard place` about a search that had hardly any budget: whole sentences."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/python_agent/hill_climb.py"
AGENTS = ("auto", "brkga", "cross_entropy", "heft", "list_search", "local_search", "metis",
          "random", "simulated_annealing", "single_device", f"{EXAMPLE}:HillClimb")  # fmt: skip
# A clause that lacks what it is about: nothing before or after what ends it.
EMPTY = re.compile(r"  |^[ ,;:.]|[,;:(] *[,;:.)]|[,;:] *$|\b(from|in|of|then|with)( *[,;:.]|$)")


def place(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "opyard", "place", "--graph", "random:layered?n=30&seed=3",
               "--hardware", "p100x2-pcie", *words]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    "budget", [("--evaluations", "1"), ("--evaluations", "3"), ("--seconds", "0.001")], ids=" ".join
)
def test_no_clause_is_empty(agent, budget):
    found = place("--agent", agent, *budget)
    assert found.returncode in (0, 1), found.stderr
    lines = (found.stdout + found.stderr).splitlines()
    assert lines
    for line in lines:
        assert not EMPTY.search(line), line
    assert not re.search(r"\b1 evaluations", found.stdout)


def test_a_portfolio_names_whom_it_asked_and_nobody_else():
    printed = place("--agent", "auto", "--evaluations", "1").stdout.splitlines()[-1]
    assert printed == "the plan is from initial_plans"
    printed = place("--agent", "auto", "--evaluations", "200").stdout.splitlines()[-1]
    assert re.fullmatch(
        r"\d+ rules, \w+ the best of them; then (\w+ \d+ %(, )?)+; the plan is from \w+", printed
    )
