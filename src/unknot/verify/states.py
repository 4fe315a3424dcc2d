"""Reachable states of a relation and the graph of dependencies between its virtual channels."""

from __future__ import annotations

import contextlib
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
from unknot.verify.states_kernel import WIDTH, Answers, Layout, Scratch, Successors, depend, explore

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


class _Followed:
    """What a thread works with, and what it has come to: dependencies as bits; states and addresses."""

    def __init__(self, explorer: Explorer, word: npt.NDArray[np.uint64]) -> None:
        self.explorer, self.word = explorer, word
        self.reached = viewed()(np.empty(explorer.relation.num_vcs, dtype=np.int64))
        self.totals = np.zeros(3, dtype=np.int64)


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

    network, vcs = relation.network, relation.vcs
    tail = network.source[vcs.channel]
    first_leaving, leaving = grouped(tail, network.num_routers)
    rank = np.empty(vcs.total, dtype=np.int32)
    rank[leaving] = np.arange(vcs.total) - first_leaving[tail[leaving]]
    head = vcs.router[: vcs.total]
    first_word = np.zeros(vcs.total + 1, dtype=np.int64)
    np.cumsum((np.diff(first_leaving)[head] + 63) // 64, out=first_word[1:])
    bits = 8 * int(first_word[-1])
    memory.require(
        f"the dependencies of {vcs.total} VCs of {network.name}", bits * (1 if effort is None else effort.threads)
    )
    spaces: list[_Followed] = []

    def workspace() -> _Followed:
        made = _Followed(Explorer(relation), np.zeros(int(first_word[-1]), dtype=np.uint64))
        spaces.append(made)
        return made

    def follow(mine: _Followed, start: int, stop: int) -> None:
        asked = mine.explorer
        failed = depend(
            asked.function, asked.layout, start, stop, asked.scratch, mine.reached,
            Successors(rank, first_word, mine.word), mine.totals,
        )  # fmt: skip
        if failed >= 0:
            asked.fail(int(mine.totals[2]), int(failed))

    with contextlib.suppress(TimeUpError):
        # A full word of addresses where it does not take seconds.
        size = min(max(step(vcs.router.size), WIDTH), 8 * step(vcs.router.size))
        (effort or Effort()).over("dependencies", relation.num_addresses, size, workspace, follow)
    word = np.bitwise_or.reduce([mine.word for mine in spaces or [workspace()]], axis=0)
    states, addresses = (sum(int(mine.totals[i]) for mine in spaces) for i in range(2))
    # Bit b of the words of a VC stands for number b of the VCs that leave the router to which it leads.
    octets = word.astype("<u8", copy=False).view(np.uint8)
    used = np.flatnonzero(octets)
    bit = np.flatnonzero(np.unpackbits(octets[used], bitorder="little"))
    bit = 8 * used[bit >> 3] + (bit & 7)
    source = np.repeat(np.arange(vcs.total), np.diff(first_word))[bit >> 6]
    target = leaving[first_leaving[head[source]] + bit - 64 * first_word[source]]
    first = starts(source, vcs.total)
    label = np.empty(vcs.total, dtype=np.int32)
    cyclic = np.empty(vcs.total, dtype=bool)
    strong_components(first, target, label, cyclic)
    return Dependencies(relation, first, target, label, cyclic, states, addresses)


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = array.view()
    view.setflags(write=False)
    return view
