"""Observations of `opyard/ListSchedule-v0` as tensors of the network."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from opyard.envs import DEVICE_FEATURE_NAMES, EDGE_FEATURE_NAMES, FEATURE_NAMES

# Columns of `x` that the network sees of an op.
_OP_COLUMNS = (
    "output_bytes",
    "compute_time",
    "in_degree",
    "out_degree",
    "rank",
    "from_sources",
    "to_sinks",
    "transfer_to_compute",
    "time_to_critical_path",
    "time_to_work",
    "time_to_op_time",
)
NUM_OP_FEATURES = len(_OP_COLUMNS) + 3
_MOST_SQUASHED = 0.99  # beyond, a ratio is as good as endless

_RUNNING = 3  # of `current`
_DONE = 4


@dataclasses.dataclass(frozen=True)
class PlacedGraph:
    """What stays the same through the episodes of one graph whose ops have devices.

    Times are multiples of the op time of env/features/columns.h. N ops, E edges, D devices.
    """

    ops: Tensor  # [N, NUM_OP_FEATURES], in [0, 1]
    time: Tensor  # [N], of the op on its device
    device: Tensor  # [N] int64
    on_device: Tensor  # [N, D], 1 for the device of the op
    source: Tensor  # [E] int64, sorted
    target: Tensor  # [E] int64
    transfer: Tensor  # [E], 0 within a device
    crosses: Tensor  # [E], 1 between devices
    first_edge: Tensor  # [N] int64, the first edge out of the op
    num_readers: Tensor  # [N] int64
    levels: tuple[tuple[Tensor, Tensor, Tensor], ...]
    """From the sinks' parents up: the ops of a level, its edges, and the place of each edge's
    source among the ops."""

    @property
    def num_ops(self) -> int:
        """How many ops there are."""
        return len(self.time)


@dataclasses.dataclass(frozen=True)
class States:
    """S states of episodes of one `PlacedGraph`."""

    current: Tensor  # [S, N] int8, as in the observation
    load: Tensor  # [S, D]: device_load
    progress: Tensor  # [S, 2]
    legal: Tensor  # [S, N] bool


def placed_graph(observation: Mapping[str, np.ndarray], lane: int = 0) -> PlacedGraph:
    """The graph of one lane of a vector's observation."""
    seen = {name: array[lane] for name, array in observation.items()}
    num_ops = int(seen["op_mask"].sum())
    edges = seen["edge_mask"].astype(bool)
    order = np.argsort(seen["edge_index"][0, edges], kind="stable")
    source, target = seen["edge_index"][:, edges][:, order]
    device = seen["plan"][0, :num_ops]
    time = _times(seen, device)
    transfer, crosses = _transfers(seen, device, source, target, edges, order)
    num_readers = np.bincount(source, minlength=num_ops)
    num_devices = len(seen["device_x"])
    return PlacedGraph(
        ops=_float(_op_features(seen, device, time)),
        time=_float(time),
        device=torch.from_numpy(device.copy()),
        on_device=_float(np.eye(num_devices)[device]),
        source=torch.from_numpy(source),
        target=torch.from_numpy(target),
        transfer=_float(transfer),
        crosses=_float(crosses),
        first_edge=torch.from_numpy(np.cumsum(num_readers) - num_readers),
        num_readers=torch.from_numpy(num_readers),
        levels=_levels(seen["topological_order"][:num_ops], source, target),
    )


def states_of(observation: Mapping[str, np.ndarray], num_ops: int, lanes: np.ndarray) -> States:
    """The states of some lanes, copied."""
    return States(
        current=torch.from_numpy(observation["current"][lanes, :num_ops]),
        load=torch.from_numpy(observation["device_load"][lanes]),
        progress=torch.from_numpy(observation["progress"][lanes]),
        legal=torch.from_numpy(observation["action_mask"][lanes, :num_ops]).bool(),
    )


def concatenated(parts: list[States]) -> States:
    """The states of several batches as one batch."""
    names = [field.name for field in dataclasses.fields(States)]
    return States(**{name: torch.cat([getattr(part, name) for part in parts]) for name in names})


def unstarted(states: States) -> Tensor:
    """1 for ops that have not started: [S, N]."""
    return (states.current < _RUNNING).to(states.load.dtype)


def undone(states: States) -> Tensor:
    """1 for ops that have not ended: [S, N]."""
    return (states.current < _DONE).to(states.load.dtype)


def ready(states: States) -> Tensor:
    """1 for ops that wait for their device alone: [S, N]."""
    return ((states.current > 0) & (states.current < _RUNNING)).to(states.load.dtype)


def squash(ratio: Tensor) -> Tensor:
    """A ratio as env/features/columns.h writes it, in [0, 1)."""
    root = ratio.clamp(min=0).sqrt()
    return root / (1 + root)


def _unsquash(feature: np.ndarray) -> np.ndarray:
    kept = np.minimum(feature.astype(np.float64), _MOST_SQUASHED)
    return (kept / (1 - kept)) ** 2


def _float(array: np.ndarray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array, np.float32))


def _times(seen: Mapping[str, np.ndarray], device: np.ndarray) -> np.ndarray:
    """The time of each op on its device: that of the mean main device ÷ the device's speed."""
    mean = _unsquash(seen["x"][: len(device), FEATURE_NAMES.index("time_to_op_time")])
    speed = _unsquash(seen["device_x"][:, DEVICE_FEATURE_NAMES.index("speed")])
    return mean / np.where(speed > 0, speed, 1)[device]


def _transfers(
    seen: Mapping[str, np.ndarray],
    device: np.ndarray,
    source: np.ndarray,
    target: np.ndarray,
    edges: np.ndarray,
    order: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The time of each edge over its route, and whether it leads to another device."""
    mean = _unsquash(seen["edge_x"][edges][order, EDGE_FEATURE_NAMES.index("transfer_to_op_time")])
    pairs = _unsquash(seen["pair_x"][:, :, 0])
    is_main = seen["device_x"][:, DEVICE_FEATURE_NAMES.index("is_main")] > 0
    main_pairs = pairs[np.outer(is_main, is_main) & ~np.eye(len(pairs), dtype=bool)]
    mean_pair = main_pairs.mean() if main_pairs.size and main_pairs.mean() > 0 else 1.0
    crosses = device[source] != device[target]
    slowness = pairs[device[source], device[target]] / mean_pair
    return mean * slowness * crosses, crosses


def _op_features(
    seen: Mapping[str, np.ndarray], device: np.ndarray, time: np.ndarray
) -> np.ndarray:
    """[N, NUM_OP_FEATURES]: columns of `x`, and what the op's device adds."""
    columns = seen["x"][: len(device), [FEATURE_NAMES.index(name) for name in _OP_COLUMNS]]
    work = np.bincount(device, time)
    root = np.sqrt(time)
    is_main = seen["device_x"][device, DEVICE_FEATURE_NAMES.index("is_main")]
    load = (work / max(work.max(), 1e-12))[device]
    return np.concatenate([columns, np.stack([root / (1 + root), load, is_main], 1)], axis=1)


def _levels(
    topological_order: np.ndarray, source: np.ndarray, target: np.ndarray
) -> tuple[tuple[Tensor, Tensor, Tensor], ...]:
    level = np.zeros(len(topological_order), np.int64)
    readers: list[list[int]] = [[] for _ in level]
    for first, second in zip(source.tolist(), target.tolist(), strict=True):
        readers[first].append(second)
    for op in topological_order[::-1].tolist():
        level[op] = max((1 + level[reader] for reader in readers[op]), default=0)
    levels = []
    by_level = np.argsort(level[source], kind="stable")
    counts = np.bincount(level[source], minlength=int(level.max()) + 1)[1:]
    for edges in np.split(by_level, np.cumsum(counts)[:-1]):
        ops, place = np.unique(source[edges], return_inverse=True)
        levels.append(tuple(torch.from_numpy(array) for array in (ops, edges, place)))
    return tuple(levels)  # type: ignore[arg-type]
