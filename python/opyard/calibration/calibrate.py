"""Fits the `cost` of a device to measured kernels, and says how far it holds on rows kept back."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from opyard.authoring.units import parse_time
from opyard.calibration import forms
from opyard.calibration.devices import graph_of
from opyard.calibration.errors import CalibrationError
from opyard.calibration.fit import errors_of, fit_form
from opyard.calibration.forms import Form
from opyard.calibration.kernels import (
    STREAM_TYPES,
    UNSURE_DTYPES,
    elementwise_of,
    is_known,
    shape_key,
)
from opyard.calibration.parameters import KeyPath, set_in
from opyard.calibration.rows import Row

_HELD_OF_TEN = (1, 4, 7)
REFUSED_ROWS = 30
REFUSED_MEDIAN = 0.25
FEWEST_ROWS = 3
_FOLDS = 3
_FINER_FORM = 0.97  # a form of more numbers has to be better by this

Progress = Callable[[str], None]
Held = frozenset[tuple[str, tuple[float, ...]]]  # the op and shape of rows kept back


@dataclass(frozen=True)
class BlockReport:
    """The outcome of one block of the device file."""

    block: KeyPath
    form: str
    rows: int
    held_back: int
    mape: float  # on rows held back; NaN without any
    median: float
    is_written: bool
    reason: str = ""
    also: tuple[str, ...] = ()  # dotted keys that were fitted with it

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

    The rows of 30 % of the shapes are kept back; all passes, transpositions and element
    types of a shape are on one side. The form of a block is chosen on the others, by
    cross-validation. A block
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
    graph_of(usable)  # says what is wrong with a row before anything is fitted
    launch = [row for row in rows if row.op == "launch"]
    current = _with_launch(device, usable, launch)
    reports: list[BlockReport] = []
    held = _held_shapes(usable)
    base_rows = _base_rows(usable, held)
    if base_rows:
        progress(f"fits launch and bandwidth to {len(base_rows)} rows")
        current, base_report = _fit_base(current, base_rows, bool(launch), held)
        reports += [] if base_report is None else [base_report]
    members: dict[KeyPath, list[Row]] = {}
    for row in usable:
        members.setdefault(forms.block_of(row), []).append(row)
    for block, own in sorted(members.items()):
        if not forms.forms_of(block, current, len(own)):
            continue
        progress(f"fits {'.'.join(block)} to {len(own)} rows")
        current, report = _fit_block(current, block, own, held)
        reports.append(report)
    if not any(report.is_written or report.form for report in reports):
        reasons = "; ".join(f"{report.name}: {report.reason}" for report in reports)
        raise CalibrationError(f"no block can be fitted: {reasons}")
    return Calibration(current, reports, skipped)


def _usable(rows: Sequence[Row]) -> tuple[list[Row], dict[str, int]]:
    kept: list[Row] = []
    skipped: dict[str, int] = {}
    for row in rows:
        if row.op == "launch":
            continue
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


def _with_launch(
    device: dict[str, Any], rows: Sequence[Row], launch: Sequence[Row]
) -> dict[str, Any]:
    """`device` with the launch of the rows `launch`, and none that a kernel is shorter than.

    Overheads of blocks only add to it.
    """
    changed = copy.deepcopy(device)
    seconds = parse_time(str(device.get("launch_overhead", "0 us")), "launch_overhead")
    if launch:
        seconds = float(np.median([row.seconds for row in launch]))
    shortest = 0.95 * min(row.seconds for row in rows)
    if launch or seconds > shortest:
        changed["launch_overhead"] = f"{min(seconds, shortest) * 1e6:.4g} us"
    return changed


def _base_rows(rows: Sequence[Row], held: Held) -> list[Row]:
    """The rows that say most of the whole device: those that stream, else all elementwise ones."""
    elementwise = [row for row in rows if elementwise_of(row.op) is not None]
    stream = [row for row in elementwise if forms.block_of(row)[-1] in STREAM_TYPES]
    chosen = stream or elementwise
    is_enough = len(chosen) >= forms.FEW_ROWS and bool(_split(chosen, held)[1])
    return chosen if is_enough else []


def _fit_base(
    device: dict[str, Any], rows: Sequence[Row], has_launch: bool, held: Held
) -> tuple[dict[str, Any], BlockReport | None]:
    """Launch, bandwidth and cache, with the traffic of types, which is fitted again later."""
    blocks = sorted({forms.block_of(row) for row in rows})
    has_stream = any(block[-1] in STREAM_TYPES for block in blocks)
    base = forms.base_form(device, has_launch=has_launch, has_stream=has_stream)
    if not base.parameters:
        return device, None
    traffic = [
        form.parameters[0] for block in blocks for form in forms.forms_of(block, device, len(rows))
    ]
    form = Form(base.name, (), (*base.parameters, *traffic))
    train, test = _split(rows, held)
    keys = [parameter.path for parameter in base.parameters]
    report = _report(keys[0], form.name, rows, test, fit_form(device, form, train).device)
    report = replace(report, also=tuple(_provenance_key(key) for key in keys[1:]))
    if not report.is_written:
        return device, report
    return _with_types_of(device, fit_form(device, form, rows).device), report


def _with_types_of(before: dict[str, Any], fitted: dict[str, Any]) -> dict[str, Any]:
    """`fitted` with the types of `before`: each is fitted on its own, if it has rows enough."""
    fitted["cost"].pop("types", None)
    if "types" in before.get("cost", {}):
        fitted["cost"]["types"] = copy.deepcopy(before["cost"]["types"])
    return fitted


def _provenance_key(path: KeyPath) -> str:
    """The key whose provenance says where a number comes from: a cache has one for both."""
    return ".".join(path[:2] if path[1:2] == ("l2",) else path)


def _fit_block(
    device: dict[str, Any], block: KeyPath, rows: Sequence[Row], held: Held
) -> tuple[dict[str, Any], BlockReport]:
    train, test = _split(rows, held)
    num_shapes = len({shape_key(row) for row in rows})
    if num_shapes < FEWEST_ROWS:
        reason = f"{len(rows)} rows of {num_shapes} shapes, expected {FEWEST_ROWS} shapes or more"
        nan = float("nan")
        return device, BlockReport(block, "", len(rows), 0, nan, nan, False, reason)
    form = _best_form(device, forms.forms_of(block, device, len(rows)), train)
    report = _report(block, form.name, rows, test, fit_form(device, form, train).device)
    if not report.is_written:
        return device, report
    return fit_form(device, form, rows).device, report


def _best_form(device: dict[str, Any], choices: Sequence[Form], rows: Sequence[Row]) -> Form:
    """The form of the least median error over `_FOLDS` parts of `rows`, each left out in turn."""
    folds = [_fold_of(row) for row in rows]
    if len(choices) == 1 or len(set(folds)) < _FOLDS:
        return choices[0]
    best, least = choices[0], float("inf")
    for form in choices:
        errors: list[float] = []
        for fold in range(_FOLDS):
            train = [row for row, own in zip(rows, folds, strict=True) if own != fold]
            held = [row for row, own in zip(rows, folds, strict=True) if own == fold]
            errors += errors_of(fit_form(device, form, train).device, held).tolist()
        error = float(np.median(errors))
        if error < _FINER_FORM * least:
            best, least = form, error
    return best


def _report(
    block: KeyPath, form: str, rows: Sequence[Row], held: Sequence[Row], device: dict[str, Any]
) -> BlockReport:
    errors = errors_of(device, held) if held else np.array([np.nan])
    median, mape = float(np.median(errors)), float(errors.mean())
    is_refused = len(rows) >= REFUSED_ROWS and not median <= REFUSED_MEDIAN
    reason = f"the median is beyond {REFUSED_MEDIAN:.0%}" if is_refused else ""
    return BlockReport(block, form, len(rows), len(held), mape, median, not is_refused, reason)


def _held_shapes(rows: Sequence[Row]) -> Held:
    """Three of each ten shapes of an op, in the order of their extents."""
    shapes = sorted({(row.op, shape_key(row)) for row in rows})
    return frozenset(shape for index, shape in enumerate(shapes) if index % 10 in _HELD_OF_TEN)


def _split(rows: Sequence[Row], held: Held) -> tuple[list[Row], list[Row]]:
    """The rows to fit, and those whose shapes are kept back."""
    is_held = [(row.op, shape_key(row)) in held for row in rows]
    train = [row for row, kept in zip(rows, is_held, strict=True) if not kept]
    test = [row for row, kept in zip(rows, is_held, strict=True) if kept]
    return (train, test) if train else (test, [])


def _fold_of(row: Row) -> int:
    """One of `_FOLDS`, that of all rows of the shape."""
    digest = hashlib.sha256(str(shape_key(row)).encode()).digest()
    return digest[0] % _FOLDS


def provenance_of(calibration: Calibration, files: str, date: str) -> dict[str, dict[str, Any]]:
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
        for name in (report.name, *report.also):
            entries[name] = dict(entry)
    return entries


def with_provenance(device: dict[str, Any], entries: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """`device` with these entries; those of the file for the same keys go."""
    changed = copy.deepcopy(device)
    for key, entry in entries.items():
        set_in(changed, ("provenance", key), entry)
    return changed
