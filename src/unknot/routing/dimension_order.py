"""Dimension-order routing (e-cube) on meshes, hypercubes and tori, and O1TURN, which takes either of two orders.

A packet corrects the dimensions one after the other, always the shorter way round. Minimal and deterministic up to
the choice of VC. On meshes and hypercubes it is deadlock-free with any number of VCs, since dimensions are taken in
ascending order and a line is never turned round in. On rings a dateline is needed: the VCs of each ring fall into two
classes, and the wrap link breaks the cycle that each class alone would have (Dally & Seitz 1987). A unidirectional
ring is gone round the one way there is; the entry dateline claims nothing there.

`ring_lexicographic` is the lexicographic rule on rings. The VC (i, c) is VC i of the channel that leaves position c
of a ring, counted the way the ring is gone round. A header takes, of the channel it needs, the VC that comes next
after its own in lexicographic order: it starts on VC 0 and goes over to VC 1 where the positions start again from 0.
On every route the VCs ascend, so there is no cycle of dependencies under any switching technique (Dally & Seitz 1987;
Bermond & Syska 1992, sections 4.2 and 5.2). A ring in both directions is two rings, and the shorter way is taken,
upward when both are equal; a ring with one direction is gone round that way.

On a product the dimensions are taken in ascending order, each by its own rule: 2 VCs on rings, 1 on lines, so that
the number of VCs is the maximum over the factors (section 5.3). On meshes and hypercubes this is e-cube. Minimal
and deterministic. `dimension_order` with a crossing dateline takes the same routes, but starts routes that do not
wrap on VC 1.

References
----------
W. J. Dally, C. L. Seitz: Deadlock-free message routing in multiprocessor interconnection networks. IEEE
Transactions on Computers, C-36(5), 1987, 547–553. doi:10.1109/TC.1987.1676939.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unknot._base.errors import NetworkError, RelationError, require_known
from unknot._base.switching import SWITCHINGS
from unknot.network import Network, grid
from unknot.network.grid import whole_grid
from unknot.routing.contract import ACYCLIC
from unknot.routing.meshes import mesh_grid
from unknot.routing.parts import Addressing
from unknot.routing.relation import EJECT, Out, Relation, by_steps, cited
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels


@takes_network
def dimension_order(
    network: Network,
    vcs: int = 1,
    *,
    dateline: str = "auto",
    order: Sequence[int] | None = None,
    either_way: bool = False,
) -> Relation:
    """Dimension-order routing on (part of) a product of lines and rings.

    Parameters
    ----------
    vcs : int
        VCs per channel. Without dateline all are candidates alike; with one they are split into two equal classes.
    dateline : {"auto", "none", "crossing", "entry"}
        `crossing`: class 0 while the wrap link of the ring lies ahead, class 1 after it or if it is not used (Dally
        & Seitz 1987). `entry`: the class is fixed on entering a dimension, 1 if the route will wrap, else 0
        (BookSim). `auto`: `crossing` where the network has rings and `vcs` is at least 2, else `none`.
    order : sequence of int, optional
        Dimensions in the order in which they are corrected; by default ascending.
    either_way : bool
        When both ways round a ring are equally short, offer both; by default the upward one is taken.

    Raises
    ------
    RelationError
        If the options do not fit; `NetworkError` if the network is not a product of lines and rings.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> dimension_order(mesh(4, 4))
    <Relation dimension_order on mesh(4, 4), 48 VCs>
    """
    from unknot.routing.rules_kernel import offered, towards

    known = ("auto", "none", "crossing", "entry")
    require_known("dimension_order: unknown dateline", dateline, known, RelationError)
    product = grid(network)
    coordinates, radices, wraps, channel = product.coordinates, product.radices, product.wraps, product.channel
    has = product.directions
    if isinstance(vcs, bool) or not isinstance(vcs, (int, np.integer)):
        raise RelationError(f"dimension_order needs one number of VCs for all channels, got {vcs!r}")
    virtual = VirtualChannels(network, vcs)
    rings = bool(wraps.any())
    if dateline == "auto":
        dateline = "crossing" if rings and vcs >= 2 else "none"
    if dateline != "none" and vcs % 2:
        raise RelationError(
            f"dimension_order with a dateline splits the VCs of a channel into two equal classes; {vcs} cannot be "
            "split: give an even number, or dateline='none'"
        )
    dims = np.arange(radices.size) if order is None else np.array(order, dtype=np.int64)
    if sorted(dims.tolist()) != list(range(radices.size)):
        raise RelationError(f"dimension_order: order {order!r} must name each of the {radices.size} dimensions once")
    home, dimension, num_vcs, entry = network.eject, product.dimension, virtual.total, dateline == "entry"
    classes = 1 if dateline == "none" else 2
    share = vcs // classes
    # Tables by channel take less room in a cache than those by VC, and all channels have as many VCs.
    ends, channels = np.concatenate([network.target, network.inject]), network.num_channels

    def rule(at: int, address: int, out: Out) -> int:
        here, there = ends[at // vcs if at < num_vcs else at - num_vcs + channels], home[address]
        for i in dims:
            a, b = coordinates[here, i], coordinates[there, i]
            if a == b:
                continue
            directions = towards(a, b, radices[i], wraps[i], has[i])
            if directions == 3 and not either_way:
                directions = 1
            count = 0
            for sign in range(1 - (directions & 1), 1 + (directions >> 1)):
                port = channel[here, 2 * i + sign]
                if port < 0:
                    continue
                wrapping = wraps[i] and (b < a if sign == 0 else b > a)
                kind = 1 if classes == 2 and not wrapping else 0
                if entry:
                    kind = 1 if wrapping else 0
                    if at < num_vcs and dimension[at // vcs] == i:
                        kind = at % vcs // share
                count = offered(out, count, port * vcs + kind * share, share)
            return count
        out[0] = EJECT
        return 1

    turns = wraps & (radices > np.where(has == 3, 3, 2))
    safe = not turns.any() or dateline == "crossing" or (entry and bool((has[turns] == 3).all()))
    seated = all(np.bincount(ends, minlength=network.num_routers).all() for ends in (network.inject, home))
    known_stuck = product.complete and seated and not entry
    return cited(
        virtual,
        rule,
        "dimension_order" if dateline == "none" else f"dimension_order with {dateline} dateline",
        dict.fromkeys(SWITCHINGS, safe) if safe or known_stuck else {},
        minimal=True,
        source="Dally & Seitz 1987",
    )


@takes_network
def ring_lexicographic(network: Network) -> Relation:
    """The lexicographic rule of Dally & Seitz, with 2 VCs per channel on rings and 1 on lines.

    Raises
    ------
    NetworkError
        If the network is not a ring or a whole product of rings and lines.

    Examples
    --------
    >>> from unknot.network.families import torus
    >>> ring_lexicographic(torus(5))
    <Relation ring_lexicographic on torus(5), 20 VCs>
    """
    from unknot.routing.rules_kernel import towards

    product = grid(network)
    if whole_grid(network) is None:
        raise NetworkError(
            f"ring_lexicographic on {network.name}: routers or channels of the product of rings and lines miss; "
            "use a routing for any network, such as hop_number"
        )
    coordinates, radices, wraps, channel = product.coordinates, product.radices, product.wraps, product.channel
    has, dimension = product.directions, product.dimension
    virtual = VirtualChannels(network, np.where(wraps[dimension], 2, 1))
    first, at_channel, source = virtual.first, virtual.channel, network.source
    num_vcs, dimensions = virtual.total, radices.size

    def step(at: int, address: int, here: int, there: int, out: Out) -> int:
        for i in range(dimensions):
            a, k = coordinates[here, i], radices[i]
            directions = towards(a, coordinates[there, i], k, wraps[i], has[i])
            if directions == 0:
                continue
            sign = 0 if directions & 1 else 1
            index = 0
            if at < num_vcs and wraps[i] and dimension[at_channel[at]] == i:
                index = at - first[at_channel[at]]
                before = coordinates[source[at_channel[at]], i]
                if (sign == 0 and a <= before) or (sign == 1 and (k - a) % k <= (k - before) % k):
                    index += 1
            out[0] = first[channel[here, 2 * i + sign]] + index
            break
        return 1

    return by_steps(virtual, step, "ring_lexicographic", ACYCLIC, minimal=True, source="Dally & Seitz 1987")


@takes_network
def o1turn(network: Network, vcs: int = 2) -> Relation:
    """XY in the lower half of the VCs, YX in the upper half.

    A packet is given one of the two dimension orders when it is created, with equal chance, and keeps it. Each order
    has half of the VCs to itself, so 2 or any greater even number. Every terminal has two addresses, one for each
    order; the simulator draws one. Minimal; every route turns at most once. Seo et al. (2005) call it deadlock-free,
    since each order is in its own VCs; no cycle of dependencies is left, which settles every switching technique. Its
    worst-case throughput is close to the best an oblivious minimal routing can have on a mesh.

    Parameters
    ----------
    vcs : int
        VCs per channel, an even number.

    Raises
    ------
    RelationError
        If the number is odd or the network is not a mesh of two dimensions; `NetworkError` if it has no coordinates.

    References
    ----------
    D. Seo, A. Ali, W.-T. Lim, N. Rafique, M. Thottethodi: Near-optimal worst-case throughput routing for two-
    dimensional mesh networks. ISCA 2005, 432–443.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> o1turn(mesh(4, 4))
    <Relation o1turn on mesh(4, 4), 96 VCs>
    """
    from unknot.routing.rules_kernel import offered

    product = mesh_grid(network, "o1turn", dimensions=2)
    virtual = VirtualChannels(network, vcs)
    if vcs % 2:
        raise RelationError(
            f"o1turn gives each of its two orders half of the VCs of a channel; {vcs} cannot be halved"
        )
    at_position, channel = product.coordinates, product.channel
    first, terminals, half = virtual.first, network.num_terminals, vcs // 2

    def step(at: int, address: int, here: int, there: int, out: Out) -> int:
        order = address // terminals
        i = order if at_position[here, order] != at_position[there, order] else 1 - order
        port = channel[here, 2 * i + (0 if at_position[here, i] < at_position[there, i] else 1)]
        if port < 0:
            return 0
        return int(offered(out, 0, first[port] + order * half, half))

    names = [network.terminal_name(t) for t in range(terminals)]
    return by_steps(
        virtual,
        step,
        "o1turn",
        ACYCLIC,
        minimal=True,
        source="Seo, Ali, Lim, Rafique & Thottethodi 2005",
        home=np.tile(network.eject, 2),
        addresses=Addressing(
            destination=np.tile(np.arange(terminals, dtype=np.int32), 2),
            address_labels=tuple(f"{name} by {order}" for order in ("XY", "YX") for name in names),
        ),
    )
