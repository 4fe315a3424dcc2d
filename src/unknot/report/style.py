"""The style of matplotlib, and figures as bytes."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from unknot._base.manifest import line
from unknot.report.sheet import INK, SOFT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from unknot._base.manifest import Manifest

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
METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def style(salt: str = "") -> dict[Any, Any]:
    """Settings of matplotlib for a figure; figures on one page differ in their salt."""
    return STYLE | {"svg.hashsalt": f"unknot {salt}".strip()}


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
