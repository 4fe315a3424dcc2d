"""Latency and accepted load against offered load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unknot._base.errors import shortened, visible
from unknot._base.units import Scale, Units
from unknot.report.curve_points import CurvePoint, points
from unknot.report.picture import Drawing, drawing, style
from unknot.report.sheet import COLOURS, SOFT
from unknot.simulation.run.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)))
HOLLOW = 6.5
"""Size of a hollow mark, in points."""
APART = 9.0
"""Distance of marks that would cover each other, in points."""
ROWS = 6
"""Most marks above each other on the edge."""
ACROSS, UP = 215.0, 150.0
"""About the size of a panel, in points."""
PANELS = {
    "latency_mean": "Mean latency",
    "latency_p99": "99th percentile of latency",
    "accepted_load": "Accepted load",
}
ENERGY = {"pj_per_bit": "Energy per delivered bit"}
"""A panel more, where runs have a technology."""
HALF_WIDTHS = {"latency_mean": "latency_half_width", "accepted_load": "accepted_half_width"}


def draw_curves(
    designs: Mapping[str, Sequence[Run | CurvePoint]],
    *,
    stacked: bool = False,
    units: Units | str | None = None,
) -> Drawing:
    """Mean latency, 99th percentile and accepted load against offered load, one line per design.

    Runs with a technology also have the energy per delivered bit.

    Loads at which a run is not stable get a hollow mark, on the upper edge when the latency lies beyond it; loads at
    which a run deadlocks get a cross, those at which one was too short to tell a stroke. Hollow marks of several
    designs at one point stand side by side, or above each other on the edge. Bars are 95 % confidence intervals.

    Parameters
    ----------
    designs : mapping of str to sequence of Run
        Runs of each design, by its name; or its `points`.
    stacked : bool
        Whether the panels stand one below the other, for narrow screens and single columns.
    units : Units or str, optional
        Clock and width of a flit, such as ``2 GHz, 16 B``: draws nanoseconds against GB/s.

    Returns
    -------
    Drawing
        An SVG element; the same runs give the same text.

    Examples
    --------
    >>> from unknot.simulation import simulate
    >>> short = {"warmup": 50, "measure": 100}
    >>> runs = [simulate("mesh(4, 4)", load, routing="dimension_order", **short) for load in (0.1, 0.2)]
    >>> drawing = draw_curves({"XY": runs})
    >>> drawing.text[:4], "XY" in drawing.text
    ('<svg', True)
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    scale = Scale.of(units)
    groups = {name: points(runs) for name, runs in designs.items()}
    lines = {name: [point.on(scale) for point in group] for name, group in groups.items()}
    every = [point for group in lines.values() for point in group]
    panels = PANELS | (ENERGY if any(point.pj_per_bit is not None for point in every) else {})
    width = 4.4 if stacked else 11.0 * len(panels) / len(PANELS)
    letters = int(width * 12.5)
    # matplotlib would read what stands between dollars as mathematics
    names = [shortened(visible(name), min(60, letters - 6)).replace("$", r"\$") for name in lines]
    marks = {}
    if any(not (point.stable or point.undecided) for point in every):
        marks["not stable (on the edge: beyond it)"] = "o"
    if any(point.deadlocked for point in every):
        marks["deadlock"] = "x"
    if any(point.undecided for point in every):
        marks["too short to tell"] = "|"
    names += marks
    columns = max(1, min(len(names), 4, letters // (max(map(len, [*names, ""])) + 6)))
    height = 3.0 * (len(panels) if stacked else 1) + 0.22 * -(-len(names) // columns) + 0.1
    with rc_context(style("stacked" if stacked else "")):
        figure = Figure(figsize=(width, height), dpi=144, layout="constrained")
        grid = figure.subplots(*((len(panels), 1) if stacked else (1, len(panels))), squeeze=False)
        for (which, what), panel in zip(panels.items(), grid.flat, strict=True):
            rows = _draw(panel, lines, which)
            unit = {"accepted_load": scale.load_name, "pj_per_bit": "pJ"}.get(which, scale.time_name)
            panel.set_title(f"{what} ({unit})", loc="left", pad=8.0 + APART * rows)
            panel.set_xlim(0.0, _most(lines) * 1.04)
            panel.set_xlabel(f"Offered load ({scale.load_name})")
        if names:
            looks = [*map(_look, range(len(lines))), *({**_MARK, "marker": sign} for sign in marks.values())]
            figure.legend(
                [Line2D([], [], **look) for look in looks], names, loc="outside lower center", ncols=columns
            )
        summary = "; ".join(map(_described, groups.items()))
        return drawing(figure, f"Latency and accepted load against offered load: {summary}")


def _look(i: int) -> dict[str, Any]:
    """Colour, mark and line of a design: those of 49 designs differ."""
    again, k = divmod(i, len(COLOURS))
    return {
        "color": COLOURS[k],
        "marker": MARKERS[(k + again) % len(MARKERS)],
        "linestyle": DASHES[again % len(DASHES)],
    }


def _draw(panel: Axes, lines: Mapping[str, Sequence[CurvePoint]], which: str) -> int:
    """The curves of one figure, and the rows of marks above its edge.

    Loads without a packet that arrived have no mark of latency.
    """
    known = [(p, y) for group in lines.values() for p in group if (y := getattr(p, which)) is not None]
    if which == "accepted_load":
        most = _most(lines)
        panel.plot([0.0, most], [0.0, most], color="#9aa4ae", linewidth=1.0, linestyle=(0, (2, 3)))
        top = 1.08 * max((y for _, y in known), default=1.0) or 1.0
    else:
        steady = [y for p, y in known if p.stable] or [y for _, y in known] or [1.0]
        top = max(1.12 * min(max(steady), 6.0 * min(steady)), 2.0 * min(steady))
    panel.set_ylim(0.0, top)
    taken: list[complex] = []
    rows = 0
    for i, group in enumerate(lines.values()):
        shown = [p for p in group if getattr(p, which) is not None or p.deadlocked]
        places = [(p.offered_load, top if (y := getattr(p, which)) is None else min(y, top)) for p in shown]
        moves = [
            _free(complex(x / _most(lines) * ACROSS, y / top * UP), y == top, taken) if _loose(p) else 0j
            for (x, y), p in zip(places, shown, strict=True)
        ]
        rows = max([rows, *(int(move.imag / APART) for (_, y), move in zip(places, moves, strict=True) if y == top)])
        arrived = [p for p in shown if getattr(p, which) is not None]
        filled = [k for k, p in enumerate(arrived) if not _loose(p)]
        xs, ys = [p.offered_load for p in arrived], [getattr(p, which) for p in arrived]
        panel.plot(xs, ys, **_look(i), markevery=filled)
        for p, place, move in zip(shown, places, moves, strict=True):
            _marks(panel, i, p, place, move, known=getattr(p, which) is not None)
        if which in HALF_WIDTHS:
            _bars(panel, i, [(p.offered_load, getattr(p, which), getattr(p, HALF_WIDTHS[which])) for p in arrived])
    return rows


def _loose(p: CurvePoint) -> bool:
    """Whether a point has a hollow mark or a cross, which other designs must not cover."""
    return not (p.stable or p.undecided) or p.deadlocked


def _free(at: complex, edge: bool, taken: list[complex]) -> complex:
    """How far a mark is moved, in points, to stand apart from those at places taken; its place is taken then."""
    moves = [APART * 1j * k for k in range(ROWS)]
    if not edge:
        moves = [0j, *(APART * k * way for k in range(1, ROWS) for way in (1, -1, 1j, -1j))]
    apart = (move for move in moves if all(abs(at + move - other) >= 0.95 * APART for other in taken))
    move = next(apart, 0j)
    taken.append(at + move)
    return move


def _marks(panel: Axes, i: int, p: CurvePoint, place: tuple[float, float], move: complex, *, known: bool) -> None:
    """Marks of a point that may cross the edge of the panel: hollow where not stable, a cross, a stroke."""
    from matplotlib.transforms import ScaledTranslation

    shift = ScaledTranslation(move.real / 72, move.imag / 72, panel.figure.dpi_scale_trans)
    look = _look(i) | {"linestyle": "none", "clip_on": False, "transform": panel.transData + shift}
    if known and not (p.stable or p.undecided):
        panel.plot(*place, **look, markerfacecolor="white", markersize=HOLLOW, markeredgewidth=1.36)
    for sign in "x" * p.deadlocked + "|" * (known and p.undecided):
        panel.plot(*place, **look | {"marker": sign}, zorder=5, markersize=9.0, markeredgewidth=2.2)


def _bars(panel: Axes, i: int, intervals: Sequence[tuple[float, float | None, float | None]]) -> None:
    """Confidence intervals, where they are known."""
    known = [(x, y, width) for x, y, width in intervals if y is not None and width]
    if known:
        xs, ys, widths = zip(*known, strict=True)
        panel.errorbar(xs, ys, widths, fmt="none", ecolor=_look(i)["color"], elinewidth=1.1, capthick=1.1)


def _most(lines: Mapping[str, Sequence[CurvePoint]]) -> float:
    return max((p.offered_load for group in lines.values() for p in group), default=1.0)


_MARK: dict[str, Any] = {"color": SOFT, "linestyle": "none", "markerfacecolor": "white"}


def _described(entry: tuple[str, Sequence[CurvePoint]]) -> str:
    name, group = entry
    steady = [p for p in group if p.stable]
    unsure = [f"{p.offered_load:g}" for p in group if p.undecided]
    none = "not stable at any load" if len(unsure) < len(group) else "no load decided"
    text = f"{name}: stable up to {max(p.offered_load for p in steady):g}" if steady else f"{name}: {none}"
    text += f", too short to tell at {', '.join(unsure)}" if unsure else ""
    stuck = [p.offered_load for p in group if p.deadlocked]
    return text + (f", deadlock at {min(stuck):g}" if stuck else "")
