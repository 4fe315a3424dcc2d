"""Drawings of networks, as SVG text."""

from __future__ import annotations

from typing import get_args

import numpy as np

from unknot._base.errors import require_known
from unknot.fabrics.named import network as network_named
from unknot.network import Network
from unknot.report import shapes
from unknot.report.load_drawing import MANY, View, draw_matrix
from unknot.report.picture import Drawing
from unknot.report.placement import MAX_DRAWN
from unknot.report.sheet import COLOURS, Sheet

LEGEND_LINES = 24
LINE = "#8a96a3"
MAX_WHOLE = 600
"""Most routers of a network that is drawn whole around a configuration; of a larger one, the concerned part is."""


def draw_network(network: Network | str, *, view: View = "auto") -> Drawing:
    """Routers, links and which routers have terminals.

    Parameters
    ----------
    network : Network or str
        Or a text such as ``"torus(8, 8)"``.
    view : {"auto", "whole", "matrix"}
        Every router, or a matrix of who is joined to whom. By default the whole of fewer than `MANY` routers, else
        the matrix.

    Returns
    -------
    Drawing
        An SVG element. The same network gives the same text. The whole of more than `MAX_DRAWN` routers is described
        instead of drawn.

    Examples
    --------
    >>> drawing = draw_network("torus(4, 4)")
    >>> drawing[:4], drawing.count("<circle")
    ('<svg', 16)
    """
    require_known("draw_network: unknown view", view, get_args(View))
    if isinstance(network, str):
        network = network_named(network)
    title = f"Network {network.name}: {shapes.summary(network)}"
    if view == "matrix" or (view == "auto" and network.num_routers >= MANY):
        ones = np.ones(network.num_channels)
        return draw_matrix(network, ones, title, lambda share: COLOURS[0], 1.0, "channels")
    if network.num_routers > MAX_DRAWN:
        return shapes.note(title, f"Too large to draw: {shapes.summary(network)}.")
    sheet = Sheet.of(network)
    everyone = set(range(network.num_routers))
    parts = [shapes.links(sheet, LINE), shapes.arrows(sheet, LINE), *shapes.routers(sheet, everyone, faint=False)]
    return shapes.svg(sheet.width, sheet.height, title, parts)
