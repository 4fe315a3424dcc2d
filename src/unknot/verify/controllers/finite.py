"""Controllers with finite queues and tables of transactions: some addresses explored together, and the least rooms.

A node takes a message, and a core begins a request, only if queues have room for all that is sent, and the node has
an entry for a state that takes one. A message holds its room from when it is sent until it is consumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product

from unknot._base.deadline import MINUTE, Deadline, counts_work
from unknot._base.numbers import require_whole
from unknot._base.shown import Brief
from unknot.verify.controllers.expressions import TableError
from unknot.verify.controllers.joined import Deadlock, JointStep
from unknot.verify.controllers.packed import AMPLE, ARRIVED, Packed
from unknot.verify.controllers.reachable import MOST_STATES, Reached, explore
from unknot.verify.controllers.steps import Controllers
from unknot.verify.controllers.table import StateTable

MOST_SIZE = 8
"""Largest room that is tried."""


def together(
    table: StateTable, caches: int, addresses: int, homes: int, states: int, deadline: Deadline
) -> tuple[Reached, Deadlock | None]:
    """Explore addresses of a table with sizes together, and return a run to a deadlock, if there is one."""
    reached = Reached(Packed(Controllers(table, caches), addresses, homes))
    explore(reached, deadline, states)
    if reached.dead is None:
        return reached, None
    moves, packed = [], reached.packed
    words = reached.words(0)
    for address, step, words in reached.run(reached.dead):
        if step is not None:
            moves.append(JointStep(address, step, packed.state(words, address)))
    met = [packed.message_at[word] for word in words[len(packed.seats) :] if packed.head.data[word] == ARRIVED]
    ends = tuple(packed.state(words, address) for address in range(addresses))
    return reached, Deadlock(tuple(moves), ends, homes, heads=tuple(one[:3] for one in met))


@dataclass(frozen=True, repr=False)
class LeastRooms(Brief):
    """Least rooms of queues, and limits of entries.

    Attributes
    ----------
    rooms : dict of str to int, or None
        Messages that a queue of each virtual network holds; None: no deadlock-free choice up to the largest rooms
        that were tried, or time ended.
    limits : dict of str to int
        Entries of each node, by kind: those of the table, or the cheapest that were tried.
    smaller : list of (rooms, steps)
        All choices that were tried before, the cheapest first, with the length of a run to a deadlock; 0: open.
    proved : bool
        Whether each of these has a deadlock, with all limits that were tried.
    front : list of LeastRooms
        Where limits were tried, the least rooms for each.

    Examples
    --------
    >>> from unknot.verify.controllers import least_rooms, load_table
    >>> found = least_rooms(load_table("examples/hangs/mi-saves.toml"))
    >>> found.rooms, len(found.smaller), found.proved
    ({'Data': 2, 'Fwd': 1, 'GetM': 1}, 3, True)
    """

    rooms: dict[str, int] | None
    limits: dict[str, int]
    smaller: list[tuple[dict[str, int], int]]
    proved: bool
    front: list[LeastRooms] = field(default_factory=list)

    @property
    def cost(self) -> int:
        """Rooms and entries of one node in all; more than any other without rooms."""
        return sum(self.rooms.values()) + sum(self.limits.values()) if self.rooms else AMPLE


@counts_work
def least_rooms(
    table: StateTable,
    *,
    caches: int = 2,
    addresses: int = 2,
    homes: int = 1,
    most: int = 3,
    entries: int | None = None,
    states: int | None = None,
    time_limit: float | Deadline = MINUTE,
) -> LeastRooms:
    """Find the least rooms of queues that are free of deadlock, with a deadlock for each cheaper choice.

    The cost is the sum of the rooms of one queue of each virtual network. Limits of the table hold; with `entries`
    all limits are tried, the cost counts them too, and the front has the least rooms for each.

    Parameters
    ----------
    table : StateTable
        The controllers.
    caches, addresses : int
        How many are explored together, 1 to 3.
    homes : int
        1: all addresses have the same home; otherwise each has its own.
    most : int
        Largest room that is tried, up to 8.
    entries : int, optional
        Largest limit that is tried of each kind with states that take an entry.
    states : int, optional
        Most states for each choice of rooms.
    time_limit : float
        Seconds, or a running `Deadline`.

    Returns
    -------
    LeastRooms
        The rooms.

    Raises
    ------
    TableError
        If a number cannot be, not all of the table was understood, or no state takes an entry.

    Examples
    --------
    >>> from unknot.verify.controllers import least_rooms, load_table
    >>> least_rooms(load_table("examples/hangs/voluntary-release.toml"), addresses=1, most=2).rooms is None
    True
    """
    asked = {"caches": (caches, 3), "addresses": (addresses, 3), "most": (most, MOST_SIZE)}
    for name, (number, high) in (asked | {"entries": (1 if entries is None else entries, MOST_SIZE)}).items():
        require_whole(name, number, 1, high, error=TableError)
    if table.unknown:
        raise TableError(f"{table.name}: not all was understood, {table.unknown[0]} first")
    kinds = [kind.name for kind in table.kinds if kind.entries]
    if entries is not None and not kinds:
        raise TableError(f"{table.name}: no state takes an entry; a kind of nodes says entries = ['IM']")
    names, deadline = [name for name in table.designed if name not in table.inside], Deadline.of(time_limit)

    def least(limits: dict[str, int]) -> LeastRooms:
        smaller, proved = list[tuple[dict[str, int], int]](), True
        for rooms in _vectors(names, most):
            sized = replace(table, rooms=rooms, limits=limits)
            reached, deadlock = together(sized, caches, addresses, homes, states or MOST_STATES, deadline)
            sure = deadlock is not None and deadlock.sure
            if deadlock is None and reached.whole and not reached.lacking:
                return LeastRooms(rooms, limits, smaller, proved)
            proved &= sure
            smaller.append((rooms, len(deadlock.moves) if deadlock is not None and sure else 0))
            if deadline.over:
                proved = False
                break
        return LeastRooms(None, limits, smaller, proved)

    if entries is None:
        return least({**table.limits})
    front = [least(limits) for limits in _vectors(kinds, entries)]
    best = min(front, key=lambda one: one.cost)
    return replace(best, proved=all(one.proved for one in front), front=front)


def _vectors(names: list[str], most: int) -> Iterator[dict[str, int]]:
    """Sizes of what is named, the cheapest first."""
    rows = sorted(product(range(1, most + 1), repeat=len(names)), key=lambda row: (sum(row), row))
    return (dict(zip(names, row, strict=True)) for row in rows)
