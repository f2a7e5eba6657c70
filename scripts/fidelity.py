"""Scores the shipped devices, links and whole steps, and writes the tables of docs/fidelity.md.

    python scripts/fidelity.py ../shared/data [--pipelines]

The tables stand between `<!-- begin NAME -->` and `<!-- end NAME -->`; other text stays. The
measurements are of others and are not part of opyard. `--pipelines` simulates pipelines, too,
which takes minutes.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from calibrated_devices import CALIBRATED, SCORED
from fidelity_steps import memory_table, pipelines_table, steps_table
from opyard.calibration.devices import graph_of, predict, read_device
from opyard.calibration.kernels import DTYPES, PASSES, elementwise_of, is_known
from opyard.calibration.rows import Row, read_rows
from opyard.calibration.scores import absolute_errors

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "fidelity.md"
PICTURE = ROOT / "docs" / "pictures" / "fidelity.png"


@dataclass(frozen=True)
class Scored:
    """Rows of one device with what the simulator predicts, in seconds."""

    device: str
    rows: list[Row]
    predicted: npt.NDArray[np.float64]

    @property
    def measured(self) -> npt.NDArray[np.float64]:
        return np.array([row.seconds for row in self.rows])


@dataclass(frozen=True)
class Bar:
    """A median error that a class of kernels is to stay within."""

    name: str
    devices: tuple[str, ...]
    ops: tuple[str, ...]
    dtypes: tuple[str, ...]
    most: float


_TENSOR = ("a100-sxm4-80gb", "h100-sxm5-80gb", "h200-sxm-141gb", "a40-48gb", "v100-sxm2-16gb")
_CACHES = ("b200-sxm-180gb", "l40s-48gb", "rtx-pro-6000-96gb")
_OLD = ("p100-pcie-16gb", "v100-sxm2-16gb", "m40-12gb", "titan-xp-12gb")
_F8 = ("h100-sxm5-80gb", "h200-sxm-141gb", *_CACHES)
BARS = (
    Bar("products, f16 and bf16", _TENSOR, ("gemm",), ("f16", "bf16"), 0.10),
    Bar("products, bf16, large caches", _CACHES, ("gemm",), ("bf16",), 0.12),
    Bar("products, f32", _OLD, ("gemm",), ("f32",), 0.15),
    Bar("products, f8", _F8, ("gemm",), ("f8",), 0.15),
    Bar("convolutions", _OLD, ("conv",), ("f32", "f16"), 0.20),
    Bar("recurrent layers, forward", _OLD, ("rnn forward",), ("f32", "f16"), 0.20),
    Bar(
        "elementwise",
        ("a100-sxm4-80gb", "a40-48gb", "h100-sxm5-80gb", "v100-sxm2-16gb"),
        ("elementwise",),
        ("f16", "f32"),
        0.15,
    ),
)


def main() -> None:
    """Runs the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with fidelity/ and plans_measured/")
    parser.add_argument("--pipelines", action="store_true", help="simulate pipelines, too")
    args = parser.parse_args()
    scored = [_score(name, args.data) for name in sorted({**CALIBRATED, **SCORED})]
    tables = {
        "bars": bars_table(scored),
        "kernels": kernels_table(scored),
        "steps": steps_table(args.data),
        "memory": memory_table(args.data),
    }
    if args.pipelines:
        tables["pipelines"] = pipelines_table()
    text = PAGE.read_text(encoding="utf-8")
    for name, table in tables.items():
        text = replaced(text, name, table)
        print(f"\n{name}\n{table}")
    PAGE.write_text(text, encoding="utf-8")
    draw(scored)


def replaced(text: str, name: str, table: str) -> str:
    """`text` with `table` between the marks of `name`."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if pattern.search(text) is None:
        raise SystemExit(f"{PAGE}: found no {begin} … {end}, expected both")
    return pattern.sub(lambda _: f"{begin}\n\n{table}\n\n{end}", text)


def _score(name: str, data: Path) -> Scored:
    sources = [(SCORED if name in SCORED else CALIBRATED)[name]]
    rows = [row for source in sources for row in read_rows(source.paths(data), source.labels)]
    known = [row for row in rows if is_known(row) and row.dtype != "fp32_or_tf32"]
    return Scored(name, known, predict(graph_of(known), read_device(name)))


def _kind(row: Row) -> str:
    if elementwise_of(row.op) is not None:
        return "elementwise"
    passed = PASSES.get(row.passed, "forward").replace("_", "-")
    return {"gemm": "gemm", "conv2d": f"conv {passed}"}.get(row.op, f"rnn {passed}")


def bars_table(scored: Sequence[Scored]) -> str:
    """The median of each device within each bar, over all its rows."""
    lines = ["| kernels | bar | medians |", "|---|---:|---|"]
    for bar in BARS:
        cells = []
        for one in scored:
            errors = absolute_errors(one.predicted, one.measured)
            own = [
                index
                for index, row in enumerate(one.rows)
                if one.device in bar.devices
                and row.dtype != "fp16in_fp32math"
                and DTYPES[row.dtype][0] in bar.dtypes
                and _kind(row).startswith(bar.ops)
            ]
            if own:
                cells.append(f"`{one.device}` {100 * float(np.median(errors[own])):.1f} %")
        lines.append(f"| {bar.name} | {bar.most:.0%} | {', '.join(cells)} |")
    return "\n".join(lines)


def kernels_table(scored: Sequence[Scored]) -> str:
    """Rows, median and mean of each device, kind and type; the median on rows kept back."""
    lines = [
        "| device | kernels | type | rows | median | mean | median on shapes kept back |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    for one in scored:
        errors = absolute_errors(one.predicted, one.measured)
        provenance = read_device(one.device).get("provenance", {})
        groups: dict[tuple[str, str], list[int]] = {}
        for index, row in enumerate(one.rows):
            groups.setdefault((_kind(row), row.dtype), []).append(index)
        for (kind, dtype), own in sorted(groups.items()):
            kept = _kept_back(provenance, kind, DTYPES[dtype][0], one.rows[own[0]])
            lines.append(
                f"| `{one.device}` | {kind} | {dtype} | {len(own)} | "
                f"{100 * float(np.median(errors[own])):.1f} % | "
                f"{100 * float(errors[own].mean()):.0f} % | {kept} |"
            )
    return "\n".join(lines)


def _kept_back(provenance: dict[str, dict[str, object]], kind: str, dtype: str, row: Row) -> str:
    """The median error that calibration left in the file; of older fits nothing."""
    name, _, passed = kind.partition(" ")
    keys = [f"cost.{name}.{dtype}", f"cost.{name}.{dtype}.{passed.replace('-', '_')}"]
    if name == "elementwise":
        keys = ["launch_overhead"]
    if row.dtype == "fp16in_fp32math":
        return "not fitted"
    for key in keys:
        entry = provenance.get(key, {})
        if entry.get("kind") == "fitted" and "median_error" in entry:
            return f"{100 * float(str(entry['median_error'])):.1f} %"
    return "not fitted" if kind == "elementwise" else "an older fit"


def draw(scored: Sequence[Scored]) -> None:
    """Predicted against measured times of all rows, a panel for each kind."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    kinds = ("gemm", "conv", "rnn", "elementwise")
    figure, axes = pyplot.subplots(2, 2, figsize=(9, 9), layout="constrained")
    for kind, panel in zip(kinds, axes.flat, strict=True):
        ends: list[float] = []
        for one in scored:
            own = [i for i, row in enumerate(one.rows) if _kind(row).startswith(kind)]
            if not own:
                continue
            measured, predicted = one.measured[own] * 1e6, one.predicted[own] * 1e6
            panel.scatter(measured, predicted, s=3, alpha=0.4, linewidths=0, label=one.device)
            ends += [float(measured.min()), float(measured.max())]
        low, high = min(ends), max(ends)
        panel.plot([low, high], [low, high], color="black", linewidth=0.8)
        panel.fill_between(
            [low, high],
            [low / 1.25, high / 1.25],
            [low * 1.25, high * 1.25],
            alpha=0.12,
            color="gray",
        )
        panel.set(xscale="log", yscale="log", title=kind)
        panel.set_xlabel("measured [us]")
        panel.set_ylabel("predicted [us]")
        panel.legend(fontsize=7, markerscale=3)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=100)
    pyplot.close(figure)


if __name__ == "__main__":
    main()
