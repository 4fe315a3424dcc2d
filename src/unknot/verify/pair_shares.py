"""Share of the packets of each pair of terminals on each channel of a routing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unknot._base.arrays import Floats, Ints, Rows, row_of
from unknot._base.memory import require
from unknot.routing.relation import EJECT, Relation
from unknot.verify.explorer import Visit
from unknot.verify.loads import TrafficStates
from unknot.verify.walks import lowest

TINY = 1e-12
"""Share of a packet below which a walk that may go round is not followed."""
ENTRY = 12
"""Bytes of memory for each pair of a sender and a receiver and each channel between them."""
FIRST_HOMES, UNEVEN = 8, 2
"""Receivers after which memory for all is estimated, then twice as many; how many times less the rest may take."""


@dataclass(frozen=True, eq=False)
class PairShares:
    """Share of the packets of each sender and receiver that pass each channel, over its bandwidth.

    Attributes
    ----------
    first : int array, shape (channels + 1, terminals)
        Where the entries of each channel begin among those of each receiver.
    unit, share : lists of arrays
        By receiver: units of the senders of each entry, and shares. Terminals of a router are one unit where the
        routing sends alike from all of them.
    units : int64 array, shape (terminals,)
        Unit of each terminal.
    bound : float64 array, shape (channels,)
        No permutation loads the channel more: the most of each sender, or of each receiver, summed up.
    """

    first: Any
    unit: list[Any]
    share: list[Any]
    units: Ints
    bound: Floats

    def of(self, channel: int) -> tuple[Ints, Ints, Any]:
        """Senders and receivers of a channel, and their shares as a matrix."""
        begins, ends = self.first[channel], self.first[channel + 1]
        receivers = np.flatnonzero(begins < ends)
        rows = [*zip(receivers.tolist(), begins[receivers].tolist(), ends[receivers].tolist(), strict=True)]
        unit, share = (
            np.concatenate([of[home][low:high] for home, low, high in rows]) for of in (self.unit, self.share)
        )
        used, place = np.unique(unit, return_inverse=True)
        of_unit = np.zeros((used.size, receivers.size))
        of_unit[place, np.repeat(np.arange(receivers.size), (ends - begins)[receivers])] = share
        senders = np.flatnonzero(np.isin(self.units, used))
        weight = of_unit[np.searchsorted(used, self.units[senders])]
        _, row, column = np.intersect1d(senders, receivers, assume_unique=True, return_indices=True)
        weight[row, column] = 0.0
        return senders, receivers, weight


def shares_of_pairs(relation: Relation) -> PairShares:
    """Return the shares, with the terminals of a router as a unit where the routing sends alike from all of them."""
    network = relation.network
    alike, alone = network.inject.astype(np.int64), np.arange(network.num_terminals)
    made = _summed(relation, alike) or _summed(relation, alone)
    if made is None:
        raise AssertionError("a terminal sends as it does itself")
    return made


def _summed(relation: Relation, units: Ints) -> PairShares | None:
    """Return the shares with terminals in units; None: the routing does not send alike from all of a unit."""
    from scipy.sparse import csr_array

    network = relation.network
    channels, terminals = network.num_channels, network.num_terminals
    shape = (channels, int(units.max()) + 1)
    by_home = dict[int, Any]()
    everyone = np.ones((terminals, terminals))
    np.fill_diagonal(everyone, 0)
    entries, looked_at = 0, FIRST_HOMES
    for address, visit, injected in TrafficStates(relation, everyone).visits():
        followed = _followed(relation, visit, injected, units)
        if followed is None:
            return None
        home = int(relation.destination[address])
        if home not in by_home and len(by_home) == looked_at:  # refused here, not after minutes
            looked_at *= 2
            expected = max(entries, entries * terminals // len(by_home) // UNEVEN)
            require(f"shares of the pairs of {network.name} on its channels", ENTRY * expected)
        before = by_home.pop(home, csr_array(shape))
        by_home[home] = before + csr_array(followed, shape=shape)
        entries += by_home[home].nnz - before.nnz
    require(f"shares of the pairs of {network.name} on its channels", ENTRY * entries)
    most, received = np.zeros(shape), np.zeros(channels)
    slowness, first = 1 / network.bandwidth, np.zeros((channels + 1, terminals), dtype=np.int32)
    unit, share = ([np.zeros(0, dtype=kind)] * terminals for kind in (np.int32, np.float64))
    for home, shares in by_home.items():
        row = row_of(shares.indptr)
        shares.data *= slowness[row]
        most[row, shares.indices] = np.maximum(most[row, shares.indices], shares.data)
        highest = np.zeros(channels)
        np.maximum.at(highest, row, shares.data)
        received += highest
        first[:, home], unit[home], share[home] = shares.indptr, shares.indices, shares.data
    sent = most @ np.bincount(units, minlength=shape[1])
    return PairShares(first, unit, share, units, np.minimum(sent, received))


def _followed(relation: Relation, visit: Visit, injected: Floats, units: Ints) -> Any:
    """Return the shares of packets to an address by channel and unit of the senders, as parts of a sparse array.

    None: terminals of a unit have other candidates, or send another share to the address.
    """
    from scipy.sparse import coo_array

    vcs, states = relation.vcs, visit.order
    tail, vc = lowest(visit, np.arange(states.size))
    many, number = np.bincount(tail, minlength=states.size), np.full(vcs.router.size, -1, dtype=np.int64)
    number[states] = np.arange(states.size)
    inner = vc != EJECT
    moves = coo_array((1 / many[tail[inner]], (number[vc[inner]], tail[inner])), shape=(states.size,) * 2).tocsr()
    begins = np.flatnonzero(injected)
    unit, first, member = np.unique(units[states[begins] - vcs.total], return_index=True, return_inverse=True)
    if unit.size < begins.size:
        offered = Rows(visit.first, visit.candidates).take(begins)
        width = offered.width
        if width.size and (width != width[0]).any():
            return None
        rows = offered.entries.reshape(begins.size, -1)
        if (rows != rows[first[member]]).any() or (injected[begins] != injected[begins[first[member]]]).any():
            return None
    starts = begins[first]
    here = coo_array((injected[starts], (starts, unit)), shape=(states.size, int(units.max()) + 1)).tocsr()
    steps = []
    while here.nnz:
        here = moves @ here
        here.data[here.data < TINY] = 0
        here.eliminate_zeros()
        steps.append(here.tocoo())
    row, column, share = (np.concatenate(part) for part in zip(*((s.row, s.col, s.data) for s in steps), strict=True))
    return share, (vcs.channel[states[row]], column)
