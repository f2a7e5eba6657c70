"""A store of ten thousand runs compares in the time that is promised."""

from __future__ import annotations

import json
import resource

import stores
from stores import opyard

SECONDS = 20  # docs/compare-agents.md; of processor time: others may use the machine, too
GRAPHS, AGENTS, SEEDS = 50, 10, 20


def children_seconds() -> float:
    """Processor time of the processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_ten_thousand_runs_compare_within_the_bar(results, tmp_path):
    large = stores.copied(results, tmp_path / "large")
    stores.grow(large, GRAPHS, AGENTS, SEEDS)
    before = children_seconds()
    ended = opyard("compare", str(large), "--json", folder=tmp_path)
    seconds = children_seconds() - before
    assert len(json.loads(ended.stdout)["cells"]) == GRAPHS * AGENTS * SEEDS
    assert seconds <= SECONDS
