"""The permutation under which a channel of a routing is busiest, with the dual of its assignment as evidence.

B. Towles, W. J. Dally: Worst-case traffic for oblivious routing functions. SPAA 2002: under a permutation the load of
a channel is a sum over pairs, so the worst one for the channel is an assignment of greatest weight, and the worst of
all permutations is the worst one of some channel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unknot._base.arrays import Floats, Ints
from unknot._base.memory import require
from unknot._base.quantities import ChannelNumber, Load
from unknot._base.shown import Brief
from unknot.routing.relation import EJECT, Relation
from unknot.routing.taking import takes_relation
from unknot.verify.explorer import Visit
from unknot.verify.loads import TrafficStates, lowest

TINY = 1e-12
"""Share of a packet below which a walk that may go round is not followed."""
ENTRY = 40
"""Bytes of memory for each pair of terminals and channel between them, while they are sorted."""


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
        If a terminal has no address for another, or what it sends meets a dead end.
    SizeError
        If pairs of terminals times the channels between them take more memory than may be used.

    Examples
    --------
    >>> round(worst_permutation("torus(4, 4)", routing="fully_adaptive").throughput, 3)
    0.667
    """
    from scipy.optimize import linear_sum_assignment

    terminals = relation.network.num_terminals
    shares = _shares(relation)
    best = WorstPermutation(np.full(terminals, -1), None, 0.0, 1.0, *np.zeros((2, terminals)))
    for channel in np.argsort(-shares.bound, kind="stable").tolist():
        if shares.bound[channel] <= best.load + TINY:
            break
        senders, receivers, weight = shares.of(channel)
        rows, columns = linear_sum_assignment(weight, maximize=True)
        load = float(weight[rows, columns].sum())
        if load > best.load + TINY:
            counts = weight[rows, columns] > 0
            destination, prices = np.full(terminals, -1), np.zeros((2, terminals))
            destination[senders[rows[counts]]] = receivers[columns[counts]]
            prices[0, senders], prices[1, receivers] = _prices(weight, rows[counts], columns[counts])
            best = WorstPermutation(destination, channel, load, min(1.0, 1 / load), *prices)
    return best


@dataclass(frozen=True, eq=False)
class _Shares:
    """Share of the packets of each pair that pass each channel, over its bandwidth, sorted by channel.

    Attributes
    ----------
    first : int64 array, shape (channels + 1,)
    source, destination, share : arrays, shape (entries,)
    bound : float64 array, shape (channels,)
        No permutation loads the channel more: the most of each sender, or of each receiver, summed up.
    """

    first: Ints
    source: Ints
    destination: Ints
    share: Floats
    bound: Floats

    def of(self, channel: int) -> tuple[Ints, Ints, Any]:
        """Senders and receivers of a channel, and their shares as a matrix."""
        part = slice(self.first[channel], self.first[channel + 1])
        senders, row = np.unique(self.source[part], return_inverse=True)
        receivers, column = np.unique(self.destination[part], return_inverse=True)
        weight = np.zeros((senders.size, receivers.size))
        np.add.at(weight, (row, column), self.share[part])
        return senders, receivers, weight


def _shares(relation: Relation) -> _Shares:
    from scipy.sparse import coo_array

    network = relation.network
    channels, terminals = network.num_channels, network.num_terminals
    everyone = (np.ones((terminals, terminals)) - np.eye(terminals)).astype(np.float64)
    parts, entries = [], 0
    for address, visit, injected in TrafficStates(relation, everyone).visits():
        at, sender, share = _followed(relation, visit, injected)
        on = coo_array((share, (relation.vcs.channel[at], sender)), shape=(channels, terminals)).tocsr().tocoo()
        home = np.full(on.data.size, relation.destination[address])
        parts.append((on.row.astype(np.int64), on.col.astype(np.int64), home, on.data))
        entries += on.data.size
        require(f"shares of the pairs of {network.name} on its channels", ENTRY * entries)
    channel, source, destination, share = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(channel, kind="stable")
    channel, source, destination = channel[order], source[order], destination[order]
    share = share[order] / network.bandwidth[channel]
    bound = np.full(channels, np.inf)
    for end in (source, destination):
        most = np.zeros(channels * terminals)
        # Shares of one pair by several addresses lie apart; their sum counts.
        pair, first = np.unique((channel * terminals + source) * terminals + destination, return_inverse=True)
        sums, ends = np.bincount(first, share), np.zeros(pair.size, dtype=np.int64)
        ends[first] = channel * terminals + end
        np.maximum.at(most, ends, sums)
        bound = np.minimum(bound, most.reshape(channels, terminals).sum(axis=1))
    return _Shares(np.searchsorted(channel, np.arange(channels + 1)), source, destination, share, bound)


def _followed(relation: Relation, visit: Visit, injected: Floats) -> tuple[Ints, Ints, Floats]:
    """Return the VCs that packets to an address pass, with the sender and the share of its packets there."""
    from scipy.sparse import coo_array

    vcs, states = relation.vcs, visit.order
    tail, vc = lowest(visit, np.arange(states.size))
    many, number = np.bincount(tail, minlength=states.size), np.full(vcs.router.size, -1, dtype=np.int64)
    number[states] = np.arange(states.size)
    inner = vc != EJECT
    shape = (states.size, states.size)
    moves = coo_array((1 / many[tail[inner]], (number[vc[inner]], tail[inner])), shape=shape).tocsr()
    begins = np.flatnonzero(injected)
    shape = (states.size, relation.network.num_terminals)
    here = coo_array((injected[begins], (begins, states[begins] - vcs.total)), shape=shape).tocsr()
    steps = []
    while here.nnz:
        here = moves @ here
        here.data[here.data < TINY] = 0
        here.eliminate_zeros()
        steps.append(here.tocoo())
    column = [np.concatenate(part) for part in zip(*((s.row, s.col, s.data) for s in steps), strict=True)]
    return states[column[0]], column[1].astype(np.int64), column[2]


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
