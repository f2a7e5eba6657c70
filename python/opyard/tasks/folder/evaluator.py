"""Scores a program for OpenEvolve or SkyDiscover; the work is done by `opyard.tasks`.

`evaluate` runs all workloads of `workloads.json` beside this file, the stages of a cascade the
small ones and then all.
"""

import sys
from pathlib import Path

from opyard.tasks import evaluate_program

FOLDER = Path(__file__).resolve().parent
# Where the framework has its `EvaluationResult`, which holds texts for the next prompt, too.
RESULT = "openevolve.evaluation_result"


def evaluate(program_path):
    """The result on all workloads."""
    return _result_of(evaluate_program(FOLDER, program_path))


def evaluate_stage1(program_path):
    """The result on the small workloads."""
    return _result_of(evaluate_program(FOLDER, program_path, stage=1))


def evaluate_stage2(program_path):
    """The result on all workloads."""
    return evaluate(program_path)


def _result_of(evaluation):
    """The result as the framework has it; the metrics alone where it is not loaded."""
    if RESULT not in sys.modules:
        return evaluation.metrics
    result = sys.modules[RESULT].EvaluationResult
    return result(metrics=evaluation.metrics, artifacts=evaluation.artifacts)
