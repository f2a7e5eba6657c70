"""Program search: a language model evolves `place(graph, machine)` against opyard's simulator.

Not loaded by `import opyard`. `opyard task new` writes the folder for a framework, whose evaluator
calls `evaluate_program`; `opyard task score` compares a program with controls
(docs/program-search.md).
"""

from __future__ import annotations

from opyard.tasks.evaluation import Evaluation, Outcome, evaluate_program
from opyard.tasks.sandbox import Limits
from opyard.tasks.workloads import Workload

__all__ = ["Evaluation", "Limits", "Outcome", "Workload", "evaluate_program"]
