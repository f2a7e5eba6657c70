"""Traces of PyTorch's profiler, made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FLOATS = ["float"] * 4


class Trace:
    """Ops one after the other, each with kernels of its own."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._at = 0.0
        self._device_at = 0.0
        self._id = 0

    def op(
        self,
        name: str,
        dims: list[Any] | None = None,
        *,
        us: float = 10,
        kernels: dict[str, float] | None = None,
        gap: float = 2,
        inside: tuple[str, ...] = (),
        **args: Any,
    ) -> None:
        """Adds an op with "Input Dims", and kernels by their names with their microseconds."""
        self._id += 1
        shapes = {} if dims is None else {"Input Dims": dims, "Input type": FLOATS}
        args = {"External id": self._id, **shapes, **args}
        self._add("cpu_op", name, self._at, us, args, thread=1)
        for part in inside:
            self._add("cpu_op", part, self._at, us / 2, {}, thread=1)
        for kernel, length in (kernels or {}).items():
            self._id += 1
            link = {"correlation": self._id}
            self._add("cuda_runtime", "cudaLaunchKernel", self._at + 1, 6, link, thread=1)
            self._device_at += gap
            self._add("kernel", kernel, self._device_at, length, link, thread=7)
            self._device_at += length
        self._at += us + 1

    def _add(
        self, category: str, name: str, start: float, us: float, args: dict[str, Any], thread: int
    ) -> None:
        self.events.append(
            {
                **{"ph": "X", "cat": category, "name": name, "pid": thread, "tid": thread},
                **{"ts": start, "dur": us, "args": args},
            }
        )

    def write(self, path: Path) -> Path:
        """Writes the trace to `path`."""
        path.write_text(json.dumps({"traceEvents": self.events}), encoding="utf-8")
        return path
