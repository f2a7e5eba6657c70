"""The experiment of a training of a second: what the tests of trainings run, kill and track."""

from __future__ import annotations

TRAINING = """\
schema_version: 1
name: twenty
split:
  train: [{graph: "random:layered?n=24&seed={i}", count: 20}]
  test: ["random:layered?n=30&seed=100"]
training: {updates: 60, save_seconds: 0}
hardware: [p100x2-pcie]
problem: {tasks: [placement]}
agents: [{name: reinforce_lstm, params: {hidden: 12, attention: 6, embedding: 6}}]
seeds: [3]
"""
