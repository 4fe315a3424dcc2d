"""Pairs of which a fabric's files do not tell the whole route: where what is known is free, the answer is open."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from unknot.certificates.verdict import Verdict
from unknot.fabrics import Fabric
from unknot.fabrics.levels import unrecorded
from unknot.network.model import IntArray
from unknot.routing.forwarding_table import UNKNOWN_ENTRY, Switchboard
from unknot.routing.relation import Relation
from unknot.verify.delivery import Delivery

NAMED = 3
"""Causes that a verdict names."""


@dataclass(frozen=True)
class Unknown:
    """What is not known of one kind of traffic.

    Attributes
    ----------
    unknown_pairs : int
        Pairs whose route meets an unknown table entry, or whose service level is not known.
    without_level : int
        The latter.
    unknown_because : tuple of str
        In words: switches with unknown entries on such a route, pairs without path record, and switches that have
        tables but are not in the fabric.
    """

    unknown_pairs: int
    without_level: int
    unknown_because: tuple[str, ...]

    def verdict(self, known: Verdict, pairs: int) -> Verdict:
        """Return the verdict on all pairs by that on the known ones: a deadlock stays one, "free" is open."""
        causes = self.unknown_because
        if known.deadlock_free is not True or not causes:
            return known
        why = "; ".join([*causes[:NAMED], *([f"and {len(causes) - NAMED} more"] if len(causes) > NAMED else [])])
        text = f"what is known is free; {self.unknown_pairs:,} of {pairs:,} pairs are unknown: {why}"
        return replace(known, deadlock_free=None, certificate=None, established=text)

    def delivery(self, known: Delivery) -> Delivery:
        """Return the delivery of all pairs by that of the relation, where unknown entries are dead ends."""
        lost = known.undelivered_pairs - (self.unknown_pairs - self.without_level)
        delivered = False if lost else None if self.unknown_because else True
        return replace(known, delivered=delivered, pairs=known.pairs + self.without_level, undelivered_pairs=lost)


def unknown_traffic(
    fabric: Fabric,
    board: Switchboard,
    relation: Relation,
    lids: npt.NDArray[np.int64],
    hops: IntArray,
    counts: IntArray,
) -> Unknown:
    """Count the pairs of a relation that are unknown, and say why.

    Parameters
    ----------
    lids : int64 array
        Positions in `fabric.lids` of its destinations.
    hops : int32 array, shape (routers, LIDs)
        As `route_lengths` gives them.
    counts : int array, shape (terminals, destinations)
        How many pairs each of its pairs stands for.
    """
    causes: list[str] = []
    stopped = hops[np.ix_(relation.network.inject, lids)]
    met = (stopped < -1) & (counts > 0)
    for r in np.unique(-2 - stopped[met]).tolist():
        column = np.flatnonzero(board.next_channel[r, lids] == UNKNOWN_ENTRY)
        which = f"for {column.size} LIDs, the first {fabric.lid_name(int(lids[column[0]]))}"
        causes.append(f"{fabric.network.router_name(r)} has no known entry {which}")
    without = unrecorded(fabric, lids)
    missing = int(np.count_nonzero(without))
    if missing:
        host, column_ = np.argwhere(without)[0].tolist()
        first = f"{fabric.network.terminal_name(host)} to {fabric.lid_name(int(lids[column_]))}"
        causes.append(f"{missing:,} pairs of hosts have no path record, the first {first}")
    causes += [f"switch 0x{guid:016x} has a table, but is not in {fabric.fabric_file}" for guid in fabric.unlisted]
    return Unknown(int(counts[met].sum()) + missing, missing, tuple(causes))
