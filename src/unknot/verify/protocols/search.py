"""Complete search of a system's states for one in which messages can never move; the shortest run there."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from unknot._base.deadline import clock
from unknot.verify.protocols.machine import Event, State, events, key, step, stuck
from unknot.verify.protocols.system import System

MOST_STATES = 200_000


@dataclass(frozen=True)
class Search:
    """Outcome of a search.

    Attributes
    ----------
    run : tuple of Event or None
        Moves from the empty system to a deadlock, as few as there are; None: none was found.
    complete : bool
        Whether every reachable state was looked at, or a deadlock was found.
    states : int
        States that were looked at.
    empties : bool
        Whether all messages can leave from every state.
    """

    run: tuple[Event, ...] | None
    complete: bool
    states: int
    empties: bool = False


def search(
    system: System,
    begins: Iterable[int] | None = None,
    transactions: int | None = None,
    *,
    most_states: int = MOST_STATES,
    end: float = float("inf"),
) -> Search:
    """Search breadth-first.

    Parameters
    ----------
    begins : iterable of int, optional
        Terminals that begin transactions; by default all.
    transactions : int, optional
        Transactions that are begun in all; by default any number.
    most_states : int
    end : float
        Time of `clock` at which to give up.
    """
    terminals = tuple(range(system.terminals)) if begins is None else tuple(begins)
    empty: State = {}
    start = (key(empty), transactions)
    came: dict[object, tuple[object, Event] | None] = {start: None}
    before: dict[object, list[object]] = {start: []}
    queue = deque([(empty, transactions, start)])
    while queue:
        state, left, here = queue.popleft()
        if state and stuck(system, state):
            return Search(_back(came, here), True, len(came))
        for event in events(system, state, () if left == 0 else terminals):
            after = step(system, state, event)
            rest = left if left is None or event.act != "begin" else left - 1
            there = (key(after), rest)
            if there not in came:
                came[there] = here, event
                queue.append((after, rest, there))
            before.setdefault(there, []).append(here)
            if len(came) > most_states or (len(before[there]) == 1 and len(came) % 64 == 0 and clock() > end):
                return Search(None, False, len(came))
    emptying: list[object] = [start]
    reached: set[object] = {start}
    for state_key in emptying:
        fresh = set(before[state_key]) - reached
        emptying += fresh
        reached |= fresh
    return Search(None, True, len(came), len(reached) == len(came))


def _back(came: dict[object, tuple[object, Event] | None], here: object) -> tuple[Event, ...]:
    moves = []
    while (last := came[here]) is not None:
        here, event = last
        moves.append(event)
    return tuple(moves[::-1])
