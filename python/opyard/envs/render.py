"""Pictures of what an environment has decided so far, as text and as an array of pixels."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import gymnasium
import numpy as np

from opyard import _core

if TYPE_CHECKING:
    from PIL import ImageFont
    from PIL.ImageDraw import ImageDraw

# By `kernel_phase` of `_core.timeline`.
_PHASES = ("other ops", "forward", "backward", "update")
_COLOURS = {
    "other ops": "#8a8a8a",
    "forward": "#4c78a8",
    "backward": "#e0842e",
    "update": "#54a24b",
    "transfer": "#9c76b0",
    "memory": "#b9c9a6",
}
_OPEN, _OPEN_EDGE = "#ffffff", "#b5b5b5"
_BACKGROUND, _LANE, _TEXT, _FAILURE, _REFERENCE = "#ffffff", "#f3f2ee", "#222222", "#b3261e", "#555"
# Pixels. Both sizes are even, as codecs of videos want it.
_WIDTH, _HEIGHT = 960, 540
_LEFT, _RIGHT, _TOP, _BOTTOM, _GAP = 120, 950, 58, 490, 4
_HIGHEST_LANE = 40
_MOST_DEVICES, _MOST_ROWS, _CROWD = 10, 8, 6
# Channels that are an end of a device, not a link.
_ENDPOINTS = ("egress:", "ingress:", "pair:")
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")

Font: TypeAlias = "ImageFont.FreeTypeFont | ImageFont.ImageFont"


@dataclasses.dataclass(frozen=True)
class Scene:
    """What a picture shows."""

    title: str
    """The problem."""
    caption: str
    """Where the episode stands."""
    problem: _core.Problem
    """The graph and the machine."""
    plan: _core.Plan | None
    """What is simulated; None shows empty lanes."""
    is_open: np.ndarray
    """Bool [num_ops]: the ops that the plan's own choice does not stand for yet."""
    reference_s: float
    """The step time that rewards are measured against, a line in the picture."""


def text(scene: Scene) -> str:
    """Title, caption, and the timeline of `opyard simulate --gantt`."""
    lines = [scene.title, scene.caption]
    if scene.plan is not None:
        lines.append(scene.plan.gantt(scene.problem).text.rstrip("\n"))
    return "\n".join(lines)


def picture(scene: Scene) -> np.ndarray:
    """The plan as uint8 [540, 960, 3]: lanes of devices, of busy channels, and of memory.

    Ops that are open are white, where the default plan has them.

    Raises:
        gymnasium.error.DependencyNotInstalled: Pillow is not there.
    """
    try:
        from PIL import Image, ImageDraw
    except ImportError as error:
        raise gymnasium.error.DependencyNotInstalled(
            "render_mode \"rgb_array\" needs Pillow: pip install 'opyard[render]'"
        ) from error
    image = Image.new("RGB", (_WIDTH, _HEIGHT), _BACKGROUND)
    _Painter(scene, ImageDraw.Draw(image)).paint()
    return np.array(image, dtype=np.uint8)


class _Painter:
    """One picture."""

    def __init__(self, scene: Scene, draw: ImageDraw) -> None:
        self._scene = scene
        self._draw = draw
        self._times = _core.timeline(scene.problem, scene.plan) if scene.plan else None
        end = self._times["end_s"] if self._times else 0.0
        self._end_s = max(end, scene.reference_s) or 1.0
        self._is_crowded = scene.problem.hardware.num_devices > _CROWD

    def paint(self) -> None:
        """All of it, from top to bottom."""
        self._write(10, 8, self._scene.title, 15, _WIDTH - 20)
        failed = self._times is not None and self._times["outcome"] != "completed"
        colour = _FAILURE if failed else _TEXT
        self._write(10, 30, self._scene.caption, 13, _WIDTH - 20, colour)
        lanes = list(self._lanes())
        memory = 1 if self._is_crowded else 2  # heights of its lanes, in those of the others
        units = sum(memory if kind == "memory" else 1 for kind, _ in lanes)
        height = min(_HIGHEST_LANE, (_BOTTOM - _TOP) // units - _GAP)
        top = _TOP
        for kind, index in lanes:
            bottom = top + height
            bottom += (memory - 1) * (height + _GAP) if kind == "memory" else 0
            getattr(self, f"_paint_{kind}")(index, top, bottom)
            top = bottom + _GAP
        self._paint_reference(top)
        self._paint_axis(top)
        self._paint_legend()

    def _lanes(self) -> Iterator[tuple[str, int]]:
        """The kind and the index of each lane."""
        devices = range(min(self._scene.problem.hardware.num_devices, _MOST_DEVICES))
        yield from (("device", index) for index in devices)
        yield from (("channel", index) for index in self._busy_rows())
        yield from (("memory", index) for index in devices)

    def _busy_rows(self) -> list[int]:
        """The links that are busy for longest, by index of their rows."""
        if self._times is None:
            return []
        seconds = self._times["transfer_finish_s"] - self._times["transfer_start_s"]
        names = self._times["row_names"]
        busy = np.bincount(self._times["transfer_row"], seconds, len(names))
        links = [i for i, name in enumerate(names) if not name.startswith(_ENDPOINTS)]
        rows = links or range(len(names))
        most = _MOST_ROWS // 2 if self._is_crowded else _MOST_ROWS
        return sorted(sorted(rows, key=lambda row: -busy[row])[:most])

    def _paint_device(self, device: int, top: int, bottom: int) -> None:
        self._label(self._scene.problem.hardware.device_names[device], top, bottom)
        if self._times is None:
            return
        times, names = self._times, self._scene.problem.graph.op_names
        for k in np.flatnonzero(times["kernel_device"] == device):
            op = int(times["kernel_op"][k])
            left, right = self._span(times["kernel_start_s"][k], times["kernel_finish_s"][k])
            is_open = bool(self._scene.is_open[op])
            colour = _OPEN if is_open else _COLOURS[_PHASES[times["kernel_phase"][k]]]
            edge = _OPEN_EDGE if is_open else _LANE if right - left > 3 else None
            self._draw.rectangle((left, top, right, bottom), fill=colour, outline=edge)
            if right - left > 28 and bottom - top > 14:
                ink = _TEXT if is_open else _BACKGROUND
                self._write(
                    left + 4, (top + bottom) / 2, names[op], 11, right - left - 6, ink, "lm"
                )

    def _paint_channel(self, row: int, top: int, bottom: int) -> None:
        assert self._times is not None
        times = self._times
        self._label(times["row_names"][row], top, bottom)
        for i in np.flatnonzero(times["transfer_row"] == row):
            left, right = self._span(times["transfer_start_s"][i], times["transfer_finish_s"][i])
            edge = _LANE if right - left > 3 else None
            self._draw.rectangle(
                (left, top, right, bottom), fill=_COLOURS["transfer"], outline=edge
            )

    def _paint_memory(self, device: int, top: int, bottom: int) -> None:
        name = self._scene.problem.hardware.device_names[device]
        if self._times is None:
            self._label(f"{name} memory", top, bottom)
            return
        times = self._times
        chosen = times["memory_device"] == device
        seconds, held = times["memory_time_s"][chosen], times["memory_bytes"][chosen]
        capacity = int(times["capacity_bytes"][device])
        peak = f"{_size_text(held.max(initial=0))} of {_size_text(capacity)}"
        self._label(f"{name} memory", top, bottom, peak)
        scale = (bottom - top) / max(times["memory_bytes"].max(initial=0), 1)
        points: list[tuple[float, float]] = [(_LEFT, bottom)]
        for at, size in zip(seconds, held, strict=True):
            left = self._x(at)
            points += [(left, points[-1][1]), (left, bottom - scale * size)]
        end = self._x(times["end_s"])
        points += [(end, points[-1][1]), (end, bottom)]
        self._draw.polygon(points, fill=_COLOURS["memory"])
        if scale * capacity <= bottom - top:
            line = bottom - scale * capacity
            self._draw.line((_LEFT, line, _RIGHT, line), fill=_FAILURE)

    def _paint_reference(self, bottom: int) -> None:
        """A dashed line where a step of the reference would end."""
        at = self._x(self._scene.reference_s)
        for top in range(_TOP, bottom, 8):
            self._draw.line((at, top, at, top + 4), fill=_REFERENCE)

    def _paint_axis(self, top: int) -> None:
        self._write(_LEFT, top, "0", 12, 60)
        self._write(_RIGHT, top, f"{self._end_s * 1e3:.4g} ms", 12, 200, _TEXT, "ra")
        at = float(np.clip(self._x(self._scene.reference_s), _LEFT + 50, _RIGHT - 110))
        self._write(at, top, "reference", 12, 100, _REFERENCE, "ma")

    def _paint_legend(self) -> None:
        """A square and a word per colour."""
        left, top = _LEFT, _HEIGHT - 22
        for word, colour in (*_COLOURS.items(), ("open", _OPEN)):
            self._draw.rectangle((left, top, left + 11, top + 11), fill=colour, outline=_OPEN_EDGE)
            left += 17 + self._write(left + 17, top - 2, word, 12, 100) + 18
        hidden = self._scene.problem.hardware.num_devices - _MOST_DEVICES
        if hidden > 0:
            self._write(left, top - 2, f"{hidden} more devices", 12, _RIGHT - left)

    def _label(self, name: str, top: int, bottom: int, below: str = "") -> None:
        """The background of a lane, its name, and where there is room a line below that."""
        self._draw.rectangle((_LEFT, top, _RIGHT, bottom), fill=_LANE)
        middle, right, room = (top + bottom) / 2, _LEFT - 6, _LEFT - 10
        if below and bottom - top >= 28:
            self._write(right, middle - 7, name, 12, room, _TEXT, "rm")
            self._write(right, middle + 7, below, 11, room, _REFERENCE, "rm")
        else:
            self._write(right, middle, name, int(np.clip(bottom - top, 8, 12)), room, _TEXT, "rm")

    def _write(
        self,
        x: float,
        y: float,
        words: str,
        size: int,
        room: float,
        colour: str = _TEXT,
        anchor: str = "la",
    ) -> float:
        """Writes words, cut to `room` pixels, and returns their width."""
        font = _font(size)
        words = " ".join(words.split())
        width = font.getlength(words)
        while width > room and words:
            words = words[: min(int(len(words) * room / width), len(words) - 1)]
            width = font.getlength(words + "…")
            if width <= room or not words:
                words += "…"
        self._draw.text((x, y), words, fill=colour, font=font, anchor=anchor)
        return width

    def _x(self, seconds: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * seconds / self._end_s

    def _span(self, start_s: float, finish_s: float) -> tuple[float, float]:
        """The left and right edge of a bar, a pixel wide at least."""
        left = self._x(start_s)
        return left, max(self._x(finish_s) - 1, left)


@functools.cache
def _font(size: int) -> Font:
    """The font that Pillow brings along."""
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _size_text(size: Any) -> str:
    """Bytes for people: "15.9 GiB"."""
    value, unit = float(size), 0
    while value >= 1024 and unit + 1 < len(_UNITS):
        value, unit = value / 1024, unit + 1
    return f"{value:.3g} {_UNITS[unit]}" if value < 999.5 else f"{value:.0f} {_UNITS[unit]}"
