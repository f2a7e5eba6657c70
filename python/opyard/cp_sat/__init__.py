"""The agent `cp_sat`: schedules by constraint programming, with proofs, on problems that are small.

A problem becomes whole numbers (`instance`), these a model of CP-SAT (`model` and the modules of
its parts), and a solution of that a plan (`schedule`). docs/modelling.md is the model.

Importing this package needs no OR-Tools; `model`, its parts and `solving` do.
"""
