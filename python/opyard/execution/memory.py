"""Counts the bytes of the tensors that a process holds."""

from __future__ import annotations

import threading

import torch


class MemoryMeter:
    """Adds up the storages of held tensors, each once, and remembers the most.

    Thread-safe: what is sent is released by another thread than the one that computes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders: dict[int, int] = {}  # address of a storage → tensors in it
        self._bytes = 0
        self.peak_bytes = 0

    def hold(self, tensor: torch.Tensor) -> None:
        """Counts `tensor` until it is released as often as it was held."""
        storage = tensor.untyped_storage()
        with self._lock:
            address = storage.data_ptr()
            self._holders[address] = self._holders.get(address, 0) + 1
            if self._holders[address] == 1:
                self._bytes += storage.nbytes()
                self.peak_bytes = max(self.peak_bytes, self._bytes)

    def release(self, tensor: torch.Tensor) -> None:
        """Ends one `hold` of `tensor`; its storage goes with the last."""
        storage = tensor.untyped_storage()
        with self._lock:
            address = storage.data_ptr()
            self._holders[address] -= 1
            if self._holders[address] == 0:
                del self._holders[address]
                self._bytes -= storage.nbytes()
