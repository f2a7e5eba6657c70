"""The formats of other tools, and which one a file has."""

from __future__ import annotations

import re
from collections.abc import Callable

from opyard import _core
from opyard.authoring.draft import MachineDraft
from opyard.authoring.importers.request import ImportRequest

_ROOT = re.compile(rb"<(?![?!])\s*([A-Za-z_][\w.-]*)")
_FORMAT_OF_ROOT = {b"topology": "hwloc", b"platform": "simgrid"}


def _read_nvidia_smi(request: ImportRequest) -> MachineDraft:
    from opyard.authoring.importers import nvidia_smi

    return nvidia_smi.read(request)


def _read_hwloc(request: ImportRequest) -> MachineDraft:
    from opyard.authoring.importers import hwloc

    return hwloc.read(request)


def _read_simgrid(request: ImportRequest) -> MachineDraft:
    from opyard.authoring.importers import simgrid

    return simgrid.read(request)


def _read_infragraph(request: ImportRequest) -> MachineDraft:
    from opyard.authoring.importers import infragraph

    return infragraph.read(request)


FORMATS: dict[str, Callable[[ImportRequest], MachineDraft]] = {
    "nvidia-smi": _read_nvidia_smi,
    "hwloc": _read_hwloc,
    "simgrid": _read_simgrid,
    "infragraph": _read_infragraph,
}


def find_format(data: bytes, place: str) -> str:
    """The format of a file by its content.

    Raises:
        InputError: it is none of those that are known.
    """
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"<"):
        match = _ROOT.search(_without_comments(start[:65536]))
        root = match[1] if match else b""
        if root in _FORMAT_OF_ROOT:
            return _FORMAT_OF_ROOT[root]
        raise _core.InputError(
            f"{place}: found XML whose root is {root.decode(errors='replace')[:60]!r}, expected "
            "topology (hwloc) or platform (SimGrid)"
        )
    if re.search(rb"(^|[\s])GPU0[ \t\x1b]", data[:65536]) or b"CPU Affinity" in data[:65536]:
        return "nvidia-smi"
    if re.search(rb"\b(components|instances)\b[\"']?\s*:", data[: 2**20]):
        return "infragraph"
    raise _core.InputError(
        f"{place}: the content is none of {', '.join(FORMATS)}; --as says which it should be"
    )


def _without_comments(data: bytes) -> bytes:
    return re.sub(rb"<!--.*?-->", b"", data, flags=re.DOTALL)
