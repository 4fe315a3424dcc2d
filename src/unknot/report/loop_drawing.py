"""A cyclic buffer dependency drawn on its fabric, with the flows that make it."""

from __future__ import annotations

from collections.abc import Sequence

from unknot.network import Network
from unknot.report import shapes
from unknot.report import sheet as paper
from unknot.report.configuration_drawing import excerpt
from unknot.report.phrases import count
from unknot.report.picture import Drawing
from unknot.report.sheet import COLOURS, PALE, Sheet

LOOP = "#c0172b"
MOST = 60
"""Most switches that are drawn; of more those on the loop and on the way of the flows."""


def draw_loop(network: Network, circle: Sequence[int], paths: Sequence[Sequence[int]]) -> Drawing:
    """Draw a loop of channels and the paths of flows on a fabric.

    Channels whose buffers wait for one another are thick and red, with arrowheads in the direction of packets; each
    flow is a line in a colour of its own, from its first switch to the arrowhead at its last.

    Parameters
    ----------
    network : Network
        With terminals at the switches with hosts, which are drawn at the bottom.
    circle : sequence of int
        Channels.
    paths : sequence of sequence of int
        The channels of each flow.
    """
    title = (
        f"{count(len(circle), 'buffer')} of {network.name} that wait for one another, and {count(len(paths), 'flow')}"
    )
    touched = sorted({*circle, *(c for path in paths for c in path)})
    here = {c: c for c in touched}
    if network.num_routers > MOST:
        network, here = excerpt(network, touched)
    sheet = Sheet.of(network)
    thick, thin = max(4.0, 0.3 * sheet.radius), max(1.4, 0.1 * sheet.radius)
    parts = [shapes.links(sheet, PALE)]
    for c in circle:
        parts += _arrow(sheet, here[c], thick * 0.5, LOOP, thick, "on the loop")
    for number, path in enumerate(paths):
        colour = COLOURS[number % len(COLOURS)]
        for step, c in enumerate(path):
            beside = thick + 1.6 * thin * (number % 6 + 1)
            parts += _arrow(sheet, here[c], beside, colour, thin, f"flow {number + 1}", tip=step == len(path) - 1)
    parts += shapes.routers(sheet, {*range(network.num_routers)}, faint=False)
    return shapes.svg(sheet.width, sheet.height, title, parts)


def _arrow(
    sheet: Sheet, channel: int, shift: float, colour: str, width: float, words: str, *, tip: bool = True
) -> list[str]:
    lane = sheet.lane(channel, min(shift, 0.8 * sheet.radius))
    head = [shapes.area(paper.arrowhead(lane[-1], lane[-1] - lane[-2], 2.2 * width + 2), colour)] if tip else []
    return [shapes.stroke(paper.path(lane), colour, width, words), *head]
