"""Reachable states: of a relation, one address after the other, and of any system that moves."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from unknot._base import memory
from unknot._base.arrays import Ints, Rows
from unknot._base.deadline import clock
from unknot._base.kernels.lazy_kernel import viewed
from unknot._base.work import spend
from unknot.network.graph import backwards, path_to, reached_from, shortest_cycle
from unknot.network.model import IntArray, Network, Offsets
from unknot.routing.relation import EJECT, VC_MASK, Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.verify.effort import PER_STATE, Effort
from unknot.verify.states_kernel import Layout, RuleAnswers, Scratch, Traversal, explore

S = TypeVar("S", bound=Hashable)
M = TypeVar("M")
EXPLORED = 1e-4
"""Work of a state of queues or terminals in a search, beside its moves."""


class Visit(NamedTuple):
    """The states of an address: input VCs in breadth-first order, and their candidates in compressed rows."""

    order: Ints
    first: Offsets
    candidates: Ints

    def headers(self) -> Iterator[tuple[int, list[int]]]:
        """Yield each input VC with its candidates."""
        return zip(self.order.tolist(), Rows(self.first, self.candidates).lists(), strict=True)

    @property
    def steps(self) -> dict[int, list[int]]:
        """The candidate VCs of each input VC, ejection left out."""
        return {at: [vc for v in row if (vc := v & VC_MASK) != EJECT] for at, row in self.headers()}


def require_candidates(network: Network, vcs: int, routing: str) -> None:
    """Refuse a network whose candidates exceed memory, before a routing is built.

    Parameters
    ----------
    vcs : int
        Of each channel.

    Raises
    ------
    SizeError
    """
    VirtualChannels(network, vcs)  # refuses more of them than there is room for
    leaving = vcs * network.outgoing.width
    size = 8 * _candidates(leaving, np.concatenate([np.repeat(network.target, vcs), network.inject]))
    room = memory.available()
    if size > max(room, memory.limit()):
        raise memory.SizeError(f"the candidates of {routing} on {network.name}", size, max(room, memory.limit()))


def _candidates(leaving: npt.NDArray[np.integer[Any] | np.floating[Any]], router: IntArray) -> int:
    """Most candidates of all states of an address, by the VCs that leave each router and the router of each state."""
    widest = int(leaving.max()) + 1
    return min((int((leaving[router] + 1).sum()) + widest) * 4, router.size * widest) + widest


class Explorer:
    """Work space in which the states of one address of a relation are visited.

    Memory is about 20 bytes per input VC and 8 per candidate of one address; nothing is kept between addresses.
    """

    def __init__(self, relation: Relation) -> None:
        network, vcs = relation.network, relation.vcs
        input_vcs = vcs.router.size
        leaving = np.bincount(network.source, weights=vcs.counts, minlength=network.num_routers)
        self.relation, self._visits = relation, 0
        table = relation.table
        none = (np.empty(0, dtype=np.int64),) * 4
        answers = none if table is None else (table.first, table.input_vc, table.start, table.value)
        use = np.zeros(0, dtype=bool) if relation.may_use is None else relation.may_use.reshape(-1)
        view = viewed()

        def read(array: npt.NDArray[Any]) -> Any:
            return view(_read_only(array))

        layout = Layout(
            router=read(vcs.router),
            tail=read(network.source[vcs.channel]),
            eject=read(network.eject),
            destination=read(relation.destination),
            may_use=read(use),
            answers=RuleAnswers(*(read(column) for column in answers)),
            commits=relation.commits,
        )
        most = _candidates(leaving, vcs.router)
        try:
            candidates = view(np.empty(most, dtype=np.int64))
        except MemoryError:
            raise memory.SizeError(f"the candidates of {relation.name}", 8 * most, memory.limit()) from None
        scratch = Scratch(
            seen=view(np.zeros(input_vcs, dtype=np.int32)),
            order=view(np.empty(input_vcs, dtype=np.int64)),
            first=view(np.empty(input_vcs + 1, dtype=np.int64)),
            candidates=candidates,
            out=view(np.zeros(relation.max_candidates, dtype=np.int64)),
        )
        self.traversal = Traversal(relation.compiled.address if table is None else 0, layout, scratch)

    def visit(self, address: int) -> Visit:
        """The states of an address: input VCs in breadth-first order, and their candidates in compressed rows.

        The arrays are views that the next visit overwrites.
        """
        _, order, first, candidates, _ = self.traversal.scratch
        self._visits += 1  # a stamp of its own for each, so that nothing is cleared
        count = explore(self.traversal, address, self._visits)
        if count < 0:
            self.relation.refuse(int(order[-1 - count]), address)
        return Visit(order[:count], first[: count + 1], candidates[: first[count]])

    def visits(
        self, stage: str = "", effort: Effort | None = None, count: int | None = None
    ) -> Iterator[tuple[int, Visit]]:
        """Visit addresses in turn, by default all; before each, and at the end, `effort` hears how far a stage is."""
        effort, count = effort or Effort(), self.relation.num_addresses if count is None else count
        for address in range(count):
            effort.spent(stage, address, count)
            yield address, self.visit(address)
            spend(PER_STATE * self.relation.vcs.router.size)
        effort.spent(stage, count, count)

    def steps(self, address: int) -> dict[int, list[int]]:
        """Return the candidate VCs of each reachable input VC of an address, ejection left out."""
        return self.visit(address).steps

    def loop(self, address: int, start: int | None = None) -> tuple[int, ...]:
        """A short cycle of input VCs of an address, of those reached from `start` if given, from its lowest on."""
        steps = self.steps(address)
        reached = [*steps] if start is None else [*reached_from([start], steps.__getitem__)]
        edges = np.array([(at, vc) for at in reached for vc in steps[at]], dtype=np.int64)
        return tuple(shortest_cycle(*edges.T))


class Ways:
    """Ways of packets from injection through a network.

    Attributes
    ----------
    graph : callable
        The candidate VCs of each reachable input VC of an address, ejection left out.
    """

    def __init__(self, relation: Relation) -> None:
        self.ports = relation.num_vcs
        self.graph = cache(Explorer(relation).steps)
        self._before = cache(lambda address: backwards(self.graph(address)))

    def to(self, vc: int, address: int, free: Callable[[int, int], bool]) -> Iterator[tuple[int, ...]]:
        """Yield the injection port and the VCs of a shortest way from each terminal to a VC, the nearest first.

        Parameters
        ----------
        free : callable
            Whether packets may go from an input VC or a port to a VC.
        """
        onward, before = {vc: vc}, self._before(address)
        todo = [vc]
        for to in todo:
            for at in before.get(to, ()):
                if at not in onward and free(at, to):
                    onward[at] = to
                    todo.append(at)
                    if at >= self.ports:
                        yield tuple(path_to(at, onward)[::-1])


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = array.view()
    view.setflags(write=False)
    return view


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


def explored(
    start: S,
    moves: Callable[[S], Iterable[tuple[M, S]]],
    ends: Callable[[S], bool],
    most_states: int,
    end: float = float("inf"),
    *,
    rank: Callable[[S], int] | None = None,
    work: float = EXPLORED,
) -> Exploration[M]:
    """Search for a state, up to a number of states and a time of `clock`.

    Parameters
    ----------
    rank : callable, optional
        States with the least sum of rank and moves come first, the newest of equals. By default the search is breadth
        first.
    work : float
        Of a state, beside its moves.
    """
    came: dict[S, tuple[S, M] | None] = {start: None}
    before: dict[S, list[S]] = {start: []}
    heap = [(0, 0, 0, start)]
    while heap:
        *_, depth, here = heappop(heap)
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
                order = (0, len(came)) if rank is None else (depth + 1 + rank(there), -len(came))
                heappush(heap, (*order, depth + 1, there))
                spend(work)
                if len(came) > most_states or (len(came) % 64 == 0 and clock() > end):
                    return Exploration(None, False, len(came))
            before[there].append(here)
    return Exploration(None, True, len(came), len(reached_from([start], before.__getitem__)) == len(came))
