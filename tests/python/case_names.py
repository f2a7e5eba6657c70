"""Names of parametrized cases that are the same in every process."""

from __future__ import annotations

import re


def case_name(value: object) -> str:
    """The text of a value without the address that some end with."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))
