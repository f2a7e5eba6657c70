"""Draws a simulated step as a Gantt chart.

    opyard simulate --graph GRAPH --hardware MACHINE --plan PLAN --trace TRACE
    python scripts/draw_gantt.py TRACE --out CHART.svg

In Python, `plan.gantt(problem).svg()` is the same chart.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

from opyard.gantt_svg import chart_svg


def read_trace(path: Path) -> dict[str, Any]:
    """The trace in a file, packed or not."""
    content = path.read_bytes()
    return json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)


def main() -> None:
    """Draws the trace that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("trace", type=Path, metavar="TRACE", help="file of `simulate --trace`")
    parser.add_argument("--out", type=Path, required=True, metavar="CHART", help="SVG to write")
    arguments = parser.parse_args()
    arguments.out.write_text(chart_svg(read_trace(arguments.trace)), encoding="utf-8")


if __name__ == "__main__":
    main()
