"""Runs from the empty system to a deadlock: searched for among all states, shortened, and replayed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unknot._base.deadline import clock
from unknot.verify.explorer import Exploration, explored
from unknot.verify.protocols.machine import Event, Message, State, beginnings, events, step
from unknot.verify.protocols.stuck import stuck
from unknot.verify.protocols.system import System

Run = tuple[Event, ...]
LONGEST = 20_000
"""Most moves of a run."""
MOST_STATES = 200_000
"""States of a search."""
Known = tuple[frozenset[tuple[int, tuple[Message, ...]]], int | None]
"""A state, and the transactions that may still be begun."""


def search(
    system: System,
    begins: Iterable[int] | None = None,
    transactions: int | None = None,
    *,
    most_states: int = MOST_STATES,
    end: float = float("inf"),
) -> Exploration[Event]:
    """Search all states for one in which messages can never move; the shortest run there.

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

    def moves(at: Known) -> Iterator[tuple[Event, Known]]:
        state, left = dict(at[0]), at[1]
        for event in events(system, state, () if left == 0 else terminals):
            rest = left if left is None or event.act != "begin" else left - 1
            yield event, (frozenset(step(system, state, event).items()), rest)

    def ends(at: Known) -> bool:
        return bool(at[0] and stuck(system, dict(at[0])))

    start: Known = frozenset(), transactions
    return explored(start, moves, ends, most_states, end)


def shortened(system: System, run: Run, end: float) -> Run:
    """Leave out transactions as long as messages remain stuck, then let everything move that still can."""
    kept = list(_numbered(system, run))
    for number in sorted({number for _, number in kept}, reverse=True):
        fewer = [(event, other) for event, other in kept if other != number]
        state = replayed(system, tuple(event for event, _ in fewer))
        if state and stuck(system, state) and clock() < end:
            kept = fewer
    moves = [event for event, _ in kept]
    state = replayed(system, tuple(moves)) or {}
    while len(moves) < LONGEST and (event := next(_still_possible(system, state), None)) is not None:
        moves.append(event)
        state = step(system, state, event)
    return tuple(moves)


def _still_possible(system: System, state: State) -> Iterator[Event]:
    """Iterate over moves of messages that are not stuck: these may have candidates that they do not wait for."""
    held = stuck(system, state)
    return (event for event in events(system, state, ()) if event.position not in held.get(event.place, ()))


def replayed(system: System, run: Run) -> State | None:
    """The state after a run; None where a move is impossible."""
    state: State = {}
    for event in run:
        if event.act == "begin":
            possible = event in beginnings(system, state, event.place)
        else:
            possible = event.place in state and event in events(system, state, ())
        if not possible:
            return None
        state = step(system, state, event)
    return state


def _numbered(system: System, run: Run) -> Iterator[tuple[Event, int]]:
    """Each move with the number of the transaction that it belongs to."""
    state: State = {}
    for count, event in enumerate(run):
        yield event, count if event.act == "begin" else state[event.place][event.position].transaction
        state = step(system, state, event, count)
