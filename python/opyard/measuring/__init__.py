"""Measures a model on real devices: a graph with the seconds of its ops, and a machine file.

Everything but `command.py` does without the C++ module.
"""
