"""Minimal fully adaptive routing with a dimension-order escape, after Duato.

The first VC of each channel (on a torus the first two, in two dateline classes) forms an escape network routed by
dimension order; the others may be taken in any direction that brings the header nearer. A header takes an adaptive VC
when one is free, else the escape VC, and may return to the adaptive ones later. Duato (1993, 1995) proves it
deadlock-free for wormhole switching when a VC holds flits of one packet at a time, and (1996) for store-and-forward
and virtual cut-through; nothing is claimed for non-atomic allocation, where a header commits to one VC. Needs 2 VCs
on meshes and hypercubes, 3 on tori.
"""

from __future__ import annotations

from unknot.network import Network, grid
from unknot.routing.contract import ATOMIC
from unknot.routing.relation import TIER, Out, Relation, by_steps
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels, enough_vcs


@takes_network
def duato(network: Network, vcs: int | None = None) -> Relation:
    """Fully adaptive minimal routing with dimension-order escape channels.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel, at least 2 on a mesh or hypercube and 3 on a torus (the default).

    Raises
    ------
    RelationError
        If there are too few VCs; `NetworkError` if the network is not a product of lines and rings.

    References
    ----------
    J. Duato: A new theory of deadlock-free adaptive routing in wormhole networks. IEEE Transactions on Parallel and
    Distributed Systems, 4(12), 1993, 1320–1331. doi:10.1109/71.250114.

    Examples
    --------
    >>> from unknot.network.families import torus
    >>> duato(torus(4, 4))
    <Relation duato on torus(4, 4), 192 VCs>
    """
    from unknot.routing.rules_kernel import offered, towards

    product = grid(network)
    coordinates, radices, wraps, channel = product.coordinates, product.radices, product.wraps, product.channel
    has = product.directions
    escapes = 2 if wraps.any() else 1
    one = "rings takes 2 escape VCs" if escapes == 2 else "lines takes 1 escape VC"
    why = f"a product of {one} and at least one adaptive VC per channel, so {escapes + 1} or more"
    vcs = enough_vcs(network, vcs, escapes + 1, "duato", why)
    virtual = VirtualChannels(network, vcs)
    first, dimensions = virtual.first, radices.size

    def step(at: int, address: int, here: int, there: int, out: Out) -> int:
        count = 0
        escaped = False
        for i in range(dimensions):
            a, b = coordinates[here, i], coordinates[there, i]
            if a == b:
                continue
            directions = towards(a, b, radices[i], wraps[i], has[i])
            for sign in range(2):
                if not directions & (1 << sign):
                    continue
                port = channel[here, 2 * i + sign]
                if not escaped:
                    escaped = True
                    if port >= 0:
                        wrapping = wraps[i] and (b < a if sign == 0 else b > a)
                        kind = 1 if escapes == 2 and not wrapping else 0
                        out[count] = first[port] + kind + TIER
                        count += 1
                if port >= 0:
                    count = offered(out, count, first[port] + escapes, vcs - escapes)
        return count

    return by_steps(virtual, step, "duato", ATOMIC, minimal=True, source="Duato 1993, 1995")
