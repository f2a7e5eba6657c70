"""Device files as dicts, and what the cost model predicts on them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from opyard import _core
from opyard.calibration.kernels import op_of
from opyard.calibration.rows import Row

# No shipped device: what a device does not say would come from the shipped one of its name.
_TYPE = "device-of-its-own"


def read_device(reference: str) -> dict[str, Any]:
    """The fields of the device file that `reference` names: a path, or a shipped device.

    Raises:
        InputError: If there is none, or it is wrong.
    """
    return _core.device_values(reference)


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
        "devices": [{"name": "device", "type": _TYPE, **fields}],
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
    return _core.Graph.from_dict({"format": "opyard-graph/1", "name": "rows", "ops": ops})


def predict(graph: _core.Graph, device: dict[str, Any]) -> npt.NDArray[np.float64]:
    """Seconds [num_ops] of the ops of `graph` on `device`."""
    return _core.op_seconds(graph, machine_of(device))[:, 0]
