"""Latency and accepted load against offered load."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

from unknot.report.drawn import Drawing
from unknot.report.sheet import COLOURS, INK, SOFT
from unknot.simulation.run.replication import mean_of, spread
from unknot.simulation.run.run import Run
from unknot.units import Scale, Units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "unknot",
    "svg.fonttype": "path",
    "font.family": ["DejaVu Sans"],
    "font.size": 9.5,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.titlesize": 10.5,
    "text.color": INK,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "grid.color": "#e3e7eb",
    "path.simplify": False,
}

_NIGHT = {"#ffffff": "#15191e", "white": "#15191e", INK: "#e6eaee", SOFT: "#a4aeb8", "#e3e7eb": "#2c343c"}
_RULES = "".join(
    f'svg.unknot [style*="{what}: {day}"]{{{what}:{night} !important}}'
    for day, night in _NIGHT.items()
    for what in ("fill", "stroke")
)
DARK = f"<style>@media (prefers-color-scheme:dark){{{_RULES}}}</style>"


@dataclass(frozen=True)
class Point:
    """The runs of one design at one load, averaged over seeds.

    Attributes
    ----------
    load : float
        Offered.
    accepted : float
    mean, p99 : float or None
        Latency in cycles; None when no packet arrived in any run.
    stable : bool
        Whether every run was.
    deadlocked : bool
        Whether some run ended in a deadlock.
    accepted_half_width, mean_half_width : float or None
        Of 95 % confidence intervals: over the seeds where there are several, else the run's own.
    seeds, stable_seeds : int
        How many runs there are, and how many are stable.
    """

    load: float
    accepted: float
    mean: float | None
    p99: float | None
    stable: bool
    deadlocked: bool
    accepted_half_width: float | None = None
    mean_half_width: float | None = None
    seeds: int = 1
    stable_seeds: int = 1

    def on(self, scale: Scale) -> Point:
        """The point with its times and loads in this scale."""
        found: dict[str, Any] = {}
        for name in ("mean", "p99", "mean_half_width", "load", "accepted", "accepted_half_width"):
            value = getattr(self, name)
            turned = scale.load if name.startswith(("load", "accepted")) else scale.time
            found[name] = None if value is None else turned(value)
        return replace(self, **found)


def points(runs: Iterable[Run]) -> list[Point]:
    """The runs of one design gathered by load, ascending."""
    by_load: dict[float, list[Run]] = {}
    for run in runs:
        by_load.setdefault(run.offered_load, []).append(run)
    return [_point(load, group) for load, group in sorted(by_load.items())]


def _point(load: float, group: list[Run]) -> Point:
    stable = sum(run.stable for run in group)
    accepted, latencies = ([getattr(run, name) for run in group] for name in ("accepted_load", "latency_mean"))
    several = len(group) > 1
    return Point(
        load,
        mean_of(accepted) or 0.0,
        mean_of(latencies),
        mean_of([run.latency_p99 for run in group]),
        stable == len(group),
        any(run.deadlock is not None for run in group),
        spread(accepted) if several else group[0].accepted_half_width,
        (spread(latencies) if stable == len(group) else None) if several else group[0].latency_half_width,
        len(group),
        stable,
    )


def draw_curves(
    designs: Mapping[str, Sequence[Run]], *, stacked: bool = False, units: Units | str | None = None
) -> Drawing:
    """Mean latency, 99th percentile and accepted load against offered load, one line per design.

    Loads at which a run is not stable get a hollow mark, on the upper edge when the latency lies beyond it; loads at
    which a run deadlocks get a cross. Bars are 95 % confidence intervals.

    Parameters
    ----------
    designs : mapping of str to sequence of Run
        Runs of each design, by its name.
    stacked : bool
        Whether the three stand one below the other, for narrow screens.
    units : Units or str, optional
        Clock and width of a flit, such as ``2 GHz, 16 B``: draws nanoseconds against GB/s.

    Returns
    -------
    Drawing
        An SVG element; the same runs give the same text.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    scale = Scale.of(units)
    given = {name: points(runs) for name, runs in designs.items()}
    lines = {name: [point.on(scale) for point in found] for name, found in given.items()}
    entries = len(lines) + 2
    columns = 1 if stacked else 3 if max(map(len, [*lines, ""])) <= 40 else 2
    below = 0.22 * -(-entries // columns) + 0.62
    height = below + (9.0 if stacked else 3.0)
    with rc_context(STYLE | {"svg.hashsalt": "unknot stacked" if stacked else "unknot"}):
        figure = Figure(figsize=(4.4 if stacked else 11.0, height))
        FigureCanvasSVG(figure)
        panels = figure.subplots(*((3, 1) if stacked else (1, 3)))
        _latency(panels[0], lines, "mean", f"Mean latency ({scale.time_name})")
        _latency(panels[1], lines, "p99", f"99th percentile of latency ({scale.time_name})")
        _accepted(panels[2], lines, f"Accepted load ({scale.load_name})")
        for panel in panels:
            panel.set_xlabel(f"Offered load ({scale.load_name})")
            panel.grid(True, linewidth=0.8)
            panel.set_axisbelow(True)
            panel.spines[["top", "right"]].set_visible(False)
        handles, labels = panels[2].get_legend_handles_labels()
        handles += _key(panels[2])
        labels = [*map(_shown, labels), "not stable (on the edge: beyond it)", "deadlock"]
        left, right = (0.13, 0.96) if stacked else (0.045, 0.985)
        figure.subplots_adjust(
            left=left, right=right, wspace=0.2, hspace=0.34, top=1 - 0.36 / height, bottom=below / height
        )
        figure.legend(handles, labels, loc="lower center", ncols=columns, frameon=False)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    summary = "; ".join(map(_described, given.items()))
    return inline(file.getvalue(), f"Latency and accepted load against offered load: {summary}")


def _latency(panel: Axes, lines: Mapping[str, Sequence[Point]], which: str, title: str) -> None:
    steady = [v for ps in lines.values() for p in ps if p.stable and (v := getattr(p, which)) is not None]
    known = [v for ps in lines.values() for p in ps if (v := getattr(p, which)) is not None]
    lowest = min(steady or known, default=1.0)
    top = 1.12 * min(max(steady or known, default=1.0), 6.0 * lowest)
    top = max(top, 2.0 * lowest)
    panel.set_title(title, loc="left", pad=9.0)
    panel.set_ylim(0.0, top)
    for i, (name, found) in enumerate(lines.items()):
        arrived = [p for p in found if getattr(p, which) is not None]
        _line(panel, i, name, [p.load for p in arrived], [getattr(p, which) for p in arrived], arrived, top)
        if which == "mean":
            _bars(panel, i, [(p.load, p.mean, p.mean_half_width) for p in arrived])
        lost = [p.load for p in found if getattr(p, which) is None and p.deadlocked]
        _crosses(panel, i, lost, [top] * len(lost))
    panel.set_xlim(0.0, _most(lines) * 1.04)


def _accepted(panel: Axes, lines: Mapping[str, Sequence[Point]], title: str) -> None:
    panel.set_title(title, loc="left", pad=9.0)
    most = _most(lines)
    panel.plot([0.0, most], [0.0, most], color="#9aa4ae", linewidth=1.0, linestyle=(0, (2, 3)))
    top = 1.08 * max((p.accepted for found in lines.values() for p in found), default=1.0) or 1.0
    for i, (name, found) in enumerate(lines.items()):
        _line(panel, i, name, [p.load for p in found], [p.accepted for p in found], found, top)
        _bars(panel, i, [(p.load, p.accepted, p.accepted_half_width) for p in found])
    panel.set_xlim(0.0, most * 1.04)
    panel.set_ylim(0.0, top)


def _line(
    panel: Axes, i: int, name: str, xs: list[float], ys: list[float], found: Sequence[Point], top: float
) -> None:
    colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
    panel.plot(xs, ys, color=colour, marker=marker, markersize=4.5, linewidth=1.7, label=name)
    loose = [(x, min(y, top)) for x, y, p in zip(xs, ys, found, strict=True) if not p.stable]
    panel.plot(
        [x for x, _ in loose], [y for _, y in loose], color=colour, marker=marker, markersize=6.5, linestyle="none",
        markerfacecolor="white", markeredgewidth=1.4, clip_on=False,
    )  # fmt: skip
    stuck = [(x, min(y, top)) for x, y, p in zip(xs, ys, found, strict=True) if p.deadlocked]
    _crosses(panel, i, [x for x, _ in stuck], [y for _, y in stuck])


def _bars(panel: Axes, i: int, intervals: Sequence[tuple[float, float | None, float | None]]) -> None:
    """Confidence intervals, where they are known."""
    known = [(x, y, width) for x, y, width in intervals if y is not None and width]
    if known:
        xs, ys, widths = zip(*known, strict=True)
        panel.errorbar(
            xs, ys, widths, fmt="none", ecolor=COLOURS[i % len(COLOURS)], elinewidth=1.1, capsize=2.6, capthick=1.1
        )  # fmt: skip


def _most(lines: Mapping[str, Sequence[Point]]) -> float:
    return max((p.load for found in lines.values() for p in found), default=1.0)


def _crosses(panel: Axes, i: int, xs: list[float], ys: list[float]) -> None:
    panel.plot(
        xs, ys, color=COLOURS[i % len(COLOURS)], marker="x", markersize=9, markeredgewidth=2.2, linestyle="none",
        clip_on=False, zorder=5,
    )  # fmt: skip


def _key(panel: Axes) -> list[Any]:
    """Legend entries of the marks that are not lines."""
    hollow = panel.plot([], [], marker="o", markerfacecolor="white", color=SOFT, linestyle="none", markersize=6.5)
    cross = panel.plot([], [], marker="x", color=SOFT, linestyle="none", markersize=8, markeredgewidth=2)
    return [*hollow, *cross]


def _shown(name: str) -> str:
    """A name that matplotlib neither hides nor reads as mathematics."""
    text = name if len(name) <= 60 else name[:59] + "…"
    return text.replace("$", r"\$")


def _described(entry: tuple[str, Sequence[Point]]) -> str:
    name, found = entry
    steady = [p for p in found if p.stable]
    text = f"{name}: stable up to {max(p.load for p in steady):g}" if steady else f"{name}: not stable at any load"
    stuck = [p.load for p in found if p.deadlocked]
    return text + (f", deadlock at {min(stuck):g}" if stuck else "")


def inline(text: str, title: str) -> Drawing:
    """The element of an SVG file alone, with a title and no remark on what wrote it."""
    text = text[text.index("<svg") :].strip()
    text = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"\n\s*", "\n", text)
    opening, rest = text.split(">", 1)
    opening += ' class="unknot" role="img" stroke-linejoin="round" stroke-linecap="butt"'
    return Drawing(f"{opening}><title>{escape(title, quote=False)}</title>{DARK}{rest}")
