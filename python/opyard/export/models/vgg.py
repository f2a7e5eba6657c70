"""VGG16 (Simonyan and Zisserman, arXiv:1409.1556, configuration D)."""

from __future__ import annotations

import torch
from torch import nn

from opyard.export.models.image_step import Step, image_step

_CONFIGURATION_D = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))  # channels, convolutions


class Vgg16(nn.Module):
    """Thirteen 3×3 convolutions in five stages, then three dense layers; no batch norm."""

    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        channels = 3
        for width, depth in _CONFIGURATION_D:
            for _ in range(depth):
                layers += [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU()]
                channels = width
            layers.append(nn.MaxPool2d(2))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096),
            nn.ReLU(),
            nn.Dropout(0.5),
            nn.Linear(4096, 4096),
            nn.ReLU(),
            nn.Dropout(0.5),
            nn.Linear(4096, classes),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Returns logits [batch, classes] from images [batch, 3, 224, 224]."""
        return self.classifier(self.features(images).flatten(1))


def vgg16() -> Step:
    """VGG16, batch 32, 224×224."""
    return image_step(Vgg16(), batch=32, side=224)
