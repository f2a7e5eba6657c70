"""Tables of what fills the memory of each device when it holds most."""

from __future__ import annotations

from markupsafe import Markup

from opyard.viewer.step import Step
from opyard.viewer.words import bytes_text, percent_text, time_text

_MOST_ROWS = 10


def memory_view(step: Step) -> Markup:
    """A table per device that holds something: its ten largest residents at its peak."""
    tables = [
        _table(step, device, use["peak_memory_bytes"])
        for device, use in zip(step.explanation["devices"], step.report["devices"], strict=True)
        if use["peak_memory_bytes"]
    ]
    if not tables:
        return Markup("<p>No device holds anything.</p>")
    return Markup('<div class="tables">{}</div>').format(Markup("").join(tables))


def _table(step: Step, device: dict, peak_bytes: int) -> Markup:
    limit = step.limits.get(device["name"])
    of_limit = f", {percent_text(peak_bytes, limit)} of {bytes_text(limit)}" if limit else ""
    at = time_text(round(device["peak_instant_s"] * 1e12))
    rows = Markup("").join(
        Markup('<tr><td class="name">{}</td><td>{}</td></tr>').format(
            resident["name"], bytes_text(resident["bytes"])
        )
        for resident in device["peak_residents"][:_MOST_ROWS]
    )
    head = Markup('<tr><th class="name">largest at the peak of {}</th><th>bytes</th></tr>')
    foot = Markup('<tr><th class="name">all, at {}{}</th><th>{}</th></tr>')
    return Markup("<table><thead>{}</thead><tbody>{}</tbody><tfoot>{}</tfoot></table>").format(
        head.format(device["name"]), rows, foot.format(at, of_limit, bytes_text(peak_bytes))
    )
