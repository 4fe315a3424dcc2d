"""Relations whose wormhole question the fixpoints leave open: free under store-and-forward, and hard to decide.

Found by a search among random tables on small meshes, for what is left over once the cheap tests are done.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from unknot.network import Network, grid
from unknot.routing.relation import EJECT, NO_WAIT, Out, Relation, VirtualChannels

SIGNS = "-0+"
WAYS = ("+x", "-x", "+y", "-y")

FREE_THREE_WIDE = {
    "--": "(-x0) -x1 -y0 (-y1)", "-0": "-x0 -x1", "-+": "-x0 -x1 +y0", "0-": "-y0 (-y1)", "0+": "+y0 +y1",
    "+-": "(+x0) +x1 -y0 -y1", "+0": "+x0 +x1", "++": "+x0 +x1 +y0",
}  # fmt: skip
"""Free on meshes three routers wide, as far as tried; a deadlock from 4×4 on."""

FREE_FOUR_WIDE = {
    "--": "-x0 -x1 (-y1)", "-0": "-x0", "-+": "-x0 -x1", "0-": "-y0 -y1", "0+": "+y0 +y1",
    "+-": "(+x0) (+x1) (-y0) -y1", "+0": "+x0 +x1", "++": "+x0 +x1 +y1",
}  # fmt: skip
"""Free on meshes four routers wide, as far as tried; a deadlock from 5×5 on."""


def by_signs(network: Network, table: Mapping[str, str], vcs: int = 2) -> Relation:
    """Minimal routing on a two-dimensional mesh, told by the signs of what is left to go in x and y.

    An entry lists the VCs that may be taken, as way and number; those in parentheses are not waited for.
    """
    product = grid(network)
    places = VirtualChannels(network, vcs)
    may, waits = np.zeros((9, 4, vcs), dtype=bool), np.zeros((9, 4, vcs), dtype=bool)
    for signs, entry in table.items():
        kind = 3 * SIGNS.index(signs[0]) + SIGNS.index(signs[1])
        for name in entry.split():
            way, number = WAYS.index(name.strip("()")[:2]), int(name.strip("()")[2:])
            may[kind, way, number] = True
            waits[kind, way, number] = "(" not in name
    coordinates, channel = product.coordinates, product.channel
    router, first, home = places.router, places.first, network.eject

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        if here == there:
            out[0] = EJECT
            return 1
        kind = 0
        for i in range(2):
            a, b = coordinates[here, i], coordinates[there, i]
            kind = 3 * kind + (0 if b < a else 1 if b == a else 2)
        count = 0
        for way in range(4):
            for v in range(vcs):
                if may[kind, way, v]:
                    out[count] = first[channel[here, way]] + v + (0 if waits[kind, way, v] else NO_WAIT)
                    count += 1
        return count

    return Relation(network, places, rule, name="by_signs")


def two_overlaid(network: Network) -> Relation:
    """Two adaptive networks over each other on a mesh: the second on the negative channels of all dimensions but x.

    A message starts in the first network and waits there while it has still to go in x or upwards in some other
    dimension. After that it may go on there when a VC is free, but waits for the second network, and never leaves it.
    Free under store-and-forward; a deadlock under wormhole switching from 3×3 on.
    """
    product = grid(network)
    coordinates, channel, dimensions = product.coordinates, product.channel, product.radices.size
    counts = np.ones(network.num_channels, dtype=np.int32)
    for i in range(1, dimensions):
        downwards = channel[:, 2 * i + 1]
        counts[downwards[downwards >= 0]] = 2
    places = VirtualChannels(network, counts)
    router, first, home, index, total = places.router, places.first, network.eject, places.index, places.total

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        if here == there:
            out[0] = EJECT
            return 1
        second = at < total and index[at] == 1
        last = coordinates[here, 0] == coordinates[there, 0]
        for i in range(1, dimensions):
            last = last and coordinates[there, i] <= coordinates[here, i]
        count = 0
        for i in range(dimensions):
            a, b = coordinates[here, i], coordinates[there, i]
            if a == b:
                continue
            vc = first[channel[here, 2 * i + (0 if b > a else 1)]]
            if not second:
                out[count] = vc + (NO_WAIT if last else 0)
                count += 1
            if (second or last) and i > 0 and b < a:
                out[count] = vc + 1
                count += 1
        return count

    return Relation(network, places, rule, name="two_overlaid")
