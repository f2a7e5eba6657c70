"""The training step that the image models share: random images, labels, cross-entropy."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from torch.nn import functional

Step = tuple[nn.Module, torch.Tensor, Callable[[torch.Tensor], torch.Tensor]]


def image_step(module: nn.Module, batch: int, side: int) -> Step:
    """Returns (module, images [batch, 3, side, side], cross-entropy against labels [batch])."""
    images = torch.randn(batch, 3, side, side)
    labels = torch.zeros(batch, dtype=torch.int64)
    return module, images, lambda logits: functional.cross_entropy(logits, labels)
