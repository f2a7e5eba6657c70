"""A placement problem of Moirai as a graph and a machine."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from opyard import _core
from opyard.moirai.errors import FileErrors
from opyard.moirai.machine_file import device_name, machine_dict, machine_text, pairs_of
from opyard.moirai.problem_table import ProblemTable, table_of
from opyard.moirai.sheet import read_sheet
from opyard.moirai.transfer_fit import TransferFit, fit_transfers

TOLERANCE_S = 5e-9
_SUFFIX = ".xls"
_LARGEST_BYTES = 2**62


@dataclass(frozen=True)
class MoiraiProblem:
    """What a file becomes, and what is said about it."""

    graph: _core.Graph
    machine: _core.Machine
    machine_file: str
    """Text of a file that holds the machine."""
    error_s: float
    """The most that a transfer differs from the file."""
    unit_bytes: int
    """Bytes of one unit of the file's memory."""
    room_bytes: int
    """Bytes of all tensors, which every device has beyond its capacity."""


def import_moirai(
    path: str | os.PathLike[str], *, tolerance_s: float = TOLERANCE_S
) -> tuple[_core.Graph, _core.Machine]:
    """Reads a placement problem of Moirai, an `.xls` file with a row per task.

    Op `task7` is task 7 of the file, of type `Task`, with measured seconds on each device; each
    entry of `c_task` is a tensor of its own. Devices are `device0`, `device1`, … with the
    capacities of the file; plans of up to the capacity of the file fit, whatever their tensors
    take. docs/importing.md, "Placement problems of Moirai", has the columns.

    Args:
        path: The file.
        tolerance_s: The most, in seconds, that a transfer may differ from the file; the default is
            the rounding of files with five decimals of a ms. Times are bytes / bandwidth, which
            gives not every table exactly.

    Returns:
        The graph and its machine.

    Raises:
        opyard.InputError: The file is no such problem, or its transfer times differ by more than
            the tolerance from the closest sizes and bandwidths; with all that is wrong.
        ImportError: xlrd is not installed: `pip install 'opyard[moirai]'`.
    """
    problem = read_problem(path, tolerance_s)
    return problem.graph, problem.machine


def read_problem(path: str | os.PathLike[str], tolerance_s: float = TOLERANCE_S) -> MoiraiProblem:
    """The same with what a command says about it; errors as of `import_moirai`."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path: found {type(path).__name__}, expected text or a path")
    if not isinstance(tolerance_s, int | float) or isinstance(tolerance_s, bool):
        raise TypeError(f"tolerance_s: found {type(tolerance_s).__name__}, expected a number")
    if not 0 <= tolerance_s < math.inf:
        raise _core.InputError(f"tolerance_s: found {tolerance_s}, expected a number from 0")
    file = Path(os.fsdecode(path))
    table = table_of(read_sheet(file), str(file))
    seconds = _transfer_seconds(table)
    fit = fit_transfers(seconds)
    error_s = _check_fit(table, seconds, fit, tolerance_s)
    name = _name_of(file)
    room_bytes = int(fit.bytes.sum())
    unit_bytes = _unit_bytes(table, room_bytes)
    capacities = [each * unit_bytes + max(room_bytes, 1) for each in table.capacities]
    machine = machine_dict(f"{name}-machine", capacities, fit.bandwidth_bytes_per_s)
    return MoiraiProblem(
        _core.Graph.from_dict(_graph_dict(name, file, table, fit, unit_bytes)),
        _core.Machine.from_dict(machine),
        machine_text(machine),
        error_s,
        unit_bytes,
        room_bytes,
    )


def _name_of(file: Path) -> str:
    """A name that graphs and machines may have."""
    return (
        re.sub(r"[^\w.-]", "_", file.name.removesuffix(_SUFFIX), flags=re.ASCII)[:100] or "moirai"
    )


def _transfer_seconds(table: ProblemTable) -> np.ndarray[Any, np.dtype[np.float64]]:
    """[num_transfers, num_pairs], pairs in the order of `pairs_of`."""
    pairs = pairs_of(table.num_devices)
    ms = [
        [each.ms[src * table.num_devices + dst] for src, dst in pairs] for each in table.transfers
    ]
    return np.array(ms, dtype=np.float64).reshape(len(table.transfers), len(pairs)) / 1e3


def _check_fit(
    table: ProblemTable,
    seconds: np.ndarray[Any, np.dtype[np.float64]],
    fit: TransferFit,
    tolerance_s: float,
) -> float:
    """The greatest difference of a transfer from the file; an InputError if it is too great."""
    differences = np.abs(fit.seconds - seconds)
    most_s = float(differences.max(initial=0.0))
    errors = FileErrors(table.place)
    for transfer, pair in np.argwhere(differences > tolerance_s):
        src, dst = pairs_of(table.num_devices)[pair]
        errors.add(
            table.transfers[transfer].row,
            f"pc{src}{dst}",
            f"{seconds[transfer, pair] * 1e3:g} ms",
            f"at most {tolerance_s:g} s from {fit.seconds[transfer, pair] * 1e3:.6g} ms, the "
            "closest that one size per transfer and one bandwidth per pair of devices give; "
            f"tolerance_s {most_s * 1.00002:.6g} allows all",
        )
    errors.raise_if_any()
    return most_s


def _unit_bytes(table: ProblemTable, room_bytes: int) -> int:
    """Bytes of a unit of memory: 1 where memory cannot run out, else more than all tensors.

    So what fits is what the file says, to the unit. Where so many bytes cannot be counted the unit
    is 1, too, and a device takes up to `room_bytes` more than the file says.
    """
    most = max(sum(table.memory), *table.capacities)
    unit = 10 ** len(str(room_bytes))
    is_ample = sum(table.memory) <= min(table.capacities)
    return 1 if is_ample or most * unit > _LARGEST_BYTES else unit


def _graph_dict(
    name: str, file: Path, table: ProblemTable, fit: TransferFit, unit_bytes: int
) -> dict[str, Any]:
    ops: list[dict[str, Any]] = [
        {
            "name": f"task{number}",
            "type": "Task",
            "inputs": [],
            "control_inputs": [],
            "outputs": [],
            "param_bytes": memory * unit_bytes,
            "seconds": {device_name(k): ms / 1e3 for k, ms in enumerate(task_ms)},
        }
        for number, task_ms, memory in zip(table.ids, table.task_ms, table.memory, strict=True)
    ]
    for transfer, size in zip(table.transfers, fit.bytes, strict=True):
        outputs = ops[transfer.source]["outputs"]
        ops[transfer.target]["inputs"].append([transfer.source, len(outputs)])
        outputs.append({"bytes": int(size)})
    for source, target in table.waits:
        ops[target]["control_inputs"].append(source)
    return {
        "format": "opyard-graph/1",
        "name": name,
        "origin": f"placement problem of Moirai, {file.name}",
        "measured": "with_launch",
        "ops": ops,
    }
