"""The error of measurements and device files that calibration refuses."""

from __future__ import annotations


class CalibrationError(ValueError):
    """Measurements or a device file that cannot be used: says where, found and expected."""
