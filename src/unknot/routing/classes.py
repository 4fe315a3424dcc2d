"""Message classes: one routing several times over, for each class of messages on virtual channels (VCs) of its own.

Requests and replies that share VCs can wait for each other at the terminals: where a terminal stops taking in
requests until its replies have left, neither a proof of the network nor a run in which terminals take in everything
knows of that wait. With VCs of its own each class is a network apart, proved by itself, and what is left to show is
that the terminals always take in the last class. Any base routing will do; it needs its VCs once for each class. A
message has as many addresses for a destination as there are classes, and keeps to the one it got. Minimal, adaptive
and deadlock-free, under each switching technique, just where the base is: a message never waits for a VC of another
class. The claims are therefore those of the base. Classes on VCs of their own are old practice, in the router of the
Alpha 21364 for one (Mukherjee et al. 2002).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.routing.class_parts import checked_names, moved_to_class, once_for_each
from unknot.routing.named import routing
from unknot.routing.relation import Out, Relation
from unknot.routing.taking import takes_network, takes_relation
from unknot.routing.virtual_channels import VirtualChannels

BOTH = ("request", "reply")
"""The classes of a closed loop."""


@takes_network
def message_classes(
    network: Network, vcs: int | None = None, *, base: str = "dimension_order", names: Sequence[str] = BOTH
) -> Relation:
    """A routing by name, once for each class of messages.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel in all, shared out equally; by default those that the base takes by itself, for each class.
    base : str
        Name of the routing, with options if wanted.
    names : sequence of str
        Names of the classes.

    Raises
    ------
    RelationError
        If the VCs cannot be shared out equally, or the base cannot be used.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> message_classes(mesh(4, 4), base="west_first")
    <Relation west_first for request and reply on mesh(4, 4), 96 VCs>
    """
    return in_classes(routing(network, base, share(vcs, names), where="message_classes"), names)


def share(vcs: int | None, names: Sequence[str]) -> int | None:
    """VCs per channel for each class, of the given number in all; None of None.

    Raises
    ------
    RelationError
        If they cannot be shared out equally.
    """
    if vcs is None:
        return None
    known = checked_names(names)
    if vcs < len(known) or vcs % len(known):
        raise RelationError(f"{vcs} VCs per channel cannot be shared out equally among {' and '.join(known)}")
    return vcs // len(known)


@takes_relation
def in_classes(relation: Relation, names: Sequence[str] = BOTH) -> Relation:
    """Return a relation several times over, on VCs of its own for each class.

    On every channel the VCs of the first class come first. Address a of the base is address
    ``k · relation.num_addresses + a`` of class k, and `Relation.classes` has the names, so that traces and closed
    loops give messages the addresses of their class. Other traffic draws among all classes.

    Parameters
    ----------
    names : sequence of str
        Names of the classes, no two alike.

    Raises
    ------
    RelationError
        If the names are not texts that differ, the relation has classes already, or its packets choose between two
        addresses on injection (UGAL), since one of them would be of another class.

    Examples
    --------
    >>> from unknot.routing import dimension_order
    >>> from unknot.network.families import mesh
    >>> in_classes(dimension_order(mesh(4, 4)))
    <Relation dimension_order for request and reply on mesh(4, 4), 96 VCs>
    """
    known = checked_names(names)
    if relation.classes:
        raise RelationError(f"{relation.name} has message classes already: {', '.join(relation.classes)}")
    if relation.direct is not None:
        raise RelationError(
            f"{relation.name}: its packets compare their address with one direct address for each pair of terminals, "
            "which can be of one message class only; use a routing that does not"
        )
    network, many, addresses = relation.network, len(known), relation.num_addresses
    counts = relation.vcs.counts.astype(np.int64)
    virtual = VirtualChannels(network, counts * many)
    kinds = np.arange(many)[:, None]
    outer = virtual.first[relation.vcs.channel] + kinds * counts[relation.vcs.channel] + relation.vcs.index
    inner, kind_of = np.zeros(virtual.total, dtype=np.int64), np.zeros(virtual.total, dtype=np.int64)
    inner[outer], kind_of[outer] = np.arange(relation.num_vcs), kinds
    total, entry, ask, moved = virtual.total, relation.num_vcs, relation.rule, moved_to_class

    def rule(at: int, address: int, out: Out) -> int:
        kind = address // addresses
        inner_at = entry + at - total
        if at < total:
            if kind_of[at] != kind:
                return 0
            inner_at = inner[at]
        return moved(out, ask(inner_at, address % addresses, out), kind, outer)

    return Relation(
        network,
        virtual,
        rule,
        name=f"{relation.name} for {' and '.join(known)}",
        commits=relation.commits,
        claims=relation.claims,
        **once_for_each(relation, known),
    )
