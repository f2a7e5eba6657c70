"""Damaged files of other tools end in a machine or in a message, never in anything else."""

from __future__ import annotations

import random

import opyard
import pytest
from imported_profiles import INPUTS
from opyard.authoring.cards import known_types
from opyard.authoring.importers.formats import FORMATS, find_format
from opyard.authoring.importers.request import ImportRequest

FILES = sorted(INPUTS.iterdir())


def damaged(data: bytes, rng: random.Random) -> bytes:
    """A file with a part of it cut out, repeated, or replaced by a part of another place."""
    first, second = sorted(rng.randrange(len(data)) for _ in range(2))
    second = min(second, first + rng.choice([1, 8, 60, 400]))
    part = data[first:second]
    other = rng.randrange(len(data))
    middle = rng.choice([b"", part * 2, data[other : other + len(part)], b"0", b'"', b"-1"])
    return data[:first] + middle + data[second:]


def request_of(data: bytes) -> ImportRequest:
    return ImportRequest(data, "damaged", "machine", known_types(None), "v100-sxm2-16gb")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_damage_is_answered(path):
    data = path.read_bytes()
    format_name = find_format(data, path.name)
    rng = random.Random(path.name)
    messages: list[str] = []
    for _ in range(300):
        try:
            FORMATS[format_name](request_of(damaged(data, rng)))
        except opyard.InputError as error:
            messages.append(str(error))
    assert 0 < len(messages) < 300  # some damage changes nothing that counts
    assert [each for each in messages if not each.startswith("damaged: ")] == []
