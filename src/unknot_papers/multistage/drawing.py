"""Drawings of messages on their routes through a multistage network, as SVG text."""

from __future__ import annotations

import contextlib
from itertools import pairwise

import numpy as np

from unknot._base.errors import shortened
from unknot._base.phrases import count
from unknot.report import shapes
from unknot.report import sheet as paper
from unknot.report.picture import Drawing
from unknot.report.placement import MAX_DRAWN
from unknot.report.sheet import COLOURS, INK, PALE, SOFT, Sheet
from unknot_papers.multistage.realisation import Realisation

CONFLICT = "#c1121f"
LONGEST = 110
"""Most characters of the line below a drawing."""


def draw_realisation(realisation: Realisation) -> Drawing:
    """Messages on their routes through a multistage network, stage by stage from left to right.

    Each message is a coloured line from its input to its output. Where a set of messages is blocked, those for which
    no path is left are dashed and drawn where they meet the fewest others; links with two messages are red. Dead
    links are dotted, dead switches crossed out.

    Parameters
    ----------
    realisation : Realisation

    Returns
    -------
    Drawing
        An SVG element, always the same for the same answer. A network of more than `MAX_DRAWN` routers is described
        instead of drawn.
    """
    network = realisation.network
    title = f"{network.name}: {count(realisation.sources.size, 'message')}"
    if network.num_routers > MAX_DRAWN:
        return shapes.note(title, f"Too large to draw: {shapes.summary(network)}.")
    sheet = Sheet.of(network)
    gone = "".join(paper.path(sheet.centre(c)) for c in realisation.marks.channels(network).tolist())
    parts = [shapes.links(sheet, PALE), shapes.stroke(gone, SOFT, 1.0, dashes=(2, 4))]
    routers = shapes.routers(sheet, set(range(network.num_routers)), faint=False)
    routes = _routes(realisation) if realisation.realised is not None else []
    parts.append(_conflicts(sheet, routes))
    for m in sorted(range(len(routes)), key=lambda m: not routes[m][1]):
        parts.append(_message(sheet, realisation, m, *routes[m]))
    parts += [*routers, *(_dead(sheet, router) for router in realisation.marks.switches)]
    parts += [*_numbers(sheet, realisation), *_words(sheet, realisation)]
    return shapes.svg(sheet.width + 30, sheet.height + 40, title, parts)


def _routes(realisation: Realisation) -> list[tuple[list[int], bool]]:
    """Channels of each message, and whether it got through."""
    import networkx as nx

    network, dead = realisation.network, realisation.marks.channels(realisation.network)
    load = np.zeros(network.num_channels, dtype=np.int64)
    for m in realisation.routed.tolist():
        load[realisation.paths[m]] += 1
    through = np.isin(np.arange(len(realisation.paths)), realisation.routed)
    graph, paths = network.to_networkx(), realisation.paths.copy()
    graph.remove_edges_from([(int(network.source[c]), int(network.target[c]), c) for c in dead.tolist()])
    for m in np.flatnonzero(~through).tolist():
        ends = int(network.inject[realisation.sources[m]]), int(network.eject[realisation.destinations[m]])
        with contextlib.suppress(nx.NetworkXNoPath):
            nodes = nx.dijkstra_path(graph, *ends, weight=lambda u, v, channels: int(load[list(channels)].min()))
            paths[m] = [min(graph[u][v], key=load.__getitem__) for u, v in pairwise(nodes)]
            load[paths[m]] += 1
    return [([c for c in path if c >= 0], bool(passed)) for path, passed in zip(paths.tolist(), through, strict=True)]


def _message(sheet: Sheet, realisation: Realisation, m: int, channels: list[int], through: bool) -> str:
    network, source, destination = sheet.network, realisation.sources[m], realisation.destinations[m]
    line = [complex(sheet.place[network.inject[source]])] + [p for c in channels for p in sheet.centre(c)]
    label = f"{network.terminal_name(source)} → {network.terminal_name(destination)}"
    width = min(3.0, max(1.4, 0.06 * sheet.gap))
    dashes = () if through else (6, 4)
    return shapes.stroke(paper.path(line), COLOURS[m % len(COLOURS)], width, label, dashes=dashes)


def _conflicts(sheet: Sheet, routes: list[tuple[list[int], bool]]) -> str:
    """Links that carry more than one message."""
    used = np.bincount([c for channels, _ in routes for c in channels], minlength=sheet.network.num_channels)
    lines = "".join(paper.path(sheet.centre(c)) for c in np.flatnonzero(used > 1).tolist())
    return shapes.stroke(lines, CONFLICT, 7.0, opacity=0.35) if lines else ""


def _dead(sheet: Sheet, router: int) -> str:
    at, radius = complex(sheet.place[router]), sheet.radius
    cross = "".join(paper.path([at + radius * turn, at - radius * turn]) for turn in (0.7 + 0.7j, 0.7 - 0.7j))
    return shapes.stroke(cross, CONFLICT, 1.6, f"{sheet.network.router_name(router)} is dead")


def _numbers(sheet: Sheet, realisation: Realisation) -> list[str]:
    """Numbers of inputs and outputs beside their switches, in the colours of their messages."""
    network, parts = sheet.network, []
    sources = realisation.sources.tolist()
    size = min(11.0, max(3.0, 0.5 * sheet.gap / int(np.bincount(network.inject).max())))
    for way, ends, used in ((-1, network.inject, sources), (1, network.eject, realisation.destinations.tolist())):
        message = {terminal: m for m, terminal in enumerate(used)}
        for terminal, router in enumerate(ends.tolist()):
            mates = np.flatnonzero(ends == router).tolist()
            beside = complex(way * (sheet.radius + 5), (mates.index(terminal) - len(mates) / 2 + 0.8) * 1.1 * size)
            m = message.get(terminal)
            words = f"{terminal} ← {sources[m]}" if way > 0 and m is not None else str(terminal)
            colour = SOFT if m is None else COLOURS[m % len(COLOURS)]
            at, anchor = complex(sheet.place[router]) + beside, "start" if way > 0 else "end"
            parts.append(shapes.text(at, words, size=size, anchor=anchor, colour=colour, bold=m is not None))
    return parts


def _words(sheet: Sheet, realisation: Realisation) -> list[str]:
    word = {True: "realised", False: "blocked", None: "undecided"}[realisation.realised]
    colour = CONFLICT if realisation.realised is False else INK
    low, said = sheet.height + 10, shortened(realisation.established, LONGEST)
    head = f"{sheet.network.name}: {word} ({realisation.method})"
    return [
        shapes.text(complex(14, low), head, size=12, anchor="start", colour=colour, bold=True),
        shapes.text(complex(14, low + 18), said, size=12, anchor="start", colour=SOFT),
    ]
