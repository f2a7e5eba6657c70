"""Names of cards and processors as tools print them."""

from __future__ import annotations

import pytest
from opyard.authoring.cards import family_of, type_for_model, usual_host

TYPES = {
    **dict.fromkeys(
        (
            *("v100-sxm2-16gb", "v100-sxm2-32gb", "h100-pcie-80gb", "h100-sxm5-80gb"),
            *("l4-24gb", "l40s-48gb", "rtx-4090-24gb", "a100-sxm4-80gb"),
        ),
        "gpu",
    ),
    **dict.fromkeys(("epyc-7742", "epyc-7742-core", "xeon-e5-2698v4"), "cpu"),
}


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("Tesla V100-SXM2-16GB", "v100-sxm2-16gb"),
        ("Tesla V100-SXM2-32GB", "v100-sxm2-32gb"),
        ("NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"),
        ("NVIDIA H100 PCIe", "h100-pcie-80gb"),
        ("NVIDIA L4", "l4-24gb"),
        ("NVIDIA L40S", "l40s-48gb"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090-24gb"),
        ("epyc-7742", "epyc-7742"),
        # Of two memories, or two forms, the name says none.
        ("Tesla V100", None),
        ("NVIDIA H100 80GB HBM3", None),
        ("Titan V", None),
        ("", None),
    ],
)
def test_a_model_is_the_type_that_it_alone_can_mean(model, expected):
    assert type_for_model(model, TYPES) == expected


@pytest.mark.parametrize(
    ("card", "links", "pcie"),
    [
        ("v100-sxm2-16gb", 6, "pcie3"),
        ("p100-pcie-16gb", 0, "pcie3"),
        ("h100-sxm5-80gb", 18, "pcie5"),
        ("mi300x-192gb", 7, "pcie5"),
        ("l4-24gb", 0, "pcie4"),
        ("abacus", 0, "pcie4"),
    ],
)
def test_a_family_knows_its_links(card, links, pcie):
    family = family_of(card)
    assert (family.num_links, family.pcie) == (links, pcie)


def test_hosts_are_as_old_as_their_cards():
    assert usual_host("p100-sxm2-16gb", TYPES) == "xeon-e5-2698v4"
    assert usual_host("a100-sxm4-80gb", TYPES) == "epyc-7742"
    assert usual_host("a100-sxm4-80gb", {}) == "xeon-e5-2698v4"
