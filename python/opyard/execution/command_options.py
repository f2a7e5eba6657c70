"""Options that `opyard measure` and `opyard execute` have in common."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from opyard.execution.errors import ExecutionError


def add_model(parser: argparse.ArgumentParser) -> None:
    """Adds `--model`."""
    parser.add_argument(
        "--model", required=True, metavar="MODULE:FUNCTION", help="or FILE.py:FUNCTION"
    )


def add_devices(parser: argparse.ArgumentParser) -> None:
    """Adds `--devices`."""
    parser.add_argument(
        "--devices", required=True, metavar="D,D", help="cpu:CORE, cpu (all cores), cuda:INDEX"
    )


def add_seed_and_timeout(parser: argparse.ArgumentParser) -> None:
    """Adds `--seed` and `--timeout`."""
    parser.add_argument(
        "--seed", type=int, default=0, metavar="K", help="of weights and inputs; default: 0"
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=300,
        metavar="S",
        help="seconds that a process waits for another; default: %(default)s",
    )


def check_ranges(
    args: argparse.Namespace, ranges: Mapping[str, tuple[float, float]], unit: str = ""
) -> None:
    """Checks the values of options, in `unit`, against the least and the most that they may be.

    Raises:
        ExecutionError: One lies outside.
    """
    for name, (least, most) in ranges.items():
        value = getattr(args, name)
        if not least <= value <= most:
            expected = f"{least} to {most} {unit}".rstrip()
            raise ExecutionError(f"--{name}: found {value}, expected {expected}")
