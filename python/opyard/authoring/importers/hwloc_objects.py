"""Objects of hwloc's XML (`lstopo --of xml`, versions 2 and 3): packages, memory, cores, GPUs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from opyard.authoring.importers.request import Problems, shown
from opyard.authoring.importers.xml_tree import Element

_GPU_CLASSES = ("0300", "0302", "0380", "1200")  # VGA, 3D, display, processing accelerator
_PCI_TYPE = re.compile(r"([0-9a-fA-F]{4})\b.*")
_SPEED = re.compile(r"[0-9]{1,4}(\.[0-9]{1,12})?")
_NVSWITCH = "NVSwitch"


@dataclass
class Gpu:
    """A GPU below a package, with the bridges on its way, from the root downwards."""

    element: Element
    bridges: list[Element]
    model: str | None
    indices: list[str] = field(default_factory=list)  # gp_index of its objects
    name: str = ""  # of its device


@dataclass
class Package:
    """A socket."""

    element: Element
    memory_bytes: int = 0
    cores: int = 0
    caches: dict[str, int] = field(default_factory=dict)  # bytes of the largest, by type
    gpus: list[Gpu] = field(default_factory=list)

    @property
    def model(self) -> str:
        """The name of the processor, empty where the file does not say it."""
        return info_of(self.element).get("CPUModel", "")


@dataclass
class Topology:
    """The parts of a topology that a machine has."""

    packages: list[Package]
    nvswitches: list[str] = field(default_factory=list)  # gp_index of each
    displays: list[str] = field(default_factory=list)  # what looks like a GPU and computes nothing
    other_devices: int = 0  # PCI devices of other classes
    loose_gpus: int = 0  # below no package; the first has them


class TopologyReader:
    """Walks the objects of a topology."""

    def __init__(self, root: Element, place: str) -> None:
        self._problems = Problems(place)
        self._root = root
        self._is_version_2 = root.attributes.get("version", "").startswith("2")
        packages = [each for each in root.walk() if each.attributes.get("type") == "Package"]
        self._packages = {id(each): Package(each) for each in packages}
        self._inside: dict[int, list[Package]] = {}  # two of them at most, by element
        self._note_packages(root)
        self._topology = Topology(list(self._packages.values()))
        self._shared_memory = 0

    def read(self) -> Topology:
        """Reads all objects; raises InputError with all that is wrong."""
        self._check_version()
        if not self._packages:
            self._problems.add(
                "<topology>", 'found no object of type "Package", expected one for each socket'
            )
        for machine in self._root.all("object"):
            self._visit(machine, None, [])
        self._problems.raise_if_any()
        for package in self._topology.packages:
            package.memory_bytes += self._shared_memory // len(self._packages)
        return self._topology

    def _note_packages(self, element: Element) -> list[Package]:
        """Notes the packages inside an element, itself included."""
        inside = [self._packages[id(element)]] if id(element) in self._packages else []
        for child in element.children:
            inside = [*inside, *self._note_packages(child)][:2]
        self._inside[id(element)] = inside
        return inside

    def _check_version(self) -> None:
        version = self._root.attributes.get("version", "1")
        if not re.match(r"[23](\.|$)", version):
            self._problems.fail(
                f"line {self._root.line}: <topology>",
                f"found version {shown(version)}, expected 2 or 3: export it again with "
                "`lstopo --of xml` of hwloc 2",
            )

    def _visit(self, element: Element, package: Package | None, bridges: list[Element]) -> None:
        """Notes an object and those inside; what holds one package belongs to that package."""
        kind = element.attributes.get("type", "")
        inside = self._inside[id(element)]
        if package is None and len(inside) == 1:
            package = inside[0]
        if kind == "Bridge":
            self._check_speed(element)
            bridges = [*bridges, element]
        self._note(element, kind, package, bridges)
        for child in element.all("object"):
            self._visit(child, package, bridges)

    def _note(
        self, element: Element, kind: str, package: Package | None, bridges: list[Element]
    ) -> None:
        if kind == "NUMANode":
            memory = self._number(element, "local_memory")
            if package is None:
                self._shared_memory += memory
            else:
                package.memory_bytes += memory
        elif kind == "Core" and package is not None:
            package.cores += 1
        elif kind in ("L2Cache", "L3Cache") and package is not None:
            size = self._number(element, "cache_size")
            package.caches[kind] = max(size, package.caches.get(kind, 0))
        elif kind == "PCIDev":
            self._note_pci(element, package, bridges)

    def _note_pci(self, element: Element, package: Package | None, bridges: list[Element]) -> None:
        self._check_speed(element)
        match = _PCI_TYPE.fullmatch(element.attributes.get("pci_type", ""))
        if match is None:
            self._problems.add(
                f'line {element.line}: <object type="PCIDev">',
                f"found pci_type {shown(element.attributes.get('pci_type', ''))}, expected a class "
                "such as 0302 [10de:1db1]",
            )
            return
        if element.attributes.get("subtype") == _NVSWITCH:
            self._topology.nvswitches.append(element.attributes.get("gp_index", ""))
        elif match[1] not in _GPU_CLASSES:
            self._topology.other_devices += 1
        elif self._computes(element, match[1]):
            if package is None:
                self._topology.loose_gpus += 1
            owner = self._topology.packages[:1] if package is None else [package]
            for each in owner:
                each.gpus.append(_gpu_of(element, bridges))
        else:
            self._topology.displays.append(info_of(element).get("PCIDevice", "a display"))

    def _check_speed(self, element: Element) -> None:
        text = element.attributes.get("pci_link_speed") or "0"
        if _SPEED.fullmatch(text) is None:
            self._problems.add(
                f"line {element.line}: <object>",
                f"pci_link_speed: found {shown(text)}, expected gigabytes per second",
            )

    def _computes(self, element: Element, pci_class: str) -> bool:
        """True for 3D controllers, and for displays that a library for computing knows."""
        if pci_class == "0302":
            return True
        return any(
            self._is_compute(int(child.attributes.get("osdev_type", "0") or "0"))
            for child in element.all("object")
            if child.attributes.get("type") == "OSDev"
            and child.attributes.get("osdev_type", "").isdigit()
        )

    def _is_compute(self, osdev_type: int) -> bool:
        """Version 2 counts types (5 is a co-processor), version 3 has bits (8)."""
        return osdev_type == 5 if self._is_version_2 else bool(osdev_type & 8)

    def _number(self, element: Element, name: str) -> int:
        text = element.attributes.get(name, "0")
        if not (text.isascii() and text.isdigit()) or len(text) > 18:
            kind = element.attributes.get("type", "")
            self._problems.add(
                f'line {element.line}: <object type="{kind[:60]}">',
                f"{name}: found {shown(text)}, expected a whole number of bytes",
            )
            return 0
        return int(text)


def link_speed(element: Element) -> float:
    """Gigabytes per second of a PCI link; 0 where hwloc could not read it."""
    return float(element.attributes.get("pci_link_speed") or 0)


def info_of(element: Element) -> dict[str, str]:
    """The `info` children of an object."""
    return {
        info.attributes.get("name", ""): info.attributes.get("value", "")
        for info in element.all("info")
    }


def _gpu_of(element: Element, bridges: list[Element]) -> Gpu:
    parts = [element, *element.all("object")]
    models = [info_of(part).get("GPUModel") for part in parts]
    model = next((each for each in models if each), info_of(element).get("PCIDevice"))
    return Gpu(element, bridges, model, [part.attributes.get("gp_index", "") for part in parts])
