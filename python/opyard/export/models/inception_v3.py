"""Inception-v3 (Szegedy et al., arXiv:1512.00567).

Filter counts are those of the widely used implementations (TensorFlow slim,
torchvision): 23.83 M parameters, 27.16 M with the auxiliary classifier.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from opyard.export.models.image_step import Step, image_step

Kernel = int | tuple[int, int]


class ConvUnit(nn.Module):
    """Convolution without bias, batch norm, ReLU."""

    def __init__(
        self, channels: int, out: int, kernel: Kernel, stride: int = 1, padding: Kernel = 0
    ) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, out, kernel, stride, padding, bias=False)
        self.bn = nn.BatchNorm2d(out, eps=0.001)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Maps [batch, channels, height, width]."""
        return torch.relu(self.bn(self.conv(x)))


def _chain(channels: int, *units: tuple) -> nn.Sequential:
    """Conv units one after another; each is (out, kernel[, stride[, padding]])."""
    layers: list[nn.Module] = []
    for unit in units:
        layers.append(ConvUnit(channels, *unit))
        channels = unit[0]
    return nn.Sequential(*layers)


def _same_pool() -> nn.Module:
    return nn.AvgPool2d(3, stride=1, padding=1)


class Branches(nn.Module):
    """Runs its branches on the same input and joins their channels."""

    def __init__(self, *branches: nn.Module) -> None:
        super().__init__()
        self.branches = nn.ModuleList(branches)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Maps [batch, channels, height, width]."""
        return torch.cat([branch(x) for branch in self.branches], 1)


def _block_35(channels: int, pool_features: int) -> Branches:
    return Branches(
        _chain(channels, (64, 1)),
        _chain(channels, (48, 1), (64, 5, 1, 2)),
        _chain(channels, (64, 1), (96, 3, 1, 1), (96, 3, 1, 1)),
        nn.Sequential(_same_pool(), ConvUnit(channels, pool_features, 1)),
    )


def _reduce_35_to_17(channels: int) -> Branches:
    return Branches(
        _chain(channels, (384, 3, 2)),
        _chain(channels, (64, 1), (96, 3, 1, 1), (96, 3, 2)),
        nn.MaxPool2d(3, stride=2),
    )


def _block_17(channels: int, width: int) -> Branches:
    row, column = ((1, 7), 1, (0, 3)), ((7, 1), 1, (3, 0))
    return Branches(
        _chain(channels, (192, 1)),
        _chain(channels, (width, 1), (width, *row), (192, *column)),
        _chain(
            channels,
            (width, 1),
            (width, *column),
            (width, *row),
            (width, *column),
            (192, *row),
        ),
        nn.Sequential(_same_pool(), ConvUnit(channels, 192, 1)),
    )


def _reduce_17_to_8(channels: int) -> Branches:
    row, column = ((1, 7), 1, (0, 3)), ((7, 1), 1, (3, 0))
    return Branches(
        _chain(channels, (192, 1), (320, 3, 2)),
        _chain(channels, (192, 1), (192, *row), (192, *column), (192, 3, 2)),
        nn.MaxPool2d(3, stride=2),
    )


def _block_8(channels: int) -> Branches:
    def split() -> Branches:
        return Branches(
            ConvUnit(384, 384, (1, 3), 1, (0, 1)),
            ConvUnit(384, 384, (3, 1), 1, (1, 0)),
        )

    return Branches(
        _chain(channels, (320, 1)),
        nn.Sequential(ConvUnit(channels, 384, 1), split()),
        nn.Sequential(_chain(channels, (448, 1), (384, 3, 1, 1)), split()),
        nn.Sequential(_same_pool(), ConvUnit(channels, 192, 1)),
    )


class AuxiliaryHead(nn.Module):
    """A second classifier on the 17×17 grid."""

    def __init__(self, channels: int, classes: int) -> None:
        super().__init__()
        self.pool = nn.AvgPool2d(5, stride=3)
        self.conv0 = ConvUnit(channels, 128, 1)
        self.conv1 = ConvUnit(128, 768, 5)
        self.dense = nn.Linear(768, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns logits [batch, classes] from [batch, channels, 17, 17]."""
        x = self.conv1(self.conv0(self.pool(x)))
        return self.dense(x.mean((2, 3)))


class InceptionV3(nn.Module):
    """Returns (logits, auxiliary logits), or logits alone without the auxiliary head."""

    def __init__(self, classes: int = 1000, auxiliary: bool = True) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            _chain(3, (32, 3, 2), (32, 3), (64, 3, 1, 1)),
            nn.MaxPool2d(3, stride=2),
            _chain(64, (80, 1), (192, 3)),
            nn.MaxPool2d(3, stride=2),
        )
        self.mixed_35 = nn.Sequential(_block_35(192, 32), _block_35(256, 64), _block_35(288, 64))
        self.mixed_17 = nn.Sequential(
            _reduce_35_to_17(288),
            _block_17(768, 128),
            _block_17(768, 160),
            _block_17(768, 160),
            _block_17(768, 192),
        )
        self.auxiliary = AuxiliaryHead(768, classes) if auxiliary else None
        self.mixed_8 = nn.Sequential(_reduce_17_to_8(768), _block_8(1280), _block_8(2048))
        self.dropout = nn.Dropout(0.5)
        self.dense = nn.Linear(2048, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """Takes images [batch, 3, 299, 299]."""
        grid_17 = self.mixed_17(self.mixed_35(self.stem(images)))
        side_logits = None if self.auxiliary is None else self.auxiliary(grid_17)
        features = self.mixed_8(grid_17).mean((2, 3))
        logits = self.dense(self.dropout(features))
        return logits if side_logits is None else (logits, side_logits)


def inception_v3() -> tuple:
    """Inception-v3 with its auxiliary head in the loss (weight 0.4), batch 32, 299×299."""
    module, images, _ = image_step(InceptionV3(), batch=32, side=299)
    labels = torch.zeros(32, dtype=torch.int64)

    def loss(outputs: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        logits, side_logits = outputs
        side_loss = functional.cross_entropy(side_logits, labels)
        return functional.cross_entropy(logits, labels) + 0.4 * side_loss

    return module, images, loss


def inception_v3_without_aux() -> Step:
    """Inception-v3 without the auxiliary head, batch 32, 299×299."""
    return image_step(InceptionV3(auxiliary=False), batch=32, side=299)
