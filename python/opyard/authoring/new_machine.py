"""A machine from what its owner knows: the card, how many, and what joins them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from opyard import _core
from opyard.authoring.cards import CardFamily, family_of, num_links_of, pcie_generation
from opyard.authoring.draft import LinkEntry, MachineDraft, assumed
from opyard.authoring.link_classes import (
    LINK_CLASSES,
    PCIE_CARD_LATENCY,
    PCIE_HOST_LATENCY,
    SOCKET_LINKS,
    LinkClass,
)
from opyard.authoring.pcie_tree import (
    MEMORY_SOURCE,
    Branch,
    Socket,
    TreeBuilder,
    memory_bandwidth_of,
)

INTERCONNECTS = ("pcie", "nvlink", *LINK_CLASSES)
NO_HOST = "none"
_MOST_CARDS = 1024  # devices of a machine
_CARDS_PER_SWITCH = 2
_CARDS_PER_SOCKET = 4
_NETWORKS = ("ethernet", "infiniband")


@dataclass
class MachineAnswers:
    """The description of a machine to be made."""

    name: str
    card: str  # a device type
    kind: str  # of the card
    count: int
    interconnect: str  # one of INTERCONNECTS
    host: str  # a device type, or NO_HOST


def new_machine(answers: MachineAnswers) -> MachineDraft:
    """The machine with class figures for its links; what is guessed is `assumed`.

    Raises:
        InputError: the card has no links of that class, or the machine is too large.
    """
    _check(answers)
    draft = MachineDraft(answers.name)
    family = family_of(answers.card)
    builder = _add_pcie_box if answers.count == 1 else _builder_of(answers.interconnect)
    builder(draft, answers, family)
    draft.provenance["devices"] = assumed(
        f"{answers.count} x {answers.card} as given to `opyard profile new`; the hosts are guessed"
        if answers.host != NO_HOST
        else f"{answers.count} x {answers.card} as given to `opyard profile new`"
    )
    if draft.switches:
        draft.provenance["switches"] = assumed("a usual box; look at yours")
    draft.comment = _comment(answers)
    return draft


def read_count(text: str) -> int:
    """A number of cards."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= _MOST_CARDS:
        raise _core.InputError(
            f'--count: found "{text[:60]}", expected a whole number from 1 to {_MOST_CARDS}'
        )
    return int(text)


def read_interconnect(text: str) -> str:
    """One of INTERCONNECTS."""
    if text not in INTERCONNECTS:
        raise _core.InputError(
            f'--interconnect: found "{text[:60]}", expected one of {", ".join(INTERCONNECTS)}'
        )
    return text


Builder = Callable[[MachineDraft, MachineAnswers, CardFamily], None]


def _builder_of(interconnect: str) -> Builder:
    if interconnect.startswith("pcie"):
        return _add_pcie_box
    if interconnect.startswith(("nvlink", "xgmi")):
        return _add_nvlink_box
    if interconnect.startswith(_NETWORKS):
        return _add_cluster
    return _add_shared_memory


def _check(answers: MachineAnswers) -> None:
    hosts = 0 if answers.host == NO_HOST else _num_hosts(answers)
    if answers.count + hosts > _MOST_CARDS:
        raise _core.InputError(
            f"--count {answers.count}: with {hosts} hosts the machine has more than "
            f"{_MOST_CARDS} devices"
        )


def _num_hosts(answers: MachineAnswers) -> int:
    if answers.interconnect.startswith(_NETWORKS):
        return answers.count
    if answers.interconnect == "shared-memory":
        return 1
    return len(_shares(answers.count, _CARDS_PER_SOCKET))


def _shares(count: int, most: int) -> list[int]:
    """`count` in as few shares of at most `most` as possible, of nearly equal size."""
    num = -(-count // most)
    return [count // num + (index < count % num) for index in range(num)]


def _pcie_class(answers: MachineAnswers, family: CardFamily) -> LinkClass:
    name = answers.interconnect
    return LINK_CLASSES[name if name in LINK_CLASSES and name.startswith("pcie") else family.pcie]


def _add_nodes(draft: MachineDraft, answers: MachineAnswers) -> tuple[list[str], list[str]]:
    """Adds hosts and cards; returns the names of both. Without hosts these are empty texts."""
    num_hosts = _num_hosts(answers)
    hosts = [""] * num_hosts
    if answers.host != NO_HOST:
        name = "host" if answers.kind == "cpu" else "cpu"
        hosts = draft.add_devices(name, answers.host, num_hosts)
    name = "device" if answers.kind == "other" else answers.kind
    return hosts, draft.add_devices(name, answers.card, answers.count)


def _add_pcie_box(draft: MachineDraft, answers: MachineAnswers, family: CardFamily) -> None:
    """Adds sockets of up to four cards, two below each switch."""
    pcie = _pcie_class(answers, family)
    hosts, cards = _add_nodes(draft, answers)
    sockets, first = [], 0
    for host, num_cards in zip(hosts, _shares(answers.count, _CARDS_PER_SOCKET), strict=True):
        branches = _branches(cards[first : first + num_cards], pcie)
        sockets.append(Socket(host, branches, memory_bandwidth_of(answers.host)))
        first += num_cards
    TreeBuilder(draft).add_sockets(sockets, SOCKET_LINKS[pcie_generation(pcie.name)])


def _branches(cards: Sequence[str], pcie: LinkClass) -> list[Branch]:
    source = pcie.source()
    if len(cards) == 1:
        return [Branch(pcie.bandwidth, source, cards[0])]
    branches, first = [], 0
    for num_cards in _shares(len(cards), _CARDS_PER_SWITCH):
        leaves = [Branch(pcie.bandwidth, source, card) for card in cards[first : first + num_cards]]
        branches.append(Branch(pcie.bandwidth, source, children=leaves))
        first += num_cards
    return branches


def _add_nvlink_box(draft: MachineDraft, answers: MachineAnswers, family: CardFamily) -> None:
    """Adds a PCIe box, and links from card to card: in pairs while a card has enough of them."""
    link, num_links = _nvlink_of(answers, family)
    _add_pcie_box(draft, answers, family)
    others = answers.count - 1
    if others == 0:
        return
    every = [f"{draft.devices[-1].name}*"]
    if num_links >= others and num_links % others == 0:
        share = num_links // others
        source = link.source(f"{share} of the {num_links} links of a card for each pair")
        entry = LinkEntry("nvlink", every, share * link.bandwidth, link.latency, source)
        entry.topology = "all-to-all"
    else:
        source = link.source(f"all {num_links} links of a card into one switch")
        entry = LinkEntry("nvswitch", every, num_links * link.bandwidth, link.latency / 2, source)
        entry.topology = "switch"
    draft.links.append(entry)


def _nvlink_of(answers: MachineAnswers, family: CardFamily) -> tuple[LinkClass, int]:
    """The class of the links between cards, and how many a card has."""
    asked = answers.interconnect
    name = asked
    if asked == "nvlink":
        name = family.nvlink if family.num_links else ""
    if not name:
        classes = [each for each in LINK_CLASSES if each.startswith("nvlink")]
        raise _core.InputError(
            f'--interconnect nvlink: which links "{answers.card[:60]}" has is not known, expected '
            f"one of {', '.join(classes)}, or pcie"
        )
    return LINK_CLASSES[name], num_links_of(family, name)


def _add_cluster(draft: MachineDraft, answers: MachineAnswers, family: CardFamily) -> None:
    """Adds nodes of one card each, which a network switch joins."""
    network, pcie = LINK_CLASSES[answers.interconnect], LINK_CLASSES[family.pcie]
    hosts, cards = _add_nodes(draft, answers)
    draft.switches.append("network")
    for index, (host, card) in enumerate(zip(hosts, cards, strict=True)):
        root = f"root{index}"
        draft.switches.append(root)
        draft.add_link(
            f"pcie{index}", [card, root], pcie.bandwidth, PCIE_CARD_LATENCY, pcie.source()
        )
        if host:
            draft.add_link(
                f"memory{index}",
                [root, host],
                memory_bandwidth_of(answers.host),
                PCIE_HOST_LATENCY,
                MEMORY_SOURCE,
            )
        draft.add_link(
            f"nic{index}",
            [root, "network"],
            network.bandwidth,
            network.latency / 2,
            network.source(),
        )


def _add_shared_memory(draft: MachineDraft, answers: MachineAnswers, family: CardFamily) -> None:
    """Adds devices around one memory, which a copy has for itself."""
    link = LINK_CLASSES[answers.interconnect]
    _add_nodes(draft, answers)
    nodes = draft.device_names()
    if len(nodes) > 1:
        draft.links.append(
            LinkEntry("memory", nodes, link.bandwidth, link.latency, link.source(), "half")
        )


def _comment(answers: MachineAnswers) -> list[str]:
    host = "" if answers.host == NO_HOST else f", hosts of type {answers.host}"
    return [
        f"{answers.count} x {answers.card} over {answers.interconnect}{host}.",
        "",
        "Made by `opyard profile new`: links have the figures of their class, and what is guessed",
        "is `assumed` below. Replace figures that you know, and their provenance with them.",
        "`opyard profile validate` checks the file, `opyard profile show` prints its routes.",
    ]
