"""Lower bounds on the VCs that escapes add: knots each of which needs one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

import numpy as np

from unknot._base.deadline import Deadline
from unknot.certificates.verdict import Message
from unknot.network import distances_from
from unknot.network.graph import hops_around, light_cycles, path_to
from unknot.remedies.facts import Knot, plain_fact
from unknot.remedies.prune_space import EJECTED, Offers
from unknot.routing.relation import Relation
from unknot.search.bound import Bound
from unknot.search.programs import SCALE, Row, cut

MOST_CANDIDATES = 200_000
"""Most candidates of a relation among which knots are sought."""


def escape_bound(relation: Relation, switching: str, *, minimal: bool, deadline: Deadline) -> Bound | None:
    """The best bound of linear programming over simple knots; None if there are none, or the relation is too large.

    Each knot needs an added VC of a channel to which one of its headers may turn. With shares of channels that sum up
    to least, the lightest knots are sought and added until none weighs less than 1, or the deadline is over.
    """
    offers, network = Offers(relation, switching, minimal), relation.network
    if offers.count > MOST_CANDIDATES:
        return None
    homes = network.eject[relation.destination]
    away = {h: distances_from(network, h, reverse=True) for h in np.unique(homes).tolist()}

    @cache
    def channels(at: int, address: int) -> list[int]:
        """The channels whose added VCs a header may turn to."""
        here = relation.vcs.router[at]
        out, hops = network.outgoing.of(here), away[int(homes[address])]
        nearer: list[int] = (out[hops[network.target[out]] < hops[here]] if minimal else out).tolist()
        return nearer

    def cuts(share: Mapping[int, float]) -> Iterator[tuple[Knot, Row[int]]]:
        for knot in light_knots(offers, lambda at, address: sum(share.get(c, 0.0) for c in channels(at, address))):
            needed = {c for message in knot.messages for c in channels(message.held[-1], message.address)}
            yield knot, (1.0, [(c, 1.0) for c in sorted(needed)])

    weights = cut(cuts, lambda channel: 1.0, deadline, range(network.num_channels))
    if not weights:
        return None
    knots = [{"messages": plain_fact(knot)["messages"], "weight": weight} for knot, weight in weights.items()]
    about = {"switching": switching, "minimal": minimal, "least": -(-sum(weights.values()) // SCALE)}
    return Bound({"subject": "escapes", **about, "proof": {"knots": knots}})


def light_knots(offers: Offers, let_out: Callable[[int, int], float]) -> Iterator[Knot]:
    """Knots of messages with one VC held and one wanted each, let out by less than 1 in total."""
    lightest: dict[tuple[int, int], tuple[float, Message]] = {}
    for address, states in enumerate(offers.after):
        came = offers.reached(address, frozenset())
        for at in came:
            waits = [vc for vc, waited in states[at] if waited or offers.chosen]
            if at >= offers.relation.num_vcs or (len(waits) > 1 and not offers.chosen):
                continue
            weight = let_out(at, address)
            for vc in waits:
                if vc != EJECTED and weight < lightest.get((at, vc), (1.0,))[0]:
                    source, *lead = path_to(at, came)
                    message = Message(source - offers.relation.num_vcs, address, 1, tuple(lead[:-1]), (at,), (vc,))
                    lightest[at, vc] = weight, message
    for cycle in light_cycles({turn: weight for turn, (weight, _) in lightest.items()}):
        knot = Knot(tuple(lightest[turn][1] for turn in hops_around(cycle)))
        if knot.comes:
            yield knot
