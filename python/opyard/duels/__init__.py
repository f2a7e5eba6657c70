"""Duels: the instance on which one agent is furthest behind another, by simulated annealing.

Not loaded by `import opyard`. `duel` searches; `opyard duel` is its command (docs/duels.md).
"""

from __future__ import annotations

from opyard.duels.annealing import AnnealingSettings, DuelResult, Step, duel
from opyard.duels.cause import Cause, find_cause, sentence_of
from opyard.duels.contest import Contest, Score
from opyard.duels.instance import Instance
from opyard.duels.starts import given_instance, random_instance

__all__ = [
    "AnnealingSettings",
    "Cause",
    "Contest",
    "DuelResult",
    "Instance",
    "Score",
    "Step",
    "duel",
    "find_cause",
    "given_instance",
    "random_instance",
    "sentence_of",
]
