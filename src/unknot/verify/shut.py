"""Rings and marks by which a flow control may keep packets out for good."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from unknot.flow_control.model import FlowControl
from unknot.flow_control.pools import Pool
from unknot.network.graph import hops_around
from unknot.verify.pool_filling import Head
from unknot.verify.states import Dependencies


class Shut:
    """Where flow control may keep packets out for good.

    Attributes
    ----------
    rings : list of tuple of int
        VCs, each with the next, of pools that have room for a packet at all times into which a packet of the pool
        may go.
    marked : list of set of int
        VCs to which the mark of each pool may come: back over the hops that packets make.
    """

    def __init__(self, flow: FlowControl, graph: Dependencies) -> None:
        self.flow = flow
        self.rings = [ring for pool in flow.pools if (ring := self._never_full(pool))]
        self.marked: list[set[int]] = []
        for pool in flow.pools:
            marked, todo = set[int](), list(pool.vcs[:1]) if pool.keeps == "marked slot" else []
            while todo:
                marked.add(vc := todo.pop())
                todo += [u for u, v in pool.hops if v == vc and graph.depends(u, v) and u not in marked]
            self.marked.append(marked)

    def _never_full(self, pool: Pool) -> tuple[int, ...]:
        """The ring of a pool that has room at all times; empty if the pool is none, or may be full."""
        room, ring = self.flow.packets * len(pool.vcs), pool.ring
        guarded = not pool.unguarded and (
            pool.keeps in ("slot of the buffer", "marked slot")
            or (pool.keeps == "slot of the pool" and pool.slots <= room)
        )
        along = [(self.flow.pools[p], hop) for hop in hops_around(ring) for p in self.flow.pools_of[hop[1]]]
        let_in = all(hop in other.hops for other, hop in along)
        return ring if let_in and not pool.own and (guarded or pool.slots < room) else ()

    def shuts(self, at: int, vc: int, left: Sequence[int]) -> bool:
        """Whether a packet may be kept out of a VC for good while so many packets stay in each."""
        marks = {p: vc if vc in self.marked[p] else -1 for p in self.flow.pools_of.get(vc, ())}
        return left[vc] > 0 or not self.flow.takes(left, marks if self.flow.marks else (), at, vc)

    def blocks(self, at: int, waited: Iterable[int], left: Sequence[int]) -> bool:
        """Whether a header that waits for these VCs may wait for good."""
        return all(self.shuts(at, v, left) for v in waited)

    def behind(self, head: Head, left: Sequence[int], known: set[int]) -> set[int]:
        """VCs whose packets may keep a header waiting, as few as can be beside some that are known."""
        behind = set[int]()
        for v in head.waited:
            ways = [{v}] if left[v] else []
            for pool, inner in ((self.flow.pools[p], self.flow.inner[p]) for p in self.flow.pools_of.get(v, ())):
                stay = sorted((u for u in pool.vcs if left[u]), key=lambda u: (u not in known, u))
                fills = (k for k in range(len(stay) + 1) if not pool.takes(filled(left, stay[:k]), head.vc, v, inner))
                ways += [{*stay[:k]} for k in islice(fills, not pool.own)]
            behind |= min(ways, key=lambda way: len(way - known), default=behind)
        return behind


def filled(left: Sequence[int], stay: Iterable[int]) -> list[int]:
    """Packets in each VC where only packets in some VCs stay."""
    held = [0] * len(left)
    for v in stay:
        held[v] = left[v]
    return held
