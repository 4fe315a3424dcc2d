"""Relations that are free of deadlock."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from typing import Any

from unknot.certificates.plain.flow import RINGS, SWITCHINGS, Technique
from unknot.certificates.plain.pools import check_drained, check_pool_states
from unknot.certificates.plain.reading import EJECT, Rejected, field, integers, lists, numbers, pay
from unknot.certificates.plain.slots import Pools
from unknot.certificates.plain.tables import Table, backwards
from unknot.certificates.plain.worms import (
    Steps,
    check_worm_states,
    holdable,
    still_holdable,
    waiting_states,
    worms_inside,
)


def check_free(table: Table, switching: Technique, proof: Any) -> None:
    """Check a proof that no deadlock is possible; raise `Rejected` if it shows nothing.

    `order`: every candidate ranks higher than the VC that it follows, so no cycle of VCs waits for itself.

    `escape`: in each state the header waits for something that ranks lower than where it stands; ejection ranks
    lowest. Of a deadlock, the packet on the VC of lowest rank would wait for a lower VC, which nobody there holds.

    `drain`: from a VC no header comes, over ranks as high as its own, to wait for such ranks only. Of a deadlock,
    take the held VC of lowest rank: the worm that holds it goes on over ranks as high to its header, which would have
    to wait for VCs of the deadlock only, so for ranks as high.

    `exhausted`: the same from VCs outside a core; what `check_core` says inside.

    `pools`, of another name in older claims: what `check_drained` says. `states`: `check_pool_states` or, of worms,
    `check_worm_states` visits all that VCs may hold.
    """
    kind = require_kind(switching, proof)
    rank = numbers(proof, "rank", -(2**60), 2**60, table.vcs)
    if kind == "states":
        if switching.pools:
            check_pool_states(table, Pools(table.vcs, switching.packets, switching.pools))
        else:
            check_worm_states(table)
        return
    if kind == "pools":
        check_drained(table, Pools(table.vcs, switching.packets, switching.pools), rank)
        return
    core = {*numbers(proof, "core", 0, table.vcs)} if kind == "exhausted" else set[int]()
    for address, candidates in enumerate(table.may):
        pay(len(core))
        if kind == "order":
            require_climbing(f"order: address {address}", rank, candidates.items(), table.name)
            continue
        about = table, address, rank
        for at, level in waited_ranks(*about) if kind == "escape" else drain_levels(*about).items():
            if at < table.vcs and at not in core and level >= rank[at]:
                raise Rejected(
                    f"{kind}: address {address} comes from {table.name(at)} to wait for nothing that ranks lower"
                )
        if any(rank[v] > rank[at] for at in core & candidates.keys() for v in candidates[at] if v != EJECT):
            raise Rejected(f"core: address {address} may go to a higher rank")
    if kind == "exhausted":
        check_core(table, rank, core, lists(proof.get("windows"), "windows", 2))


def require_kind(switching: Technique, proof: Any) -> str:
    """The kind of a proof that no deadlock is possible; `Rejected` if it shows nothing of a technique."""
    kind: str = field(proof, "kind", str).replace(RINGS, "pools")
    if kind not in switching.proofs:
        raise Rejected(f"a proof of kind {kind!r:.40} shows nothing about {switching}")
    return kind


def require_climbing(
    what: str,
    rank: list[int],
    after: Iterable[tuple[int, Iterable[int]]],
    name: Callable[[int], str] = "channel {}".format,
) -> None:
    """Check that ranks rise from each VC, or channel, to all its successors, so that none depends on itself."""
    for at, onward in after:
        for v in onward if at < len(rank) else ():
            if v != EJECT and rank[v] <= rank[at]:
                raise Rejected(f"{what}: {name(at)} may be followed by {name(v)}, no higher")


def waited_ranks(table: Table, address: int, rank: list[int]) -> list[tuple[int, int]]:
    """Each state with the lowest rank among the VCs for which a header waits; states with ejection are left out."""
    return [
        (at, min(map(rank.__getitem__, choice)))
        for at in table.may[address]
        for choice in table.choices(at, address)
        if EJECT not in choice
    ]


def drain_levels(table: Table, address: int, rank: list[int]) -> dict[int, int]:
    """For each state the greatest r for which its header can come, over ranks ≥ r, to wait for ranks ≥ r only.

    States are settled from the highest level down; those that are missing never come to wait.
    """
    level: dict[int, int] = {}
    before = backwards(table.may[address])
    heap = [(-low, at) for at, low in waited_ranks(table, address, rank)]
    heapq.heapify(heap)
    while heap:
        low, at = heapq.heappop(heap)
        if at in level:
            continue
        level[at] = -low
        for earlier in before.get(at, ()) if at < table.vcs else ():
            if earlier not in level:
                heapq.heappush(heap, (-min(rank[at], -low), earlier))
    return level


def check_core(table: Table, rank: list[int], core: set[int], windows: list[Any]) -> None:
    """Show step by step that no VC of the core can be held in a deadlock.

    From a VC of the core, candidates rank no higher. So the worms on the lowest rank of a deadlock go on, and wait,
    on that rank alone; worms of one rank are what is searched for. A step (VCs, window) shows that these VCs cannot
    be held: inside the window worms would have to share a VC, or wait for one that nobody can hold.
    """
    if not core:
        raise Rejected("an empty core needs no search")
    steps, left = Steps(), core
    states = waiting_states(table, SWITCHINGS["wormhole"], lambda at, v: {at, v} <= core and rank[at] == rank[v])
    for step in [[[], []], *windows]:
        struck, window = (left & {*integers(part, "windows", 0, table.vcs)} for part in step)
        if not struck <= window:
            raise Rejected("a step strikes out VCs outside its window")
        worms = worms_inside(states, left, window, steps)
        for v in sorted(struck):
            if holdable(v, worms, steps):
                raise Rejected(f"core: {table.name(v)} can be held, for all that its window shows")
        left = still_holdable(states, left - struck)
    if left:
        raise Rejected(f"{len(left)} VCs of the core are not struck out")
