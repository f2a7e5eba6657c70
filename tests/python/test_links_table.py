"""The links of the shipped machines are near measured copies.

The copies are not part of opyard: ../shared/data/fidelity/open beside the repository, else skipped.
"""

import csv
import statistics
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COPIES = ROOT.parent / "shared/data/fidelity/open/link_p2p.csv"

sys.path.insert(0, str(ROOT / "scripts"))
import links_table  # noqa: E402

# Copies between GPUs that share no NVLink are staged in chunks: no straight line fits small ones.
STAGED = "PCIe 3, pairs without NVLink"


def test_a_line_is_found_again():
    figures = (7.0, 12e3)  # 7 us, 12 GB/s
    copies = [(size, figures[0] + size / figures[1]) for size in (1e6, 3e6, 2e7)]
    assert links_table.fitted(copies) == pytest.approx(figures)
    assert links_table.errors_of(figures, copies) == [0, 0, 0]


def test_copies_of_one_size_have_no_line():
    assert links_table.fitted([(1e6, 10.0), (1e6, 11.0)]) is None


def test_figures_are_those_of_all_links_on_the_way():
    link = links_table.Link("", "", "", (), "p100x2-pcie", ("pcie0", "uplink0"))
    assert links_table.figures_of(link) == pytest.approx((30.0, 10e3))  # 10.75 + 19.25 us, 10 GB/s


@pytest.mark.skipif(not COPIES.is_file(), reason="needs ../shared/data/fidelity/open")
@pytest.mark.parametrize("link", links_table.LINKS, ids=lambda link: f"{link.name} {link.system}")
def test_direct_links_are_within_five_percent(link):
    with COPIES.open(encoding="utf-8", newline="") as file:
        copies = links_table.copies_of(link, list(csv.DictReader(file)))
    errors = links_table.errors_of(links_table.figures_of(link), copies)
    assert copies
    assert statistics.median(errors) <= (0.10 if link.name == STAGED else 0.05)
