"""Breadth-first search of the states of a system."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from unknot._base.deadline import clock
from unknot.network.graph import reached_from

S = TypeVar("S", bound=Hashable)
M = TypeVar("M")


@dataclass(frozen=True)
class Exploration(Generic[M]):
    """Outcome of a search.

    Attributes
    ----------
    run : tuple or None
        Moves from the first state to one that was looked for, as few as there are; None: none was found.
    complete : bool
        Whether every reachable state was looked at, or one was found.
    states : int
        States that were looked at.
    returns : bool
        Whether the first state can be reached from all others; only where all were looked at.
    """

    run: tuple[M, ...] | None
    complete: bool
    states: int
    returns: bool = False


def explore(
    start: S,
    moves: Callable[[S], Iterable[tuple[M, S]]],
    ends: Callable[[S], bool],
    most_states: int,
    end: float = float("inf"),
) -> Exploration[M]:
    """Search for a state, up to a number of states and a time of `clock`."""
    came: dict[S, tuple[S, M] | None] = {start: None}
    before: dict[S, list[S]] = {start: []}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        if ends(here):
            run: list[M] = []
            while (last := came[here]) is not None:
                here = last[0]
                run.append(last[1])
            return Exploration(tuple(run[::-1]), True, len(came))
        for move, there in moves(here):
            if there not in came:
                came[there] = here, move
                before[there] = []
                queue.append(there)
                if len(came) > most_states or (len(came) % 64 == 0 and clock() > end):
                    return Exploration(None, False, len(came))
            before[there].append(here)
    return Exploration(None, True, len(came), len(reached_from([start], before.__getitem__)) == len(came))
