"""Small models whose steps are executed: branches, recurrence, attention, random ops."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional


class TwoTowers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.left = nn.Sequential(nn.Linear(12, 20), nn.ReLU(), nn.Linear(20, 8))
        self.right = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 8))
        self.head = nn.Linear(16, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(torch.cat([self.left(x), self.right(x)], 1))


def two_towers():
    labels = torch.randint(0, 5, (6,))
    return TwoTowers(), torch.randn(6, 12), lambda out: functional.cross_entropy(out, labels)


class Branches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.wide = nn.Conv2d(8, 8, 3, padding=1)
        self.deep = nn.Sequential(nn.Conv2d(8, 6, 1), nn.ReLU(), nn.Conv2d(6, 8, 3, padding=1))
        self.head = nn.Linear(16, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.max_pool2d(torch.relu(self.norm(self.stem(x))), 2)
        x = torch.cat([self.wide(x), self.deep(x)], 1)
        return self.head(functional.adaptive_avg_pool2d(x, 1).flatten(1))


def branches():
    labels = torch.randint(0, 5, (4,))
    return Branches(), torch.randn(4, 3, 8, 8), lambda out: functional.cross_entropy(out, labels)


def transformer():
    block = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True)
    return (
        nn.Sequential(block, nn.Linear(16, 3)),
        torch.randn(2, 7, 16),
        lambda out: out.square().mean(),
    )


def transformer_with_dropout():
    block = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.2, batch_first=True)
    return (
        nn.Sequential(block, nn.Linear(16, 3)),
        torch.randn(2, 7, 16),
        lambda out: out.square().mean(),
    )


class EncoderDecoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 6)
        self.encoder = nn.LSTM(6, 6, batch_first=True)
        self.decoder = nn.LSTM(6, 6, batch_first=True)
        self.head = nn.Linear(6, 11)

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        _, state = self.encoder(self.embedding(source))
        out, _ = self.decoder(self.embedding(target), state)
        return functional.cross_entropy(self.head(out).flatten(0, 1), target.flatten())


def lstm():
    return EncoderDecoder(), (torch.randint(0, 11, (3, 4)), torch.randint(0, 11, (3, 4)))


def with_checkpoint():
    """Recomputes a layer in the backward pass, which waits for a gradient."""
    first, second = nn.Linear(8, 8), nn.Linear(8, 8)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = first, second

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            def inner(y: torch.Tensor) -> torch.Tensor:
                return torch.tanh(self.first(y)).sin()

            return self.second(torch.utils.checkpoint.checkpoint(inner, x, use_reentrant=False))

    return Net(), torch.randn(3, 8), lambda out: out.square().sum()


def strided():
    """Sends tensors whose elements do not lie in order, and views that ask for strides."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.randn(4, 6))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            turned = (x @ self.weight.t()).t()  # [4, batch], column by column
            wide = turned.unsqueeze(0).expand(3, -1, -1)[:, ::2]
            return wide.reshape(3, -1).cumsum(1) * torch.arange(3.0)[:, None]

    return Net(), torch.randn(5, 6), lambda out: out.square().mean()
