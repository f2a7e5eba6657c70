"""The processes of this machine, by what /proc says of them."""

from __future__ import annotations

from pathlib import Path


def processes() -> dict[int, tuple[int, str]]:
    """All processes: the parent and the command line of each."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().decode(errors="replace")
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):  # it has ended meanwhile
            continue
        found[int(process.name)] = (parent, command)
    return found
