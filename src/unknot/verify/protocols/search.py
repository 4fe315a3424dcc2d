"""Complete search of a system's states for one in which messages can never move; the shortest run there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unknot.verify.exploration import Exploration, explore
from unknot.verify.protocols.machine import Event, Message, State, events, key, step, stuck
from unknot.verify.protocols.system import System

MOST_STATES = 200_000
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
    """Search for a deadlock.

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
            yield event, (key(step(system, state, event)), rest)

    def ends(at: Known) -> bool:
        return bool(at[0] and stuck(system, dict(at[0])))

    return explore((key(State()), transactions), moves, ends, most_states, end)
