"""Pools of slots: room that several virtual channels share, and the slots that packets from outside leave free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_type_hints

Held = Sequence[int]
"""Packets in each VC."""
Keeps = Literal["nothing", "slot of the buffer", "slot of the pool", "marked slot"]


@dataclass(frozen=True)
class Pool:
    """Slots that packets in some VCs take together; a slot has room for a packet of the greatest length.

    A packet *comes in* with a move to a VC of the pool, unless `hops` has the move.

    Attributes
    ----------
    vcs : tuple of int
        VCs whose packets take slots. The mark of a marked slot begins in the first.
    slots : int
        Packets that the pool has room for, beside those in slots that VCs have for themselves.
    own : int
        Slots that each VC has for itself; its first packets take these.
    keeps : {"nothing", "slot of the buffer", "slot of the pool", "marked slot"}
        What a packet that comes in leaves free: nothing; another slot of the VC that it enters; another slot of
        the pool; the marked slot, if that is in the VC that it enters. When a packet that came by one of `hops`
        takes the last slot of the VC with the mark, the mark goes back to the slot that it leaves.
    hops : frozenset of (int, int)
        Moves from VC to VC within the pool that take no slot, as those along a ring. Where VCs have slots of their
        own all moves take one: a packet that leaves one of these frees none of the pool.
    unguarded : frozenset of int
        VCs that packets enter without leaving anything free.

    Examples
    --------
    >>> ring = Pool((3, 4), slots=4, keeps="slot of the pool", hops=frozenset({(3, 4), (4, 3)}))
    >>> ring.free([0, 0, 0, 2, 1]), ring.guards(3, 4), ring.guards(0, 4)
    (1, False, True)
    """

    vcs: tuple[int, ...]
    slots: int
    own: int = 0
    keeps: Keeps = "nothing"
    hops: frozenset[tuple[int, int]] = frozenset()
    unguarded: frozenset[int] = frozenset()

    def free(self, held: Held, inner: Sequence[Pool] = ()) -> int:
        """Slots that are free with so many packets in each VC, or at least free with at most these.

        Pools among its VCs, `inner`, each within the next, hold no more packets than they have slots.
        """
        taken, counted = 0, frozenset[int]()
        for pool in inner:
            taken = min(pool.slots, taken + sum(held[v] for v in pool.vcs if v not in counted))
            counted = frozenset(pool.vcs)
        return self.slots - taken - sum(max(0, held[v] - self.own) for v in self.vcs if v not in counted)

    @cached_property
    def ring(self) -> tuple[int, ...]:
        """VCs in the order of the hops from the first, if these go round through all of them once; else empty."""
        after, ring = dict(self.hops), list[int]()
        here: int | None = self.vcs[0]
        while here in after and here not in ring:
            ring.append(here)
            here = after[here]
        return tuple(ring) if here == self.vcs[0] and {*ring} == {*self.vcs} and len(self.hops) == len(ring) else ()

    def guards(self, at: int, vc: int) -> bool:
        """Whether a packet that goes from an input VC or port to a VC of the pool has to leave anything free."""
        return self.keeps != "nothing" and vc not in self.unguarded and (at, vc) not in self.hops

    def leaves(self, at: int, vc: int) -> bool:
        """Whether a packet that goes from an input VC or port to a VC has to leave another slot of the pool free."""
        return self.keeps == "slot of the pool" and self.guards(at, vc)

    def takes(self, held: Held, at: int, vc: int, inner: Sequence[Pool] = ()) -> bool:
        """Whether the pool has a slot for a packet that enters a VC, beside a slot that must stay free."""
        if held[vc] < self.own or ((at, vc) in self.hops and not self.own):
            return True
        return self.free(held, inner) > self.leaves(at, vc)


KINDS: dict[str, Any] = get_type_hints(Pool)
"""Fields of a pool and their types. Validation, documents and tables of the simulator follow from these."""
NUMBERS = tuple(name for name, kind in KINDS.items() if kind is int)
"""Fields that are whole numbers, none of them negative; the simulator has a column for each."""
