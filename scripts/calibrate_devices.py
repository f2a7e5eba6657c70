"""Calibrates the shipped devices on the measurements of others, and writes their files anew.

    python scripts/calibrate_devices.py ../shared/data [DEVICE ...]

Rows are of public files that are not part of opyard (docs/fidelity.md names them); only fitted
numbers are.
"""

from __future__ import annotations

import argparse
import copy
import datetime
import itertools
import sys
from pathlib import Path
from typing import Any

from calibrated_devices import CALIBRATED, LOANS, Loan
from opyard.calibration.calibrate import calibrate, provenance_of, with_provenance
from opyard.calibration.device_text import device_text
from opyard.calibration.devices import read_device
from opyard.calibration.parameters import set_in
from opyard.calibration.rows import read_rows

DEVICES = Path(__file__).resolve().parents[1] / "hardware_profiles" / "devices"


def main() -> None:
    """Runs the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with fidelity/ and plans_measured/")
    parser.add_argument("devices", nargs="*", help="default: all")
    args = parser.parse_args()
    names = args.devices or [*CALIBRATED, *(name for name in LOANS if name not in CALIBRATED)]
    for name in names:
        device = read_device(name)
        if name in CALIBRATED:
            device = _calibrated(name, device, args.data)
        if name in LOANS:
            lender = device if LOANS[name].lender == name else read_device(LOANS[name].lender)
            device = _with_loan(device, lender, LOANS[name])
        path = DEVICES / f"{name}.yaml"
        path.write_text(_with_comments(device_text(device), path), encoding="utf-8")
        print(name, file=sys.stderr)


def _calibrated(name: str, device: dict[str, Any], data: Path) -> dict[str, Any]:
    source = CALIBRATED[name]
    rows = read_rows(source.paths(data), source.labels)
    found = calibrate(device, rows, lambda text: print(f"  {text}", file=sys.stderr))
    labels = ", ".join(source.labels)
    entries = provenance_of(found, f"{source.origin} ({labels})", _today())
    for report in found.reports:
        if not report.is_written:
            print(f"  {report.name}: {report.reason}", file=sys.stderr)
    return with_provenance(found.device, entries)


def _with_loan(device: dict[str, Any], lender: dict[str, Any], loan: Loan) -> dict[str, Any]:
    changed = copy.deepcopy(device)
    for there, here in loan.blocks:
        block = lender["cost"]
        for key in there.split("."):
            block = block[key]
        path = tuple(here.split("."))
        set_in(changed, ("cost", *path), copy.deepcopy(block))
        entry = {
            "kind": "assumed",
            "source": f"cost.{there} of {loan.lender}: {loan.reason}",
            "date": _today(),
        }
        set_in(changed, ("provenance", f"cost.{here}"), entry)
    return changed


def _with_comments(text: str, path: Path) -> str:
    """`text` with the comments that the file at `path` begins with."""
    first, rest = text.split("\n", 1)
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    comments = list(itertools.takewhile(lambda line: line.startswith("#"), lines))
    return "\n".join([first, *comments, rest])


def _today() -> str:
    return datetime.date.today().isoformat()


if __name__ == "__main__":
    main()
