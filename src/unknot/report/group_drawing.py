"""Large networks: groups of routers as one node each, and matrices of who is joined to whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

from unknot._base.errors import UnknotError, near
from unknot.network import Network
from unknot.report import shapes
from unknot.report import sheet as paper
from unknot.report.drawn import Drawing
from unknot.report.groups import Groups, busiest, totals
from unknot.report.phrases import count, escape
from unknot.report.sheet import INK, SOFT, Sheet

View = Literal["auto", "whole", "groups", "matrix"]
VIEWS: tuple[View, ...] = ("auto", "whole", "groups", "matrix")
MANY = 160
"""Routers from which on a network is drawn by its groups unless the whole is asked for."""
CELLS = 128
"""Most rows of a matrix; more routers share rows."""
LABELLED = 3
"""How many of the busiest channels have their load written beside them."""

Values = npt.NDArray[np.float64]


def view_named(name: str) -> View:
    """The view of this name.

    Raises
    ------
    UnknotError
        If there is none; lists near ones.
    """
    for known in VIEWS:
        if known == name:
            return known
    raise UnknotError(f"unknown view {name!r}; {near(name, VIEWS)}")


def draw_groups(groups: Groups, title: str, foot: str) -> Drawing:
    """The groups as discs, and between them lines the wider the more channels there are."""
    whole, channel = groups.between
    sheet = Sheet.of(whole)
    many = np.bincount(channel[channel >= 0], minlength=whole.num_channels)
    parts = []
    seen = set()
    thin = _thin(sheet, many)
    for c in range(whole.num_channels):
        a, b = int(whole.source[c]), int(whole.target[c])
        if (b, a) in seen:
            continue
        seen.add((a, b))
        words = f"{groups.names[a]} – {groups.names[b]}: {count(int(many[c]), 'channel')} each way"
        parts.append(
            shapes.stroke(paper.path(sheet.centre(c)), "#8a96a3", thin * _wide(int(many[c]), int(many.max())), words)
        )
    inside = np.bincount(groups.of[groups.network.source[channel < 0]], minlength=len(groups.names))
    parts += discs(sheet, groups, lambda g: f"{count(int(inside[g]), 'channel')} inside", lambda g: "#e3eef8")
    foot += "; the number in a node is its routers"
    wide = max(sheet.width, 28 + 6.4 * len(foot))
    return shapes.svg(wide, sheet.height + 26, title, [*parts, _foot(sheet, foot)])


def draw_group_load(
    groups: Groups, utilisation: Values, ink: Callable[[float], str], top: float, unit: str
) -> tuple[Sheet, list[str]]:
    """The groups with their traffic: lines and discs coloured by the busiest channel between them, or within."""
    whole, channel = groups.between
    sheet = Sheet.of(whole)
    network = groups.network
    worst = busiest(channel, utilisation, whole.num_channels)
    load, many = totals(channel, utilisation, whole.num_channels), np.bincount(channel[channel >= 0])
    both = set(zip(whole.source.tolist(), whole.target.tolist(), strict=True))
    width = min(6.0, max(1.4, 0.06 * sheet.gap))
    parts = []
    order = np.argsort(utilisation[worst], kind="stable").tolist()
    for c in order:
        a, b = int(whole.source[c]), int(whole.target[c])
        line = sheet.lane(c, 0.62 * width if (b, a) in both else 0.0)
        words = (
            f"{groups.names[a]} → {groups.names[b]}: {count(int(many[c]), 'channel')}, {load[c]:.3g} {unit} "
            f"in all, busiest {network.channel_name(int(worst[c]))} {utilisation[worst[c]]:.3g}"
        )
        parts.append(shapes.stroke(paper.path(line), ink(utilisation[worst[c]] / top), width, words))
    within = channel < 0
    home = groups.of[network.source]
    inside = np.bincount(home[within], weights=utilisation[within], minlength=len(groups.names))
    hottest = np.zeros(len(groups.names))
    np.maximum.at(hottest, home[within], utilisation[within])
    parts += discs(
        sheet,
        groups,
        lambda g: f"{inside[g]:.3g} {unit} inside, busiest channel {hottest[g]:.3g}",
        lambda g: ink(hottest[g] / top),
    )
    for c in order[::-1][:LABELLED]:
        parts.append(label(sheet, c, f"{utilisation[worst[c]]:.2f}"))
    return sheet, parts


def discs(sheet: Sheet, groups: Groups, words: Callable[[int], str], fill: Callable[[int], str]) -> list[str]:
    """A disc for each group with the number of its routers, its name below where there is room."""
    parts = []
    radius = max(sheet.radius, 7.0)
    sizes = groups.sizes
    for g, z in enumerate(sheet.place.tolist()):
        tip = escape(f"{groups.names[g]}: {count(int(sizes[g]), 'router')}, {words(g)}", quote=False)
        colour = fill(g)
        parts.append(shapes.disc(z, radius, colour, INK, 1.0, tip))
        parts.append(shapes.text(z + 3.4j, str(int(sizes[g])), size=9.5, halo=True))
        if 5.2 * len(groups.names[g]) < sheet.gap:
            parts.append(shapes.text(z + 1j * (radius + 11), groups.names[g], size=9, colour=SOFT, halo=True))
    return parts


def label(sheet: Sheet, channel: int, words: str) -> str:
    """Words beside the middle of a channel."""
    line = sheet.centre(channel)
    middle = line[len(line) // 2] if len(line) > 2 else (line[0] + line[-1]) / 2
    return shapes.text(middle - 3j, words, size=10.5, bold=True, halo=True)


def draw_matrix(
    network: Network, values: Values, title: str, ink: Callable[[float], str], top: float, what: str
) -> Drawing:
    """Adjacency matrix: a row for each router the channels leave, a column for each they enter.

    More than `CELLS` routers share rows and columns, in their order; a cell has the highest value of its channels.
    """
    per = -(-network.num_routers // CELLS)
    cells = -(-network.num_routers // per)
    grid = np.full((cells, cells), -1.0)
    np.maximum.at(grid, (network.source // per, network.target // per), values)
    left, above, size = 58.0, 34.0, round(560.0 / cells, 2)
    parts = [
        f'<path d="{_square(complex(left, above), cells * size)}" fill="none" stroke="{SOFT}" stroke-width="0.6"/>'
    ]
    for row, column in np.argwhere(grid >= 0).tolist():
        value = grid[row, column]
        words = f"{_rows(network, row, per)} → {_rows(network, column, per)}: {what} {value:.3g}"
        parts.append(
            f'<path d="{_square(complex(left + column * size, above + row * size), size)}" fill="{ink(value / top)}">'
            f"<title>{escape(words, quote=False)}</title></path>"
        )
    for cell in sorted({0, cells // 4, cells // 2, 3 * cells // 4, cells - 1}):
        name = shapes.short(paper.short_name(network, cell * per), 9)
        parts.append(shapes.text(complex(left - 6, above + (cell + 0.5) * size + 3), name, size=9, anchor="end"))
        parts.append(shapes.text(complex(left + (cell + 0.5) * size, above - 7), name, size=9))
    foot = "rows: where channels begin; columns: where they end" + (f"; {per} routers to a row" if per > 1 else "")
    parts.append(shapes.text(complex(left, above + 560 + 22), foot, size=12, anchor="start", colour=SOFT))
    return shapes.svg(left + 580, above + 560 + 36, title, parts)


def _rows(network: Network, cell: int, per: int) -> str:
    first, last = cell * per, min((cell + 1) * per, network.num_routers) - 1
    name = network.router_name(first)
    return name if first == last else f"{name}…{network.router_name(last)}"


def _square(at: complex, side: float) -> str:
    return paper.path([at, at + side, at + side * (1 + 1j), at + side * 1j]) + "Z"


def _thin(sheet: Sheet, many: npt.NDArray[np.int64]) -> float:
    """By how much lines are thinner, so that they do not cover the paper."""
    ink = sum(
        paper.length(sheet.centre(c)) * _wide(int(number), int(many.max())) / 2
        for c, number in enumerate(many.tolist())
    )
    return min(1.0, shapes.MOST_INK * sheet.width * sheet.height / max(ink, 1e-9))


def _wide(many: int, most: int) -> float:
    return 0.6 + 3.4 * float(np.sqrt(many / max(most, 1)))


def _foot(sheet: Sheet, words: str) -> str:
    return shapes.text(complex(14, sheet.height + 12), words, size=12, anchor="start", colour=SOFT)
