"""Does every packet arrive? Dead ends, loops, shortest or longer routes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Delivery:
    """What `deliver` finds beside deadlock.

    Attributes
    ----------
    delivered : bool
        Every pair a source may use is delivered: no dead end, and ejection stays possible from every reachable state.
    pairs : int
        (source, address) pairs that are used, those of a terminal to itself not counted.
    undelivered_pairs : int
        Pairs with a reachable dead end, or a state from which ejection cannot be reached.
    dead_ends : tuple of (place, address)
        Reachable states without candidates; the first few, ascending by address.
    loops : tuple of (tuple of places, address)
        Cycles of states that can never reach ejection; the first few.
    livelock_free : bool
        No cycle of reachable states at all, so every route ends.
    minimal : bool or None
        Every route is a shortest path between the routers; None when a route may be endless.
    longest_route : int or None
        Hops (channel traversals) of the longest route; None when routes may be endless.
    longest_pair : (source terminal, address) or None
        A pair that has it.
    """

    delivered: bool
    pairs: int
    undelivered_pairs: int
    dead_ends: tuple[tuple[int, int], ...]
    loops: tuple[tuple[tuple[int, ...], int], ...]
    livelock_free: bool
    minimal: bool | None
    longest_route: int | None
    longest_pair: tuple[int, int] | None
