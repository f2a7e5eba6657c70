"""Fits the `cost` of a device to measured kernels, and says how far it holds on rows kept back."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from opyard.authoring.units import parse_time
from opyard.calibration import forms
from opyard.calibration.errors import CalibrationError
from opyard.calibration.fit import fit_form, mean_error, median_error
from opyard.calibration.forms import Form
from opyard.calibration.kernels import UNSURE_DTYPES, elementwise_of, is_known, shape_key
from opyard.calibration.parameters import Path, set_in
from opyard.calibration.rows import Row

HELD_BACK = 0.3
REFUSED_ROWS = 30
REFUSED_MEDIAN = 0.25
_FEWEST_ROWS = 8
_FINER_FORM = 0.97  # a form of more numbers has to be better by this

Progress = Callable[[str], None]


@dataclass(frozen=True)
class BlockReport:
    """What became of one block of the device file."""

    block: Path
    form: str
    rows: int
    held_back: int
    mape: float  # on rows held back; NaN without any
    median: float
    is_written: bool
    reason: str = ""

    @property
    def name(self) -> str:
        return ".".join(self.block)


@dataclass(frozen=True)
class Calibration:
    """The device with what was fitted, and a report of each block."""

    device: dict[str, Any]
    reports: list[BlockReport]
    skipped: dict[str, int]  # rows left out, by the reason


def calibrate(
    device: dict[str, Any], rows: Sequence[Row], progress: Progress = lambda text: None
) -> Calibration:
    """Fits launch and bandwidth first, where elementwise kernels are among `rows`, then each block.

    The rows of `HELD_BACK` of the shapes are kept back; all passes, transpositions and element
    types of a shape are on one side. The form of a block is chosen on part of the others. A block
    of at least `REFUSED_ROWS` rows whose median on the rows kept back is beyond `REFUSED_MEDIAN`
    is refused: its numbers stay as they were. What is written is fitted to all rows.

    Raises:
        CalibrationError: If no row can be used.
    """
    usable, skipped = _usable(rows)
    if not usable:
        raise CalibrationError(
            f"no row can be used ({_text_of(skipped)}); docs/formats.md lists the ops and columns"
        )
    current = _with_launch(device, usable)
    reports: list[BlockReport] = []
    elementwise = [row for row in usable if elementwise_of(row.op) is not None]
    if len(elementwise) >= _FEWEST_ROWS:
        progress(f"launch and bandwidth: {len(elementwise)} rows")
        current, report = _fit_base(current, elementwise)
        reports.append(report)
    members: dict[Path, list[Row]] = {}
    for row in usable:
        members.setdefault(forms.block_of(row), []).append(row)
    for block, own in sorted(members.items()):
        progress(f"{'.'.join(block)}: {len(own)} rows")
        current, report = _fit_block(current, block, own)
        reports.append(report)
    return Calibration(current, reports, skipped)


def _usable(rows: Sequence[Row]) -> tuple[list[Row], dict[str, int]]:
    kept: list[Row] = []
    skipped: dict[str, int] = {}
    for row in rows:
        if row.dtype in UNSURE_DTYPES:
            reason = f"arithmetic of {row.dtype} is not that of one type"
        elif not is_known(row):
            reason = f"no equation for {row.op} of {row.dtype}"
        else:
            kept.append(row)
            continue
        skipped[reason] = skipped.get(reason, 0) + 1
    return kept, skipped


def _text_of(skipped: dict[str, int]) -> str:
    return "; ".join(f"{count} rows: {reason}" for reason, count in skipped.items())


def _with_launch(device: dict[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    """`device` with a launch that no measured kernel is shorter than: overheads only add to it."""
    changed = copy.deepcopy(device)
    shortest = min(row.seconds for row in rows)
    launch = str(device.get("launch_overhead", "0 us"))
    if parse_time(launch, "launch_overhead") > shortest:
        changed["launch_overhead"] = f"{0.95 * shortest * 1e6:.4g} us"
    return changed


def _fit_base(
    device: dict[str, Any], rows: Sequence[Row]
) -> tuple[dict[str, Any], BlockReport]:
    """Launch, bandwidth and cache together with the traffic of each type, which is fitted again."""
    base = forms.base_forms(device)
    traffic = [
        form.parameters[0]
        for block in sorted({forms.block_of(row) for row in rows})
        for form in forms.forms_of(block, device, len(rows))
    ]
    cleared = copy.deepcopy(device)
    cleared.setdefault("cost", {}).pop("classes", None)
    form = Form(base.name, (), (*base.parameters, *traffic))
    train, held = _split(rows, HELD_BACK)
    fitted = fit_form(cleared, form, train)
    report = _report(("cost", "memory_efficiency"), form.name, rows, held, fitted.device)
    return fit_form(cleared, form, rows).device, report


def _fit_block(
    device: dict[str, Any], block: Path, rows: Sequence[Row]
) -> tuple[dict[str, Any], BlockReport]:
    if len(rows) < _FEWEST_ROWS:
        reason = f"fewer than {_FEWEST_ROWS} rows"
        nan = float("nan")
        return device, BlockReport(block, "", len(rows), 0, nan, nan, False, reason)
    train, held = _split(rows, HELD_BACK)
    form = _best_form(device, forms.forms_of(block, device, len(rows)), train)
    report = _report(block, form.name, rows, held, fit_form(device, form, train).device)
    if not report.is_written:
        return device, report
    return fit_form(device, form, rows).device, report


def _best_form(device: dict[str, Any], choices: Sequence[Form], rows: Sequence[Row]) -> Form:
    """The form that predicts best a fifth of `rows` when fitted to the others."""
    if len(choices) == 1:
        return choices[0]
    train, held = _split(rows, 0.2, salt="form")
    best, least = choices[0], float("inf")
    for form in choices:
        fitted = fit_form(device, form, train).device
        error = median_error(fitted, held) + 0.5 * median_error(fitted, train)
        if error < _FINER_FORM * least:
            best, least = form, error
    return best


def _report(
    block: Path, form: str, rows: Sequence[Row], held: Sequence[Row], device: dict[str, Any]
) -> BlockReport:
    median = median_error(device, held) if held else float("nan")
    mape = mean_error(device, held) if held else float("nan")
    is_refused = len(rows) >= REFUSED_ROWS and not median <= REFUSED_MEDIAN
    reason = f"the median is beyond {REFUSED_MEDIAN:.0%}" if is_refused else ""
    return BlockReport(block, form, len(rows), len(held), mape, median, not is_refused, reason)


def _split(
    rows: Sequence[Row], share: float, salt: str = "held"
) -> tuple[list[Row], list[Row]]:
    """The rows to fit and about `share` of them to test, by a hash of their shapes."""
    train: list[Row] = []
    held: list[Row] = []
    for row in rows:
        text = f"{salt} {shape_key(row)}"
        number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
        (held if number < share * 2**32 else train).append(row)
    return (train, held) if train else (held, [])


def provenance_of(
    calibration: Calibration, files: str, date: str
) -> dict[str, dict[str, Any]]:
    """Provenance of the blocks that were written, by their dotted keys."""
    entries: dict[str, dict[str, Any]] = {}
    for report in calibration.reports:
        if not report.is_written:
            continue
        entry: dict[str, Any] = {
            "kind": "fitted",
            "source": f"opyard profile calibrate on {report.rows} rows of {files}; "
            f"{report.form}; error on {report.held_back} rows of other shapes",
            "date": date,
        }
        if report.median == report.median:
            entry["median_error"] = round(report.median, 4)
        entries[report.name] = entry
        if report.name == "cost.memory_efficiency":
            entries["launch_overhead"] = dict(entry)
    return entries


def with_provenance(
    device: dict[str, Any], entries: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """`device` with these entries; those of the file for the same keys go."""
    changed = copy.deepcopy(device)
    for key, entry in entries.items():
        set_in(changed, ("provenance", key), entry)
    return changed
