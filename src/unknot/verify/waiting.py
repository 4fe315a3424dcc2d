"""VCs that can stay blocked: greatest fixpoints over the reachable states on cycles of dependencies.

States are kept in cells: those of a VC for up to 63 addresses, a block. A cell has a word with a bit for each address
that reaches the VC, one for those that enter it from a terminal, and two for every edge of the VC within its
component of dependencies: addresses that go on over it, and those that wait for it. So a step of a fixpoint is one
for all of them, and what waits for a VC that drains is found by walking along the VCs before it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from unknot._base import memory
from unknot._base.arrays import Flags, Ints, Rows, grouped, offsets, starts
from unknot._base.work import spend
from unknot.network.model import IntArray, Offsets
from unknot.verify.cells_kernel import Cells, DeletionMarks, Inner, Kinds, LivingRules, count_cells, fill_cells
from unknot.verify.effort import Effort, step
from unknot.verify.fixpoint_kernel import begin, pick
from unknot.verify.fixpoint_kernel import drain as delete
from unknot.verify.follow_kernel import WIDTH
from unknot.verify.states import Dependencies, Follower, Slots
from unknot.verify.symmetry import Positions, Translations, commutes, translations

SHARES = 16
"""Most shares of the addresses whose cells are counted apart, so that threads can fill them at the same time."""
BUDGET = 5_000_000
"""Looks at a cell between two looks at the clock."""
PER_LOOK = 1e-8
"""Work of such a look."""
CELL = 28
"""Bytes of a cell besides its words, with those that a fixpoint takes."""
PICKED = 16
"""States kept for each VC, no two of which wait for the same, when a counterexample is made of them."""


@dataclass(frozen=True, eq=False)
class Waiting:
    """The reachable states on VCs that lie on cycles of dependencies, transitions and waits within a component.

    Attributes
    ----------
    inner : Inner
        Dependencies within components.
    addresses : int64 array
        Those whose states are kept, 63 of them a block.
    states : int
    cells : Cells
    group : Translations or None
        Translations under which the relation is symmetric; the states are then those of the representatives only.
    """

    graph: Dependencies
    inner: Inner
    addresses: Offsets
    states: int
    cells: Cells
    group: Translations | None = None

    @cached_property
    def kinds(self) -> Kinds:
        """Orbits of VCs; without symmetry every VC is of its own kind."""
        vcs = self.cells.word.size
        kind = np.arange(vcs, dtype=np.int32) if self.group is None else self.group.places.kind[:vcs].copy()
        return Kinds(kind, *grouped(kind, int(kind.max(initial=-1)) + 1))


def waiting(graph: Dependencies, effort: Effort | None = None, *, symmetry: bool = True) -> Waiting:
    """Collect the states on cycles of dependencies.

    Two passes over all addresses, one to count and one to fill; where network and relation have translation symmetry,
    one pass to see that they do, and those two over one address of each orbit. Memory, fixpoints included: of a cell,
    which holds up to 63 states, 44 bytes and 16 per edge of its VC.

    Raises
    ------
    RelationError
        If that does not fit into memory.
    """
    relation, effort = graph.relation, effort or Effort()
    vcs, slots = relation.num_vcs, Slots(relation, 1)
    source, inner = (ends[graph.inner].astype(np.int32) for ends in (graph.source, graph.target))
    inner_first = starts(source, vcs)
    back_first, order = grouped(inner, vcs)
    back, back_edge = source[order], (order - inner_first[source[order]]).astype(np.int32)
    group = translations(relation) if symmetry else None
    if group is not None and not commutes(relation, group, effort):
        group = None
    addresses = np.arange(relation.num_addresses) if group is None else np.sort(group.representatives)
    addresses = addresses.astype(np.int64)
    slot_of = slots.first[source] + slots.rank[inner]
    edges = Inner(graph.cyclic, inner_first, inner, slot_of, back_first, back, back_edge)
    spaces: list[Follower] = []

    def workspace() -> Follower:
        spaces.append(Follower(relation, slots))
        return spaces[-1]

    piece = WIDTH * max(1, step(vcs) // WIDTH)
    size = piece * -(-addresses.size // (SHARES * piece))

    def count(mine: Follower, start: int, stop: int) -> IntArray:
        counts = np.zeros(vcs, dtype=np.int32)
        for low in effort.pieces("counting states on cycles", start, stop, piece, addresses.size):
            mine.follow(count_cells, addresses, low, min(low + piece, stop), edges, counts)
        return counts

    counts = np.array(
        effort.over("counting states on cycles", addresses.size, size, workspace, count, input_vcs=vcs),
        dtype=np.int64,
    )
    states = sum(int(mine.notes.totals[3]) for mine in spaces)
    cell_first = offsets(counts.sum(axis=0))
    words = 2 + 2 * np.diff(inner_first)
    word = offsets(np.diff(cell_first) * words)
    needed = 8 * int(word[-1]) + CELL * int(cell_first[-1])
    memory.require(f"the {states:,} states on cycles of {relation.name} on {relation.network.name}", needed)
    block, bits = np.empty(int(cell_first[-1]), dtype=np.int32), np.empty(int(word[-1]), dtype=np.int64)
    cursors = cell_first[:-1] + np.cumsum(counts, axis=0) - counts
    cells = Cells(cell_first, block, word[:-1], bits)

    def fill(mine: Follower, start: int, stop: int) -> None:
        for low in effort.pieces("states on cycles", start, stop, piece, addresses.size):
            mine.follow(fill_cells, addresses, low, min(low + piece, stop), edges, cursors[start // size], cells)

    spaces.clear()
    effort.over("states on cycles", addresses.size, size, workspace, fill, input_vcs=vcs)
    return Waiting(graph, edges, addresses, states, cells, group)


class BlockedHeads(NamedTuple):
    """Blocked heads: VC, address, and the awaited VCs of each."""

    vc: IntArray
    address: IntArray
    waits: Rows


@dataclass(frozen=True, eq=False)
class Left:
    """VCs and states that are left when VCs drain.

    Attributes
    ----------
    removed : int64 array, shape (VCs,)
        How many VCs were deleted before it; −1 if it is left.
    """

    removed: Ints
    states: Waiting
    rules: LivingRules
    marks: DeletionMarks

    @property
    def vcs(self) -> Flags:
        """The VCs that are left."""
        return np.asarray(self.removed < 0)

    def __bool__(self) -> bool:
        return bool((self.removed < 0).any())

    def heads(self) -> BlockedHeads:
        """Return for each remaining VC some heads that wait for remaining VCs only."""
        states, cells = self.states, self.states.cells
        most = np.minimum(WIDTH * np.diff(cells.first), PICKED)[self.vcs]
        room = int((most * np.diff(states.inner.first)[self.vcs]).sum())
        vc, address, wait = (np.empty(room, dtype=np.int32) for _ in range(3))
        first = np.empty(room + 1, dtype=np.int64)
        columns = vc, address, first, wait
        count = pick(states.inner, cells, states.kinds, self.rules, self.marks, states.addresses, PICKED, columns)
        waits = Rows(first[: count + 1], wait[: first[count]])
        heads = BlockedHeads(vc[:count], address[:count], waits)
        return heads if states.group is None else _everywhere(heads, states.group)


def _everywhere(heads: BlockedHeads, group: Translations) -> BlockedHeads:
    """Heads of representatives moved by all translations; among heads of a kind with equal waits, the first."""
    kind, places = group.places.kind, group.places
    chosen: dict[tuple[int, ...], int] = {}
    number: Counter[int] = Counter()
    for head, (vc, row) in enumerate(zip(heads.vc.tolist(), heads.waits.lists(), strict=True)):
        key = (int(kind[vc]), *sorted(kind[row].tolist()))
        if key not in chosen and number[key[0]] < PICKED:
            chosen[key] = head
            number[key[0]] += 1
    kept = np.array(list(chosen.values()), dtype=np.int64)
    moves = np.array(np.unravel_index(np.arange(group.order), places.radices[::-1]))[::-1]

    def moved(positions: Positions, things: IntArray) -> IntArray:
        return positions.moved(np.tile(things, group.order), np.repeat(moves, things.size, axis=1))

    waits = heads.waits.take(kept)
    everywhere = Rows(offsets(np.tile(waits.width, group.order)), moved(places, waits.entries))
    return BlockedHeads(moved(places, heads.vc[kept]), moved(group.addresses, heads.address[kept]), everywhere)


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
    graph, cells, kinds = states.graph, states.cells.block.size, states.kinds.first.size - 1
    marks = DeletionMarks(
        live=np.empty(states.inner.target.size, dtype=bool),
        owner=np.empty(cells, dtype=np.int32),
        blocked=np.empty(cells, dtype=np.int64),
        dead=np.zeros(cells, dtype=np.int64),
        on=np.empty(kinds, dtype=np.int64),
        removed=np.empty(kinds, dtype=np.int64),
        queue=np.empty(kinds, dtype=np.int32),
        stack=np.empty(cells, dtype=np.int32),
        cursor=np.empty(3, dtype=np.int64),
    )
    rules = LivingRules(spread, graph.relation.commits, entered)
    work = states.inner, states.cells, states.kinds, rules, marks
    begin(*work)
    stage, total = "VCs that drain", int(np.count_nonzero(graph.cyclic))
    while not delete(*work, BUDGET):
        spend(PER_LOOK * BUDGET)
        effort.spent(stage, min(int(marks.cursor[1]), total - 1), total)
    effort.spent(stage, total, total)
    removed = np.where(graph.cyclic, marks.removed[states.kinds.of], 0)
    return Left(removed, states, rules, marks)
