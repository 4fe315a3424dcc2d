"""Kinds of links by dimension, group and bandwidth, and the legend below a drawing that names them."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap

import numpy as np

from unknot._base.arrays import Ints
from unknot.network import Network
from unknot.network.stages import is_multistage
from unknot.report import shapes
from unknot.report import sheet as paper
from unknot.report.placement import clusters, scattered, wraps
from unknot.report.sheet import COLOURS, SOFT, Sheet

LINE, GLOBAL = "#8a96a3", "#aab3bd"
MOST_DIMENSIONS = 8
"""Most dimensions whose links have colours of their own."""
WRAP = (5.0, 2.0)
"""Dashes of links that lead from one end of a dimension to the other."""
ROW, LETTER, LEFT = 19.0, 6.3, 14.0
"""Height of a line of the legend, width of a letter, and where a line begins."""


@dataclass(frozen=True)
class LinkKind:
    """A kind of links: its name in the legend, its look, and the channels that belong to it."""

    name: str
    colour: str
    channels: Ints
    dashes: tuple[float, ...] = ()


def link_kinds(network: Network) -> list[LinkKind]:
    """Kinds of the links of a network.

    Links of groups are local or global; links of a grid belong to a dimension, and its links that wrap round are a
    kind of their own. The links of every other network are of one kind.
    """
    cluster = clusters(network)
    if cluster is not None:
        group = {"side": "group", "corner": "cycle"}.get(network.dimensions[0], network.dimensions[0])
        across = cluster[network.source] != cluster[network.target]
        local = LinkKind(f"local, within a {group}", COLOURS[0], np.flatnonzero(~across))
        return [LinkKind(f"global, between {group}s", GLOBAL, np.flatnonzero(across)), local]
    alone = [LinkKind("link", LINE, np.arange(network.num_channels))]
    if network.coordinates is None or is_multistage(network) or "level" in network.dimensions or scattered(network):
        return alone
    at = np.asarray(network.coordinates)
    apart = np.abs(at[network.source] - at[network.target])
    if len(network.radices) > MOST_DIMENSIONS or not ((apart > 0).sum(axis=1) == 1).all():
        return alone
    kinds = []
    for i, (name, k) in enumerate(zip(network.dimensions, network.radices, strict=True)):
        round_it = (apart[:, i] == k - 1) & wraps(network, i)
        kinds.append(LinkKind(name, COLOURS[i], np.flatnonzero((apart[:, i] > 0) & ~round_it)))
        kinds.append(LinkKind(f"{name}, wraps round", COLOURS[i], np.flatnonzero(round_it), WRAP))
    kinds = [kind for kind in kinds if kind.channels.size]
    return kinds if len(kinds) > 1 else alone


def legend(
    sheet: Sheet, kinds: list[LinkKind], rates: list[tuple[str, float]], remarks: list[str]
) -> tuple[list[str], float]:
    """The legend below a drawing, and where it ends: kinds of links, widths of links by bandwidth, remarks."""
    looks = [(kind.name, kind.colour, 2.2, kind.dashes) for kind in kinds if len(kinds) > 1]
    looks += [(name, LINE, width, ()) for name, width in rates if len(rates) > 1]
    wide = 50 + LETTER * max((len(name) for name, *_ in looks), default=0)
    columns = max(1, int((sheet.width - LEFT) / wide))
    parts = []
    for i, (name, colour, width, dashes) in enumerate(looks):
        at = complex(LEFT + i % columns * wide, sheet.height + i // columns * ROW)
        parts += [shapes.stroke(paper.path([at, at + 22]), colour, width, dashes=dashes), _words(at + 27, name)]
    below = sheet.height + -(-len(looks) // columns) * ROW
    lines = [line for remark in remarks for line in wrap(remark, int((sheet.width - 2 * LEFT) / LETTER))]
    parts += [_words(complex(LEFT, below + i * ROW), line) for i, line in enumerate(lines)]
    return parts, below + len(lines) * ROW


def _words(at: complex, words: str) -> str:
    return shapes.text(at + 4j, words, size=11.5, anchor="start", colour=SOFT)
