"""Deadlock where VCs share pools of slots."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

from unknot.certificates.plain.flow import Technique
from unknot.certificates.plain.packets import packets_of
from unknot.certificates.plain.reading import EJECT, LOOK, MOST_STATES, Rejected, field, numbers, pay
from unknot.certificates.plain.slots import NOTHING, POOL, Pools
from unknot.certificates.plain.tables import Table, closure


def never_full(pools: Pools[int], p: int) -> bool:
    """Whether a pool is a ring with room for a packet at all times, into which the packet behind may go.

    Each hop leads to the next VC, and takes and gives back a slot of each pool that the VC has. So a packet moves
    on unless the next VC is full, and all VCs never are: there are fewer slots; or packets that come in leave one
    free, which hops move at most.
    """
    pool = pools.pools[p]
    onward, whole = dict(pool.hops), len(pool.vcs) * pools.packets
    pay(LOOK * len(pool.hops))
    round_it = closure(pool.vcs[:1], lambda v: [onward[v]] if v in onward else [])
    ring = len(round_it) == len(pool.vcs) == len(pool.hops) == len({*onward.values()})
    alone = all(hop in pools.hops[other] for hop in pool.hops for other in pools.through[hop[1]])
    guarded = pool.keeps != NOTHING and not pool.unguarded
    most = pool.slots - (guarded and pool.keeps == POOL)
    return ring and alone and (most < whole or (guarded and pool.keeps != POOL))


def check_drained(table: Table, pools: Pools[int], rank: list[int]) -> None:
    """Check that all VCs drain in the order of their ranks when nothing is sent any more.

    Of a state in which nothing can move, take a packet on the lowest rank that has any, or one at a port. All below
    is empty: a candidate there could be entered, if pools have a slot left however full other VCs are. So all packets
    on that rank wait, in a ring of this rank alone, for its next VC, which is full; then the whole ring is, and it
    never is.
    """
    along = {
        hop for p, pool in enumerate(pools.pools)
        if len({rank[v] for v in pool.vcs}) == 1 and never_full(pools, p) for hop in pool.hops
    }  # fmt: skip
    made = {(at, v) for rows in table.may for at, row in rows.items() for v in row}
    # A mark goes back over hops that packets make.
    marked = [{*came_from(first, pools.hops[p] & made)} for p, first in enumerate(pools.marked)]

    @lru_cache(None)
    def drains(at: int, v: int) -> bool:
        if v == EJECT or (at, v) in along:
            return True
        low = 2**60 if at >= table.vcs else rank[at]
        full = lambda u: pools.packets * (rank[u] >= low)  # noqa: E731
        return rank[v] < low and pools.lets_in(at, v, full, lambda p, u: u in marked[p])

    for address in range(table.addresses):
        for at in table.may[address]:
            for choice in table.choices(at, address):
                if not any(drains(at, v) for v in choice):
                    raise Rejected(f"pools: address {address} waits at {table.name(at)} for nothing that drains")


def came_from(end: int, hops: Collection[tuple[int, int]]) -> list[int]:
    """All VCs from which hops lead to one, itself included."""
    before: dict[int, list[int]] = {}
    for u, v in hops:
        before.setdefault(v, []).append(u)
    return closure([end], lambda v: before.get(v, ()))


PoolState = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]
"""Kinds of the packets in each VC, and the VCs of marked slots."""


def kinds_of_states(table: Table) -> dict[tuple[int, int], int]:
    """Number pairs (place, address): those with one number go on and wait alike, on all of their way."""
    rows = [(at, a) for a, row in enumerate(table.may) for at in row]
    label, many = dict.fromkeys(rows, 0), 0
    while True:
        pay(sum(map(len, table.may)))
        kinds: dict[Any, int] = {}
        signs = [
            (at, frozenset((v, label.get((v, a), -1)) for v in table.may[a][at]), str(table.choices(at, a)))
            for at, a in rows
        ]
        label = {pair: kinds.setdefault(sign, len(kinds)) for pair, sign in zip(rows, signs, strict=True)}
        if len(kinds) == many:
            return label
        many = len(kinds)


def check_pool_states(table: Table, pools: Pools[int]) -> None:
    """Visit all that VCs of pools may hold, whatever other VCs hold at the time; nowhere do packets wait for good.

    Of a deadlock, the packets that never move wait for each other also where all others have left, since a packet
    that leaves gives back slots alone. Those in pools are there as in a state that is visited, since whatever can
    come into a pool comes at any time here. A packet at a port waits for good if it is not let in where all is empty.
    """
    pooled = {*pools.through}
    label, pair = kinds_of_states(table), dict[int, tuple[int, int]]()
    # VCs of no pool are alike, and ports are.
    enters, beyond = dict[tuple[int, int, bool], int](), dict[int, list[list[int]]]()
    for (at, a), kind in label.items():
        pair.setdefault(kind, (at, a))
        if at not in pooled:
            enters |= {(v, label[v, a], at < table.vcs): at for v in table.may[a][at] if v in pooled}
            beyond.setdefault(at, []).extend(table.choices(at, a))
    ports = {at: beyond.pop(at) for at in [*beyond] if at >= table.vcs}

    def hold(state: PoolState, kept: Container[int]) -> None:
        pools.queues = {v: [*queue] if v in kept else [] for v, queue in enumerate(state[0])}
        pools.marked = [*state[1]]

    def closed(at: int, choices: list[list[int]], kept: Container[int]) -> bool:
        """Whether a header may wait only for what stays full, or occupied, for good."""
        open_to = [
            any(v == EJECT or (pools.room(at, v) if v in pooled else v not in kept) for v in c) for c in choices
        ]
        return not all(open_to)

    def require_moving(state: PoolState) -> None:
        waits = {v: table.choices(*pair[queue[0]]) for v, queue in enumerate(state[0]) if queue} | beyond
        kept, before = {*waits}, {-1}
        while kept != before:
            hold(state, kept)
            kept, before = {at for at in kept if closed(at, waits[at], kept)}, kept
        if kept or any(closed(at, choices, kept) for at, choices in ports.items()):
            raise Rejected("states: packets may come to wait for each other in the pools")

    def after(state: PoolState) -> Iterator[PoolState]:
        pay(table.vcs)
        require_moving(state)
        moves = [(at, v, kind) for (v, kind, _), at in enters.items()]
        for at, a in ((at, pair[queue[0]][1]) for at, queue in enumerate(state[0]) if queue):
            moves += [(at, v, label[v, a] if v in pooled else -1) for v in table.may[a][at] or [EJECT]]
        for at, v, kind in moves:
            hold(state, range(table.vcs))
            if kind >= 0 and not pools.room(at, v):
                continue
            # Other VCs hold whatever may come there.
            pools.move(kind, at if at in pooled else table.vcs, v if kind >= 0 else EJECT)
            yield tuple(map(tuple, pools.queues.values())), tuple(pools.marked)

    start: PoolState = ((),) * table.vcs, tuple(pools.marked)
    closure([start], after, MOST_STATES)


def check_queued_deadlock(table: Table, pools: Pools[int], switching: Technique, proof: Any) -> None:
    """Send packets in an order of their moves, by default one after the other; in the end none can move.

    A packet that holds no VC in the end, and has come over some, has left the network from there, by one move more.
    """
    packets = packets_of(table, None, proof)
    if field(proof, "reachability", str) != "scheduled" or all(packet.at == EJECT for packet in packets):
        raise Rejected("a deadlock of queues of packets is a schedule, after which some are left")
    depth = field(proof, "buffer_depth", int)
    for number, packet in enumerate(packets, start=1):
        if not 0 < switching.taken(field(packet.message, "length", int)) * pools.packets <= depth:
            raise Rejected(f"buffers of {depth} flits have no room for {pools.packets} packets like {number}")
    order = [number for number, packet in enumerate(packets) for _ in packet.way]
    if "order" in proof:
        given = numbers(proof, "order", 0, len(packets))
        if sorted(given) != order:
            raise Rejected("an order names each packet once for each VC of its way, and once more if it leaves")
        order = given
    steps = [pairwise([table.vcs + packet.source, *packet.way]) for packet in packets]
    for number in order:
        at, v = next(steps[number])
        first = at >= table.vcs or pools.queues[at][0] == number
        if not first or (v != EJECT and not pools.room(at, v)):
            raise Rejected(f"packet {number + 1} cannot go from {table.name(at)} to {table.name(v)}")
        pools.move(number, at, v)
    for number, packet in enumerate(packets):
        if packet.at == EJECT or (packet.at < table.vcs and pools.queues[packet.at][0] != number):
            continue
        wants = packet.waited_for(number + 1, table.choices(packet.at, packet.address))
        if any(pools.room(packet.at, v) for v in wants):
            raise Rejected(f"packet {number + 1} can move from {table.name(packet.at)}")
