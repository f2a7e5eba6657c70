"""Convolutional layers of well-known networks, whose shapes `opyard profile measure` times."""

from __future__ import annotations

from typing import NamedTuple


class Convolution(NamedTuple):
    """A layer over square images, padded by half a filter."""

    channels: int
    extent: int
    filters: int
    height: int  # of a filter
    width: int
    stride: int = 1
    groups: int = 1


_RESNET = (
    Convolution(3, 224, 64, 7, 7, 2),
    Convolution(64, 56, 64, 1, 1),
    Convolution(64, 56, 64, 3, 3),
    Convolution(64, 56, 256, 1, 1),
    Convolution(256, 56, 64, 1, 1),
    Convolution(256, 56, 128, 1, 1),
    Convolution(128, 56, 128, 3, 3, 2),
    Convolution(128, 28, 128, 3, 3),
    Convolution(128, 28, 512, 1, 1),
    Convolution(512, 28, 128, 1, 1),
    Convolution(512, 28, 1024, 1, 1, 2),
    Convolution(256, 28, 256, 3, 3, 2),
    Convolution(256, 14, 256, 3, 3),
    Convolution(256, 14, 1024, 1, 1),
    Convolution(1024, 14, 256, 1, 1),
    Convolution(512, 14, 512, 3, 3, 2),
    Convolution(512, 7, 512, 3, 3),
    Convolution(512, 7, 2048, 1, 1),
    Convolution(2048, 7, 512, 1, 1),
)
_VGG = (
    Convolution(3, 224, 64, 3, 3),
    Convolution(64, 224, 64, 3, 3),
    Convolution(128, 112, 128, 3, 3),
    Convolution(256, 56, 256, 3, 3),
    Convolution(512, 28, 512, 3, 3),
    Convolution(512, 14, 512, 3, 3),
)
_INCEPTION = (
    Convolution(128, 17, 128, 1, 7),
    Convolution(128, 17, 128, 7, 1),
    Convolution(160, 17, 192, 1, 7),
    Convolution(192, 17, 192, 7, 1),
    Convolution(48, 35, 64, 5, 5),
    Convolution(384, 8, 384, 1, 3),
    Convolution(384, 8, 384, 3, 1),
    Convolution(768, 17, 192, 1, 1),
)
_MOBILENET = (  # depthwise
    Convolution(32, 112, 32, 3, 3, 1, 32),
    Convolution(96, 112, 96, 3, 3, 2, 96),
    Convolution(144, 56, 144, 3, 3, 1, 144),
    Convolution(384, 14, 384, 3, 3, 1, 384),
    Convolution(960, 7, 960, 3, 3, 1, 960),
)
_RESNEXT = (
    Convolution(128, 56, 128, 3, 3, 1, 32),
    Convolution(256, 28, 256, 3, 3, 1, 32),
)

CONVOLUTIONS = (*_RESNET, *_VGG, *_INCEPTION, *_MOBILENET, *_RESNEXT)
