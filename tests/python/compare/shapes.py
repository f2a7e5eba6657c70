"""The shapes that results may have: each function changes a copy of the small store."""

from __future__ import annotations

from pathlib import Path

from stores import execute, grow

LONG = "models/exported/a_transformer_with_a_very_long_name_that_goes_on_and_on_{}.json"


def unchanged(results: Path) -> None:
    """As it was run."""


def long_names(results: Path) -> None:
    """Graphs are files with long names, machines files in other folders."""
    for i in (1, 2):
        name = f"random:layered?n={20 + 20 * i}&seed={i}"
        for table in ("runs", "bounds"):
            execute(
                results, f"UPDATE {table} SET graph = ? WHERE graph = ?", [LONG.format(i), name]
            )
            execute(results, f"UPDATE {table} SET hardware = '../lab/machines/ours.yaml'")
    execute(results, "DELETE FROM info WHERE key IN ('matrix', 'resolved')")


def many_machines(results: Path) -> None:
    """Seven workloads, six of them on machines of their own, and thirteen agents."""
    grow(results, 7, 13, 2)
    for i in range(6):
        machine = f"../lab/machines/h100x8-nvlink-rack{i}.yaml"
        execute(results, "UPDATE runs SET hardware = ? WHERE graph = ?", [machine, f"g{i}"])


def failing(results: Path) -> None:
    """One agent never finds a plan, another sometimes."""
    failed = "UPDATE runs SET status = 'failed', outcome = 'out_of_memory', score = NULL "
    execute(results, f"{failed} WHERE agent = 'random'")
    execute(results, f"{failed} WHERE agent = 'brkga' AND seed = 1")


def one_agent(results: Path) -> None:
    """Nobody to compare with."""
    execute(results, "DELETE FROM runs WHERE agent <> 'brkga'")
    execute(results, "DELETE FROM info WHERE key IN ('matrix', 'resolved')")


SHAPES = (unchanged, long_names, many_machines, failing, one_agent)
