"""The messages of a schedule drawn over their network: one small picture for each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unknot.network import Network
from unknot.report import shapes
from unknot.report import sheet as paper
from unknot.report.phrases import count
from unknot.report.placement import MAX_DRAWN
from unknot.report.sheet import COLOURS, PALE, SOFT, Sheet
from unknot.routing.relation import Relation
from unknot.traffic.collectives.messages import Message, Used, channels_used, contention

COLUMNS = 3
MOST_STEPS = 30
MET = "#c0172b"


def draw_messages(relation: Relation, messages: Sequence[Message], name: str) -> str:
    """The messages of a schedule on its network, step by step.

    Each message is a coloured line along every channel it may use, with an arrowhead at its destination; terminals
    that send have a thick rim. Channels that two messages of a step may share are red.

    Returns
    -------
    str
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
