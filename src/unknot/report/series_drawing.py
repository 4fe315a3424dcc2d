"""A run over time."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot.errors import UnknotError
from unknot.output import write_bytes, write_text
from unknot.report.curves import STYLE, inline
from unknot.report.phrases import count
from unknot.report.picture import require_ending
from unknot.report.sheet import COLOURS, SOFT
from unknot.units import Scale, Units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unknot.simulation.run.run import Run

METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "png": {"Software": None},
}


def draw_series(run: Run, *, title: str = "", units: Units | str | None = None) -> str:
    """Load, latency and flits inside against the cycles of a run, with the measuring window shaded.

    Parameters
    ----------
    run : Run
        With a `series`.
    units : Units or str, optional
        Clock and width of a flit, such as ``2 GHz, 16 B``: draws GB/s against nanoseconds.

    Returns
    -------
    str
        An SVG element; the same run gives the same text.

    Raises
    ------
    UnknotError
        If the run has no series, or it ended before the first interval did.
    """
    caption = f"{title}: {count(run.cycles, 'cycle')}, {'stable' if run.stable else 'not stable'}".removeprefix(": ")
    return inline(_drawn(run, title, "svg", Scale.of(units)).decode(), caption)


def write_series(run: Run, path: str | Path, *, title: str = "", units: Units | str | None = None) -> None:
    """Write the same drawing as SVG or PNG, as the ending of the file says.

    Raises
    ------
    UnknotError
        If the ending is neither ``.svg`` nor ``.png``, or there is nothing to draw.
    """
    path = Path(path)
    require_ending(path)
    if path.suffix.lower() == ".svg":
        write_text(path, draw_series(run, title=title, units=units))
    else:
        write_bytes(path, _drawn(run, title, "png", Scale.of(units)))


def _drawn(run: Run, title: str, form: str, scale: Scale) -> bytes:
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    series = run.series
    if series is None or not series.offered.size:
        raise UnknotError(
            f"this run of {run.cycles} cycles has no series to draw; give simulate an interval of at most as many"
        )
    ends = [scale.time(series.interval * (i + 1)) for i in range(series.offered.size)]
    offered, accepted = (values * scale.load(1.0) for values in (series.offered, series.accepted))
    late, behind = (values * scale.time(1.0) for values in (series.latency, series.behind))
    begin, end = scale.time(run.warmup), scale.time(run.warmup + run.measured)
    with rc_context(STYLE):
        figure = Figure(figsize=(9.0, 6.6), dpi=144)
        FigureCanvasAgg(figure)
        load, latency, inside = figure.subplots(3, 1, sharex=True)
        for panel in (load, latency, inside):
            if run.measured:
                panel.axvspan(begin, end, color="#eef2f6", zorder=0)
        load.plot(ends, offered, color=SOFT, linewidth=1.2, label="offered")
        load.plot(ends, accepted, color=COLOURS[0], linewidth=1.4, label="accepted")
        load.legend(frameon=False, loc="lower right", ncols=2)
        latency.plot(ends, late, color=COLOURS[1], linewidth=1.4, marker=".", markersize=2.5)
        handles = inside.plot(ends, series.inside, color=COLOURS[2], linewidth=1.4, label="flits in the network")
        right = inside.twinx()
        handles += right.plot(
            ends, behind, color=COLOURS[3], linewidth=1.2, linestyle="--", label=f"{scale.time_name} behind (right)"
        )
        right.set_ylim(0.0, 1.2 * max(1.0, float(behind.max())))
        right.spines[["top"]].set_visible(False)
        inside.legend(handles=handles, frameon=False, loc="lower right", ncols=2)
        _name(load, f"Load ({scale.load_name})", max(offered.max(), accepted.max()))
        _name(latency, f"Mean latency of the packets that arrived ({scale.time_name})", None)
        _name(inside, "Flits in the network, and how far sources are behind", series.inside.max())
        latency.set_ylim(bottom=0.0)
        axis = "Cycle" if scale.units is None else "Time in ns"
        inside.set_xlabel(f"{axis} (shaded: the measuring window)")
        inside.set_xlim(0, ends[-1])
        if title:
            figure.suptitle(title.replace("$", r"\$"), x=0.012, ha="left", fontsize=10.5)
        figure.subplots_adjust(left=0.075, right=0.93, top=0.91 if title else 0.95, bottom=0.075, hspace=0.32)
        file = io.BytesIO()
        figure.savefig(file, format=form, metadata=METADATA[form])
    return file.getvalue()


def _name(panel: Axes, text: str, highest: float | None) -> None:
    panel.set_title(text, loc="left", pad=5.0, fontsize=9.5)
    panel.grid(True, linewidth=0.8)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)
    if highest is not None:
        panel.set_ylim(0.0, 1.2 * max(float(highest), 1e-9))
