"""Drawings of figures by matplotlib: their panels, names and dark colours."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from unknot._base.errors import UnknotError, visible
from unknot.report.drawn import Drawing
from unknot.report.phrases import escape
from unknot.report.sheet import INK, SOFT
from unknot.report.style import saved

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NIGHT = {"#ffffff": "#15191e", "white": "#15191e", INK: "#e6eaee", SOFT: "#a4aeb8", "#e3e7eb": "#2c343c"}
_RULES = "".join(
    f'svg.unknot [style*="{what}: {day}"]{{{what}:{night} !important}}'
    for day, night in _NIGHT.items()
    for what in ("fill", "stroke")
)
DARK = f"<style>@media (prefers-color-scheme:dark){{{_RULES}}}</style>"


def head(panel: Axes, text: str, *, paper: bool) -> None:
    """Name a panel: above it, in print beside its axis."""
    if paper:
        panel.set_ylabel(text)
    else:
        panel.set_title(text, loc="left", pad=6.0)


def chosen(panels: str | Sequence[str] | None, known: Collection[str]) -> tuple[str, ...]:
    """The panels that are drawn, in the order of the figure; all of them by default.

    Raises
    ------
    UnknotError
        If there is none, or one is not known.
    """
    names = tuple(known) if panels is None else (panels,) if isinstance(panels, str) else tuple(panels)
    if not names or (strange := set(names) - set(known)):
        got = ", ".join(map(repr, sorted(strange))) if names else "none"
        raise UnknotError(f"the panels of this figure are {', '.join(known)}; got {got}")
    return tuple(name for name in known if name in names)


def plain(text: str, most: int = 60) -> str:
    """A name that matplotlib does not read as mathematics, cut to a number of characters."""
    text = visible(text)
    return (text if len(text) <= most else text[: most - 1] + "…").replace("$", r"\$")


def drawing(figure: Figure, title: str) -> Drawing:
    """A figure as a drawing: the element of its SVG alone, with a title and no remark on what wrote it."""
    text = saved(figure, "svg").decode()
    figure.set_layout_engine("none")  # so that everything stays in its place, whatever is written next
    text = text[text.index("<svg") :].strip()
    text = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"\n\s*", "\n", text)
    opening, rest = text.split(">", 1)
    opening += ' class="unknot" role="img" stroke-linejoin="round" stroke-linecap="butt"'
    return Drawing(f"{opening}><title>{escape(title, quote=False)}</title>{DARK}{rest}", figure)
