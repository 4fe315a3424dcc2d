"""VCs that can stay blocked: greatest fixpoints over the reachable states on cycles of dependencies.

The states are grouped by VC. A state is one word for every 31 edges of its VC within its component of dependencies:
which of them it may go on over, which it waits for. So it takes 12 bytes where VCs have at most 31 such edges, and
what waits for a VC that drains is found by walking along the VCs before it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base import memory
from unknot._base.errors import RelationError
from unknot.network.model import IntArray, Offsets
from unknot.verify.effort import Effort, step
from unknot.verify.fixpoint_kernel import Edges, Heads, Marks, Rules, States, begin, pick
from unknot.verify.fixpoint_kernel import drain as delete
from unknot.verify.remainder import Ints, Remainder, heads_alone
from unknot.verify.states import Dependencies, Explorer, Flags
from unknot.verify.symmetry import Translations, commutes, translations

BLOCKS = 16
"""Most blocks of addresses that are counted apart."""
BUDGET = 20_000_000
"""Looks at a state between two looks at the clock."""
PICKED = 16
"""States kept for each VC, no two of which wait for the same, when a counterexample is made of them."""


@dataclass(frozen=True, eq=False)
class Waiting:
    """The reachable states on VCs that lie on cycles of dependencies, transitions and waits within a component.

    Attributes
    ----------
    inner_first, inner : compressed rows over VCs
        Dependencies within a component; "edge e of VC v" is ``inner[inner_first[v] + e]``.
    live_first : int64 array, shape (VCs + 1,)
        Counts the words that the edges of each VC take.
    state_first : int64 array, shape (VCs + 1,)
        States on VC v are ``state_first[v]`` to ``state_first[v + 1]``.
    owner : int32 array, shape (states,)
        Address of each state, ascending within a VC.
    word : int64 array, shape (VCs,)
        Where the words of the states on each VC begin.
    bits : int64 array
    ring, leader : int32 arrays, shape (states,), or empty
        Where states of one address form cycles: the next state of the same cycle component, and its first one.
    group : Translations or None
        Translations under which the relation is symmetric; the states are then those of the representatives only.
    """

    graph: Dependencies
    inner_first: Offsets
    inner: IntArray
    live_first: Offsets
    state_first: Offsets
    owner: IntArray
    word: Offsets
    bits: npt.NDArray[np.int64]
    ring: IntArray
    leader: IntArray
    group: Translations | None = None

    @property
    def arrays(self) -> States:
        """The states, as kernels take them."""
        return States(self.state_first, self.owner, self.word, self.bits, self.ring, self.leader)

    @cached_property
    def edges(self) -> Edges:
        """Dependencies backwards, as kernels take them."""
        vcs = self.state_first.size - 1
        source = np.repeat(np.arange(vcs, dtype=np.int32), np.diff(self.inner_first))
        back = np.argsort(self.inner, kind="stable")
        edge = (back - self.inner_first[source[back]]).astype(np.int32)
        first = _offsets(np.bincount(self.inner, minlength=vcs))
        members = np.argsort(self.kind, kind="stable").astype(np.int32)
        return Edges(self.live_first, first, source[back], edge, self.kind, _offsets(np.bincount(self.kind)), members)

    @cached_property
    def kind(self) -> IntArray:
        """Orbit of each VC; without symmetry every VC is of its own kind."""
        vcs = self.state_first.size - 1
        return np.arange(vcs, dtype=np.int32) if self.group is None else self.group.kind[:vcs].copy()


def waiting(graph: Dependencies, effort: Effort | None = None, *, symmetry: bool = True) -> Waiting:
    """Collect the states on cycles of dependencies.

    Two passes over all addresses, one to count and one to fill; where network and relation have translation symmetry,
    one pass to see that they do, and those two over one address of each orbit. Memory is 12 bytes per state, 20
    where states of an address form cycles, and 8 more for every further 31 edges of a VC.

    Raises
    ------
    RelationError
        If that does not fit into memory.
    """
    from unknot.verify.waiting_kernel import SPAN, count_states, fill_states

    relation, effort = graph.relation, effort or Effort()
    vcs = relation.num_vcs
    source = np.repeat(np.arange(vcs, dtype=np.int32), np.diff(graph.first))
    within = graph.cyclic[source] & (graph.label[source] == graph.label[graph.target])
    degree = np.bincount(source[within], minlength=vcs)
    inner_first, live_first = _offsets(degree), _offsets((degree + SPAN - 1) // SPAN)
    inner = graph.target[within]
    group = translations(relation) if symmetry else None
    if group is not None and not commutes(relation, group, effort):
        group = None
    addresses = (
        np.arange(relation.num_addresses) if group is None else np.sort(group.representatives).astype(np.int64)
    )
    loops = np.zeros(1, dtype=bool)

    edges = graph.label, graph.cyclic, inner_first, inner, live_first

    def workspace() -> tuple[Explorer, tuple[IntArray, IntArray]]:
        return Explorer(relation), (np.empty(vcs, dtype=np.int32), np.empty(vcs, dtype=np.int32))

    def count(mine: tuple[Explorer, tuple[IntArray, IntArray]], start: int, stop: int) -> IntArray:
        own, numbers = mine
        counts = np.zeros(vcs, dtype=np.int32)
        failed = count_states(
            own.function, own.layout, addresses, start, stop, own.scratch, numbers, edges, counts, loops
        )
        if failed >= 0:
            raise RelationError(f"{relation.name}: its answers change from one question to the next")
        return counts

    size = max(step(relation.vcs.router.size), -(-addresses.size // BLOCKS))
    counts = np.array(
        effort.over("counting states on cycles", addresses.size, size, workspace, count), dtype=np.int64
    )
    state_first = _offsets(counts.sum(axis=0))
    words = np.diff(live_first)
    word = _offsets(np.diff(state_first) * words)
    states = int(state_first[-1])
    needed = 8 * int(word[-1]) + (12 if loops[0] else 4) * states
    memory.require(f"the {states} states on cycles of {relation.name} on {relation.network.name}", needed)
    owner, bits = np.empty(states, dtype=np.int32), np.zeros(int(word[-1]), dtype=np.int64)
    ring, leader = (np.empty(states if loops[0] else 0, dtype=np.int32) for _ in range(2))
    cursors = state_first[:-1] + np.cumsum(counts, axis=0) - counts

    columns = state_first, word, owner, bits, ring, leader

    def fill(mine: tuple[Explorer, tuple[IntArray, IntArray]], start: int, stop: int) -> None:
        own, numbers = mine
        cursor = cursors[start // size]
        fill_states(own.function, own.layout, addresses, start, stop, own.scratch, numbers, edges, cursor, columns)

    effort.over("states on cycles", addresses.size, size, workspace, fill)
    return Waiting(graph, inner_first, inner, live_first, state_first, owner, word, bits, ring, leader, group)


@dataclass(frozen=True, eq=False)
class Left:
    """VCs and states that are left when VCs drain.

    Attributes
    ----------
    removed : int64 array, shape (VCs,)
        How many VCs were deleted before it; −1 if it is left.
    """

    removed: npt.NDArray[np.int64]
    states: Waiting
    rules: Rules
    marks: Marks

    @property
    def vcs(self) -> Flags:
        """The VCs that are left."""
        return np.asarray(self.removed < 0)

    def __bool__(self) -> bool:
        return bool((self.removed < 0).any())

    def heads(self) -> Remainder:
        """Return for each VC that is left some heads that wait for such VCs only, without transitions."""
        states = self.states
        edges = np.diff(states.inner_first)[self.vcs]
        most = np.minimum(np.diff(states.state_first)[self.vcs], PICKED)
        input_vc, address = (np.empty(int(most.sum()), dtype=np.int32) for _ in range(2))
        head_owner, head_wait = (np.empty(int((most * edges).sum()), dtype=np.int32) for _ in range(2))
        head_first = np.empty(head_owner.size + 1, dtype=np.int64)
        sizes = np.zeros(2, dtype=np.int64)
        room = Heads(input_vc, address, head_owner, head_first, head_wait)
        pick(
            states.arrays, states.edges, self.rules, states.inner_first, states.inner, self.marks, PICKED, room, sizes
        )
        count, heads = sizes.tolist()
        waits = head_first[: heads + 1], head_wait[: head_first[heads]]
        heads_of_left = heads_alone(input_vc[:count], address[:count], head_owner[:heads], *waits)
        return heads_of_left if states.group is None else _everywhere(heads_of_left, states.group)


def _everywhere(heads: Remainder, group: Translations) -> Remainder:
    """Heads of representatives moved by all translations; of those of one kind that wait for the same, the first."""
    chosen: dict[tuple[int, ...], int] = {}
    number: Counter[int] = Counter()
    for head, state in enumerate(heads.head_owner.tolist()):
        kinds = group.kind[heads.waits(head)].tolist()
        key = (int(group.kind[heads.input_vc[state]]), *sorted(kinds))
        if key not in chosen and number[key[0]] < PICKED:
            chosen[key] = head
            number[key[0]] += 1
    kept = np.array(list(chosen.values()), dtype=np.int64)
    states = heads.head_owner[kept]
    widths = np.diff(heads.head_first)[kept]
    entry = np.concatenate([np.arange(heads.head_first[h], heads.head_first[h + 1]) for h in kept.tolist()])
    moves = np.array(np.unravel_index(np.arange(group.order), group.radices[::-1]))[::-1]
    many = group.order

    def moved(input_vcs: Ints) -> IntArray:
        return group.moved(np.tile(input_vcs, many), np.repeat(moves, input_vcs.size, axis=1))

    return heads_alone(
        moved(heads.input_vc[states]),
        group.moved_addresses(np.tile(heads.owner[states], many), np.repeat(moves, states.size, axis=1)),
        np.arange(states.size * many),
        _offsets(np.tile(widths, many)),
        moved(heads.head_wait[entry]),
    )


def drain(states: Waiting, *, spread: bool, entered: bool = False, effort: Effort | None = None) -> Left:
    """Delete VCs until each one left has a state from which a header may come to block for good.

    Parameters
    ----------
    spread : bool
        False (saf, vct): such a state has all that it waits for on VCs that are left. True (wormhole): such a state
        is reached from it over VCs that are left. This uses the states up: it is the last thing to be asked of them.
    entered : bool
        Let only packets block that stand in the first VC of their route; not with `spread`.
    """
    effort = effort or Effort()
    graph, vcs = states.graph, states.state_first.size - 1
    kinds = states.edges.member_first.size - 1
    pending = vcs + int(np.diff(states.state_first).max(initial=0))
    marks = Marks(
        np.empty(int(states.live_first[-1]), dtype=np.int64),
        np.empty(kinds, dtype=np.int32),
        np.empty(states.ring.size, dtype=np.int32),
        np.empty(kinds, dtype=np.int64),
        np.empty(kinds, dtype=np.int32),
        np.empty(pending, dtype=np.int64),
        np.empty(pending, dtype=np.int32),
        np.empty(3, dtype=np.int64),
    )
    rules = Rules(spread, graph.relation.commits, entered)
    begin(states.arrays, states.edges, rules, graph.cyclic, marks)
    stage, total = "VCs that drain", int(np.count_nonzero(graph.cyclic))
    while not delete(states.arrays, states.edges, rules, marks, BUDGET):
        effort.spent(stage, min(int(marks.cursor[2]), total - 1), total)
    effort.spent(stage, total, total)
    removed = np.where(graph.cyclic, marks.removed[states.kind], 0)
    return Left(removed, states, rules, marks)


def _offsets(counts: npt.NDArray[Any]) -> Offsets:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
