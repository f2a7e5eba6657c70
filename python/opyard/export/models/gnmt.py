"""A translation model after GNMT (Wu et al., arXiv:1609.08144), two layers deep.

Encoder: one bidirectional and one forward LSTM layer. Decoder: two LSTM layers
with additive attention; the attention of a step reads the bottom layer's state
of the step before, and its context enters both layers. The time steps are
unrolled, so that each gate of each step is an op of its own and the layers of
different steps can run in parallel; the projection to the vocabulary and the
loss stand in each step.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

State = tuple[torch.Tensor, torch.Tensor]  # hidden and cell, [batch, hidden] each


@dataclass(frozen=True)
class GnmtSize:
    """Extents of the model and of one batch."""

    hidden: int
    vocabulary: int
    batch: int
    source_steps: int
    target_steps: int


class LstmCell(nn.Module):
    """One step: one matrix product for all gates, then the gates as separate ops."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(4 * hidden, inputs + hidden))
        self.bias = nn.Parameter(torch.empty(4 * hidden))
        bound = hidden**-0.5
        nn.init.uniform_(self.weight, -bound, bound)
        nn.init.zeros_(self.bias)

    def forward(self, x: torch.Tensor, state: State) -> State:
        """Returns the next state from `x` [batch, inputs]."""
        hidden, cell = state
        joined = torch.cat([x, hidden], 1)
        gates = functional.linear(joined, self.weight, self.bias)  # [batch, 4 * hidden]
        enter, forget, candidate, leave = gates.chunk(4, 1)
        cell = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(candidate)
        return torch.sigmoid(leave) * torch.tanh(cell), cell


class AdditiveAttention(nn.Module):
    """Scores each source position by v · tanh(W query + keys)."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.query = nn.Parameter(torch.empty(hidden, hidden))
        self.score = nn.Parameter(torch.empty(hidden, 1))
        nn.init.uniform_(self.query, -(hidden**-0.5), hidden**-0.5)
        nn.init.uniform_(self.score, -(hidden**-0.5), hidden**-0.5)

    def forward(
        self, query: torch.Tensor, keys: torch.Tensor, memory: torch.Tensor
    ) -> torch.Tensor:
        """Returns the context [batch, hidden] that `query` [batch, hidden] finds in `memory`."""
        mixed = torch.tanh(keys + (query @ self.query).unsqueeze(1))  # [batch, source, hidden]
        weights = torch.softmax((mixed @ self.score).squeeze(2), 1)  # [batch, source]
        return torch.bmm(weights.unsqueeze(1), memory).squeeze(1)  # [batch, hidden]


def _zero_state(like: torch.Tensor, hidden: int) -> State:
    zeros = like.new_zeros(like.shape[0], hidden)
    return zeros, zeros


def _unroll(
    cell: LstmCell, inputs: list[torch.Tensor], hidden: int
) -> tuple[list[torch.Tensor], State]:
    state = _zero_state(inputs[0], hidden)
    outputs: list[torch.Tensor] = []
    for x in inputs:
        state = cell(x, state)
        outputs.append(state[0])
    return outputs, state


class Encoder(nn.Module):
    """A bidirectional layer, then a forward layer."""

    def __init__(self, size: GnmtSize) -> None:
        super().__init__()
        self.hidden = size.hidden
        self.embedding = nn.Embedding(size.vocabulary, size.hidden)
        self.forwards = LstmCell(size.hidden, size.hidden)
        self.backwards = LstmCell(size.hidden, size.hidden)
        self.top = LstmCell(2 * size.hidden, size.hidden)

    def forward(self, tokens: torch.Tensor) -> tuple[torch.Tensor, list[State]]:
        """Returns the outputs [batch, source, hidden] and the last state of each layer."""
        steps = list(self.embedding(tokens).unbind(1))
        ahead, _ = _unroll(self.forwards, steps, self.hidden)
        back, bottom_state = _unroll(self.backwards, steps[::-1], self.hidden)
        joined = [torch.cat(pair, 1) for pair in zip(ahead, back[::-1], strict=True)]
        outputs, top_state = _unroll(self.top, joined, self.hidden)
        return torch.stack(outputs, 1), [bottom_state, top_state]


class Gnmt(nn.Module):
    """Returns the mean loss over the target steps, fed with the true previous words."""

    def __init__(self, size: GnmtSize) -> None:
        super().__init__()
        self.size = size
        self.encoder = Encoder(size)
        self.embedding = nn.Embedding(size.vocabulary, size.hidden)
        self.keys = nn.Linear(size.hidden, size.hidden, bias=False)
        self.attention = AdditiveAttention(size.hidden)
        self.bottom = LstmCell(2 * size.hidden, size.hidden)
        self.top = LstmCell(2 * size.hidden, size.hidden)
        self.projection = nn.Linear(size.hidden, size.vocabulary)

    def forward(
        self, source: torch.Tensor, previous: torch.Tensor, target: torch.Tensor
    ) -> torch.Tensor:
        """Returns the loss; all arguments are word numbers, [batch, steps]."""
        memory, (bottom, top) = self.encoder(source)
        keys = self.keys(memory)
        losses: list[torch.Tensor] = []
        for word, wanted in zip(self.embedding(previous).unbind(1), target.unbind(1), strict=True):
            context = self.attention(bottom[0], keys, memory)
            bottom = self.bottom(torch.cat([word, context], 1), bottom)
            top = self.top(torch.cat([bottom[0], context], 1), top)
            losses.append(functional.cross_entropy(self.projection(top[0]), wanted))
        return torch.stack(losses).mean()


def _gnmt_step(size: GnmtSize) -> tuple[Gnmt, tuple[torch.Tensor, ...]]:
    source = torch.zeros(size.batch, size.source_steps, dtype=torch.int64)
    previous = torch.zeros(size.batch, size.target_steps, dtype=torch.int64)
    target = torch.zeros(size.batch, size.target_steps, dtype=torch.int64)
    return Gnmt(size), (source, previous, target)


def gnmt2() -> tuple[Gnmt, tuple[torch.Tensor, ...]]:
    """Two layers of 1024, 32,000 words, batch 128, 20 source and 20 target steps."""
    return _gnmt_step(
        GnmtSize(hidden=1024, vocabulary=32000, batch=128, source_steps=20, target_steps=20)
    )


def gnmt_tiny() -> tuple[Gnmt, tuple[torch.Tensor, ...]]:
    """The same model for tests: hidden 8, 30 words, batch 4, 2 source and 2 target steps."""
    return _gnmt_step(GnmtSize(hidden=8, vocabulary=30, batch=4, source_steps=2, target_steps=2))
