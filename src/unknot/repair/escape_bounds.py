"""Lower bounds on the VCs that escapes add: knots each of which needs one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from unknot._base.deadline import Deadline
from unknot._base.shown import Brief
from unknot.certificates import plain
from unknot.certificates.documents import Document, plain_table
from unknot.certificates.verdict import Message
from unknot.network import distances_from
from unknot.network.graph import light_cycles, path_to
from unknot.repair.facts import Knot, plain_fact
from unknot.repair.programs import Program, multipliers
from unknot.repair.prune_space import EJECTED, Offers
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation

MOST_CANDIDATES = 200_000
"""Most candidates of a relation among which knots are sought."""


@dataclass(frozen=True, eq=False, repr=False)
class EscapeBound(Brief):
    """Proof that fewer added VCs are not enough.

    Attributes
    ----------
    knots : tuple of (Knot, int)
        Each with its weight, in parts of `unknot.certificates.plain.PARTS`.
    switching : str
    minimal : bool
        Added VCs lead nearer to the destination of what turns to them.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> from unknot.repair import escaped
    >>> from unknot.routing import fully_adaptive
    >>> escaped(fully_adaptive(mesh(2, 2), vcs=1)).evidence.least
    1
    """

    knots: tuple[tuple[Knot, int], ...]
    switching: str
    minimal: bool

    @property
    def least(self) -> int:
        """Added VCs that are needed at least."""
        return -(-sum(weight for _, weight in self.knots) // plain.PARTS)

    @property
    def claim(self) -> Document:
        """The bound as a claim of a document."""
        knots = [{"messages": plain_fact(knot)["messages"], "weight": weight} for knot, weight in self.knots]
        about = {"switching": self.switching, "minimal": self.minimal, "least": self.least}
        return {"subject": "escapes", **about, "proof": {"knots": knots}}


@takes_relation
def accept_escapes(relation: Relation, bound: EscapeBound) -> int:
    """The number of added VCs that the bound shows to be needed; raise `Rejected` if it does not hold.

    Parameters
    ----------
    bound : EscapeBound
        The bound with its evidence.

    Returns
    -------
    int
        The bound that holds.

    Examples
    --------
    >>> from unknot.repair import accept_escapes, escaped
    >>> from unknot.routing import fully_adaptive
    >>> relation = fully_adaptive("mesh(4, 4)")
    >>> accept_escapes(relation, escaped(relation).evidence)
    4
    """
    claim: dict[str, Any] = bound.claim
    plain.check_escapes(plain_table(relation), claim, claim["proof"])
    return bound.least


def escape_bound(relation: Relation, switching: str, *, minimal: bool, deadline: Deadline) -> EscapeBound | None:
    """The best bound of linear programming over simple knots; None if there are none, or the relation is too large.

    Each knot needs an added VC of a channel to which one of its headers may turn. With shares of channels that sum up
    to least, the lightest knots are sought and added until none weighs less than 1, or the deadline is over.
    """
    offers, network = Offers(relation, switching, minimal), relation.network
    if offers.count > MOST_CANDIDATES:
        return None
    homes = network.eject[relation.destination]
    away = {h: distances_from(network, h, reverse=True) for h in np.unique(homes).tolist()}
    first, leaving = network.outgoing

    @cache
    def channels(at: int, address: int) -> list[int]:
        """The channels whose added VCs a header may turn to."""
        here = relation.vcs.router[at]
        out, hops = leaving[first[here] : first[here + 1]], away[int(homes[address])]
        nearer: list[int] = (out[hops[network.target[out]] < hops[here]] if minimal else out).tolist()
        return nearer

    def let_out(at: int, address: int) -> float:
        return float(share[channels(at, address)].sum())

    share, knots, weights = np.zeros(network.num_channels), dict[Knot, list[int]](), np.zeros(0)
    while True:
        more = {
            knot: sorted({c for message in knot.messages for c in channels(message.held[-1], message.address)})
            for knot in light_knots(offers, let_out)
            if knot not in knots
        }
        if not more or (knots and deadline.over):
            break
        knots |= more
        program = Program.of(((1.0, [(c, 1.0) for c in needed]) for needed in knots.values()), range(share.size))
        solved = program.cheapest(np.ones(share.size))
        if solved.status != 0:
            break
        share, weights = solved.x, multipliers(solved.ineqlin.marginals)
    # Where the last program was not solved, the knots added to it have no weight.
    used = tuple((knot, int(weight)) for knot, weight in zip(knots, weights, strict=False) if weight)
    return EscapeBound(used, switching, minimal) if used else None


def light_knots(offers: Offers, let_out: Callable[[int, int], float]) -> Iterator[Knot]:
    """Knots whose headers together are let out by less than 1, of messages that hold a VC and wait for one."""
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
        yield Knot(tuple(lightest[turn][1] for turn in pairwise((*cycle, cycle[0]))))
