"""Device files as dicts, and what the cost model predicts on them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from opyard import _core
from opyard.authoring.cards import data_root
from opyard.calibration.errors import CalibrationError
from opyard.calibration.kernels import op_of
from opyard.calibration.rows import Row

_MOST_BYTES = 1 << 20


def read_device(reference: str) -> dict[str, Any]:
    """The device file that `reference` names: a path, or the name of a shipped one.

    Raises:
        CalibrationError: If there is none, or the program refuses it.
    """
    import yaml

    path = _path_of(reference)
    try:
        text = path.read_bytes()[: _MOST_BYTES + 1]
        values = yaml.safe_load(text) if len(text) <= _MOST_BYTES else None
    except (OSError, yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise CalibrationError(f"{path}: {error}") from error
    if not isinstance(values, dict) or "peak_flops" not in values:
        raise CalibrationError(
            f"{path}: expected a device file, with name, kind, memory, memory_bandwidth and "
            "peak_flops (docs/formats.md)"
        )
    machine_of(values)
    return values


def _path_of(reference: str) -> Path:
    is_path = "/" in reference or reference.endswith((".yaml", ".yml"))
    if is_path:
        return Path(reference)
    return data_root() / "hardware_profiles" / "devices" / f"{reference}.yaml"


def machine_of(device: dict[str, Any]) -> _core.Machine:
    """A machine of this device alone.

    Raises:
        InputError: If the device's fields are not those of a device file.
    """
    fields = {
        key: value
        for key, value in device.items()
        if key not in ("schema_version", "name", "provenance")
    }
    values = {
        "schema_version": 1,
        "name": "calibrated",
        "devices": [{"name": "device", "type": str(device.get("name", "device")), **fields}],
        "links": [],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `profile validate` says what is odd
        return _core.Machine.from_dict(values)


def graph_of(rows: Sequence[Row]) -> _core.Graph:
    """A graph of an op for each row, in their order.

    Raises:
        CalibrationError: If a row lacks what its op needs.
        InputError: If an extent is out of the range of graphs.
    """
    ops = [{"name": f"row{index}", **op_of(row)} for index, row in enumerate(rows)]
    return _core.Graph.from_dict({"schema_version": 1, "name": "rows", "ops": ops})


def predict(graph: _core.Graph, device: dict[str, Any]) -> npt.NDArray[np.float64]:
    """Seconds [num_ops] of the ops of `graph` on `device`."""
    return _core.op_seconds(graph, machine_of(device))[:, 0]
