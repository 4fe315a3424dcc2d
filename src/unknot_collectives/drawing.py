"""Drawings of schedules: messages on their network, step by step; which channels are busy, and when; as SVG text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from markupsafe import Markup

from unknot._base.errors import shortened
from unknot._base.phrases import count
from unknot._base.units import Scale, digits
from unknot.network import Network
from unknot.report import shapes
from unknot.report import sheet as paper
from unknot.report.picture import Drawing
from unknot.report.placement import MAX_DRAWN
from unknot.report.scene import Scene
from unknot.report.sheet import COLOURS, PALE, SOFT, Sheet
from unknot.routing.relation import Relation
from unknot_collectives.messages import Message, Used, channels_used, contention
from unknot_collectives.platform import passage
from unknot_collectives.schedule import Schedule

COLUMNS = 3
MOST_STEPS = 30
MET = "#c0172b"
IN_CYCLES = Scale()


def draw_messages(relation: Relation, messages: Sequence[Message], name: str) -> Drawing:
    """The messages of a schedule on its network, step by step.

    Each message is a coloured line along every channel it may use, with an arrowhead at its destination; terminals
    that send have a thick rim. Channels that two messages of a step may share are red.

    Returns
    -------
    Drawing
        An SVG element, always the same for the same messages.
    """
    network, steps = relation.network, max((message.step + 1 for message in messages), default=0)
    title = f"{name} on {network.name}: {count(steps, 'step')}"
    if network.num_routers > MAX_DRAWN or steps > MOST_STEPS:
        return shapes.note(title, f"Too large to draw: {title}.")
    used = channels_used(relation, messages)
    met = {
        (messages[m.one].step, int(c))
        for m in contention(relation, messages)
        if m.same_step
        for c in np.intersect1d(used.of(m.one), used.of(m.other))
    }
    sheet = Sheet.of(network, width=380.0, height=340.0, margin=30.0)
    columns = min(COLUMNS, max(1, steps))
    high = sheet.height + 26.0
    parts = []
    for step in range(steps):
        row, column = divmod(step, columns)
        sends = [(i, message) for i, message in enumerate(messages) if message.step == step]
        corner = complex(column * sheet.width, row * high + 26.0)
        parts += _panel(replace(sheet, place=sheet.place + corner), corner, network, sends, used, met)
    rows = -(-max(1, steps) // columns)
    return shapes.svg(columns * sheet.width, rows * high, title, parts)


def _panel(
    sheet: Sheet,
    corner: complex,
    network: Network,
    sends: Sequence[tuple[int, Message]],
    used: Used,
    met: set[tuple[int, int]],
) -> list[str]:
    width = min(3.0, max(1.2, 0.06 * sheet.gap))
    lines = []
    for k, (i, send) in enumerate(sends):
        label = f"{network.terminal_name(send.source)} → {network.terminal_name(send.destination)}"
        for channel in used.of(i).tolist():
            colour = MET if (send.step, channel) in met else COLOURS[k % len(COLOURS)]
            lane = sheet.lane(channel, width * 0.8)
            lines.append(shapes.stroke(paper.path(lane), colour, width, label))
            if network.target[channel] == network.eject[send.destination]:
                tip = paper.arrowhead(lane[-1], lane[-1] - lane[-2], 2.6 * width)
                lines.append(shapes.area(tip, colour))
    senders = {int(network.inject[send.source]) for _, send in sends}
    receivers = {int(network.eject[send.destination]) for _, send in sends}
    heading = f"step {sends[0][1].step + 1}: {count(len(sends), 'message')}"
    return [
        shapes.text(corner + complex(14, -8), heading, size=12.5, anchor="start", colour=SOFT),
        shapes.links(sheet, PALE),
        *lines,
        *shapes.routers(sheet, senders | receivers, faint=True),
        *shapes.routers(sheet, senders | receivers, faint=False, only=True),
        *(_ring(sheet, router) for router in sorted(senders)),
    ]


def _ring(sheet: Sheet, router: int) -> str:
    """A thick rim: this router sends."""
    z = complex(sheet.place[router])
    return shapes.disc(z, sheet.radius, "none", paper.INK, min(2.6, max(1.2, sheet.radius / 5)))


WINDOWS = 160
"""Pieces into which a page cuts the time of a schedule."""
MOST_CHANNELS = 2_000
"""Most channels of a page, the busiest."""
MOST_ROWS = 96
"""Channels that are drawn, the busiest; of more a line says how many are left out."""
ROW, LEFT, WIDTH = 11.0, 130.0, 760.0
ADDS, COPIES = COLOURS[1], COLOURS[0]


def busy_times(schedule: Schedule) -> dict[int, list[tuple[float, float, bool]]]:
    """Return for each used channel its busy times: start, end, and whether the bytes are reduced.

    Of a schedule by steps the channel is busy at the beginning of the step, for its bytes over its bandwidth.
    """
    busy: defaultdict[int, list[tuple[float, float, bool]]] = defaultdict(list)
    if schedule.starts:
        for sent, start in zip(schedule.transfers, schedule.starts, strict=True):
            taken = passage(schedule.platform, *schedule.passage_key(sent))
            for channel, begins, lasts in taken.over(sent.path):
                busy[channel].append((float(start + begins), float(start + begins + lasts), sent.reduces))
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


def draw_busy_channels(schedule: Schedule, names: Sequence[str], scale: Scale = IN_CYCLES) -> Drawing:
    """The channels of a schedule over time, by the model: the busiest first, what is added up in another colour.

    Parameters
    ----------
    schedule : Schedule
        The schedule.
    names : sequence of str
        Of the nodes of its platform.
    scale : Scale
        What times are told in.

    Returns
    -------
    Drawing
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
        line = paper.path([complex(LEFT, y), complex(LEFT + WIDTH, y)])
        share = sum(end - start for start, end, _ in busy[c]) / whole
        parts += [
            shapes.text(complex(LEFT - 6, y + 3), shortened(label, 20), size=8, anchor="end", colour=SOFT),
            shapes.stroke(line, PALE, 0.6, f"{label}: busy {share:.0%} of the time"),
        ]
        for adds in (True, False):
            lines = "".join(
                paper.path([complex(LEFT + WIDTH * at / whole, y) for at in (start, end)])
                for start, end, reduces in sorted(busy[c])
                if reduces == adds
            )
            if lines:
                parts.append(shapes.stroke(lines, ADDS if adds else COPIES, ROW - 4, label))
    bottom = 36 + min(len(order), MOST_ROWS) * ROW + 12
    factor, unit = scale.unit_of(whole)
    parts += [
        shapes.text(
            complex(LEFT + WIDTH * k / 4, bottom), digits(whole * factor * k / 4) + f" {unit}" * (k == 4),
            size=9, colour=SOFT,
        )
        for k in range(5)
    ]  # fmt: skip
    return shapes.svg(LEFT + WIDTH + 40, bottom + 14, title, parts)


def busy_scene(schedule: Schedule, network: Network, names: Sequence[str], scale: Scale = IN_CYCLES) -> Scene:
    """The channels of a schedule over time, by the model, on their network.

    Parameters
    ----------
    schedule : Schedule
        The schedule.
    network : Network
        Its channels come first among those of the platform.
    names : sequence of str
        Of the nodes of the platform.
    scale : Scale
        What times are told in.
    """
    factor, unit = scale.unit_of(float(schedule.time))
    busy, channels, whole = busy_times(schedule), schedule.platform.channels, float(schedule.time)
    edges, rows = np.linspace(0.0, whole or 1.0, WINDOWS + 1), []
    for c, times in busy.items():
        within = np.zeros(WINDOWS)
        for start, end, _ in times:
            within += np.clip(np.minimum(edges[1:], end) - np.maximum(edges[:-1], start), 0.0, None)
        label = f"{names[channels[c].source]}→{names[channels[c].target]}"
        shares = np.minimum(1.0, np.round(within / (edges[1] - edges[0]), 2))
        rows.append({"name": label, "channel": c if c < network.num_channels else None, "shares": shares.tolist()})
    rows.sort(key=lambda row: -sum(row["shares"]))
    left_out = len(rows) - MOST_CHANNELS
    return Scene(
        title=f"{schedule.operation.kind} by {schedule.name} on {schedule.platform.name}",
        words=f"{count(len(rows), 'channel')} over {digits(whole * factor)} {unit}, by the model.",
        network=network,
        views={"busy": {"end": whole * factor, "unit": unit, "rows": rows[:MOST_CHANNELS]}},
        paragraphs=(f"{left_out:,} less busy channels are left out.",) if left_out > 0 else (),
        still=Markup(draw_busy_channels(schedule, names, scale)),
    )
