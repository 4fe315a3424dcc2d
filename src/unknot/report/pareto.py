"""Designs in a picture: what they cost against what they carry, and which are beaten by none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unknot._base.errors import shortened
from unknot.report.picture import Drawing, drawing, style
from unknot.report.sheet import COLOURS, SOFT

if TYPE_CHECKING:
    from unknot.studies.comparison import Compared

APART = 0.055
"""Least distance of two names, as a share of the height."""
LETTERS = 58


def unbeaten(rows: Sequence[Compared]) -> list[int]:
    """Return the rows, by number, than which none of the same share of failed links costs less and carries as much.

    Examples
    --------
    >>> from unknot.studies.comparison import compared
    >>> unbeaten(list(compared(["torus(4, 4)", "complete(16)", "ring(16)"])))
    [2, 0, 1]
    """
    order = sorted(range(len(rows)), key=lambda k: (rows[k].cost_per_host, -rows[k].adversarial))
    best: dict[float, float] = {}
    kept = []
    for k in order:
        if rows[k].adversarial > best.get(rows[k].failed, -1.0):
            best[rows[k].failed] = rows[k].adversarial
            kept.append(k)
    return kept


def draw_pareto(rows: Sequence[Compared]) -> Drawing:
    """Draw cost per host against the load under the worst permutation, a mark for each design.

    A line joins the designs of each share of failed links that no other beats in both; hollow marks can deadlock, do
    not deliver, or are undecided.

    Parameters
    ----------
    rows : sequence of Compared
        The rows, as `unknot.studies.comparison.compared` yields them.

    Returns
    -------
    Drawing
        An SVG element; the same rows give the same text.

    Examples
    --------
    >>> from unknot.studies.comparison import compared
    >>> draw_pareto(list(compared(["torus(4, 4)", "ring(16)"]))).text[:4]
    '<svg'
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    best, shares = unbeaten(rows), sorted({row.failed for row in rows})
    with rc_context(style("")):
        figure = Figure(figsize=(8.4, 4.4), dpi=144, layout="constrained")
        panel = figure.subplots()
        for number, share in enumerate(shares):
            colour = COLOURS[number % len(COLOURS)]
            line = [k for k in best if rows[k].failed == share]
            label = "all links" if not share else f"{100 * share:.3g} % of the links failed"
            panel.plot(
                [rows[k].cost_per_host for k in line], [rows[k].adversarial for k in line], color=colour, label=label
            )
            for row in (row for row in rows if row.failed == share):
                fill = colour if row.holds else "white"
                panel.plot(row.cost_per_host, row.adversarial, "o", color=colour, markerfacecolor=fill)
        high = 1.12 * max((row.adversarial for row in rows), default=1.0) or 1.0
        most = max((row.cost_per_host for row in rows), default=0.0) or 1.0
        panel.set_xlim(0.0, 1.5 * most)
        panel.set_ylim(0.0, high)
        for k, at in _named(rows, high):
            name = shortened(rows[k].design, LETTERS).replace("$", r"\$")
            panel.annotate(
                name, (rows[k].cost_per_host, rows[k].adversarial), (1.03 * most, at), textcoords="data", fontsize=8,
                va="center", color=SOFT, arrowprops={"arrowstyle": "-", "color": "#c9d0d6", "lw": 0.7},
            )  # fmt: skip
        panel.set_title("Load under the worst permutation (flits per host and cycle)", loc="left")
        panel.set_xlabel("Dollars per host")
        panel.xaxis.set_major_formatter("{x:,.0f}")
        if len(shares) > 1:
            figure.legend(loc="outside lower center", ncols=len(shares))
        words = "; ".join(f"{row.design} {row.cost_per_host:,.0f} {row.adversarial:.3g}" for row in rows)
        return drawing(figure, f"Cost per host against the load under the worst permutation: {words}")


def _named(rows: Sequence[Compared], high: float) -> list[tuple[int, float]]:
    """The first row of each design, and the heights of their names: near their marks, and apart."""
    first: dict[str, int] = {}
    for k, row in enumerate(rows):
        first.setdefault(row.design, k)
    order = sorted(first.values(), key=lambda k: (rows[k].adversarial, -rows[k].cost_per_host))
    heights, below = [], 0.0
    for k in order:
        below = max(rows[k].adversarial, below + APART * high)
        heights.append(below)
    above = (1 + APART) * 0.97 * high
    for at in reversed(range(len(heights))):
        above = heights[at] = min(heights[at], above - APART * high)
    return [*zip(order, heights, strict=True)]
