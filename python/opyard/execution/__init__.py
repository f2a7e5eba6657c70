"""Execution of plans: a traced training step, divided over processes with one device each.

Everything but `command.py` and `ordering.py` does without the C++ module.
"""
