"""Routings of BookSim 2 that are not in the catalogue, which draws and chooses otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from unknot import Network, Relation, VirtualChannels
from unknot.network import grid
from unknot.routing import EJECT, nca
from unknot.routing.parts import Addressing


def order_on_torus(network: Network, vcs: int) -> Relation:
    """Dimension order as BookSim has it on tori: ties are drawn when the packet is created, one bit a dimension.

    The class, half of the VCs, is chosen on entering a dimension, 1 if the way will wrap, and kept in it. There are
    2ⁿ addresses for each terminal of a torus of n dimensions.
    """
    product, virtual = grid(network), VirtualChannels(network, vcs)
    position, radices, channel, dimension = product.coordinates, product.radices, product.channel, product.dimension
    router, first, of, home = virtual.router, virtual.first, virtual.channel, network.eject
    terminals, num_vcs, half, dims = network.num_terminals, virtual.total, vcs // 2, product.radices.size

    def rule(at: int, address: int, out: Any) -> int:
        here, there, ties = router[at], home[address % terminals], address // terminals
        for i in range(dims):
            a, b = position[here, i], position[there, i]
            if a == b:
                continue
            up = (b - a) % radices[i]
            back = (ties >> i) & 1 if 2 * up == radices[i] else int(2 * up > radices[i])
            kind = int(b > a) if back else int(b < a)
            if at < num_vcs and dimension[of[at]] == i:
                kind = (at - first[of[at]]) // half
            for v in range(half):
                out[v] = first[channel[here, 2 * i + back]] + kind * half + v
            return half
        out[0] = EJECT
        return 1

    destination = np.tile(np.arange(terminals, dtype=np.int32), 1 << dims)
    return Relation(network, virtual, rule, name="dim_order of BookSim", addresses=Addressing(destination))


def ancestor_drawn(network: Network, vcs: int) -> Relation:
    """Nearest common ancestor on k-ary n-trees, the port up drawn anew at each level: kⁿ⁻¹ addresses a terminal."""
    every, terminals = nca(network, vcs), network.num_terminals
    straight, router = every.rule, every.vcs.router
    levels, k = network.radices[:2]
    level = np.arange(network.num_routers) // k ** (levels - 1)
    level.setflags(write=False)

    def rule(at: int, address: int, out: Any) -> int:
        count = straight(at, address % terminals, out)
        if count <= vcs:
            return count
        port = address // terminals // k ** level[router[at]] % k
        for v in range(vcs):
            out[v] = out[port * vcs + v]
        return vcs

    destination = np.tile(np.arange(terminals, dtype=np.int32), k ** (levels - 1))
    return Relation(network, every.vcs, rule, name="nca of BookSim", addresses=Addressing(destination))
