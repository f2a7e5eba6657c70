"""The comparison as one HTML page that needs nothing else."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import jinja2

from opyard.compare.comparison import Comparison
from opyard.compare.plots import make_plots
from opyard.compare.table import Table


def make_page(comparison: Comparison, tables: Sequence[Table], arguments: Sequence[str]) -> str:
    """The page; `arguments` are those of the command that makes it."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("opyard.compare", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    whole = comparison.aggregates.values()
    names = ", ".join(name for name in comparison.experiments if name)
    return environment.get_template("report.html.j2").render(
        title=f"Comparison: {names}" if names else "Comparison",
        workloads=len(comparison.matrix.workloads),
        agents=len(comparison.matrix.agents),
        runs=sum(a.runs for a in whole),
        failed=sum(a.failed for a in whole),
        missing=sum(a.missing for a in whole),
        baseline=comparison.baseline,
        repetitions=comparison.summaries.bootstrap.repetitions,
        warnings=comparison.warnings,
        fairness=comparison.fairness,
        tables=list(tables),
        plots=make_plots(comparison),
        command=f"opyard {shlex.join(arguments)}",
    )
