"""Comparison of agents from stored results: `opyard compare` (docs/compare-agents.md)."""
