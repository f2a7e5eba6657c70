"""The comparison as one HTML page that needs nothing else."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Callable, Mapping, Sequence
from importlib import resources

import jinja2
from markupsafe import Markup

from opyard.compare import findings
from opyard.compare.charts import Chart, speed_up_chart, workload_chart
from opyard.compare.comparison import Comparison
from opyard.compare.leader_table import leader_table
from opyard.compare.markup import blocks, breakable, cell_markup, named, slugs
from opyard.compare.matrix import Workload
from opyard.compare.palette import Style, styles
from opyard.compare.plan_folds import PlanFold, Views, plan_folds
from opyard.compare.sections import make_sections
from opyard.compare.table import Table
from opyard.compare.verdict import verdict
from opyard.viewer.figures import FigureBundle, style
from opyard.viewer.templates import template_environment

_MOST_AGENTS = 12  # in the picture of the first screen
_LEAST_HEIGHT = 190  # pixels, of that picture
_BADGES = {"sure": "Clear lead", "unsure": "Lead not certain", "unknown": "Certainty unknown"}


@dataclasses.dataclass(frozen=True)
class WorkloadFold:
    """One workload on the page."""

    name: str  # its id
    label: str
    finding: str
    chart: Chart | None
    plans: list[tuple[str, str, str, PlanFold]]  # id, agent, finding


def make_page(
    comparison: Comparison,
    tables: Sequence[Table],
    arguments: Sequence[str],
    views: Views = "all",
    progress: Callable[[str], None] = lambda text: None,
) -> str:
    """The page.

    Args:
        comparison: The comparison.
        tables: Its tables.
        arguments: Those of the command that makes the page.
        views: Of which plans there are views.
        progress: Called with a description of the current step.
    """
    bundle = FigureBundle()
    matrix = comparison.matrix
    agent_styles = styles(matrix.agents, comparison.baseline)
    picture = None
    if len(matrix.agents) > 1:
        picture = speed_up_chart(
            comparison, agent_styles, most=_MOST_AGENTS, least_height_px=_LEAST_HEIGHT
        )
    sections = make_sections(
        comparison, tables, agent_styles, has_all_agents=len(matrix.agents) <= _MOST_AGENTS
    )
    names = ", ".join(name for name in comparison.experiments if name)
    found = verdict(comparison)
    environment = _environment(bundle, agent_styles)
    folds = _workload_folds(comparison, bundle, agent_styles, views, progress)
    body = environment.get_template("report.html.j2").render(
        title=f"Comparison: {names}" if names else "Comparison",
        conditions=findings.of_conditions(comparison),
        baseline=comparison.baseline,
        verdict=found,
        badge=_BADGES.get(found.certainty),
        warnings=comparison.warnings,
        picture=picture,
        leaders=leader_table(comparison),
        num_agents=len(matrix.agents),
        most_agents=_MOST_AGENTS,
        sections=sections,
        workloads=folds,
        command=f"opyard {shlex.join(arguments)}",
        style=style(),
        own_style=_text("report.css"),
        own_script=_text("report.js"),
    )
    # The figures go behind all placeholders.
    return body.replace(_FIGURES, str(bundle.scripts()))


_FIGURES = "<!-- figures -->"


def _text(file: str) -> Markup:
    return Markup(resources.files("opyard.compare").joinpath(file).read_text(encoding="utf-8"))


def _environment(bundle: FigureBundle, agent_styles: Mapping[str, Style]) -> jinja2.Environment:
    environment = template_environment("opyard.compare")

    def placeholder(chart: Chart) -> Markup:
        shown = bundle.add(chart.name, chart.model, height_px=chart.height_px)
        return shown + bundle.toggles(chart.name, chart.toggles)

    def swatch(agent: str) -> Markup:
        if agent not in agent_styles:
            return Markup("")
        return Markup('<i class="swatch {}" style="--colour: {}"></i>').format(
            agent_styles[agent].marker, agent_styles[agent].colour
        )

    environment.filters |= {
        "breakable": breakable,
        "cell": cell_markup,
        "blocks": blocks,
        "named": named,
        "placeholder": placeholder,
        "swatch": swatch,
    }
    return environment


def _workload_folds(
    comparison: Comparison,
    bundle: FigureBundle,
    agent_styles: Mapping[str, Style],
    views: Views,
    progress: Callable[[str], None],
) -> list[WorkloadFold]:
    labels = comparison.matrix.labels()
    ids = dict(zip(labels, (f"workload-{slug}" for slug in slugs(labels.values())), strict=True))
    agents = comparison.matrix.agents
    names = {
        (workload, agent): f"{name}--{slug}"
        for workload, name in ids.items()
        for agent, slug in zip(agents, slugs(agents), strict=True)
    }
    plans = plan_folds(comparison, bundle, names, views, progress)
    return [
        WorkloadFold(
            ids[workload],
            label,
            findings.of_workload(comparison, workload),
            workload_chart(comparison, workload, ids[workload], agent_styles),
            [
                (names[key], key[1], _plan_finding(key[0], fold), fold)
                for key, fold in plans.items()
                if key[0] == workload
            ],
        )
        for workload, label in labels.items()
    ]


def _plan_finding(workload: Workload, fold: PlanFold) -> str:
    assert fold.run.value is not None
    found = f"{findings.value_text(workload, fold.run.value)}, seed {fold.run.seed}"
    titles = ", ".join(view.title.lower() for view in fold.views)
    return f"{found}: {titles}" if titles else found
