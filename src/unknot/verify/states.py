"""Reachable states of a relation and the graph of dependencies between its virtual channels."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base import memory
from unknot._base.compressed_rows import grouped, starts
from unknot._base.kernels.lazy_kernel import is_small, plainly, viewed
from unknot._base.shown import Brief
from unknot.network.model import IntArray, Network, Offsets
from unknot.routing.relation import EJECT, VC_MASK, Relation
from unknot.routing.taking import takes_relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.verify.effort import Effort, TimeUpError, step
from unknot.verify.follow_kernel import WIDTH, Notes, depend
from unknot.verify.states_kernel import Answers, Layout, Scratch, explore

SPAN = 32
"""Dependencies of a VC of which one word keeps notes."""
Flags = npt.NDArray[np.bool_]
Visit = tuple[npt.NDArray[np.int64], Offsets, npt.NDArray[np.int64]]
"""The states of an address: input VCs in breadth-first order, and their candidates in compressed rows."""


def require_candidates(network: Network, vcs: int, routing: str) -> None:
    """Refuse a network whose candidates there is no memory for, before a routing is made on it.

    Parameters
    ----------
    vcs : int
        Of each channel.

    Raises
    ------
    SizeError
    """
    VirtualChannels(network, vcs)  # refuses more of them than there is room for
    leaving = vcs * np.bincount(network.source, minlength=network.num_routers)
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
        self.relation = relation
        table = relation.table
        self.function = relation.compiled.function.address if table is None else 0
        none = (np.empty(0, dtype=np.int64),) * 4
        answers = none if table is None else (table.first, table.input_vc, table.start, table.value)
        use = np.zeros(0, dtype=bool) if relation.may_use is None else relation.may_use.reshape(-1)
        view = viewed()

        def read(array: npt.NDArray[Any]) -> Any:
            return view(_read_only(array))

        self.layout = Layout(
            router=read(vcs.router),
            tail=read(network.source[vcs.channel]),
            eject=read(network.eject),
            destination=read(relation.destination),
            may_use=read(use),
            answers=Answers(*(read(column) for column in answers)),
            commits=relation.commits,
        )
        self.seen = view(np.zeros(input_vcs, dtype=np.int32))
        self.order = view(np.empty(input_vcs, dtype=np.int64))
        self.first = view(np.empty(input_vcs + 1, dtype=np.int64))
        most = _candidates(leaving, vcs.router)
        try:
            self.value = view(np.empty(most, dtype=np.int64))
        except MemoryError:
            raise memory.SizeError(f"the candidates of {relation.name}", 8 * most, memory.limit()) from None
        self.out = view(np.zeros(relation.max_candidates, dtype=np.int64))
        self.scratch = Scratch(self.seen, self.order, self.first, self.value, self.out)

    def visit(self, address: int) -> Visit:
        """The states of an address: input VCs in breadth-first order, and their candidates in compressed rows.

        The arrays are views that the next visit overwrites.
        """
        np.asarray(self.seen)[:] = 0
        count = explore(self.function, address, self.layout, self.scratch, 1)
        if count < 0:
            self.fail(int(self.order[-1 - count]), address)
        return self.order[:count], self.first[: count + 1], self.value[: self.first[count]]

    def steps(self, address: int) -> dict[int, list[int]]:
        """Return the candidate VCs of each reachable input VC of an address, ejection left out."""
        order, first, value = self.visit(address)
        vcs, bounds = [v & VC_MASK for v in value.tolist()], pairwise(first.tolist())
        return {at: [vc for vc in vcs[a:b] if vc != EJECT] for at, (a, b) in zip(order.tolist(), bounds, strict=True)}

    def fail(self, at: int, address: int) -> None:
        """Raise the error of a state that breaks the contract."""
        from unknot.routing.compiled import ask

        ask(self.relation, at, address)


@dataclass(frozen=True, eq=False, repr=False)
class Dependencies(Brief):
    """The channel dependency graph: u → v when some reachable state at VC u has candidate v.

    Attributes
    ----------
    relation : Relation
    first, target : compressed rows over VCs
        ``target[first[u]:first[u + 1]]`` are the VCs that u depends on.
    label : int32 array, shape (VCs,)
        Strongly connected component; an edge between components leads to a lower label.
    cyclic : bool array, shape (VCs,)
        Whether the VC lies on a cycle.
    states : int
        Reachable states, injection included.
    addresses : int
        Addresses that were followed: all, unless time ran out.

    Examples
    --------
    >>> graph = dependencies("ring(4)", routing="dimension_order")
    >>> graph.target[graph.first[0] : graph.first[1]].tolist(), int(graph.cyclic.sum())
    ([2], 4)
    """

    relation: Relation
    first: Offsets
    target: IntArray
    label: IntArray
    cyclic: Flags
    states: int
    addresses: int

    @property
    def acyclic(self) -> bool:
        return not self.cyclic.any()

    @property
    def complete(self) -> bool:
        """Whether every address was followed."""
        return self.addresses == self.relation.num_addresses


class Slots:
    """Where notes on a VC are kept: in a slot for each VC that leaves the router to which it leads, or `span`.

    Attributes
    ----------
    rank : int32 array, shape (VCs,)
        Number of each VC among those that leave its router.
    first : int64 array, shape (VCs + 1,)
        First slot of each VC.
    """

    def __init__(self, relation: Relation, span: int) -> None:
        vcs, tail = relation.vcs, relation.network.source[relation.vcs.channel]
        self.span, self._head = span, vcs.router[: vcs.total]
        self._first, self._leaving = grouped(tail, relation.network.num_routers)
        self.rank = np.empty(vcs.total, dtype=np.int32)
        self.rank[self._leaving] = np.arange(vcs.total) - self._first[tail[self._leaving]]
        self.first = np.zeros(vcs.total + 1, dtype=np.int64)
        np.cumsum((np.diff(self._first)[self._head] + span - 1) // span, out=self.first[1:])

    def dependencies(self, word: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], IntArray]:
        """Source and target of the dependencies whose bits are set in the slots, ascending."""
        octets = word.astype("<i8", copy=False).view(np.uint8)
        used = np.flatnonzero(octets)
        bit = np.flatnonzero(np.unpackbits(octets[used], bitorder="little"))
        bit = 8 * used[bit >> 3] + (bit & 7)
        source = np.repeat(np.arange(self.rank.size), np.diff(self.first))[bit >> 6]
        rank = self.span * ((bit >> 6) - self.first[source]) + (bit & 63)
        return source, self._leaving[self._first[self._head[source]] + rank]


class Follower:
    """What a thread works with to follow addresses a word at a time, and what it has come to.

    Attributes
    ----------
    notes : Notes
        Of dependencies alone, where a slot is for several VCs.
    totals : int64 array
        States, addresses, the input VC of a broken state; states that are kept, and whether some form cycles.
    """

    def __init__(self, relation: Relation, slots: Slots) -> None:
        self.explorer, whole = Explorer(relation), slots.span == 1
        view, vcs, size = viewed(), relation.num_vcs, int(slots.first[-1])
        columns = (np.zeros(room, dtype=np.int64) for room in (size, size * whole, vcs * whole, vcs * whole))
        self.notes = Notes(*(view(column) for column in (slots.rank, slots.first, *columns)))
        self.reached = view(np.empty(vcs, dtype=np.int64))
        self.totals = np.zeros(5, dtype=np.int64)

    def follow(self, kernel: Callable[..., int], addresses: Offsets, start: int, stop: int, *more: Any) -> None:
        """Have a kernel follow some addresses; more arguments of it come before the totals.

        Raises
        ------
        RelationError
            If a state breaks the contract.
        """
        own = self.explorer
        failed = kernel(
            own.function,
            own.layout,
            addresses,
            start,
            stop,
            own.scratch,
            self.reached,
            self.notes,
            *more,
            self.totals,
        )
        if failed >= 0:
            own.fail(int(self.totals[2]), int(failed))


@takes_relation
def dependencies(relation: Relation, effort: Effort | None = None) -> Dependencies:
    """Build the channel dependency graph address by address (Dally & Seitz 1987).

    Time is linear in the transitions between reachable states; memory is a few words per VC and thread. When the time
    of `effort` runs out, the graph of the addresses followed until then is returned.

    Parameters
    ----------
    effort : Effort or None
        Counts what was done, and ends the search in time.

    Returns
    -------
    Dependencies
        Who depends on whom.

    Raises
    ------
    RelationError
        If a reachable state breaks the relation's contract; the message names it.

    Examples
    --------
    >>> graph = dependencies("ring(4)", routing="dimension_order", vcs=2)
    >>> graph.states, bool(graph.cyclic.any())
    (28, False)
    """
    table = relation.table
    with plainly(table is not None and is_small(table.input_vc.size, depend)):
        return _dependencies(relation, effort)


def _dependencies(relation: Relation, effort: Effort | None) -> Dependencies:
    from unknot.network.graph_kernel import strong_components

    vcs, effort, slots = relation.vcs, effort or Effort(), Slots(relation, SPAN)
    memory.require(
        f"the dependencies of {vcs.total} VCs of {relation.network.name}", 8 * int(slots.first[-1]) * effort.threads
    )
    spaces: list[Follower] = []
    addresses = viewed()(np.arange(relation.num_addresses))

    def workspace() -> Follower:
        spaces.append(Follower(relation, slots))
        return spaces[-1]

    def follow(mine: Follower, start: int, stop: int) -> None:
        mine.follow(depend, addresses, start, stop)

    with contextlib.suppress(TimeUpError):
        # A full word of addresses where it does not take seconds.
        size = min(max(step(vcs.router.size), WIDTH), 8 * step(vcs.router.size))
        effort.over("dependencies", relation.num_addresses, size, workspace, follow)
    words = [np.asarray(mine.notes.goes) for mine in spaces or [workspace()]]
    source, target = slots.dependencies(np.bitwise_or.reduce(words, axis=0))
    states, reached = (sum(int(mine.totals[i]) for mine in spaces) for i in range(2))
    first = starts(source, vcs.total)
    label = np.empty(vcs.total, dtype=np.int32)
    cyclic = np.empty(vcs.total, dtype=bool)
    strong_components(first, target, label, cyclic)
    return Dependencies(relation, first, target, label, cyclic, states, reached)


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = array.view()
    view.setflags(write=False)
    return view
