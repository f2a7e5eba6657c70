"""Experiments, trainings and tunings on other machines: `--executor ray` and `--executor slurm`.

Neither executor schedules anything itself (docs/decisions/0063-executors-are-thin.md): a matrix is
divided by `opyard run --shard`, its pieces are joined by `opyard results merge`, and Ray or Slurm
decides what runs where.
"""

from __future__ import annotations

_SUBCOMMANDS = ("run", "sweep", "train", "tune")
_OPTION = "--executor"
_OTHERS = ("ray", "slurm")


def concerns_executors(arguments: list[str]) -> bool:
    """True if `arguments` ask for another executor than this process."""
    if arguments[:1] == [] or arguments[0] not in _SUBCOMMANDS or {"--help", "-h"} & set(arguments):
        return False
    pairs = zip(arguments, [*arguments[1:], ""], strict=True)
    return any(
        word in (f"{_OPTION}={other}" for other in _OTHERS)
        or (word == _OPTION and following in _OTHERS)
        for word, following in pairs
    )
