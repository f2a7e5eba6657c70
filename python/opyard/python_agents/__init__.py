"""Agents that users write in Python: how they are found, described and run.

An agent is a class with a docstring, `tasks` and a method `search`; `opyard` runs it in a process
of its own (`python -m opyard.python_agents`), where it asks a `RemoteEvaluator` about its plans.
"""

from opyard.python_agents.remote_evaluator import BudgetSpent, RemoteEvaluator

__all__ = ["BudgetSpent", "RemoteEvaluator"]
