"""Which channels a schedule keeps busy, and when: a row for each channel, time from left to right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from unknot.report import shapes
from unknot.report.sheet import COLOURS, PALE, SOFT, path
from unknot.traffic.collectives.schedule import Schedule, passage

MOST_ROWS = 96
"""Channels that are drawn, the busiest; of more a line says how many are left out."""
ROW, LEFT, WIDTH = 11.0, 130.0, 760.0
ADDS, COPIES = COLOURS[1], COLOURS[0]


def busy_times(schedule: Schedule) -> dict[int, list[tuple[float, float, bool]]]:
    """Return for each channel that is used when it is busy: start, end, and whether what it carries is added up.

    Of a schedule by steps the channel is busy at the beginning of the step, for its bytes over its bandwidth.
    """
    busy: defaultdict[int, list[tuple[float, float, bool]]] = defaultdict(list)
    if schedule.starts:
        for sent, start in zip(schedule.transfers, schedule.starts, strict=True):
            taken = passage(schedule.platform, schedule.chunks[sent.chunk].size, sent.path)
            for channel, begins in zip(sent.path, taken.begins, strict=True):
                busy[channel].append((float(start + begins), float(start + begins + taken.lasts), sent.reduces))
        return dict(busy)
    begun = [0.0]
    for latency, longest in schedule.costs:
        begun.append(begun[-1] + float(latency + longest))
    ends = defaultdict[tuple[int, int], float](float)
    for sent in schedule.transfers:
        for channel in sent.path:
            at = max(begun[sent.step], ends[sent.step, channel])
            lasts = schedule.chunks[sent.chunk].size / schedule.platform.channels[channel].bandwidth
            ends[sent.step, channel] = at + float(lasts)
            busy[channel].append((at, at + float(lasts), sent.reduces))
    return dict(busy)


def draw_busy_channels(schedule: Schedule, names: Sequence[str]) -> str:
    """The channels of a schedule over time, by the model: the busiest first, what is added up in another colour.

    Parameters
    ----------
    schedule : Schedule
        The schedule.
    names : sequence of str
        Of the nodes of its platform.

    Returns
    -------
    str
        An SVG element, always the same for the same schedule.
    """
    busy, channels, whole = busy_times(schedule), schedule.platform.channels, float(schedule.time)
    order = sorted(busy, key=lambda c: (-sum(end - start for start, end, _ in busy[c]), c))
    title = f"{schedule.operation.kind} by {schedule.name} on {schedule.platform.name}: busy channels over time"
    more = len(order) - MOST_ROWS
    heading = title + (f"; {more} less busy ones are left out" if more > 0 else "")
    parts = [shapes.text(complex(14, 20), heading, size=12.5, anchor="start", colour=SOFT)]
    for row, c in enumerate(order[:MOST_ROWS]):
        y = 36 + row * ROW
        label = f"{names[channels[c].source]}→{names[channels[c].target]}"
        line = path([complex(LEFT, y), complex(LEFT + WIDTH, y)])
        share = sum(end - start for start, end, _ in busy[c]) / whole
        parts += [
            shapes.text(complex(LEFT - 6, y + 3), shapes.short(label, 20), size=8, anchor="end", colour=SOFT),
            shapes.stroke(line, PALE, 0.6, f"{label}: busy {share:.0%} of the time"),
        ]
        for adds in (True, False):
            lines = "".join(
                path([complex(LEFT + WIDTH * at / whole, y) for at in (start, end)])
                for start, end, reduces in sorted(busy[c])
                if reduces == adds
            )
            if lines:
                parts.append(shapes.stroke(lines, ADDS if adds else COPIES, ROW - 4, label))
    bottom = 36 + min(len(order), MOST_ROWS) * ROW + 12
    parts += [
        shapes.text(complex(LEFT + WIDTH * k / 4, bottom), f"{whole * k / 4:.4g}", size=9, colour=SOFT)
        for k in range(5)
    ]
    return shapes.svg(LEFT + WIDTH + 40, bottom + 14, title, parts)
