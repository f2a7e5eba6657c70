"""Machines of hwloc's XML: sockets with memory and cores, GPUs with their PCIe tree, NVLinks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from opyard.authoring.cards import family_of, pcie_generation, type_for_model
from opyard.authoring.draft import DeviceType, MachineDraft, Source, assumed, numbered
from opyard.authoring.importers.hwloc_nvlinks import read_nvlinks
from opyard.authoring.importers.hwloc_objects import (
    Gpu,
    Package,
    Topology,
    TopologyReader,
    info_of,
    link_speed,
)
from opyard.authoring.importers.request import ImportRequest
from opyard.authoring.importers.xml_tree import Element, read_xml
from opyard.authoring.link_classes import (
    LINK_CLASSES,
    NVLINK_LATENCY,
    SOCKET_LINKS,
    LinkClass,
)
from opyard.authoring.nvlinks import add_pairs, add_switch
from opyard.authoring.pcie_tree import (
    USUAL_MEMORY_BANDWIDTH,
    Branch,
    Socket,
    TreeBuilder,
    memory_bandwidth_of,
)
from opyard.authoring.units import size_text

# Copies reach that part of the speed that a PCIe link reports: 12.35 of 15.75 GB/s (gpu-benches).
_PCIE_EFFICIENCY = 0.784
# f32 FLOP per core and cycle: two AVX2 units for multiply-adds of eight numbers.
_FLOP_PER_CYCLE = 32
_USUAL_HZ = 2.5e9
_FREQUENCY = re.compile(r"@\s*([0-9.]+)\s*GHz")
_MODEL_NOISE = re.compile(r"\((r|tm)\)|@.*|\b[0-9]+-core\b|\bcpu\b|\bprocessor\b|\bintel\b|\bamd\b")
_REPORTED = Source(
    "datasheet", f"pci_link_speed of hwloc, of which {_PCIE_EFFICIENCY} as measured on PCIe 3 x16"
)
_NVLINKS = Source("datasheet", "NVLinkBandwidth of hwloc; latency 10 us measured by Tartan")


def read(request: ImportRequest) -> MachineDraft:
    """The machine of a topology.

    Raises:
        InputError: the file is wrong, or the type of a GPU is not known.
    """
    root = read_xml(request.data, request.place, "topology")
    topology = TopologyReader(root, request.place).read()
    draft = MachineDraft(request.name, comment=_comment(topology))
    hosts = _add_hosts(draft, topology.packages, request)
    types = [entry.type for entry in draft.devices for _ in entry.names()]
    devices = _add_gpus(draft, topology.packages, request)
    pcie = LINK_CLASSES[family_of(draft.devices[-1].type).pcie]
    trees = [
        Socket(host, _branches(package.gpus, pcie), memory_bandwidth_of(type_name))
        for host, type_name, package in zip(hosts, types, topology.packages, strict=True)
    ]
    _add_trees(draft, trees, pcie)
    _add_nvlinks(draft, root, topology, devices, request.place)
    _add_remarks(draft, topology)
    return draft


def _add_trees(draft: MachineDraft, trees: list[Socket], pcie: LinkClass) -> None:
    """Adds what joins the devices; a single processor without GPUs needs no links."""
    if len(draft.device_names()) > 1:
        TreeBuilder(draft).add_sockets(trees, SOCKET_LINKS[pcie_generation(pcie.name)])


def _comment(topology: Topology) -> list[str]:
    lines = ["As `lstopo --of xml` says:", ""]
    for index, package in enumerate(topology.packages):
        caches = ", ".join(f"{size_text(size)} {name}" for name, size in package.caches.items())
        lines.append(
            f"socket {index}: {package.model or 'a processor'}, {package.cores} cores, "
            f"{package.memory_bytes / 2**30:.4g} GiB{', ' + caches if caches else ''}, "
            f"{len(package.gpus)} GPUs"
        )
    return lines


def _add_hosts(
    draft: MachineDraft, packages: Sequence[Package], request: ImportRequest
) -> list[str]:
    """Adds one device for each package; equal ones share a type."""
    types: list[str] = []
    for package in packages:
        if request.host is not None:
            types.append(request.host_type())
        else:
            types.append(_host_type(draft, package, request.types))
    if len(set(types)) == 1:
        return draft.add_devices("cpu", types[0], len(types))
    names = numbered("cpu", len(types))
    for name, type_name in zip(names, types, strict=True):
        draft.add_device(name, type_name)
    return names


def _host_type(draft: MachineDraft, package: Package, known: dict[str, str]) -> str:
    """The known type with the name of the processor, else one made of what the file says."""
    cpus = {name: kind for name, kind in known.items() if kind == "cpu"}
    found = type_for_model(_plain_model(package.model), cpus)
    if found is not None:
        return found
    made = _made_type(package)
    same = next((each for each in draft.types if _is_same(each, made)), None)
    if same is not None:
        return same.name
    taken = {each.name for each in draft.types} | set(known)
    base, number = made.name, 2
    while made.name in taken:
        made.name, number = f"{base}-{number}", number + 1
    draft.types.append(made)
    return made.name


def _is_same(left: DeviceType, right: DeviceType) -> bool:
    return (left.memory_bytes, left.peak_flops, left.comment) == (
        right.memory_bytes,
        right.peak_flops,
        right.comment,
    )


def _plain_model(model: str) -> str:
    """Shortens "Intel(R) Xeon(R) CPU E5-2698 v4 @ 2.20GHz" to "xeon-e5-2698v4"."""
    text = _MODEL_NOISE.sub(" ", model.lower())
    text = re.sub(r"\s+(v[0-9])\b", r"\1", text)
    return re.sub(r"[^a-z0-9.]+", "-", text).strip("-.")[:60]


def _made_type(package: Package) -> DeviceType:
    cores = max(package.cores, 1)
    match = _FREQUENCY.search(package.model)
    hertz = float(match[1]) * 1e9 if match and 0.1 <= float(match[1]) <= 10 else _USUAL_HZ
    clock = "the clock in its name" if match else "2.5 GHz, which is assumed"
    peak = cores * hertz * _FLOP_PER_CYCLE
    return DeviceType(
        name=_plain_model(package.model) or "processor",
        kind="cpu",
        memory_bytes=package.memory_bytes or 2**36,
        memory_bandwidth=USUAL_MEMORY_BANDWIDTH,
        peak_flops={"f64": peak / 2, "f32": peak},
        launch_overhead=0.5e-6,
        cost={"default_sustained_fraction": 0.8, "memory_efficiency": 0.75},
        provenance={
            "memory": Source("measured", "local_memory of the NUMA nodes that hwloc lists")
            if package.memory_bytes
            else assumed("the file says no memory"),
            "memory_bandwidth": assumed("four channels of DDR4-2400; hwloc does not say it"),
            "peak_flops": assumed(
                f"{cores} cores at {clock}, two AVX2 units each (32 f32 FLOP per cycle)"
            ),
            "launch_overhead": assumed("a framework issues an op in about half a microsecond"),
            "cost": assumed("usual fractions of the peak and of the memory bandwidth"),
        },
        comment=[f"{package.model or 'A processor'}, one socket with {cores} cores."],
    )


def _add_gpus(
    draft: MachineDraft, packages: Sequence[Package], request: ImportRequest
) -> dict[str, str]:
    """Adds all GPUs; returns their names by the gp_index of their objects."""
    gpus = [gpu for package in packages for gpu in package.gpus]
    types = [request.card_type(gpu.model) for gpu in gpus]
    names = numbered("gpu", len(gpus))
    if len(set(types)) == 1 and len(gpus) > 1:
        draft.add_devices("gpu", types[0], len(gpus))
    else:
        for name, type_name in zip(names, types, strict=True):
            draft.add_device(name, type_name)
    for gpu, name in zip(gpus, names, strict=True):
        gpu.name = name
    return {index: gpu.name for gpu in gpus for index in gpu.indices}


def _branches(gpus: Sequence[Gpu], pcie: LinkClass) -> list[Branch]:
    """The PCIe tree below a root: a switch where the ways to GPUs part, host bridges left out."""
    branches = []
    for group in _by_bridge(gpus, 0):
        inner = group if len(group) > 1 and _splits_below_root(group) else None
        if inner is None:
            branches += [_leaf(gpu, pcie, 0) for gpu in group]
        else:
            branches += [_tree(part, pcie, 1) for part in _by_bridge(group, 1)]
    return branches


def _splits_below_root(group: Sequence[Gpu]) -> bool:
    return all(len(gpu.bridges) > 1 for gpu in group)


def _by_bridge(gpus: Sequence[Gpu], depth: int) -> list[list[Gpu]]:
    """The GPUs by the bridge at `depth` of their way, each without one by itself."""
    groups: dict[int, list[Gpu]] = {}
    for gpu in gpus:
        key = gpu.bridges[depth] if depth < len(gpu.bridges) else gpu.element
        groups.setdefault(id(key), []).append(gpu)
    return list(groups.values())


def _tree(gpus: Sequence[Gpu], pcie: LinkClass, depth: int) -> Branch:
    """The tree below the bridge at `depth`, which all of `gpus` have on their way."""
    first = depth
    if len(gpus) == 1:
        return _leaf(gpus[0], pcie, first)
    parts = _by_bridge(gpus, depth)
    while len(parts) == 1 and depth < max(len(gpu.bridges) for gpu in gpus):
        depth += 1
        parts = _by_bridge(gpus, depth)
    children = [_tree(part, pcie, depth) for part in parts]
    rate, source = _rate([gpus[0].bridges[i] for i in range(first, depth)], pcie)
    return Branch(rate, source, children=children)


def _leaf(gpu: Gpu, pcie: LinkClass, depth: int) -> Branch:
    rate, source = _rate([*gpu.bridges[depth:], gpu.element], pcie)
    return Branch(rate, source, gpu.name)


def _rate(elements: Sequence[Element], pcie: LinkClass) -> tuple[float, Source]:
    """The least speed that hwloc reports on a way, or the class of the card's PCIe."""
    known = [speed for each in elements if (speed := link_speed(each)) > 0]
    if not known:
        return pcie.bandwidth, pcie.source("hwloc was not allowed to read the speed of the link")
    return min(known) * _PCIE_EFFICIENCY * 1e9, _REPORTED


def _add_nvlinks(
    draft: MachineDraft, root: Element, topology: Topology, devices: dict[str, str], place: str
) -> None:
    links = read_nvlinks(root, devices, topology.nvswitches, place)
    if links.pairs:
        add_pairs(draft, links.pairs, NVLINK_LATENCY, _NVLINKS)
    if links.to_switch:
        add_switch(draft, links.to_switch, NVLINK_LATENCY, _NVLINKS)


def _add_remarks(draft: MachineDraft, topology: Topology) -> None:
    if topology.displays:
        draft.warnings.append(
            f"{', '.join(dict.fromkeys(topology.displays))}: no library for computing knows it, so "
            "that it was left out"
        )
    if topology.other_devices:
        draft.warnings.append(
            f"{topology.other_devices} PCI devices that are no GPUs (disks, network cards) have no "
            "counterpart here and were left out"
        )
    if topology.loose_gpus and len(topology.packages) > 1:
        draft.warnings.append(
            f"{topology.loose_gpus} GPUs hang below no single socket; the first one has them"
        )
    names = [info_of(package.element).get("CPUModel", "") for package in topology.packages]
    draft.provenance["devices"] = assumed(
        f"sockets ({', '.join(dict.fromkeys(names)) or 'not named'}) and GPUs of hwloc"
    )
    if draft.switches:
        draft.provenance["switches"] = assumed("bridges of hwloc where the ways to GPUs part")
