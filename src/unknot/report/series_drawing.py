"""A run over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unknot._base.errors import UnknotError
from unknot._base.units import Scale, Units
from unknot.report.phrases import count
from unknot.report.picture import Drawing, chosen, drawing, head, plain
from unknot.report.sheet import COLOURS, SOFT
from unknot.report.style import COLUMN, style

if TYPE_CHECKING:
    from unknot.simulation.run.run import Run

PANELS = ("load", "latency", "inside")


def draw_series(
    run: Run,
    *,
    title: str = "",
    units: Units | str | None = None,
    panels: str | Sequence[str] | None = None,
    paper: bool = False,
) -> Drawing:
    """Load, latency and flits inside against the cycles of a run, with the measuring window shaded.

    Parameters
    ----------
    run : Run
        With a `series`.
    title : str
        Stands above the panels, but not in print.
    units : Units or str, optional
        Clock and width of a flit, such as ``2 GHz, 16 B``: draws GB/s against nanoseconds.
    panels : str or sequence of str, optional
        Those of ``load``, ``latency`` and ``inside`` that are drawn; all by default.
    paper : bool
        Whether the figure is made for print: a column of 3.4 inches, texts of 7 and 8 points, thinner lines.

    Returns
    -------
    Drawing
        An SVG element; the same run gives the same text.

    Raises
    ------
    UnknotError
        If the run has no series, it ended before the first interval did, or a panel is not known.

    Examples
    --------
    >>> from unknot import simulate
    >>> run = simulate("mesh(4, 4)", 0.1, routing="dimension_order", warmup=50, measure=100, interval=25)
    >>> draw_series(run, panels="latency")[:4]
    '<svg'
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    series = run.series
    if series is None or not series.offered.size:
        raise UnknotError(
            f"this run of {run.cycles} cycles has no series to draw; give simulate an interval of at most as many"
        )
    scale, shown = Scale.of(units), chosen(panels, PANELS)
    ends = [scale.time(series.interval * (i + 1)) for i in range(series.offered.size)]
    begin, end = scale.time(run.warmup), scale.time(run.warmup + run.measured)
    axis = "Cycle" if scale.units is None else "Time in ns"
    with rc_context(style(paper=paper)):
        size = (COLUMN, 1.8 * len(shown) + 0.2) if paper else (9.0, 2.0 * len(shown) + 0.6)
        figure = Figure(figsize=size, dpi=300 if paper else 144, layout="constrained")
        axes = dict(zip(shown, figure.subplots(len(shown), 1, sharex=True, squeeze=False).flat, strict=True))
        for name, panel in axes.items():
            if run.measured:
                panel.axvspan(begin, end, color="#eef2f6", zorder=0)
            if name == "load":
                offered, accepted = (values * scale.load(1.0) for values in (series.offered, series.accepted))
                panel.plot(ends, offered, color=SOFT, linewidth=1.2, label="offered")
                panel.plot(ends, accepted, color=COLOURS[0], label="accepted")
                panel.legend(loc="lower right", ncols=2)
                panel.set_ylim(0.0, 1.2 * max(float(offered.max()), float(accepted.max()), 1e-9))
                head(
                    panel, f"Load ({scale.load_name.replace(' / ', '/') if paper else scale.load_name})", paper=paper
                )
            elif name == "latency":
                panel.plot(ends, series.latency * scale.time(1.0), color=COLOURS[1], marker=".", markersize=2.5)
                panel.set_ylim(bottom=0.0)
                what = "Mean latency" if paper else "Mean latency of the packets that arrived"
                head(panel, f"{what} ({scale.time_name})", paper=paper)
            else:
                behind = series.behind * scale.time(1.0)
                label = f"{scale.time_name} behind (right)"
                right = panel.twinx()
                lines = panel.plot(ends, series.inside, color=COLOURS[2], label="flits in the network")
                lines += right.plot(ends, behind, color=COLOURS[3], linewidth=1.2, linestyle="--", label=label)
                right.set_ylim(0.0, 1.2 * max(1.0, float(behind.max())))
                right.grid(False)
                right.spines["right"].set_visible(True)
                panel.set_ylim(0.0, 1.2 * max(float(series.inside.max()), 1e-9))
                panel.legend(handles=lines, loc="lower right", ncols=1 if paper else 2)
                text = "Flits in the network" if paper else "Flits in the network, and how far sources are behind"
                head(panel, text, paper=paper)
        panel.set_xlabel(axis if paper else f"{axis} (shaded: the measuring window)")
        panel.set_xlim(0, ends[-1])
        if title and not paper:
            figure.suptitle(plain(title, 120), x=0.012, ha="left", fontsize=10.5)
        return drawing(figure, f"{title}: {count(run.cycles, 'cycle')}, {run.outcome}".removeprefix(": "))
