"""Deadlocks through end points as configurations, in which terminals are routers and queues VCs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unknot._base.switching import BUFFER_DEPTH
from unknot.certificates.verdict import Configuration, Message
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.verify.protocols.decision import ProtocolVerdict
from unknot.verify.protocols.extended import extend
from unknot.verify.protocols.words import awaited, end_of


def knot(verdict: ProtocolVerdict) -> tuple[Relation, Configuration | None]:
    """Return the network with its end points, and the messages at the end of a run to a deadlock, to draw them.

    A queue is a VC between the router of its terminal and that of the network; both places that worms have in one are
    this VC. Of several messages in a queue the first waits for others.
    """
    system, state = verdict.system, end_of(verdict)
    extended = extend(system)
    network = _beside(system.relation.network, extended.relation.network)
    vcs_there = VirtualChannels(network, extended.relation.vcs.counts)
    relation = replace(extended.relation, network=network, vcs=vcs_there)
    if verdict.run is None:
        return relation, None

    def vcs(places: list[int]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(extended.vc(place % system.places) for place in places))

    messages = []
    for place, held in state.items():
        for position, one in enumerate(held):
            block = extended.kinds.index(one.kind) * system.block
            address = block + one.address - system.first_address[one.kind]
            targets = vcs(awaited(system, state, place, position))
            messages.append(Message(one.source, address, 1, (), vcs([*one.tail, place]), targets))
    return relation, Configuration(verdict.switching, BUFFER_DEPTH, "scheduled", tuple(messages))


def _beside(base: Network, extended: Network) -> Network:
    """The network with end points and names; in a grid with each terminal beside its router."""
    terminals = tuple(base.terminal_name(t) for t in range(base.num_terminals))
    labels = (*(base.router_name(r) for r in range(base.num_routers)), *terminals)
    named = replace(extended, router_labels=labels, terminal_labels=terminals)
    if base.coordinates is None or np.unique(base.inject).size < base.num_terminals:
        return named
    flat = np.zeros((base.num_routers, max(0, 2 - base.coordinates.shape[1])), dtype=int)
    at = 2 * np.concatenate([base.coordinates, flat], axis=1)
    off = at[base.inject] + np.r_[1, 1, np.zeros(at.shape[1] - 2, dtype=int)]
    everywhere = np.concatenate([at, off])
    return replace(named, coordinates=everywhere, radices=tuple((everywhere.max(axis=0) + 1).tolist()), dimensions=())
