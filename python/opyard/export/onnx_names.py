"""Names of the ops that an opened node became: the last one has its name, others `NAME/...`."""

from __future__ import annotations

from collections.abc import Sequence

from opyard.export.onnx_flat import Frame, Node

_MOST_DEPTH = 64  # names in the path of a module


class Names:
    """Gives each wanted name once."""

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._numbers: dict[str, int] = {}

    def unique(self, wanted: str) -> str:
        name = wanted
        while name in self._given:
            self._numbers[wanted] = self._numbers.get(wanted, 0) + 1
            name = f"{wanted}_{self._numbers[wanted]}"
        self._given.add(name)
        return name


def module_of(name: str) -> str | None:
    """The module that is the scope of a name: `layers.0.attn` of `/layers.0/attn/MatMul`."""
    parts = name.rpartition("/")[0].replace("/", ".").split(".")
    return ".".join([part for part in parts if part][:_MOST_DEPTH]) or None


def wanted_names(nodes: Sequence[Node]) -> list[str]:
    """The wanted name of each node, of which each becomes one op."""
    last: dict[Frame, int] = {}
    for index, node in enumerate(nodes):
        frame = node.frame
        while frame is not None:
            last[frame] = index
            frame = frame.parent
    return [_name(node, index, last) for index, node in enumerate(nodes)]


def _name(node: Node, index: int, last: dict[Frame, int]) -> str:
    name, frame = node.label, node.frame
    path = [name]
    while frame is not None:
        path.append(frame.label)
        if not frame.is_iteration and last[frame] == index:
            path = [frame.label]
        frame = frame.parent
    return "/".join(reversed(path))
