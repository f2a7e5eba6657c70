"""Files of weights: arrays of NumPy and a record of how they were made, read without running code.

A file is an `.npz` archive: one array of float32 per parameter of the network under its name, and
`record`, a text of JSON.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch

import opyard
from opyard.envs import FEATURE_VERSION
from opyard.event_policy.network import EventPolicy

_RECORD = "record"
_MOST_BYTES = 64 * 2**20  # of all arrays; the network has 35 kB
# What NumPy, zlib and JSON raise for files that are damaged, or none at all.
_UNREADABLE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, TypeError)


def shipped_path() -> Path:
    """The weights that come with opyard."""
    source_tree = Path(__file__).resolve().parents[3]
    return Path(os.environ.get("OPYARD_DATA", source_tree)) / "weights" / "event-policy.npz"


def save(path: Path, policy: EventPolicy, record: dict[str, Any]) -> None:
    """Writes the weights and how they were made."""
    text = json.dumps(record | {"feature_version": FEATURE_VERSION})
    arrays = {name: value.numpy() for name, value in policy.state_dict().items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        np.savez_compressed(file, **{_RECORD: np.array(text)}, **arrays)


def load(path: Path) -> tuple[EventPolicy, dict[str, Any]]:
    """The network of a file, and how it was made.

    Raises:
        opyard.InputError: It cannot be read, or holds no weights of this network.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > _MOST_BYTES:
            raise _refusal(path, f"found {size} bytes of arrays, expected at most {_MOST_BYTES}")
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        record = json.loads(str(arrays.pop(_RECORD)))
    except opyard.InputError:
        raise
    except _UNREADABLE as error:
        reason = f"found {type(error).__name__}, expected an archive of arrays"
        raise _refusal(path, reason) from error
    if not isinstance(record, dict) or record.get("feature_version") != FEATURE_VERSION:
        raise _refusal(path, f"its record is not of features {FEATURE_VERSION}")
    policy = EventPolicy()
    expected = policy.state_dict()
    for name, value in expected.items():
        _check(path, name, arrays.get(name), tuple(value.shape))
    if unknown := sorted(arrays.keys() - expected.keys()):
        raise _refusal(path, f"found {', '.join(unknown)} beside the arrays of the network")
    policy.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
    return policy.eval(), record


def _check(path: Path, name: str, array: np.ndarray | None, shape: tuple[int, ...]) -> None:
    if array is None or array.dtype != np.float32 or array.shape != shape:
        found = "none" if array is None else f"{array.dtype} {list(array.shape)}"
        raise _refusal(path, f"{name}: found {found}, expected float32 {list(shape)}")
    if not np.isfinite(array).all():
        raise _refusal(path, f"{name}: found a number that is not finite")


def _refusal(path: Path, reason: str) -> opyard.InputError:
    return opyard.InputError(
        f"{path}: no weights of event_policy: {reason}; "
        "`python -m opyard.event_policy --out FOLDER` makes some"
    )
