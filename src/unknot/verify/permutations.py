"""The permutation under which a channel of a routing is busiest, with the dual of its assignment as evidence.

B. Towles, W. J. Dally: Worst-case traffic for oblivious routing functions. SPAA 2002: under a permutation the load of
a channel is a sum over pairs, so the worst one for the channel is an assignment of greatest weight, and the worst of
all permutations is the worst one of some channel.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from unknot._base.arrays import Floats, Ints
from unknot._base.errors import RelationError
from unknot._base.quantities import ChannelNumber, Load
from unknot._base.shown import Brief
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.verify.pair_shares import TINY, shares_of_pairs

MOST_STATES = 200_000_000
"""Addresses times VCs up to which packets are followed: minutes."""
SAME, PLACES, TIMES = 1e-8, 9, 0.618
"""Difference of equal loads and signatures, places of rounded signatures, and the weight of sums of columns."""
MOST_KNOWN = 16
"""Channels whose prices others try, beside those of the busiest ones."""


@dataclass(frozen=True, eq=False, repr=False)
class WorstPermutation(Brief):
    """The permutation with the highest load of a channel, choices of the routing taken equally often.

    Attributes
    ----------
    destination : int64 array, shape (terminals,)
        Terminal that each sends to; −1: none, as the channel is not used by what is left.
    channel : int or None
        The busiest channel; None where no channel carries anything.
    load : float
        Flits per cycle on that channel over its bandwidth, when every terminal sends a flit per cycle.
    throughput : float
        Flits per terminal and cycle up to which no channel, and no terminal, has more than it carries.
    sender_price, receiver_price : float64 array, shape (terminals,)
        Prices of senders and receivers whose sum is `load`. No pair loads the channel by more than its two prices, so
        that no permutation has a higher load there (duality of linear programs).

    Examples
    --------
    >>> worst = worst_permutation("mesh(4, 4)", routing="dimension_order")
    >>> worst.load, round(float(worst.sender_price.sum() + worst.receiver_price.sum()), 6)
    (3.0, 3.0)
    """

    destination: Ints
    channel: ChannelNumber | None
    load: float
    throughput: Load
    sender_price: Floats
    receiver_price: Floats


@takes_relation
def worst_permutation(relation: Relation) -> WorstPermutation:
    """Return the permutation of terminals under which some channel of a routing is busiest.

    Headers take each candidate of the lowest tier equally often, and each address, as for `loads`. Exact for
    routings that leave no choice. Channels are looked at in the order of a bound, until no bound is higher than the
    best: an assignment for each channel, of its senders and receivers alone.

    Parameters
    ----------
    relation : Relation
        The routing; or a network, with its `routing`.
    routing : str or None
        Name of the routing, where a network is given.
    vcs : int or None
        VCs per channel.

    Returns
    -------
    WorstPermutation
        The permutation, its busiest channel, and the proof.

    Raises
    ------
    RelationError
        If a terminal has no address for another, what it sends meets a dead end, or there are too many addresses.
    SizeError
        If pairs of terminals times the channels between them take more memory than may be used.

    Examples
    --------
    >>> round(worst_permutation("torus(4, 4)", routing="fully_adaptive").throughput, 3)
    0.667
    """
    from scipy.optimize import linear_sum_assignment

    terminals, states = relation.network.num_terminals, relation.num_addresses * relation.num_vcs
    if states > MOST_STATES:
        raise RelationError(
            f"{relation.name}: the worst permutation follows packets to {relation.num_addresses:,} addresses over "
            f"{relation.num_vcs:,} VCs; {MOST_STATES:,} of both together at most, got {states:,}"
        )
    shares, known = shares_of_pairs(relation), list[_KnownPrices]()
    best = WorstPermutation(np.full(terminals, -1), None, 0.0, 1.0, *np.zeros((2, terminals)))
    for channel in np.argsort(-shares.bound, kind="stable").tolist():
        if shares.bound[channel] <= best.load + TINY:
            break
        senders, receivers, weight = shares.of(channel)
        sides = _signatures(weight)
        if any(one.bound(weight, sides) <= best.load + SAME for one in known):
            continue
        rows, columns = linear_sum_assignment(weight, maximize=True)
        load = float(weight[rows, columns].sum())
        better, counts = load > best.load + TINY, weight[rows, columns] > 0
        if better or len(known) < MOST_KNOWN:
            paid = _prices(weight, rows[counts], columns[counts])
            known.append(_KnownPrices.of(sides, paid))
        if better:
            destination, prices = np.full(terminals, -1), np.zeros((2, terminals))
            destination[senders[rows[counts]]] = receivers[columns[counts]]
            prices[0, senders], prices[1, receivers] = paid
            best = WorstPermutation(destination, channel, load, min(1.0, 1 / load), *prices)
    return best


Sides = tuple[Floats, Floats]
"""A number for each sender, and for each receiver."""


def _signatures(weight: Any) -> Sides:
    """Return a number for each row and column, the same for rows that change places in a symmetry of the matrix."""
    rows, columns = (
        side @ (1 + TIMES * side.sum(axis=0)) + np.einsum("ij,ij->i", side, side) for side in (weight, weight.T)
    )
    return rows, columns


@dataclass(frozen=True, eq=False)
class _KnownPrices:
    """Prices of the assignment of a channel by signature, for other channels whose pairs all meet these prices.

    Attributes
    ----------
    signature, price : pairs of float64 arrays
        Of senders, and of receivers; signatures ascending, prices the mean of equal ones.
    """

    signature: Sides
    price: Sides

    @classmethod
    def of(cls, sides: Sides, prices: Sides) -> _KnownPrices:
        signature, price = list[Floats](), list[Floats]()
        for side, paid in zip(sides, prices, strict=True):
            each, place, many = np.unique(np.round(side, PLACES), return_inverse=True, return_counts=True)
            signature.append(each)
            price.append(np.bincount(place, paid) / many)
        return cls((signature[0], signature[1]), (price[0], price[1]))

    def bound(self, weight: Any, sides: Sides) -> float:
        """Return an upper bound on the load of any assignment, by these prices; infinite where some do not fit."""
        prices = list[Floats]()
        for side, signature, price in zip(sides, self.signature, self.price, strict=True):
            place = np.searchsorted(signature, side - SAME).clip(max=signature.size - 1)
            if (abs(signature[place] - side) > SAME).any():
                return inf
            prices.append(price[place])
        senders, receivers = prices
        over = max(0.0, float((weight - receivers - senders[:, None]).max(initial=0.0)))
        return float(senders.sum() + receivers.sum()) + over * senders.size


def _prices(weight: Any, rows: Ints, columns: Ints) -> tuple[Floats, Floats]:
    """Return prices of senders and receivers, none negative, that meet all weights and sum up to those assigned.

    The least prices of receivers, raised as in the method of Bellman and Ford: as the assignment is optimal, no round
    of its pairs raises them for ever.
    """
    own = np.zeros(weight.shape[0])
    own[rows] = weight[rows, columns]
    receiver, paid = np.zeros(weight.shape[1]), np.zeros(weight.shape[0])
    while True:
        raised = np.maximum(receiver, (weight - (own - paid)[:, None]).max(axis=0))
        if (raised <= receiver + TINY).all():
            return own - paid, receiver
        receiver = raised
        paid[rows] = receiver[columns]
