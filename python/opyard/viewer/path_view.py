"""The critical path in words, and where the time of each device goes."""

from __future__ import annotations

from bokeh.models import ColumnDataSource, FactorRange, HoverTool
from bokeh.plotting import figure
from markupsafe import Markup

from opyard.viewer import colours
from opyard.viewer.figures import FigureBundle, legend, tooltip
from opyard.viewer.step import Step
from opyard.viewer.words import percent_text, shortened, time_text

_MOST_SENTENCES = 6
_ROW_PX, _AXIS_PX = 24, 60
_MOST_IDLE = 12  # devices of a machine of which all are shown
# Kinds of parts of the path, in the words of docs/explain.md.
_KINDS = {
    "kernel": "kernels",
    "transfer": "transfers",
    "signal": "signals",
    "queue_wait": "queue waits",
    "channel_wait": "channel waits",
    "stream_head": "stream heads",
    "channel_turn": "channel turns",
    "memory_wait": "memory waits",
    "dispatch": "dispatch",
    "gap": "gaps",
    "release": "releases",
    "memory_bandwidth": "memory bandwidth",
}
_USES = {
    "busy": ("busy", "#4c82bd"),
    "no_ready_work": ("no work ready", "#c0b9ac"),
    "memory": ("waits for memory", colours.LIMIT),
    "stream_head": ("head of its stream waits", "#9b72b8"),
    "dispatch": ("waits for the host", "#df8a2f"),
    "gap": ("rests", "#93705f"),
}


def path_words(step: Step) -> Markup:
    """The critical path: its time by kind, and its longest stretches in order of time."""
    explanation = step.explanation
    if not step.completed:
        return Markup("<p>A step that does not complete has no critical path.</p>")
    kinds = sorted(explanation["critical_path_ps"].items(), key=lambda item: -item[1])
    parts = [
        f"{_KINDS[kind]} {percent_text(ps, step.end_ps)} ({time_text(ps)})"
        for kind, ps in kinds
        if ps
    ]
    longest = sorted(explanation["stretches"], key=lambda part: -part["duration_ps"])[
        :_MOST_SENTENCES
    ]
    rows = Markup("").join(
        Markup("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>").format(
            time_text(part["start_ps"]),
            time_text(part["duration_ps"]),
            percent_text(part["duration_ps"], step.end_ps),
            part["sentence"],
        )
        for part in sorted(longest, key=lambda part: part["start_ps"])
    )
    head = "<tr><th>at</th><th>for</th><th>of the step</th><th>what happens</th></tr>"
    return Markup(
        "<p>The step is one chain of work and waits: {}. Its longest stretches:</p>"
        '<div class="wide"><table class="stretches"><thead>{}</thead><tbody>{}</tbody></table>'
        "</div>"
    ).format(", ".join(parts) or "it takes no time", Markup(head), rows)


def idle_view(step: Step, bundle: FigureBundle, name: str) -> Markup:
    """Adds a bar for each device: busy, and idle by reason, of the time of the step.

    Args:
        step: The step.
        bundle: Of the page.
        name: The name of the figure on the page.

    Returns:
        The figure, and what its colours mean.
    """
    if step.end_ps == 0:
        return Markup()
    columns = uses_of(step)
    names = _shown_devices(step)
    kept = [step.devices.index(name) for name in names]
    columns = {use: [values[i] for i in kept] for use, values in columns.items()}
    shown = {word: colour for key, (word, colour) in _USES.items() if any(columns[key])}
    height_px = _AXIS_PX + _ROW_PX * len(names)
    labels = [shortened(name, 24) for name in names]
    if len(set(labels)) < len(labels):
        labels = names
    plot = figure(
        y_range=FactorRange(*labels[::-1]),
        x_range=(0, 100),
        height=height_px,
        sizing_mode="stretch_width",
        tools=[],
        toolbar_location=None,
        x_axis_label="% of the step",
        name="idle",
    )
    plot.yaxis.axis_line_color = None
    plot.ygrid.visible = False
    source = ColumnDataSource({"device": labels, "name": names, **columns})
    used = [key for key in _USES if any(columns[key])]
    bars = plot.hbar_stack(
        used, y="device", height=0.75, color=[_USES[key][1] for key in used], source=source
    )
    for key, bar in zip(used, bars, strict=True):
        bar.name = f"idle-{key.replace('_', '-')}"
        shown_rows = [(_USES[key][0], f"@{key}{{0.0}} % of the step")]
        plot.add_tools(
            HoverTool(renderers=[bar], tooltips=tooltip("@name", shown_rows), visible=False)
        )
    head = Markup('<p class="legends">{}</p>').format(legend(shown))
    return head + bundle.add(name, plot, height_px=height_px)


def _shown_devices(step: Step) -> list[str]:
    """All devices of a small machine, of others those with ops."""
    with_ops = {step.devices[device] for device in step.plan.placement}
    return [name for name in step.devices if len(step.devices) <= _MOST_IDLE or name in with_ops]


def uses_of(step: Step) -> dict[str, list[float]]:
    """Percent of the step by use, for each device: busy, and the reasons of `Plan.explain`."""
    end_s = step.end_ps / 1e12 or 1.0
    columns = {"busy": [100 * device["busy_s"] / end_s for device in step.report["devices"]]}
    for reason in list(_USES)[1:]:
        columns[reason] = [
            100 * device["idle_s"][reason] / end_s for device in step.explanation["devices"]
        ]
    return columns
