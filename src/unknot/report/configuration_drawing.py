"""Drawings of deadlock configurations, as SVG text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unknot._base.errors import shortened
from unknot._base.phrases import count
from unknot.certificates.verdict import Configuration
from unknot.network import Network, Places
from unknot.report import shapes
from unknot.report import sheet as paper
from unknot.report.configuration_text import describe_message, journey, waits
from unknot.report.phrases import escape
from unknot.report.picture import Drawing
from unknot.report.placement import MAX_DRAWN
from unknot.report.sheet import COLOURS, PALE, SOFT, Line, Sheet
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation

LEGEND_LINES = 24
MAX_WHOLE = 600
"""Most routers of a network that is drawn whole around a configuration; of a larger one, the concerned part is."""


@takes_relation
def draw_configuration(relation: Relation, configuration: Configuration, *, legend: bool = True) -> Drawing:
    """A deadlock configuration on its network.

    Each message is a coloured line along the VCs it holds, from its tail to a numbered disc where its header stands;
    dashed arrows lead from the header to the channels whose VCs it waits for. VCs of one channel run side by side, to
    the right of its direction. The rest of the network is pale.

    Parameters
    ----------
    configuration : Configuration
        The packets that block each other.
    legend : bool
        Whether a line for each message stands below: its number, source, destination and whom it waits for.

    Returns
    -------
    Drawing
        An SVG element, always the same for the same configuration. Of a network of more than `MAX_WHOLE` routers
        only what the configuration touches is drawn.

    Examples
    --------
    >>> from unknot.verify import check
    >>> configuration = check("ring(4)", routing="dimension_order").configuration
    >>> svg = draw_configuration("ring(4)", configuration, routing="dimension_order")
    >>> svg.text[:4], svg.text.count("<path") > 4
    ('<svg', True)
    """
    title = f"Deadlock configuration on {relation.network.name}: {count(len(configuration.messages), 'message')}"
    part = knot_sheet(relation, configuration, [vc for m in configuration.messages for vc in (*m.held, *m.wanted)])
    return part.svg(title, legend) if isinstance(part, KnotSheet) else shapes.note(title, part)


def knot_sheet(relation: Relation, configuration: Configuration, vcs: list[int]) -> KnotSheet | str:
    """The sheet of a configuration of which some VCs are drawn, or why it is too large to draw."""
    network = relation.network
    touched = sorted({int(relation.vcs.channel[vc]) for vc in vcs})
    drawn, local, note = network, {c: c for c in touched}, ""
    if network.num_routers > MAX_WHOLE:
        drawn, local = excerpt(network, touched)
        note = f"Only the {count(drawn.num_routers, 'router')} concerned; the network has {shapes.summary(network)}."
        if drawn.num_routers > MAX_DRAWN:
            return f"Too large to draw: {count(drawn.num_routers, 'router')} concerned of {shapes.summary(network)}."
    sheet = Sheet.of(drawn, width=760.0, height=640.0)
    ends = np.unique([[drawn.source[c], drawn.target[c]] for c in local.values()]) if local else np.zeros(0, int)
    zoomed = sheet.around(ends)
    outside = drawn.num_routers - int(zoomed.visible.sum())
    if outside and not note:
        note = f"The part concerned, of {shapes.summary(network)}."
    deepest = max((int(relation.vcs.index[vc]) for vc in vcs), default=0) + 1
    return KnotSheet(zoomed, relation, configuration, local, deepest, note)


def drawn_vcs(configuration: Configuration) -> list[int]:
    """All VCs that the messages of a configuration pass, hold or wait for."""
    return [vc for m in configuration.messages for vc in (*m.lead, *m.held, *m.wanted)]


def excerpt(network: Network, channels: list[int]) -> tuple[Network, dict[int, int]]:
    """The network of some channels alone, closed up, and the number of each of them in it."""
    ends = np.stack([network.source[channels], network.target[channels]])
    routers, near = np.unique(ends, return_inverse=True)
    near = near.reshape(ends.shape)
    coordinates: Any = None
    radices: list[int] = []
    if network.coordinates is not None:
        columns = [np.unique(column, return_inverse=True) for column in network.coordinates[routers].T]
        coordinates = np.stack([inverse for _, inverse in columns], axis=1)
        radices = [values.size for values, _ in columns]
    seats: Any = np.flatnonzero(np.isin(routers, network.inject))
    part = Network(
        network.name,
        routers.size,
        near[0],
        near[1],
        inject=seats,
        places=Places(
            coordinates=coordinates,
            radices=tuple(radices),
            router_labels=tuple(network.router_name(r) for r in routers),
        ),
    )
    return part, {c: i for i, c in enumerate(channels)}


@dataclass(frozen=True, eq=False)
class KnotSheet:
    """The drawing of one configuration.

    Attributes
    ----------
    local : dict of int to int
        Numbers of its channels in the network that is drawn.
    deepest : int
        Lanes drawn beside a channel: one more than the highest VC index concerned.
    note : str
        What is left out of the drawing; empty if nothing.
    """

    sheet: Sheet
    relation: Relation
    configuration: Configuration
    local: dict[int, int]
    deepest: int
    note: str

    @cached_property
    def width(self) -> float:
        """Line width of a worm."""
        return min(4.0, max(1.2, 0.05 * self.sheet.gap))

    @cached_property
    def step(self) -> float:
        """From one lane to the next."""
        return min(1.5 * self.width, 0.2 * self.sheet.gap / self.deepest)

    @cached_property
    def disc(self) -> float:
        """Radius of the disc at a header."""
        return min(8.5, max(5.2, 0.115 * self.sheet.gap))

    def svg(self, title: str, legend: bool) -> Drawing:
        under, over, tips = [], [], []
        for i, message in enumerate(self.configuration.messages):
            label = f"Message {i + 1}: {describe_message(self.relation, message, i, self.configuration.holder)}"
            worm = self._worm(message.held)
            under.append(shapes.stroke(paper.path(worm), COLOURS[i % len(COLOURS)], self.width, label))
            over.append(self.arrows(i))
            tips.append(shapes.numbered(i, worm[-1], self.disc, escape(label, quote=False)))
        parts = self.around([f'<g stroke-linejoin="round" stroke-linecap="round">{"".join(under)}</g>', *over])
        parts += tips
        if not legend:
            return shapes.svg(self.sheet.width, self.bottom, title, [*parts, *self.notes()])
        bottom = self.bottom + self._legend_height()
        words = f"Deadlock configuration: {count(len(self.configuration.messages), 'message')}"
        blank = _blank(-shapes.HEAD, 0.0), _blank(self.sheet.height, bottom)
        head = (self.relation.network.name, words)
        return shapes.svg(self._width(), bottom, title, [*parts, *blank, *self.notes(), *self._legend()], head)

    @property
    def bottom(self) -> float:
        """Where the drawing with its note ends."""
        return self.sheet.height + (24.0 if self.note else 0.0)

    def around(self, worms: list[str]) -> list[str]:
        """The network around worms: links and other routers below, the routers concerned above."""
        network = self.sheet.network
        concerned = {int(r) for c in self.local.values() for r in (network.source[c], network.target[c])}
        return [
            shapes.links(self.sheet, PALE),
            *shapes.routers(self.sheet, concerned, faint=True),
            *worms,
            *shapes.routers(self.sheet, concerned, faint=False, only=True),
        ]

    def notes(self) -> list[str]:
        """The note, written below the drawing."""
        if not self.note:
            return []
        at = complex(14, self.sheet.height + 14)
        words = shapes.text(at, self.note, size=12, anchor="start", colour=SOFT)
        return [_blank(self.sheet.height, self.bottom), words]

    def arrows(self, index: int) -> str:
        """Dashed lines from the header of a message to the channels it waits for."""
        message = self.configuration.messages[index]
        worm, own = self._worm(message.held), int(self.relation.vcs.index[message.held[-1]])
        requested = dict.fromkeys(self._channel(vc) for vc in message.wanted)
        return "".join(self._arrow(index, worm, channel, own) for channel in requested)

    def lane(self, vc: int) -> Line:
        """The line beside the channel of a VC."""
        return self.sheet.lane(self._channel(vc), self._shift(int(self.relation.vcs.index[vc])))

    def _channel(self, vc: int) -> int:
        """The channel of a VC in the network that is drawn."""
        return self.local[int(self.relation.vcs.channel[vc])]

    def _shift(self, index: int) -> float:
        return self.width * 0.9 + index * self.step

    def _worm(self, held: tuple[int, ...]) -> Line:
        line: Line = []
        for vc in held[:-1]:
            line += self.lane(vc)
        return line + self.to_header(held[-1])

    def to_header(self, vc: int) -> Line:
        """The line of a VC up to where the disc of a header in it stands."""
        line = self.lane(vc)
        back = 1 + 2.1 * int(self.relation.vcs.index[vc])
        return paper.cut(line, 0.0, paper.length(line) - min(self.disc * back, 0.8 * paper.length(line)))

    def filled(self, vc: int) -> str:
        """The `d` of a VC from its end to its beginning, since flits of a buffer stand at the end of its channel."""
        return paper.path(self.lane(vc)[::-1])

    def _arrow(self, index: int, worm: Line, channel: int, own: int) -> str:
        """A dashed line from a header round its router and along a channel it waits for, outside all lanes."""
        outside = self._shift(self.deepest - 1) + self.width * (1.15 + 0.8 * own) + 1.0
        lane = self.sheet.lane(channel, outside)
        colour = COLOURS[index % len(COLOURS)]
        router = complex(self.sheet.place[self.sheet.network.source[channel]])
        far = min(0.5 * paper.length(lane), 0.62 * self.sheet.gap)
        rim = self.sheet.radius + self.width * (1 + 0.8 * own)
        line = paper.around(router, worm[-1], lane[0], rim) + paper.cut(lane, 0.0, far)
        before, end = line[-2:]
        size = self.width * 2.1
        stop = paper.cut(line, 0.0, paper.length(line) - size * 0.8)
        shaft = shapes.stroke(paper.path(stop), colour, self.width * 0.5, dashes=(self.width, self.width * 0.8))
        return shaft + shapes.area(paper.arrowhead(end, end - before, size), colour)

    def _legend_height(self) -> float:
        shown = min(len(self.configuration.messages), LEGEND_LINES)
        return 20.0 * (-(-shown // self._columns())) + (34.0 if shown < len(self.configuration.messages) else 16.0)

    def _width(self) -> float:
        """Width of the paper with a legend."""
        return max(self.sheet.width, 440.0)

    @cached_property
    def _lines(self) -> list[str]:
        """The lines of the legend: what each message crosses, and whom it waits for."""
        lines = []
        for message, after in zip(self.configuration.messages, waits(self.configuration), strict=True):
            who = ", ".join(str(m + 1) for m in after)
            lines.append(f"{journey(self.relation, message)}  waits for {who or 'nobody'}")
        return lines[:LEGEND_LINES]

    def _columns(self) -> int:
        longest = max(map(len, self._lines), default=0)
        return 2 if self._width() >= 30 + 2 * (46 + 6.1 * longest) and len(self._lines) > 3 else 1

    def _legend(self) -> list[str]:
        parts, columns = [], self._columns()
        rows = -(-len(self._lines) // columns)
        wide = (self._width() - 30) / columns
        for i, line in enumerate(self._lines):
            column, row = divmod(i, rows)
            at = complex(24 + column * wide, self.bottom + 8 + 20 * row)
            words = shortened(line, int((wide - 40) / 6.1))
            parts += [shapes.numbered(i, at, 8.5, ""), shapes.text(at + 15 + 4j, words, size=12, anchor="start")]
        rest = len(self.configuration.messages) - len(self._lines)
        if rest:
            at = complex(15, self.bottom + 20 * rows + 14)
            parts.append(shapes.text(at, f"and {count(rest, 'more message')}", size=12, anchor="start", colour=SOFT))
        return parts


def _blank(top: float, bottom: float) -> str:
    """Paper across a drawing, over lines that lead out of it."""
    corners = [complex(x, y) for x, y in ((0, top), (0, bottom), (9999, bottom), (9999, top))]
    return shapes.area(f"{paper.path(corners)}Z", paper.PAPER)
