"""Four training steps to measure and divide; scripts/measured_plans.py runs plans of them.

Each function takes no arguments and returns what `opyard export torch` asks for.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from torch.nn import functional

Step = tuple[nn.Module, torch.Tensor, Callable[[torch.Tensor], torch.Tensor]]


def _tower(width: int, depth: int) -> nn.Sequential:
    layers = [(nn.Linear(width, width), nn.ReLU()) for _ in range(depth)]
    return nn.Sequential(*(module for layer in layers for module in layer))


class TwoTowers(nn.Module):
    """Two chains of layers on one input, joined by the last."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.left = _tower(width, depth)
        self.right = _tower(width, depth)
        self.head = nn.Linear(2 * width, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Maps [batch, width] to [batch, 10]."""
        return self.head(torch.cat([self.left(x), self.right(x)], 1))


def mlp() -> Step:
    """Two towers of four layers of 1024, batch 192."""
    labels = torch.randint(0, 10, (192,))
    loss = lambda out: functional.cross_entropy(out, labels)  # noqa: E731
    return TwoTowers(1024, 4), torch.randn(192, 1024), loss


class Block(nn.Module):
    """Three branches of convolutions whose channels are joined."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        part = channels // 4
        self.one = nn.Conv2d(channels, 2 * part, 1)
        self.three = nn.Sequential(
            nn.Conv2d(channels, part, 1), nn.ReLU(), nn.Conv2d(part, part, 3, padding=1)
        )
        self.five = nn.Sequential(
            nn.Conv2d(channels, part, 1), nn.ReLU(), nn.Conv2d(part, part, 5, padding=2)
        )
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Keeps the shape [batch, channels, height, width]."""
        joined = torch.cat([self.one(x), self.three(x), self.five(x)], 1)
        return torch.relu(self.norm(joined))


def conv() -> Step:
    """Four blocks of branches of 64 channels on images of 32 × 32, batch 16."""
    labels = torch.randint(0, 10, (16,))
    module = nn.Sequential(
        nn.Conv2d(3, 64, 3, padding=1),
        *(Block(64) for _ in range(4)),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    )
    loss = lambda out: functional.cross_entropy(out, labels)  # noqa: E731
    return module, torch.randn(16, 3, 32, 32), loss


def transformer() -> Step:
    """Four blocks of width 256 with four heads, 8 sequences of 64."""
    blocks = [
        nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, batch_first=True) for _ in range(4)
    ]
    module = nn.Sequential(*blocks, nn.Linear(256, 100))
    return module, torch.randn(8, 64, 256), lambda out: out.square().mean()


def transformer_12() -> Step:
    """The same with twelve blocks: what `opyard measure` takes is stated for it."""
    blocks = [
        nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, batch_first=True) for _ in range(12)
    ]
    module = nn.Sequential(*blocks, nn.Linear(256, 100))
    return module, torch.randn(8, 64, 256), lambda out: out.square().mean()


class EncoderDecoder(nn.Module):
    """An LSTM that reads, and one that writes from its last state."""

    def __init__(self, words: int, hidden: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, hidden)
        self.encoder = nn.LSTM(hidden, hidden, batch_first=True)
        self.decoder = nn.LSTM(hidden, hidden, batch_first=True)
        self.head = nn.Linear(hidden, words)

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the mean loss over all words; both arguments are [batch, steps]."""
        _, state = self.encoder(self.embedding(source))
        out, _ = self.decoder(self.embedding(target), state)
        return functional.cross_entropy(self.head(out).flatten(0, 1), target.flatten())


def lstm() -> tuple[nn.Module, tuple[torch.Tensor, torch.Tensor]]:
    """Hidden 512, 2000 words, 32 sentences of 10 words."""
    words = [torch.randint(0, 2000, (32, 10)) for _ in range(2)]
    return EncoderDecoder(2000, 512), (words[0], words[1])
