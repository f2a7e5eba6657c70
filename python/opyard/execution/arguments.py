"""The arguments of one call, bound to the places where its tensors will be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from opyard.execution.program import Blank, Ref


class Arguments:
    """Positional or keyword arguments with places for tensors.

    What a call reads in every step stands in lists that are made once, since small ops take
    microseconds.
    """

    def __init__(
        self,
        arguments: list[Any] | dict[str, Any],
        slot_of: Callable[[Ref], int],
        device: torch.device,
    ) -> None:
        items = enumerate(arguments) if isinstance(arguments, list) else arguments.items()
        self._plain = arguments.copy()
        self._tensors: list[tuple[Any, int]] = []
        self._lists: list[tuple[Any, list[Any], list[tuple[int, int]]]] = []
        for key, value in items:
            if isinstance(value, Ref):
                self._tensors.append((key, slot_of(value)))
            elif isinstance(value, list) and any(isinstance(part, Ref) for part in value):
                parts = [None if isinstance(part, Ref) else part for part in value]
                refs = [(i, slot_of(part)) for i, part in enumerate(value) if isinstance(part, Ref)]
                self._lists.append((key, parts, refs))
            else:
                self._plain[key] = _on_device(value, device)

    def fill(self, slots: list[torch.Tensor | None]) -> Any:
        """The arguments with the tensors of `slots`."""
        filled = self._plain.copy()
        for key, slot in self._tensors:
            filled[key] = slots[slot]
        for key, parts, refs in self._lists:
            values = parts.copy()
            for i, slot in refs:
                values[i] = slots[slot]
            filled[key] = values
        return filled


def _on_device(value: Any, device: torch.device) -> Any:
    """A device of the trace becomes that of the process; a blank becomes memory for one element."""
    if isinstance(value, torch.device):
        return device
    if isinstance(value, Blank):
        dtype = getattr(torch, value.spec.dtype)
        return torch.empty(1, dtype=dtype, device=device).expand(value.spec.shape)
    return value
