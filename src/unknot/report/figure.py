"""Figures by matplotlib: one style for screens, one for print, and their drawings."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from unknot._base.errors import UnknotError, visible
from unknot.report.drawn import Drawing
from unknot.report.phrases import escape
from unknot.report.sheet import INK, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN, TEXT = 3.4, 7.0
"""Inches: a column, and both columns, of a paper in two columns."""
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "unknot",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "font.family": ["DejaVu Sans"],
    "font.size": 9.5,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.titlesize": 10.5,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "grid.color": "#e3e7eb",
    "legend.frameon": False,
    "lines.linewidth": 1.7,
    "lines.markersize": 4.5,
    "errorbar.capsize": 2.6,
    "path.simplify": False,
}
PAPER: dict[Any, Any] = {
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "axes.labelcolor": "black",
    "axes.edgecolor": "black",
    "text.color": "black",
    "xtick.color": "black",
    "ytick.color": "black",
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "legend.fontsize": 7.0,
    "axes.linewidth": 0.6,
    "axes.titlepad": 3.0,
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.2,
    "errorbar.capsize": 1.6,
}
"""What differs in print; no text is smaller than 7 points, and PDF embeds its fonts as TrueType."""

_NIGHT = {"#ffffff": "#15191e", "white": "#15191e", INK: "#e6eaee", SOFT: "#a4aeb8", "#e3e7eb": "#2c343c"}
_RULES = "".join(
    f'svg.unknot [style*="{what}: {day}"]{{{what}:{night} !important}}'
    for day, night in _NIGHT.items()
    for what in ("fill", "stroke")
)
DARK = f"<style>@media (prefers-color-scheme:dark){{{_RULES}}}</style>"
METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def style(*, paper: bool, salt: str = "") -> dict[Any, Any]:
    """Settings of matplotlib for a figure on screen or in print; figures on one page differ in their salt."""
    return STYLE | (PAPER if paper else {}) | {"svg.hashsalt": f"unknot {salt}".strip()}


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


def saved(figure: Figure, form: str) -> bytes:
    """The bytes of a figure as ``svg``, ``png`` or ``pdf``: always the same, without a date."""
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(file, format=form, dpi="figure", metadata=METADATA[form])
    return file.getvalue()


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
