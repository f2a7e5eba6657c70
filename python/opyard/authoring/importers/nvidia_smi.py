"""Machines of `nvidia-smi topo -m`: NVLinks, PCIe switches and sockets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from opyard.authoring.cards import CardFamily, family_of, pcie_generation
from opyard.authoring.draft import MachineDraft, assumed
from opyard.authoring.importers.request import ImportRequest
from opyard.authoring.importers.topology_matrix import LEVELS, TopologyMatrix, read_matrix
from opyard.authoring.link_classes import LINK_CLASSES, SOCKET_LINKS, LinkClass
from opyard.authoring.nvlinks import add_pairs, add_switch
from opyard.authoring.pcie_tree import Branch, Socket, TreeBuilder, memory_bandwidth_of

_PIX, _PXB, _NODE, _SYS = LEVELS["PIX"], LEVELS["PXB"], LEVELS["NODE"], LEVELS["SYS"]
_FEWEST_OF_SWITCH = 12  # NVLinks of every pair that no card has for each of several others


def read(request: ImportRequest) -> MachineDraft:
    """The machine of the matrix; bandwidths and latencies are those of the links' classes.

    Raises:
        InputError: the text is wrong, or the type of the cards is not known.
    """
    matrix = read_matrix(request.text(), request.place)
    card = request.card_type()
    family = family_of(card)
    draft = MachineDraft(request.name, comment=_comment(matrix, card))
    sockets = _sockets(matrix, draft)
    hosts = draft.add_devices("cpu", request.host_type(), len(sockets))
    devices = dict(zip(matrix.gpus, draft.add_devices("gpu", card, len(matrix.gpus)), strict=True))
    pcie = LINK_CLASSES[family.pcie]
    trees = [
        Socket(
            host,
            [_branch(group, devices, matrix, pcie) for group in _groups(gpus, matrix, _PXB)],
            memory_bandwidth_of(request.host_type()),
        )
        for host, gpus in zip(hosts, sockets, strict=True)
    ]
    TreeBuilder(draft).add_sockets(trees, SOCKET_LINKS[pcie_generation(pcie.name)])
    _add_nvlinks(draft, matrix, devices, family)
    _add_remarks(draft, request, matrix)
    return draft


def _comment(matrix: TopologyMatrix, card: str) -> list[str]:
    labels = " ".join(f"{label:>5}" for label in matrix.gpus)
    rows = [
        f"{row:<5} " + " ".join(f"{matrix.cells[row, column]:>5}" for column in matrix.gpus)
        for row in matrix.gpus
    ]
    table = [f"      {labels}", *rows] if len(matrix.gpus) <= 16 else []
    return [f"{len(matrix.gpus)} x {card}, as `nvidia-smi topo -m` says:", "", *table]


def _level(matrix: TopologyMatrix, left: str, right: str) -> int:
    """The PCIe class between two GPUs; where NVLinks hide it, NICs and CPUs bound it."""
    level = LEVELS.get(matrix.cells[left, right])
    if level is not None:
        return level
    bounds = [
        max(LEVELS.get(matrix.cells[gpu, nic], _SYS) for gpu in (left, right))
        for nic in matrix.others
    ]
    ours, theirs = matrix.affinity.get(left), matrix.affinity.get(right)
    bounds.append(_SYS if ours and theirs and ours != theirs else _NODE)
    return min(bounds)


def _groups(gpus: Sequence[str], matrix: TopologyMatrix, most: int) -> list[list[str]]:
    """The GPUs that are at most so far apart, over others in between, too."""
    return _clusters(gpus, lambda left, right: _level(matrix, left, right) <= most)


def _clusters(items: Sequence[str], are_near: Callable[[str, str], bool]) -> list[list[str]]:
    """The connected parts, each in the order of `items`."""
    group = {item: index for index, item in enumerate(items)}
    for left, right in combinations(items, 2):
        if group[left] != group[right] and are_near(left, right):
            old, new = group[right], group[left]
            group.update({item: new for item in items if group[item] == old})
    return [
        [item for item in items if group[item] == each] for each in dict.fromkeys(group.values())
    ]


def _sockets(matrix: TopologyMatrix, draft: MachineDraft) -> list[list[str]]:
    sockets = _groups(matrix.gpus, matrix, _NODE)
    known = [gpu for gpu in matrix.gpus if gpu in matrix.affinity]
    hides = any(matrix.num_nvlinks(*pair) for pair in combinations(matrix.gpus, 2))
    if hides and not known and not matrix.others:
        draft.warnings.append(
            "NVLinks hide the PCIe tree, and the text has neither CPU affinities nor NICs: one "
            "socket is assumed"
        )
    return sockets


def _branch(
    gpus: list[str], devices: dict[str, str], matrix: TopologyMatrix, pcie: LinkClass
) -> Branch:
    """GPUs below one switch, or below several that another one joins."""
    source = pcie.source()
    parts = _groups(gpus, matrix, _PIX)
    branches = []
    for part in parts:
        leaves = [Branch(pcie.bandwidth, source, devices[gpu]) for gpu in part]
        is_alone = len(leaves) == 1
        branches.append(leaves[0] if is_alone else Branch(pcie.bandwidth, source, children=leaves))
    if len(branches) == 1:
        return branches[0]
    return Branch(pcie.bandwidth, source, children=branches)


def _add_nvlinks(
    draft: MachineDraft, matrix: TopologyMatrix, devices: dict[str, str], family: CardFamily
) -> None:
    counts = {pair: matrix.num_nvlinks(*pair) for pair in combinations(matrix.gpus, 2)}
    linked = {pair: count for pair, count in counts.items() if count}
    if not linked:
        return
    link = LINK_CLASSES[family.nvlink or "nvlink3"]
    if not family.nvlink:
        draft.warnings.append(f"the NVLinks of this card are not known; {link.name} is assumed")
    if _is_switched(counts, family):
        count = next(iter(linked.values()))
        rates = {devices[gpu]: count * link.bandwidth for gpu in matrix.gpus}
        add_switch(draft, rates, link.latency, link.source("NV# links of a card into one switch"))
        return
    pairs = {
        (devices[left], devices[right]): count * link.bandwidth
        for (left, right), count in linked.items()
    }
    add_pairs(draft, pairs, link.latency, link.source("NV# of the matrix says how many"))


def _is_switched(counts: dict[tuple[str, str], int], family: CardFamily) -> bool:
    """True where every pair has the same links, and a card not as many for each other one."""
    values = set(counts.values())
    if len(counts) < 2 or len(values) != 1 or 0 in values:
        return False
    count = values.pop()
    num_others = max(sum(left == pair[0] for left, _ in counts) for pair in counts)
    return count >= _FEWEST_OF_SWITCH or (0 < family.num_links < count * num_others)


def _add_remarks(draft: MachineDraft, request: ImportRequest, matrix: TopologyMatrix) -> None:
    if matrix.others:
        draft.warnings.append(
            f"{', '.join(matrix.others[:4])}{' …' if len(matrix.others) > 4 else ''}: network "
            "cards have no counterpart here and were left out"
        )
    if request.host is None:
        draft.warnings.append(f"the hosts are not named; {request.host_type()} is assumed")
    draft.provenance["devices"] = assumed(
        "GPUs and sockets as of `nvidia-smi topo -m`, which names neither cards nor processors"
    )
    if draft.switches:
        draft.provenance["switches"] = assumed(
            "a switch where the matrix says PIX, one above where it says PXB; roots are sockets"
        )
