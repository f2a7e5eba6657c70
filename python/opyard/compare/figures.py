"""Numbers as tables show them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from opyard.compare.statistics import Estimate

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
_BYTES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def fixed(value: float, digits: int) -> str:
    """With `digits` after the point; what rounds to zero has no sign."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


@dataclasses.dataclass(frozen=True)
class Unit:
    """The unit of a table's figures: printed are value / scale, with `digits` after the point."""

    name: str
    scale: float = 1.0
    digits: int = 3

    def text(self, value: float) -> str:
        """One figure, without the unit's name."""
        return fixed(value / self.scale, self.digits)

    def estimate(self, estimate: Estimate) -> str:
        """A figure with its interval: "1.277 [1.201, 1.340]"."""
        text = self.text(estimate.value)
        if estimate.low is None or estimate.high is None:
            return text
        ends = (self.text(estimate.low), self.text(estimate.high))
        return text if ends == (text, text) else f"{text} [{', '.join(ends)}]"


def _fitting(values: Iterable[float], units: tuple[tuple[float, str], ...]) -> tuple[float, str]:
    """The unit in which the least value is 1 or more, else the smallest."""
    least = min((value for value in values if value > 0), default=units[-1][0])
    return next((unit for unit in units if least >= unit[0]), units[-1])


def time_unit(values: Iterable[float]) -> Unit:
    """The unit for a table of seconds."""
    scale, name = _fitting(values, _TIMES)
    return Unit(name, scale)


def bytes_unit(values: Iterable[float]) -> Unit:
    """The unit for a table of bytes."""
    scale, name = _fitting(values, _BYTES)
    return Unit(name, scale, 2)


RATIO = Unit("x", 1.0, 3)
COUNT = Unit("", 1.0, 0)
SECONDS = Unit("s", 1.0, 2)
PERCENT = Unit("%", 0.01, 1)
