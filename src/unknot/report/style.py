"""One style of matplotlib for screens and one for print, and figures as bytes."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from unknot._base.manifest import line
from unknot.report.sheet import INK, SOFT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from unknot._base.manifest import Manifest

COLUMN, TEXT = 3.4, 7.0
"""Widths in inches of one column and of both columns of a paper."""
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

METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def style(*, paper: bool, salt: str = "") -> dict[Any, Any]:
    """Settings of matplotlib for a figure on screen or in print; figures on one page differ in their salt."""
    return STYLE | (PAPER if paper else {}) | {"svg.hashsalt": f"unknot {salt}".strip()}


def saved(figure: Figure, form: str, manifest: Manifest | None = None) -> bytes:
    """The bytes of a figure as ``svg``, ``png`` or ``pdf``: always the same, without a date.

    PNG and PDF have room for a manifest, the one as a text chunk, the other as keywords.
    """
    more = {} if manifest is None else {{"png": "unknot", "pdf": "Keywords"}[form]: line(manifest, "()")}
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(file, format=form, dpi="figure", metadata=METADATA[form] | more)
    return file.getvalue()
