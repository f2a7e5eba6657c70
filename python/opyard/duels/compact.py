"""Random instances as one short text, for tables; it holds all of them."""

from __future__ import annotations

import re

from opyard import _core
from opyard.duels.instance import Instance
from opyard.duels.starts import instance_of_pairs, theory_base


def compact_text(instance: Instance) -> str:
    """The factors of ops, devices, links and edges, between slashes.

    ``"0.3 1 / 0.5 0.1 / 0.7 / 0>1:0.2"`` has two ops, two devices, the link between them and an
    edge from op 0 to op 1. Links are in the order 0-1, 0-2, …, 1-2, ….
    """
    parts = [" ".join(map(_short, part)) for part in (instance.ops, instance.devices)]
    parts.append(" ".join(map(_short, instance.links)))
    factors = [instance.tensors[tensor].factor for tensor, _ in instance.edges]
    edges = zip(instance.pairs(), factors, strict=True)
    parts.append(" ".join(f"{src}>{dst}:{_short(factor)}" for (src, dst), factor in edges))
    return " / ".join(parts)


def instance_of_text(text: str) -> Instance:
    """The instance of a `compact_text`.

    Raises:
        InputError: The text is not one.
    """
    parts = text.split("/")
    edge = re.compile(r"(\d+)>(\d+):([\d.]+)")
    try:
        ops, devices, links = ([float(word) for word in part.split()] for part in parts[:3])
        edges = [edge.fullmatch(word) for word in parts[3].split()]
        pairs = [(int(found[1]), int(found[2]), float(found[3])) for found in edges if found]
    except (IndexError, ValueError):
        raise _core.InputError(_expected(text)) from None
    base = theory_base(len(ops), len(devices))
    if len(parts) != 4 or len(pairs) != len(edges) or len(links) != len(base.link_bytes_per_s):
        raise _core.InputError(_expected(text))
    return instance_of_pairs(base, ops=ops, devices=devices, links=links, pairs=pairs)


def _expected(text: str) -> str:
    return f'instance: found "{text}", expected "OPS / DEVICES / LINKS / SRC>DST:FACTOR …"'


def _short(factor: float) -> str:
    return f"{factor:g}"
