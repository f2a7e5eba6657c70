"""Facts that follow from the name of a card, and the device types that machines may name."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from opyard import _core

_KIND = re.compile(r"^kind:\s*(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class CardFamily:
    """A generation of cards."""

    word: str  # in the name of each of them
    nvlink: str  # class of the links between cards, empty without any
    num_links: int  # of one card, 0 where a box may have none
    pcie: str


_FAMILIES = (
    CardFamily("p100", "nvlink1", 4, "pcie3"),
    CardFamily("v100", "nvlink2", 6, "pcie3"),
    CardFamily("a100", "nvlink3", 12, "pcie4"),
    CardFamily("a800", "nvlink3", 8, "pcie4"),
    CardFamily("gh200", "nvlink4", 18, "pcie5"),
    CardFamily("h100", "nvlink4", 18, "pcie5"),
    CardFamily("h200", "nvlink4", 18, "pcie5"),
    CardFamily("h800", "nvlink4", 8, "pcie5"),
    CardFamily("gb200", "nvlink5", 18, "pcie5"),
    CardFamily("b200", "nvlink5", 18, "pcie5"),
    CardFamily("b100", "nvlink5", 18, "pcie5"),
    CardFamily("mi250", "xgmi", 7, "pcie4"),
    CardFamily("mi300", "xgmi", 7, "pcie5"),
    CardFamily("mi325", "xgmi", 7, "pcie5"),
    CardFamily("a40", "nvlink3", 4, "pcie4"),
    CardFamily("l40", "", 0, "pcie4"),
    CardFamily("l4", "", 0, "pcie4"),
    CardFamily("t4", "", 0, "pcie3"),
    CardFamily("k80", "", 0, "pcie3"),
    CardFamily("m40", "", 0, "pcie3"),
    CardFamily("p40", "", 0, "pcie3"),
    CardFamily("4090", "", 0, "pcie4"),
    CardFamily("3090", "nvlink3", 4, "pcie4"),
)
_USUAL_LINKS = {"nvlink1": 4, "nvlink2": 6, "nvlink3": 12, "xgmi": 7}
_OLD_HOST = "xeon-e5-2698v4"  # of the DGX-1
_NEW_HOST = "epyc-7742"  # of the DGX A100
# Words for the form of a card.
_FORMS = {"pcie", "sxm", "sxm2", "sxm3", "sxm4", "sxm5"}
# A card that no family knows.
_UNKNOWN = CardFamily("", "", 0, "pcie4")


def family_of(card: str) -> CardFamily:
    """The family of a card by its name; `word` is empty for an unknown one.

    Cards of a PCIe slot have no NVLinks of their own, only those of a bridge that may be there.
    """
    words = set(re.split(r"[^a-z0-9]+", card.lower()))
    by_word = (family for family in _FAMILIES if family.word in words)
    by_start = (
        family
        for family in _FAMILIES
        if len(family.word) > 3 and any(word.startswith(family.word) for word in words)
    )
    family = next(by_word, next(by_start, _UNKNOWN))
    return replace(family, num_links=0) if "pcie" in words else family


def num_links_of(family: CardFamily, link_class: str) -> int:
    """The links of that class at a card; the usual number where its family has others."""
    if family.num_links and family.nvlink == link_class:
        return family.num_links
    return _USUAL_LINKS.get(link_class, 18)


def pcie_generation(pcie: str) -> int:
    """4 of "pcie4"."""
    return int(pcie.removeprefix("pcie"))


def type_folders(machine: Path | None) -> list[Path]:
    """The folders that a machine file finds its device types in, in that order."""
    shipped = _core.data_root() / "hardware_profiles" / "devices"
    if machine is None:
        return [shipped]
    folder = machine.absolute().parent
    return [folder.parent / "devices", folder / "devices", shipped]


def known_types(machine: Path | None) -> dict[str, str]:
    """The device types that a machine file may name, each with its kind."""
    found: dict[str, str] = {}
    for folder in type_folders(machine):
        for path in sorted(folder.glob("*.yaml")):
            found.setdefault(path.stem, _kind_of(path))
    return found


def _kind_of(path: Path) -> str:
    match = _KIND.search(path.read_text(encoding="utf-8", errors="replace"))
    return match[1] if match else "gpu"


def usual_host(card: str, types: dict[str, str]) -> str:
    """The processor of a box that names none, by the age of its cards: those of NVIDIA's DGX."""
    is_new = pcie_generation(family_of(card).pcie) >= 4
    return _NEW_HOST if is_new and _NEW_HOST in types else _OLD_HOST


def type_for_model(model: str, types: dict[str, str]) -> str | None:
    """The known type of the card that a tool names, or None if none or several may be meant.

    "Tesla V100-SXM2-16GB" has all words of v100-sxm2-16gb; of several such types that with the most
    words is meant. Else sizes of memory do not count, nor forms that the name leaves out: "NVIDIA
    L4" is l4-24gb, if that is the only one.
    """
    words = _words(model)
    fitting = [name for name in types if _words(name) <= words]
    if fitting:
        return max(fitting, key=lambda name: (len(_words(name)), name))
    near = [name for name in types if _core_words(name) and _core_words(name) <= words]
    formed = [name for name in near if _words(name) & words & _FORMS]
    near = formed or near
    return near[0] if len(near) == 1 else None


def _words(name: str) -> set[str]:
    return set(re.split(r"[^a-z0-9.]+", name.lower()))


def _core_words(name: str) -> set[str]:
    """The words of a type but its memory and its form."""
    return {word for word in _words(name) - _FORMS if not re.fullmatch(r"[0-9]+gb", word)}
