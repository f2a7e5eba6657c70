"""The matrix that `nvidia-smi topo -m` prints: how each pair of GPUs and NICs is connected."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from opyard.authoring.importers.request import Problems, shown

# PCIe classes from near to far; SOC is what old drivers call SYS.
LEVELS = {"PIX": 1, "PXB": 2, "PHB": 3, "NODE": 4, "SYS": 5, "SOC": 5}
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_NVLINKS = re.compile(r"NV([1-9][0-9]?)")
_GPU = re.compile(r"GPU[0-9]+")
_MOST_DEVICES = 256  # GPUs and network cards
_CELLS = "X, NV1 … NV99, PIX, PXB, PHB, NODE, SYS or SOC"


@dataclass
class TopologyMatrix:
    """The cells between devices, by the labels of rows and columns."""

    labels: list[str]
    cells: dict[tuple[str, str], str] = field(default_factory=dict)
    affinity: dict[str, str] = field(default_factory=dict)  # CPUs or NUMA node of a GPU, if known

    @property
    def gpus(self) -> list[str]:
        """The labels of GPUs, in their order."""
        return [label for label in self.labels if _GPU.fullmatch(label)]

    @property
    def others(self) -> list[str]:
        """The labels of NICs."""
        return [label for label in self.labels if not _GPU.fullmatch(label)]

    def num_nvlinks(self, left: str, right: str) -> int:
        """The number of NVLinks between two devices; 0 without any."""
        match = _NVLINKS.fullmatch(self.cells[left, right])
        return int(match[1]) if match else 0


def read_matrix(text: str, place: str) -> TopologyMatrix:
    """Reads the table; lines before it and the legend behind it do not count.

    Raises:
        InputError: with all that is wrong with it.
    """
    problems = Problems(place)
    lines = [_ANSI.sub("", line) for line in text.splitlines()]
    first = _header_line(lines, problems)
    header = lines[first].split()
    labels = _labels_of(header)
    if len(labels) > _MOST_DEVICES or len(set(labels)) < len(labels):
        problems.fail(
            f"line {first + 1}",
            f"found {len(labels)} columns, expected at most {_MOST_DEVICES}, each once",
        )
    matrix = TopologyMatrix(labels)
    _read_rows(lines, first, header, matrix, problems)
    _check_rows(matrix, problems)
    problems.raise_if_any()
    return matrix


def _header_line(lines: list[str], problems: Problems) -> int:
    for index, line in enumerate(lines):
        if line.split()[:1] == ["GPU0"]:
            return index
    problems.fail("the text", "found no line that begins with GPU0, expected `nvidia-smi topo -m`")
    raise AssertionError


def _labels_of(header: list[str]) -> list[str]:
    """The columns of devices: those before "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"."""
    end = next((i for i, word in enumerate(header) if word in ("CPU", "NUMA", "GPU")), len(header))
    return header[:end]


def _read_rows(
    lines: list[str], first: int, header: list[str], matrix: TopologyMatrix, problems: Problems
) -> None:
    for number, line in enumerate(lines[first + 1 :], first + 2):
        words = line.split()
        if not words or words[0] not in matrix.labels:
            if words and not words[0].startswith("Legend") and _looks_like_row(words):
                problems.add(
                    f"line {number}",
                    f"found a row {shown(words[0])}, expected a column of that name",
                )
            if words and words[0].startswith("Legend"):
                return
            continue
        _read_row(words, number, header, matrix, problems)


def _looks_like_row(words: list[str]) -> bool:
    return any(_is_cell(word) for word in words[1:3]) and "=" not in words


def _is_cell(word: str) -> bool:
    return word == "X" or word in LEVELS or _NVLINKS.fullmatch(word) is not None


def _read_row(
    words: list[str], number: int, header: list[str], matrix: TopologyMatrix, problems: Problems
) -> None:
    label, labels = words[0], matrix.labels
    where = f"line {number}: row {label}"
    if (label, labels[0]) in matrix.cells:
        problems.add(where, "stands there twice, expected one row for each column")
        return
    cells = words[1 : len(labels) + 1]
    if len(cells) < len(labels):
        problems.add(where, f"found {len(cells)} cells, expected {len(labels)}: is it cut off?")
        return
    for column, cell in zip(labels, cells, strict=True):
        if not _is_cell(cell) or (cell == "X") != (column == label):
            expected = "X" if column == label else _CELLS.removeprefix("X, ")
            problems.add(where, f"column {column}: found {shown(cell)}, expected {expected}")
        matrix.cells[label, column] = cell
    affinity = _affinity(words[len(labels) + 1 :], header[len(labels) :])
    if affinity:
        matrix.affinity[label] = affinity


def _affinity(words: list[str], titles: list[str]) -> str:
    """The NUMA node of a GPU, else its CPUs; GPUs of one socket have the same."""
    has_numa = titles[:1] == ["CPU"] and "NUMA" in titles[1:3] and len(words) > 1
    if has_numa and words[1] != "N/A":
        return f"NUMA node {words[1]}"
    return f"CPUs {words[0]}" if words and words[0] != "N/A" else ""


def _check_rows(matrix: TopologyMatrix, problems: Problems) -> None:
    for label in matrix.labels:
        if (label, label) not in matrix.cells:
            problems.add(f"row {label}", "is missing, expected a row for each column")
    for (left, right), cell in matrix.cells.items():
        back = matrix.cells.get((right, left))
        if left < right and back is not None and back != cell:
            problems.add(
                f"row {left}, column {right}",
                f"found {shown(cell)} and {shown(back)} in row {right}, expected the same",
            )
