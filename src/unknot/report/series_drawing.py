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

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unknot.simulation.run.run import Run

METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "png": {"Software": None},
}


def draw_series(run: Run, *, title: str = "") -> str:
    """Load, latency and flits inside against the cycles of a run, with the measuring window shaded.

    Parameters
    ----------
    run : Run
        With a `series`.

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
    return inline(_drawn(run, title, "svg").decode(), caption)


def write_series(run: Run, path: str | Path, *, title: str = "") -> None:
    """Write the same drawing as SVG or PNG, as the ending of the file says.

    Raises
    ------
    UnknotError
        If the ending is neither ``.svg`` nor ``.png``, or there is nothing to draw.
    """
    path = Path(path)
    require_ending(path)
    if path.suffix.lower() == ".svg":
        write_text(path, draw_series(run, title=title))
    else:
        write_bytes(path, _drawn(run, title, "png"))


def _drawn(run: Run, title: str, form: str) -> bytes:
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    series = run.series
    if series is None or not series.offered.size:
        raise UnknotError(
            f"this run of {run.cycles} cycles has no series to draw; give simulate an interval of at most as many"
        )
    ends = [series.interval * (i + 1) for i in range(series.offered.size)]
    with rc_context(STYLE):
        figure = Figure(figsize=(9.0, 6.6), dpi=144)
        FigureCanvasAgg(figure)
        load, latency, inside = figure.subplots(3, 1, sharex=True)
        for panel in (load, latency, inside):
            if run.measured:
                panel.axvspan(run.warmup, run.warmup + run.measured, color="#eef2f6", zorder=0)
        load.plot(ends, series.offered, color=SOFT, linewidth=1.2, label="offered")
        load.plot(ends, series.accepted, color=COLOURS[0], linewidth=1.4, label="accepted")
        load.legend(frameon=False, loc="lower right", ncols=2)
        latency.plot(ends, series.latency, color=COLOURS[1], linewidth=1.4, marker=".", markersize=2.5)
        handles = inside.plot(ends, series.inside, color=COLOURS[2], linewidth=1.4, label="flits in the network")
        right = inside.twinx()
        handles += right.plot(
            ends, series.behind, color=COLOURS[3], linewidth=1.2, linestyle="--", label="cycles behind (right)"
        )
        right.set_ylim(0.0, 1.2 * max(1.0, float(series.behind.max())))
        right.spines[["top"]].set_visible(False)
        inside.legend(handles=handles, frameon=False, loc="lower right", ncols=2)
        _name(load, "Load (flits / terminal / cycle)", max(series.offered.max(), series.accepted.max()))
        _name(latency, "Mean latency of the packets that arrived (cycles)", None)
        _name(inside, "Flits in the network, and how far sources are behind", series.inside.max())
        latency.set_ylim(bottom=0.0)
        inside.set_xlabel("Cycle (shaded: the measuring window)")
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
