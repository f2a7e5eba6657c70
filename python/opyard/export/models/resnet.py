"""ResNet with bottleneck blocks (He et al., arXiv:1512.03385).

The stride of a block stands in its 3×3 convolution, as in the variant "v1.5"
that the usual published counts (25.557 M parameters, 4.09 GMAC) belong to.
"""

from __future__ import annotations

import torch
from torch import nn

from opyard.export.models.image_step import Step, image_step

_EXPANSION = 4


class Bottleneck(nn.Module):
    """1×1, 3×3, 1×1 convolutions beside a shortcut."""

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        out = width * _EXPANSION
        self.conv1 = nn.Conv2d(channels, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride=stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, out, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(out)
        self.shortcut = nn.Identity()
        if stride != 1 or channels != out:
            projection = nn.Conv2d(channels, out, 1, stride=stride, bias=False)
            self.shortcut = nn.Sequential(projection, nn.BatchNorm2d(out))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Maps [batch, channels, height, width]."""
        y = torch.relu(self.bn1(self.conv1(x)))
        y = torch.relu(self.bn2(self.conv2(y)))
        return torch.relu(self.bn3(self.conv3(y)) + self.shortcut(x))


class ResNet(nn.Module):
    """A stem, stages of bottleneck blocks, global average pooling, one dense layer."""

    def __init__(self, blocks: tuple[int, ...], width: int = 64, classes: int = 1000) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, width, 7, stride=2, padding=3, bias=False)
        self.stem_bn = nn.BatchNorm2d(width)
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)
        channels = width
        stages: list[nn.Module] = []
        for stage, depth in enumerate(blocks):
            for block in range(depth):
                stride = 2 if stage > 0 and block == 0 else 1
                stages.append(Bottleneck(channels, width << stage, stride))
                channels = (width << stage) * _EXPANSION
        self.blocks = nn.Sequential(*stages)
        self.dense = nn.Linear(channels, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Returns logits [batch, classes] from images [batch, 3, height, width]."""
        x = self.pool(torch.relu(self.stem_bn(self.stem(images))))
        return self.dense(self.blocks(x).mean((2, 3)))


def resnet50() -> Step:
    """ResNet-50, batch 32, 224×224."""
    return image_step(ResNet((3, 4, 6, 3)), batch=32, side=224)


def resnet_tiny() -> Step:
    """Two stages of one block each, for tests: batch 2, 32×32."""
    return image_step(ResNet((1, 1), width=8, classes=10), batch=2, side=32)
