"""The graph of dependencies between the virtual channels of a relation."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from unknot._base import memory
from unknot._base.arrays import Flags as Flags
from unknot._base.arrays import Ints, Rows, grouped, offsets, ranks, row_of, starts
from unknot._base.kernels.lazy_kernel import is_small, plainly, viewed
from unknot._base.shown import Brief
from unknot.certificates.verdict import Size
from unknot.network.model import IntArray, Offsets
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.verify.effort import Effort, TimeUpError, step
from unknot.verify.explorer import Explorer
from unknot.verify.follow_kernel import SPAN, WIDTH, Notes, depend


class Slots:
    """Slots for notes on each VC, one for every `span` VCs out of the router behind it.

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
        self.rank = ranks(tail).astype(np.int32)
        self.first = offsets((np.diff(self._first)[self._head] + span - 1) // span)

    def dependencies(self, word: Ints) -> tuple[Ints, IntArray]:
        """Source and target of the dependencies whose bits are set in the slots, ascending."""
        octets = word.astype("<i8", copy=False).view(np.uint8)
        used = np.flatnonzero(octets)
        bit = np.flatnonzero(np.unpackbits(octets[used], bitorder="little"))
        bit = 8 * used[bit >> 3] + (bit & 7)
        source = row_of(self.first)[bit >> 6]
        rank = self.span * ((bit >> 6) - self.first[source]) + (bit & 63)
        return source, self._leaving[self._first[self._head[source]] + rank]


class Follower:
    """Work space of a thread that follows `WIDTH` addresses at a time, with its notes and counts.

    Attributes
    ----------
    notes : Notes
        Of dependencies alone where a slot is for several VCs.
    """

    def __init__(self, relation: Relation, slots: Slots) -> None:
        self.explorer, whole = Explorer(relation), slots.span == 1
        view, vcs, size = viewed(), relation.num_vcs, int(slots.first[-1])
        room = size, size * whole, vcs * whole, vcs * whole, vcs, 4
        columns = (np.zeros(length, dtype=np.int64) for length in room)
        self.notes = Notes(*(view(column) for column in (slots.rank, slots.first, *columns)))

    def follow(self, kernel: Callable[..., int], addresses: Offsets, start: int, stop: int, *more: Any) -> None:
        """Have a kernel follow some addresses; `more` are its arguments behind the notes.

        Raises
        ------
        RelationError
            If a state breaks the contract.
        """
        failed = kernel(self.explorer.traversal, addresses, start, stop, self.notes, *more)
        if failed >= 0:
            self.explorer.relation.refuse(int(self.notes.totals[2]), int(failed))


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
    def source(self) -> Ints:
        """Source VC of each dependency."""
        return row_of(self.first)

    @property
    def inner(self) -> Flags:
        """Mask of the dependencies on cycles."""
        source = self.source
        return np.asarray(self.cyclic[source] & (self.label[source] == self.label[self.target]))

    def depends(self, vc: int, other: int) -> bool:
        """Whether a VC depends on another one."""
        return other in Rows(self.first, self.target).at(vc)

    @property
    def complete(self) -> bool:
        """Whether every address was followed."""
        return self.addresses == self.relation.num_addresses

    @property
    def size(self) -> Size:
        """How large the proof is, for a verdict."""
        return Size(
            addresses=self.relation.num_addresses,
            states=self.states,
            vcs=self.relation.num_vcs,
            dependencies=int(self.first[-1]),
            cyclic_vcs=int(np.count_nonzero(self.cyclic)),
        )

    @property
    def on_cycles(self) -> str:
        """How many VCs lie on cycles, as far as addresses were followed, in words."""
        if self.complete:
            return f"{self.size.cyclic_vcs:,} of {self.relation.num_vcs:,} VCs lie on cycles of dependencies"
        so_far = "no cycle" if self.acyclic else f"{self.size.cyclic_vcs:,} VCs on cycles"
        return f"the dependencies of {self.addresses:,} of {self.relation.num_addresses:,} addresses have {so_far}"


@takes_relation
def dependencies(relation: Relation, effort: Effort | None = None) -> Dependencies:
    """Build the channel dependency graph, 63 addresses at a time (Dally & Seitz 1987).

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
    from unknot.network.graph_kernel import strong_components

    vcs, effort, slots, table = relation.vcs, effort or Effort(), Slots(relation, SPAN), relation.table
    memory.require(
        f"the dependencies of {vcs.total} VCs of {relation.network.name}", 8 * int(slots.first[-1]) * effort.threads
    )
    spaces: list[Follower] = []

    def workspace() -> Follower:
        spaces.append(Follower(relation, slots))
        return spaces[-1]

    with plainly(table is not None and is_small(table.input_vc.size, depend)):
        addresses = viewed()(np.arange(relation.num_addresses))

        def follow(mine: Follower, start: int, stop: int) -> None:
            mine.follow(depend, addresses, start, stop)

        with contextlib.suppress(TimeUpError):
            # A full word of addresses, unless that takes seconds.
            size = min(max(step(vcs.router.size), WIDTH), 8 * step(vcs.router.size))
            effort.over("dependencies", relation.num_addresses, size, workspace, follow, input_vcs=vcs.router.size)
        words = [np.asarray(mine.notes.goes) for mine in spaces or [workspace()]]
        source, target = slots.dependencies(np.bitwise_or.reduce(words, axis=0))
        states, reached = (sum(int(mine.notes.totals[i]) for mine in spaces) for i in range(2))
        first = starts(source, vcs.total)
        label = np.empty(vcs.total, dtype=np.int32)
        cyclic = np.empty(vcs.total, dtype=bool)
        strong_components(first, target, label, cyclic)
    return Dependencies(relation, first, target, label, cyclic, states, reached)
