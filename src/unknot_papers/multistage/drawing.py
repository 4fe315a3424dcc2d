"""Drawings of messages on their routes through a multistage network, as SVG text."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.stages import stages
from unknot.report import shapes
from unknot.report import sheet as paper
from unknot.report.phrases import count, escape
from unknot.report.placement import MAX_DRAWN, in_stages
from unknot.report.sheet import COLOURS, INK, PALE, PAPER, SOFT, number
from unknot_papers.multistage.faults import Marks
from unknot_papers.multistage.paths import channel_graph
from unknot_papers.multistage.realisation import Realisation, channels_in

CONFLICT = "#c1121f"
MARGIN = 58.0
LONGEST = 110
"""Most characters of the line below a drawing."""


def draw_realisation(realisation: Realisation, whole: Network | None = None, marks: Marks | None = None) -> str:
    """Messages on their routes through a multistage network, stage by stage from left to right.

    Each message is a coloured line from its input to its output. Where a set of messages is blocked, those for which
    no path is left are dashed and drawn where they meet the fewest others; links with two messages are red.

    Parameters
    ----------
    realisation : Realisation
    whole : Network, optional
        The network before faults; its dead links are dotted.
    marks : Marks, optional
        Its dead switches are crossed out.

    Returns
    -------
    str
        An SVG element, always the same for the same answer. A network of more than `MAX_DRAWN` routers is described
        instead of drawn.
    """
    network = realisation.network if whole is None else whole
    title = f"{network.name}: {count(realisation.sources.size, 'message')}"
    if network.num_routers > MAX_DRAWN:
        return shapes.note(title, f"Too large to draw: {shapes.summary(network)}.")
    return _Stages(network, realisation, marks.switches if marks is not None else ()).svg(title)


@dataclass(frozen=True, eq=False)
class _Stages:
    """A network on paper, with the channels of the messages numbered as in it."""

    network: Network
    realisation: Realisation
    dead: tuple[int, ...]

    @cached_property
    def gap(self) -> float:
        """Distance of rows."""
        rows = self.network.radices[1]
        return float(min(64.0, max(9.0, 900.0 / rows)))

    @cached_property
    def place(self) -> npt.NDArray[np.complex128]:
        z = in_stages(self.network)
        if z is None:
            raise NetworkError(f"network {self.network.name!r} is no multistage network")
        columns = max(self.network.radices[0] - 1, 1)
        step = max(1.6 * self.gap, min(150.0, 980.0 / columns, 3.2 * self.gap))
        across = z.real / max(float(z.real.max()), 1e-9) * columns * step
        return np.round(across + 1j * z.imag * self.gap + complex(MARGIN + self.half, 40), 1)

    @cached_property
    def half(self) -> float:
        """Half the side of a switch."""
        return round(min(15.0, 0.3 * self.gap), 1)

    @cached_property
    def size(self) -> tuple[float, float]:
        z = self.place
        return float(z.real.max()) + self.half + MARGIN + 26.0, max(float(z.imag.max()) + 84.0, 120.0)

    @cached_property
    def routes(self) -> list[tuple[list[int], bool]]:
        """Channels of each message in the network that is drawn, and whether it got through."""
        import networkx as nx

        kept = self.realisation.network
        load = np.zeros(kept.num_channels, dtype=np.int64)
        for m in self.realisation.routed.tolist():
            load[self.realisation.paths[m]] += 1
        through = np.isin(np.arange(len(self.realisation.paths)), self.realisation.routed)
        paths = self.realisation.paths.copy()
        for m in np.flatnonzero(~through).tolist():
            ends = int(kept.inject[self.realisation.sources[m]]), int(kept.eject[self.realisation.destinations[m]])
            with contextlib.suppress(nx.NetworkXNoPath):
                nodes = nx.dijkstra_path(channel_graph(kept, load), *ends, weight="load")
                paths[m] = [~node for node in nodes[1::2]]
                load[paths[m]] += 1
        drawn = channels_in(replace(self.realisation, paths=paths), self.network)
        return [([c for c in drawn[m].tolist() if c >= 0], bool(through[m])) for m in range(len(paths))]

    @cached_property
    def ends(self) -> tuple[list[int], list[int]]:
        """Input and output of each message."""
        return self.realisation.sources.tolist(), self.realisation.destinations.tolist()

    def svg(self, title: str) -> str:
        parts = [self._links(), self._stubs()]
        parts += [self._switch(router, z) for router, z in enumerate(self.place.tolist())]
        if self.realisation.realised is not None:
            parts += [self._message(m) for m in range(self.realisation.sources.size)]
            parts += self._conflicts()
        parts += self._numbers() + self._words()
        return shapes.svg(*self.size, title, parts)

    def _links(self) -> str:
        alive = np.zeros(self.network.num_channels, dtype=bool)
        every = np.arange(self.realisation.network.num_channels, dtype=np.int32)[:, None]
        alive[channels_in(replace(self.realisation, paths=every), self.network)] = True
        lines: dict[bool, list[str]] = {True: [], False: []}
        for channel in range(self.network.num_channels):
            lines[bool(alive[channel])].append(paper.path(self._line(channel)))
        drawn = f'<path d="{"".join(lines[True])}" fill="none" stroke="{PALE}" stroke-width="1"/>'
        if lines[False]:
            drawn += (
                f'<path d="{"".join(lines[False])}" fill="none" stroke="{PALE}" stroke-width="1" '
                f'stroke-dasharray="2 4"/>'
            )
        return drawn

    def _line(self, channel: int) -> list[complex]:
        a, b = int(self.network.source[channel]), int(self.network.target[channel])
        leaves, enters = self.ports[:, channel].tolist()
        return [
            complex(self.place[a]) + complex(self.half, leaves),
            complex(self.place[b]) + complex(-self.half, enters),
        ]

    @cached_property
    def ports(self) -> npt.NDArray[np.float64]:
        """Distance below the middle of a switch at which each channel leaves and enters: shape (2, channels).

        Channels of a switch stand in the order of the rows at their other ends, so that few of them cross.
        """
        network, row = self.network, stages(self.network).row
        ports = np.zeros((2, network.num_channels))
        for side, near, far in ((0, network.source, network.target), (1, network.target, network.source)):
            order = np.lexsort((np.arange(network.num_channels), row[far], near))
            count = np.bincount(near, minlength=network.num_routers)
            first = np.cumsum(count) - count
            place = np.arange(network.num_channels) - first[near[order]]
            ports[side, order] = (place - (count[near[order]] - 1) / 2) * self._apart(count[near[order]])
        return ports

    def _apart(self, ports: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return np.asarray(1.5 * self.half / np.maximum(ports, 1))

    def _stub(self, terminal: int, *, at_end: bool) -> list[complex]:
        ends = self.network.eject if at_end else self.network.inject
        router = int(ends[terminal])
        mates = np.flatnonzero(ends == router).tolist()
        step = (mates.index(terminal) - (len(mates) - 1) / 2) / len(mates)
        way = 1.0 if at_end else -1.0
        z = complex(self.place[router])
        rim = z + complex(way * self.half, step * 1.5 * self.half)
        tip = z + complex(way * (self.half + 14), step * 0.8 * self.gap)
        return [rim, tip] if at_end else [tip, rim]

    def _stubs(self) -> str:
        everyone = range(self.network.num_terminals)
        lines = [self._stub(t, at_end=at_end) for t in everyone for at_end in (False, True)]
        drawn = "".join(paper.path(line) for line in lines)
        return f'<path d="{drawn}" fill="none" stroke="{PALE}" stroke-width="1"/>'

    def _message(self, m: int) -> str:
        (channels, through), s, d = self.routes[m], self.ends[0][m], self.ends[1][m]
        line = self._stub(s, at_end=False)
        for channel in channels:
            line += self._line(channel)
        if channels or self.network.radices[0] == 1:
            line += self._stub(d, at_end=True)
        else:
            line += self._stub(s, at_end=False)[1:]
        dashes = "" if through else ' stroke-dasharray="6 4"'
        label = f"{self.network.terminal_name(s)} → {self.network.terminal_name(d)}"
        width = number(min(3.0, max(1.4, 0.06 * self.gap)))
        return (
            f'<path d="{paper.path(line)}" fill="none" stroke="{COLOURS[m % len(COLOURS)]}" stroke-width="{width}" '
            f'stroke-linejoin="round"{dashes}><title>{escape(label, quote=False)}</title></path>'
        )

    def _conflicts(self) -> list[str]:
        """Links that carry more than one message."""
        used = np.zeros(self.network.num_channels, dtype=np.int64)
        for channels, _ in self.routes:
            used[channels] += 1
        lines = "".join(paper.path(self._line(channel)) for channel in np.flatnonzero(used > 1).tolist())
        if not lines:
            return []
        return [
            f'<path d="{lines}" fill="none" stroke="{CONFLICT}" stroke-width="7" stroke-opacity="0.35"/>',
            f'<path d="{lines}" fill="none" stroke="{CONFLICT}" stroke-width="2" stroke-dasharray="3 3"/>',
        ]

    def _switch(self, router: int, at: complex) -> str:
        h, name = self.half, self.network.router_name(router)
        corners = [at + complex(x, y) * h for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        dead = router in self.dead
        fill, edge = ("#fbe9e7", CONFLICT) if dead else (PAPER, INK)
        words = f"{name} is dead" if dead else name
        drawn = (
            f'<path d="{paper.path(corners)}Z" fill="{fill}" stroke="{edge}" stroke-width="1">'
            f"<title>{escape(words, quote=False)}</title></path>"
        )
        if dead:
            cross = paper.path([corners[0], corners[2]]) + paper.path([corners[1], corners[3]])
            return drawn + f'<path d="{cross}" fill="none" stroke="{CONFLICT}" stroke-width="1.6"/>'
        short = name.removeprefix(f"s{stages(self.network).stage[router]}")
        size = paper.font_size(short, h)
        return drawn + (shapes.text(at + 0.36j * size, short, size=size, colour="#9aa4ae") if size >= 5 else "")

    def _numbers(self) -> list[str]:
        """Numbers of inputs and outputs, in the colours of their messages, and of the stages."""
        parts = []
        sources, destinations = self.ends
        most = int(np.bincount(self.network.inject).max())
        size = min(11.0, max(3.0, 0.66 * self.gap / most))
        for at_end, ends, anchor in ((False, sources, "end"), (True, destinations, "start")):
            messages = {terminal: m for m, terminal in enumerate(ends)}
            for terminal in range(self.network.num_terminals):
                line = self._stub(terminal, at_end=at_end)
                tip = line[-1] + 4 if at_end else line[0] - 4
                message = messages.get(terminal)
                colour = SOFT if message is None else COLOURS[message % len(COLOURS)]
                words = str(terminal)
                if at_end and message is not None:
                    words = f"{terminal} ← {sources[message]}"
                at = tip + 0.36j * size
                bold = message is not None
                parts.append(shapes.text(at, words, size=size, anchor=anchor, colour=colour, bold=bold))
        for stage in range(self.network.radices[0]):
            x = float(self.place[self._first(stage)].real)
            parts.append(shapes.text(complex(x, 16), f"stage {stage}", size=10, colour=SOFT))
        return parts

    def _first(self, stage: int) -> int:
        return int(np.argmax(stages(self.network).stage == stage))

    def _words(self) -> list[str]:
        realisation = self.realisation
        word = {True: "realised", False: "blocked", None: "undecided"}[realisation.realised]
        lines = [f"{self.network.name}: {word} ({realisation.method})", realisation.established]
        high = self.size[1] - 30
        return [
            shapes.text(
                complex(14, high + 18 * i),
                shapes.short(line, LONGEST),
                size=12,
                anchor="start",
                colour=CONFLICT if i == 0 and realisation.realised is False else INK if i == 0 else SOFT,
                bold=i == 0,
            )
            for i, line in enumerate(lines)
        ]
