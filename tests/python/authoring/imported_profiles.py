"""The command `opyard profile import` and the contents of its files, for several tests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import opyard
import yaml
from opyard.cli import main

INPUTS = Path(__file__).parent / "inputs"


@dataclass
class Profile:
    """A machine file that was written."""

    path: Path
    warnings: str

    @property
    def values(self) -> dict[str, Any]:
        return yaml.safe_load(self.path.read_text(encoding="utf-8"))

    @property
    def machine(self) -> opyard.Machine:
        return opyard.load_machine(self.path)

    def link(self, name: str) -> tuple[list[str], float, float]:
        """Its nodes, GB/s and us."""
        link = next(each for each in self.machine.to_dict()["links"] if each["name"] == name)
        rate, latency = (float(link[key].split()[0]) for key in ("bandwidth", "latency"))
        return link["between"], rate / 1e9, latency * 1e6

    def names(self, prefix: str = "") -> list[str]:
        """The names of links that begin so."""
        links = self.values.get("links", [])
        return [link["name"] for link in links if link["name"].startswith(prefix)]


def routes_of(path: Path, capfd) -> dict[tuple[str, str], tuple[float, float]]:
    """GB/s and us of each route, by the names of its ends."""
    capfd.readouterr()
    assert main(["profile", "show", str(path), "--json"]) == 0
    routes = json.loads(capfd.readouterr().out)["routes"]
    return {
        (each["from"], each["to"]): (
            each["bandwidth_bytes_per_s"] / 1e9,
            round(each["latency_s"] * 1e6, 6),
        )
        for each in routes
    }


def import_profile(source: Path | str, tmp_path: Path, capfd, *more: str) -> Profile:
    """Imports a file of `inputs`, or of another folder."""
    out = tmp_path / "machine.yaml"
    path = INPUTS / source if isinstance(source, str) else source
    status = main(["profile", "import", str(path), *more, "--out", str(out)])
    printed = capfd.readouterr()
    assert status == 0, printed.err
    return Profile(out, printed.err)


def refusal_of(text: str | bytes, tmp_path: Path, capfd, *more: str) -> str:
    """The message about a wrong file; nothing was written."""
    path = tmp_path / "wrong.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    out = tmp_path / "machine.yaml"
    assert main(["profile", "import", str(path), *more, "--out", str(out)]) == 2
    assert not out.exists()
    printed = capfd.readouterr()
    assert printed.out == ""
    return printed.err
