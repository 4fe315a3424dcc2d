"""Pools of slots in the closed vocabulary of claims, and packets that take these slots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple

from unknot.certificates.plain.reading import (
    EJECT,
    MOST_VCS,
    Rejected,
    T,
    Unchecked,
    field,
    integers,
    number,
    numbers,
    pay,
    printable,
)

NOTHING, BUFFER, POOL, MARK = KEEPS = ("nothing", "slot of the buffer", "slot of the pool", "marked slot")
"""What a packet that comes in leaves free."""


class Pool(NamedTuple):
    """Slots that packets in some VCs share, with lists in order: equal if it says the same.

    A pool has a number of `slots`, beside those that each VC has as its `own` and takes first. A packet needs a slot
    in each pool of the VC that it goes to, and gives back the slots that it had then. Where it comes in by another
    move than the `hops` of the pool, to a VC that is not `unguarded`, it leaves free what the pool `keeps`:
    `nothing`; a `slot of the buffer`, room for another packet in the VC; a `slot of the pool`, another one; or the
    `marked slot`, which is in the first VC of the pool at the beginning: `first`, else −1. When a packet comes by one
    of the hops to the last slot of the VC with the mark, the mark goes back to the VC that it leaves.
    """

    vcs: tuple[int, ...]
    slots: int
    own: int
    keeps: str
    hops: tuple[tuple[int, int], ...]
    unguarded: tuple[int, ...]
    first: int


def in_words(said: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Known words by name, missing words by default; `Unchecked` for any other word."""
    if others := said.keys() - known:
        raise Unchecked(f"{printable(min(map(str, others)))!r} is no word of flow control that is known here")
    return known | said


def pool_of(document: Any) -> Pool:
    """A pool of a claim.

    - `vcs`, `slots`: VCs whose packets take the slots; number of slots
    - `own`: further slots of each VC, for its first packets; by default 0
    - `hops`: moves within the pool without a further slot, as along a ring; by all other moves packets come in
    - `keeps`: room that a packet leaves free when it comes in: `nothing` (the default); a `slot of the buffer`; a
      `slot of the pool`; the `marked slot`, first in the first VC, which goes back over a hop that takes the last
      slot of its VC
    - `unguarded`: VCs that packets enter without leaving anything free
    """
    known: dict[str, Any] = {"vcs": None, "slots": None, "own": 0, "keeps": NOTHING, "hops": [], "unguarded": []}
    said = in_words(field({"pool": document}, "pool", dict), known)
    vcs, keeps, own = numbers(said, "vcs", 0, MOST_VCS), field(said, "keeps", str), number(said, "own", 0)
    hops = {(u, v) for u, v in (integers(hop, "hops", 0, MOST_VCS, 2) for hop in field(said, "hops", list))}
    unguarded = {*vcs}.intersection(numbers(said, "unguarded", 0, MOST_VCS)) if keeps != NOTHING else ()
    if not len({*vcs}) == len(vcs) > 0 or any({*hop}.difference(vcs) for hop in hops):
        raise Rejected("a pool has VCs, each of them once, and hops between these")
    if keeps not in KEEPS or (own and hops):
        raise Unchecked("nothing is known of a pool that keeps something else, or has both own slots and hops")
    row = tuple(sorted(vcs)), number(said, "slots", 0), own, keeps, tuple(sorted(hops)), tuple(sorted(unguarded))
    return Pool(*row, first=vcs[0] if keeps == MARK else -1)


class Pools(Generic[T]):
    """What VCs hold where each is a queue with room for a number of packets: queues, and VCs with marked slots."""

    def __init__(self, vcs: int, packets: int, pools: Sequence[Pool]) -> None:
        self.packets, self.pools = packets, pools
        if any(pool.vcs[-1] >= vcs for pool in pools):
            raise Rejected(f"a pool has VCs of another relation, which has {vcs}")
        self.queues: dict[int, list[T]] = {v: [] for v in range(vcs)}
        self.marked = [pool.first for pool in pools]
        self.through: dict[int, list[int]] = {}
        for p, pool in enumerate(pools):
            for v in pool.vcs:
                self.through.setdefault(v, []).append(p)
        self.hops = [{*pool.hops} for pool in self.pools]
        # Pools among the VCs of another one, each with what it adds to the one before: their packets fit their slots.
        self.inner = [self._inner(p) for p in range(len(pools))]

    def _inner(self, p: int) -> list[tuple[int, list[int]]]:
        """Slots of pools within a pool, each within the next, and the VCs of each that none before has."""
        chain, known = list[tuple[int, list[int]]](), set[int]()
        pay(len(self.pools[p].vcs))
        beside = {q for v in self.pools[p].vcs for q in self.through[v]}
        for q in sorted(beside, key=lambda q: (len(self.pools[q].vcs), self.pools[q])):
            pool = self.pools[q]
            pay(len(pool.vcs))
            if not (pool.own or self.pools[p].own) and known < {*pool.vcs} < {*self.pools[p].vcs}:
                chain.append((pool.slots, [v for v in pool.vcs if v not in known]))
                known = {*pool.vcs}
        return [*chain, (self.pools[p].slots, [v for v in self.pools[p].vcs if v not in known])]

    def taken(self, p: int, held: Callable[[int], int]) -> int:
        """Slots of a pool that packets take, or the most of them where no more than so many are held."""
        taken = 0
        for slots, vcs in self.inner[p]:
            pay(len(vcs))
            taken = min(slots, taken + sum(max(0, held(v) - self.pools[p].own) for v in vcs))
        return taken

    def lets_in(self, at: int, v: int, held: Callable[[int], int], marked: Callable[[int, int], bool]) -> bool:
        """Whether a packet can move from a place to VC v, by the packets held in VCs and the pools marked there.

        What the packet had before counts as taken: it is free after the move only.
        """
        mine, kept, through = held(v), 0, self.through.get(v, ())
        pay(1 + sum(1 + len(self.pools[p].unguarded) for p in through))
        if mine >= self.packets:
            return False
        for p in through:
            pool = self.pools[p]
            outside = (at, v) not in self.hops[p]
            guarded = outside and v not in pool.unguarded
            if guarded and pool.keeps == BUFFER:
                kept |= 1
            mine += guarded and marked(p, v)
            more = guarded and pool.keeps == POOL
            # Where there is a slot for all that the VCs have room for, a VC with room has one.
            ample = not more and pool.slots >= len(pool.vcs) * (self.packets - pool.own)
            if outside and held(v) >= pool.own and not ample and pool.slots - self.taken(p, held) <= more:
                return False
        return mine + kept < self.packets

    def room(self, at: int, v: int) -> bool:
        """Whether a packet can move from a place to VC v now."""
        return self.lets_in(at, v, lambda u: len(self.queues[u]), lambda p, u: self.marked[p] == u)

    def move(self, packet: T, at: int, v: int) -> None:
        """Move a packet, the first of its queue, to VC v or out of the network."""
        if at in self.queues:
            pay(len(self.queues[at]) >> 3)
            self.queues[at].pop(0)
        if v == EJECT:
            return
        self.queues[v].append(packet)
        pay(len(self.through.get(v, ())))
        for p in self.through.get(v, ()):
            if self.marked[p] == v and (at, v) in self.hops[p] and len(self.queues[v]) == self.packets:
                self.marked[p] = at
