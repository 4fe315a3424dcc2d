"""Waypoint schemes: one routing to a waypoint, then another to the destination.

The address is the pair of both: ``waypoint · terminals + destination``. The phases have VCs of their own on every
channel, so the VC on which a header sits gives its phase. A header that comes to the router of its waypoint in phase
one, or is injected there, asks the second routing as if it were injected at that terminal. A packet that passes its
own destination in phase one goes on. So nothing is left out of the proof and nothing is added: both phases, every
waypoint, every hand-over. The scheme is deadlock-free under a technique when both routings are: phase two never waits
for VCs of phase one.

ROMM takes a random waypoint inside the box of source and destination, on products of lines and rings.
Both phases go by dimension order, each in half of the VCs: 2 on meshes and hypercubes, 4 on tori with datelines, or
any greater even number. Since the waypoint lies on some shortest path, every route is one: minimal and oblivious,
with more paths than dimension order alone. On a ring the box is the shorter way round, or, where both are equally
short, the whole ring. Nesson & Johnsson (1995) treat meshes and tori and separate the phases by VCs; each phase then
has no cycle of dependencies, which settles every switching technique. Their paper has not been read for this, and
whether its tori have datelines in both phases is not known. No packet can pass its destination in phase one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from unknot._base.arrays import Flags
from unknot._base.errors import RelationError
from unknot.network import Network, grid
from unknot.network.model import IntArray
from unknot.routing.contract import PairNames
from unknot.routing.named import routing
from unknot.routing.overlay import Layer
from unknot.routing.parts import Addressing, Preference, Published
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels

MAX_TERMINALS = 4096
"""Most terminals: there are as many addresses as pairs of terminals."""
MAX_ENTRIES = 2**28
"""Most triples of source, waypoint and destination in the table of which ROMM uses; a byte each."""


def via_waypoint(
    first: Relation,
    second: Relation,
    *,
    may_use: Flags | None = None,
    direct: IntArray | None = None,
    name: str = "via_waypoint",
    claims_minimal: bool | None = None,
    source: str = "",
) -> Relation:
    """Route by `first` to a waypoint and by `second` from there, each on VCs of its own.

    Parameters
    ----------
    first, second : Relation
        Of one network, with one address for each terminal. VCs of `first` come first on every channel.
    may_use : bool array, shape (terminals, terminals²), optional
        Which pairs of waypoint and destination a source uses, as in `Relation`; by default all.
    direct, name, claims_minimal, source : int array, str, bool or None, str
        As for `Relation`.

    Returns
    -------
    Relation
        The routing.

    Raises
    ------
    RelationError
        If the two do not fit together, or there are more than `MAX_TERMINALS` terminals.

    References
    ----------
    L. G. Valiant, G. J. Brebner: Universal schemes for parallel communication. STOC 1981, 263–277.
    doi:10.1145/800076.802479.

    Examples
    --------
    >>> from unknot.routing import dimension_order, hop_number
    >>> from unknot.network.families import mesh
    >>> network = mesh(3, 3)
    >>> via_waypoint(dimension_order(network), hop_number(network))
    <Relation via_waypoint on mesh(3, 3), 120 VCs>
    """
    network = first.network
    terminals = network.num_terminals
    for part in (first, second):
        if part.network is not network or part.commits != first.commits:
            raise RelationError(f"{name}: {first.name} and {second.name} must be of one network and commit alike")
        if part.may_use is not None or not np.array_equal(part.destination, np.arange(terminals)):
            raise RelationError(f"{name} needs routings with one address for each terminal; {part.name} has others")
    if terminals > MAX_TERMINALS:
        raise RelationError(
            f"{name} on {network.name}: an address for each of {terminals} × {terminals} pairs of waypoint and "
            f"destination is too much; the limit is {MAX_TERMINALS} terminals"
        )
    apart = np.flatnonzero(network.inject != network.eject)
    if apart.size:
        where = network.terminal_name(int(apart[0]))
        raise RelationError(
            f"{name} on {network.name}: {where} injects and ejects at different routers, so it is no waypoint"
        )
    virtual = VirtualChannels(network, first.vcs.counts + second.vcs.counts)
    late = Layer(virtual, second, first.vcs.counts)
    inner, ask_first, ask_second = late.inner, Layer(virtual, first).rule, late.rule
    total, router, home = virtual.total, virtual.router, network.eject

    def rule(at: int, address: int, out: Out) -> int:
        waypoint, to = address // terminals, address % terminals
        if at < total and inner[at] >= 0:
            return ask_second(at, to, out)
        if router[at] != home[waypoint]:
            return ask_first(at, waypoint, out)
        if waypoint != to:
            return ask_second(total + waypoint, to, out)
        out[0] = EJECT
        return 1

    both = {t: first.claims[t] and second.claims[t] for t in first.claims if t in second.claims}
    return Relation(
        network,
        virtual,
        rule,
        name=name,
        commits=first.commits,
        addresses=Addressing(
            destination=np.tile(np.arange(terminals, dtype=np.int32), terminals),
            may_use=may_use,
            address_labels=PairNames(network.num_terminals, network.num_terminals, partial(_name, network)),
        ),
        published=Published(
            claims={technique: claim for technique, claim in both.items() if claim or may_use is None},
            claims_minimal=claims_minimal,
            source=source,
        ),
        preference=Preference(direct=direct),
    )


def both_phases(
    network: Network, vcs: int | None, base: str, then: str | None, name: str
) -> tuple[Relation, Relation]:
    """The routings of the two phases from their names, each with half of the VCs.

    By default each has the VCs it takes by itself, or two where it says that it deadlocks with one.
    """
    if vcs is not None and (vcs < 2 or vcs % 2):
        raise RelationError(
            f"{name} gives each of its two phases half of the VCs of a channel; {vcs} cannot be halved"
        )
    phases = []
    for text in (base, then or base):
        part = routing(network, text, vcs // 2 if vcs is not None else None, where=name)
        if vcs is None and False in part.claims.values() and part.vcs.counts.max(initial=1) == 1:
            part = routing(network, text, 2, where=name)
        phases.append(part)
    return phases[0], phases[1]


def _name(network: Network, waypoint: int, to: int) -> str:
    return f"{network.terminal_name(to)} via {network.terminal_name(waypoint)}"


@takes_network
def valiant(
    network: Network, vcs: int | None = None, *, base: str = "dimension_order", then: str | None = None
) -> Relation:
    """Any terminal as waypoint, two phases.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel, an even number, half for each phase. By default what the base takes by itself for each
        phase, or two where it says that it deadlocks with one.
    base : str
        Routing of both phases by name, with options if needed: ``"dimension_order(order=[1, 0])"``.
    then : str, optional
        Routing of the second phase, where it differs.

    Raises
    ------
    RelationError
        If the VCs cannot be halved, the routing cannot be used so, or there are too many terminals; and what the
        base raises where it does not fit the network.

    References
    ----------
    L. G. Valiant, G. J. Brebner: Universal schemes for parallel communication. STOC 1981, 263–277.
    doi:10.1145/800076.802479.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> valiant(mesh(4, 4))
    <Relation valiant on mesh(4, 4), 96 VCs>
    """
    first, second = both_phases(network, vcs, base, then, "valiant")
    alone = np.unique(network.eject).size < 2
    return via_waypoint(
        first, second, name="valiant", claims_minimal=None if alone else False, source="Valiant & Brebner 1981"
    )


@takes_network
def ugal(
    network: Network,
    vcs: int | None = None,
    *,
    base: str = "dimension_order",
    then: str | None = None,
    variant: str = "UGAL-L_VCH",
) -> Relation:
    """UGAL: Valiant's routing, or directly where queues are short.

    Parameters
    ----------
    vcs, base, then : int or None, str, str or None
        As for `valiant`.
    variant : {"UGAL-L_VCH", "UGAL-L_VC", "UGAL-L"}
        Queues that are compared.

    Raises
    ------
    RelationError
        If there is no such variant, or as for `valiant`.

    References
    ----------
    A. Singh: Load-balanced routing in interconnection networks. PhD thesis, Stanford University, 2005.
    J. Kim, W. J. Dally, S. Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology. ISCA 2008, 77–88.
    doi:10.1109/ISCA.2008.19.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> ugal(mesh(4, 4))
    <Relation ugal on mesh(4, 4), 96 VCs>
    """
    whole = valiant(network, vcs, base=base, then=then)
    direct = network.num_terminals * np.arange(network.num_terminals, dtype=np.int32)
    return replace(
        whole,
        name="ugal",
        preference=replace(whole.preference, direct=direct, compares=variant),
        published=replace(whole.published, source="Singh 2005"),
    )


@takes_network
def romm(
    network: Network, vcs: int | None = None, *, base: str = "dimension_order", then: str | None = None
) -> Relation:
    """Two minimal phases with a waypoint on a shortest path.

    Parameters
    ----------
    vcs, base, then : int or None, str, str or None
        As for `valiant`; both routings are minimal ones.

    Raises
    ------
    RelationError
        If the network is too large, or as for `valiant`; `NetworkError` if it is not a product of lines and rings.

    References
    ----------
    T. Nesson, S. L. Johnsson: ROMM routing on mesh and torus networks. SPAA 1995, 275–287. doi:10.1145/215399.215455.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> romm(mesh(4, 4))
    <Relation romm on mesh(4, 4), 96 VCs>
    """
    product = grid(network)
    terminals = network.num_terminals
    if terminals**3 > MAX_ENTRIES:
        raise RelationError(
            f"romm on {network.name}: a table of {terminals} sources × {terminals} waypoints × {terminals} "
            f"destinations is too large; the limit is {MAX_ENTRIES} entries, {int(MAX_ENTRIES ** (1 / 3))} terminals"
        )
    first, second = both_phases(network, vcs, base, then, "romm")
    hops = np.zeros((terminals, terminals), dtype=np.int64)
    for i, k in enumerate(product.radices):
        at, directions = product.coordinates[:, i], product.directions[i]
        up = at[network.eject] - at[network.inject][:, None]
        if not product.wraps[i]:
            hops += np.abs(up)
        else:
            hops += np.minimum(up % k, -up % k) if directions == 3 else (up if directions == 1 else -up) % k
    may_use = np.empty((terminals, terminals, terminals), dtype=bool)
    for source in range(terminals):
        may_use[source] = hops[source][:, None] + hops == hops[source]
    return via_waypoint(
        first,
        second,
        may_use=may_use.reshape(terminals, terminals * terminals),
        name="romm",
        claims_minimal=first.claims_minimal and second.claims_minimal,
        source="Nesson & Johnsson 1995",
    )
