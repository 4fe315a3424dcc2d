"""Two phases of a routing: to a waypoint, and from there."""

from __future__ import annotations

from functools import partial

import numpy as np

from unknot._base.arrays import Flags
from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.contract import PairNames
from unknot.routing.named import routing
from unknot.routing.overlay import Layer
from unknot.routing.parts import Addressing, Preference
from unknot.routing.relation import EJECT, Out, Relation, cited
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
    return cited(
        virtual,
        rule,
        name,
        {technique: claim for technique, claim in both.items() if claim or may_use is None},
        minimal=claims_minimal,
        source=source,
        commits=first.commits,
        addresses=Addressing(
            destination=np.tile(np.arange(terminals, dtype=np.int32), terminals),
            may_use=may_use,
            address_labels=PairNames(network.num_terminals, network.num_terminals, partial(_name, network)),
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
