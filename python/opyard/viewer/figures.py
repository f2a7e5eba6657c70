"""Figures of Bokeh on a page that holds all it needs and shows a figure once it is first seen.

Colours of axes, grids, texts and tooltips are variables of style.css, which BokehJS reads by itself
(``--bk-…``), so that figures follow the dark and the light scheme of the browser.
"""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from bokeh.embed import json_item
from bokeh.model import Model
from bokeh.models import PanTool, ResetTool, WheelZoomTool
from bokeh.plotting import figure
from bokeh.resources import Resources
from bokeh.themes import Theme
from markupsafe import Markup, escape

Setting = Mapping[str, Mapping[str, Any]]
"""Model's name -> property -> value, as JSON has it."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_THEME = Theme(
    json={
        "attrs": {
            "Plot": {
                "background_fill_color": None,
                "border_fill_color": None,
                "outline_line_color": None,
            },
            "Axis": {
                "minor_tick_line_color": None,
                "major_tick_in": 0,
                "axis_label_text_font_style": "normal",
            },
            "Toolbar": {"logo": None},
        }
    }
)


@dataclasses.dataclass(frozen=True)
class Toggle:
    """An entry of a legend that hides a line of a figure and shows it again."""

    name: str
    """The name of the models that it hides; the text of the entry, too."""
    colour: str
    """Such as ``"#4c82bd"``."""
    dash: str
    """Pixels with and without colour by turns, as SVG has them; ``""`` is a solid line."""
    is_visible: bool
    """Whether the models show at first."""


class FigureBundle:
    """The figures of one page: a placeholder each, and once the scripts that draw them.

    The scheme sets the colours of what stands around glyphs. Those of glyphs are the figure's own:
    they have to show on white and on black.
    """

    def __init__(self) -> None:
        self._packed: dict[str, str] = {}

    def add(self, name: str, model: Model, *, height_px: int) -> Markup:
        """Takes a figure in.

        Args:
            name: Lower-case letters, digits and hyphens; unique on the page.
            model: A figure or a layout, usually with ``sizing_mode="stretch_width"``. The page
                gets its state of now.
            height_px: The height that the page keeps free until the figure is drawn, in pixels.

        Returns:
            The element that the figure appears in.

        Raises:
            ValueError: The name is taken, or has other characters.
        """
        if not _NAME.fullmatch(name) or name in self._packed:
            raise ValueError(f'figure "{name}": expected a new name of a-z, 0-9 and hyphens')
        self._packed[name] = _packed(model)
        element = Markup(
            '<div class="figure" role="figure" aria-label="{0}" id="figure-{0}" data-figure="{0}"'
            ' style="min-height: {1}px"></div>'
        )
        return element.format(name, height_px)

    @property
    def packed_bytes(self) -> int:
        """The size of all figures so far, as the page holds them."""
        return sum(map(len, self._packed.values()))

    def choice(
        self,
        name: str,
        label: str,
        options: Mapping[str, Setting],
        legends: Mapping[str, Markup] | None = None,
    ) -> Markup:
        """A menu that sets properties of models of a figure.

        Args:
            name: Of the figure, as for `add`.
            label: The text in front of the menu.
            options: Text of each entry -> what it sets; the first one is how the figure begins.
            legends: Text of an entry -> what stands behind the menu while the entry is chosen.

        Returns:
            The menu. It works without `eval`, as callbacks of Bokeh in JavaScript do not.
        """
        entries = Markup("").join(
            Markup('<option value="{}">{}</option>').format(json.dumps(setting), text)
            for text, setting in options.items()
        )
        shown = Markup("").join(
            Markup('<span data-of="{}"{}>{}</span>').format(
                text, Markup(" hidden") if i else "", (legends or {}).get(text, "")
            )
            for i, text in enumerate(options)
        )
        return Markup(
            '<div class="choice"><label>{} <select data-figure-choice="{}">{}</select></label>'
            "{}</div>"
        ).format(label, name, entries, shown)

    def toggles(self, name: str, entries: Sequence[Toggle]) -> Markup:
        """A legend of buttons, each of which hides the models of its name and shows them again.

        Args:
            name: Of the figure, as for `add`.
            entries: Those of the legend, in order.

        Returns:
            The legend; it is empty without entries. Pointer and keyboard reach it alike.
        """
        button = Markup(
            '<button type="button" data-figure-toggle="{0}" aria-controls="figure-{0}" value="{1}"'
            ' aria-pressed="{2}"><svg width="26" height="8" aria-hidden="true"><line x2="26"'
            ' y1="4" y2="4" stroke="{3}" stroke-width="2" stroke-dasharray="{4}"/></svg>'
            "{1}</button>"
        )
        buttons = Markup("").join(
            button.format(name, e.name, str(e.is_visible).lower(), e.colour, e.dash)
            for e in entries
        )
        group = Markup('<div class="toggles" role="group" aria-label="Curves">{}</div>')
        return group.format(buttons) if entries else Markup("")

    def scripts(self) -> Markup:
        """BokehJS, the figures and what draws them, for the end of the page's body."""
        bokeh = "\n".join(Resources(mode="inline", components=["bokeh"], log_level="warn").js_raw)
        packed = Markup("\n").join(
            Markup('<script type="text/plain" id="packed-{}">{}</script>').format(name, text)
            for name, text in self._packed.items()
        )
        inlined = [Markup("<script>{}</script>").format(Markup(bokeh))]
        loader = Markup("<script>{}</script>").format(Markup(_text("figures.js")))
        return Markup("\n").join([packed, *inlined, loader] if self._packed else [])


def legend(meaning: Mapping[str, str]) -> Markup:
    """What colours mean: word -> colour such as ``"#4c82bd"``."""
    entry = Markup('<span class="legend"><i style="background: {}"></i>{}</span>')
    return Markup(" ").join(entry.format(colour, word) for word, colour in meaning.items())


def make_map(plot: figure) -> None:
    """Takes the axes from an empty figure; a drag moves it, the wheel zooms it with Ctrl."""
    pan, wheel = PanTool(), WheelZoomTool(modifiers="ctrl")
    plot.add_tools(pan, wheel, ResetTool())
    plot.toolbar.active_drag = pan
    plot.toolbar.active_scroll = wheel
    plot.axis.visible = False
    plot.grid.visible = False


def tooltip(title: str, rows: Sequence[tuple[str, str]], note: str = "") -> str:
    """What a pointer shows: as ``HoverTool(tooltips=…)`` takes it.

    Args:
        title: Usually a column, ``"@name"``.
        rows: Word and value of each line, such as ``("start", "@start_ms{0.000} ms")``.
        note: A column of HTML, without its ``@``; it stands below the rows.

    Returns:
        HTML in the colours of the page. What columns hold is shown as text, but for `note`.
    """
    lines = "".join(
        f'<span style="color:var(--muted)">{escape(word)}</span><span>{value}</span>'
        for word, value in rows
    )
    return (
        f'<div style="max-width:26rem;overflow-wrap:anywhere"><b>{title}</b>'
        '<div style="display:grid;grid-template-columns:max-content 1fr;column-gap:0.6rem">'
        f"{lines}</div>{f'<div>@{note}{{safe}}</div>' if note else ''}</div>"
    )


def style() -> Markup:
    """The style sheet of pages with figures, with its variables for both schemes."""
    return Markup("<style>{}</style>").format(Markup(_text("style.css")))


def _text(file: str) -> str:
    return resources.files("opyard.viewer").joinpath(file).read_text(encoding="utf-8")


def _packed(model: Model) -> str:
    """The figure as JSON, packed, as Base64; equal figures give equal texts."""
    item = json_item(model, theme=_THEME)
    figure = _renumbered({"doc": item["doc"], "root_id": item["root_id"]})
    text = json.dumps(figure, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


def _renumbered(figure: dict[str, Any]) -> Any:
    """The figure with ids by place: Bokeh counts its models over the whole process."""
    ids: dict[str, str] = {}

    def visit(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: number(found) if key in ("id", "root_id") else visit(found)
                for key, found in value.items()
            }
        return [visit(found) for found in value] if isinstance(value, list) else value

    def number(found: Any) -> Any:
        return ids.setdefault(found, f"m{len(ids)}") if isinstance(found, str) else visit(found)

    return visit(figure)
