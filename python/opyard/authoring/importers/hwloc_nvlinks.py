"""NVLinks of hwloc's XML: the matrix `NVLinkBandwidth` between GPUs and NVSwitches."""

from __future__ import annotations

from dataclasses import dataclass, field

from opyard.authoring.importers.request import Problems, shown
from opyard.authoring.importers.xml_tree import Element

_NAME = "NVLinkBandwidth"
_MOST_OBJECTS = 512
_MEGABYTE = 1e6


@dataclass
class NvlinkBandwidths:
    """Bytes per second and direction, as the driver reports them."""

    pairs: dict[tuple[str, str], float] = field(default_factory=dict)  # by names of devices
    to_switch: dict[str, float] = field(default_factory=dict)  # all links of a device


def read_nvlinks(
    root: Element, devices: dict[str, str], nvswitches: list[str], place: str
) -> NvlinkBandwidths:
    """Reads the matrix, if the file has one.

    Args:
        root: The topology.
        devices: The names of GPUs by the gp_index of each of their objects.
        nvswitches: The gp_index of NVSwitches.
        place: How messages name the file.

    Raises:
        InputError: the matrix is not square.
    """
    bandwidths = NvlinkBandwidths()
    problems = Problems(place)
    for matrix in root.all("distances2", "distances2hetero"):
        if matrix.attributes.get("name") == _NAME:
            _add_matrix(matrix, devices, set(nvswitches), bandwidths, problems)
    problems.raise_if_any()
    return bandwidths


def _add_matrix(
    matrix: Element,
    devices: dict[str, str],
    nvswitches: set[str],
    bandwidths: NvlinkBandwidths,
    problems: Problems,
) -> None:
    where = f"line {matrix.line}: <{matrix.tag}>"
    indices = [word.rpartition(":")[2] for word in _words(matrix, "indexes")]
    values = _words(matrix, "u64values")
    if len(indices) > _MOST_OBJECTS or len(values) != len(indices) ** 2:
        problems.add(
            where,
            f"found {len(indices)} indexes and {len(values)} values, expected the square of the "
            f"indexes, of which at most {_MOST_OBJECTS}",
        )
        return
    wrong = next((word for word in values if not word.isdigit() or len(word) > 9), None)
    if wrong is not None:
        problems.add(where, f"found {shown(wrong)}, expected megabytes per second")
        return
    for row, left in enumerate(indices):
        for column, right in enumerate(indices):
            rate = int(values[row * len(indices) + column]) * _MEGABYTE
            if left in devices and rate and left != right:
                _add(devices[left], devices.get(right), right in nvswitches, rate, bandwidths)


def _add(
    left: str, right: str | None, is_switch: bool, rate: float, bandwidths: NvlinkBandwidths
) -> None:
    if is_switch:
        bandwidths.to_switch[left] = bandwidths.to_switch.get(left, 0.0) + rate
    elif right is not None and (right, left) not in bandwidths.pairs:
        bandwidths.pairs[left, right] = rate


def _words(matrix: Element, tag: str) -> list[str]:
    return [word for part in matrix.all(tag) for word in part.text.split()]
