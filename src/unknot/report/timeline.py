"""The messages of a trace drawn over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unknot._base.units import Scale, Units
from unknot.network import Network
from unknot.report import shapes
from unknot.report.phrases import count, escape
from unknot.report.sheet import COLOURS, INK, PALE, SOFT, number

if TYPE_CHECKING:
    from unknot.simulation.traces.trace_run import TraceRun

WIDTH, LEFT, TOP, LANE = 900.0, 90.0, 44.0, 5.0
MOST = 4000
"""Messages that are drawn."""


def draw_timeline(network: Network, run: TraceRun, *, units: Units | str | None = None) -> str:
    """A band for each terminal that sends, time from left to right; messages it has on the way together lie in lanes.

    A message is pale while it waits at its source and coloured, by its class, while it is in the network; one that
    did not arrive ends at the right edge.

    Parameters
    ----------
    units : Units or str, optional
        Clock and width of a flit, such as ``2 GHz, 16 B``: the axis is in nanoseconds.

    Returns
    -------
    str
        An SVG element, always the same for the same run.
    """
    shown = Scale.of(units)
    trace, end = run.trace, max(1, run.cycles if run.makespan is None else run.makespan)
    title = f"{count(len(trace), 'message')} on {network.name}, {shown.time(end):.6g} {shown.time_name}"
    if len(trace) > MOST:
        return shapes.note(title, f"Too many to draw: {title}.")
    scale = (WIDTH - LEFT - 20) / end
    classes = sorted(set(trace.classes))
    colour = [COLOURS[classes.index(c) % len(COLOURS)] for c in trace.classes] or [COLOURS[0]] * len(trace)
    sent: dict[int, list[int]] = {}
    for i in sorted(range(len(trace)), key=lambda i: (run.ready[i], i)):
        if run.ready[i] >= 0:
            sent.setdefault(int(trace.source[i]), []).append(i)
    parts, y = [shapes.text(complex(LEFT, 18), title, size=13, anchor="start", bold=True)], TOP
    for k, name in enumerate(classes):
        at = complex(LEFT + 110 * k, 34)
        parts.append(shapes.text(at, name or "other", size=11, anchor="start", colour=COLOURS[k % len(COLOURS)]))
    for terminal in sorted(sent):
        lanes: list[int] = []
        bars = []
        for i in sent[terminal]:
            ready, injected, arrived = int(run.ready[i]), int(run.injected[i]), int(run.arrived[i])
            last = arrived if arrived >= 0 else end
            lane = next((k for k, free in enumerate(lanes) if free <= ready), len(lanes))
            lanes[lane : lane + 1] = [last]
            journey = f"{network.terminal_name(terminal)} → {network.terminal_name(int(trace.destination[i]))}"
            size = count(int(trace.flits[i]), "flit")
            ends = f"arrived {arrived}{shown.ns(arrived)}" if arrived >= 0 else "did not arrive"
            label = f"{trace.name(i)}: {journey}, {size}, ready {ready}{shown.ns(ready)}, {ends}"
            tip = f"<title>{escape(label, quote=False)}</title>"
            entered = injected if injected >= 0 else last
            for start, stop, fill in ((ready, entered, PALE), (entered, last, colour[i])):
                if stop > start:
                    left, right = (number(LEFT + cycle * scale) for cycle in (start, stop))
                    upper, lower = number(y + lane * LANE), number(y + (lane + 1) * LANE - 1)
                    box = f"M{left},{upper}L{right},{upper}L{right},{lower}L{left},{lower}Z"
                    bars.append(f'<path d="{box}" fill="{fill}">{tip}</path>')
        high = LANE * len(lanes)
        name = shapes.short(network.terminal_name(terminal), 14)
        parts.append(shapes.text(complex(LEFT - 8, y + high / 2 + 3.5), name, size=10, anchor="end", colour=INK))
        parts += bars
        y += high + 6
    lines = []
    for k in range(5):
        x = LEFT + k * (WIDTH - LEFT - 20) / 4
        line = f"M{number(x)},{number(TOP - 4)}L{number(x)},{number(y)}"
        lines.append(f'<path d="{line}" stroke="{SOFT}" stroke-width="0.4" fill="none"/>')
        parts.append(
            shapes.text(
                complex(x, y + 13), f"{shown.time(end) * k / 4:.{0 if units is None else 1}f}", size=10, colour=SOFT
            )
        )
    return shapes.svg(WIDTH, y + 24, title, lines + parts)
