"""Placement problems of Moirai: `.xls` files that hold a graph and the machine that it runs on.

Zhang et al., Moirai: Towards Optimal Placement for Distributed Inference on Heterogeneous Devices,
arXiv:2312.04025. The format is that of the samples beside the paper's program
(docs/importing.md, "Placement problems of Moirai").
"""

from opyard.moirai.reading import import_moirai

__all__ = ["import_moirai"]
