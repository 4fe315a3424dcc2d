"""Which VCs can stay blocked: greatest fixpoints over the reachable states on cycles of dependencies.

The states are grouped by VC. A state is one word for every 31 edges of its VC within its component of dependencies:
which of them it may go on over, which it waits for. So it takes 12 bytes where VCs have at most 31 such edges, and
what waits for a VC that drains is found by walking along the VCs before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot.errors import RelationError
from unknot.network.model import IntArray, Offsets
from unknot.verify.effort import Effort, fits, step
from unknot.verify.states import Core, Dependencies, Explorer, Flags

BLOCKS = 64
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

    @property
    def arrays(self) -> tuple[Any, ...]:
        """The states, as kernels take them."""
        return self.state_first, self.owner, self.word, self.bits, self.ring, self.leader

    @cached_property
    def edges(self) -> tuple[Any, ...]:
        """Dependencies backwards, as kernels take them: the VCs before each VC, and the numbers of the edges."""
        vcs = self.state_first.size - 1
        source = np.repeat(np.arange(vcs, dtype=np.int32), np.diff(self.inner_first))
        back = np.argsort(self.inner, kind="stable")
        edge = (back - self.inner_first[source[back]]).astype(np.int32)
        kind = np.arange(vcs, dtype=np.int32)
        first = _offsets(np.bincount(self.inner, minlength=vcs))
        return self.live_first, first, source[back], edge, kind, np.arange(vcs + 1), kind


def waiting(graph: Dependencies, effort: Effort | None = None) -> Waiting:
    """Collect the states on cycles of dependencies.

    Two passes over all addresses, one to count and one to fill. Memory is 12 bytes per state, 20 where states of an
    address form cycles, and 8 more for every further 31 edges of a VC.

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
    addresses = np.arange(relation.num_addresses)
    loops = np.zeros(1, dtype=bool)

    def space() -> tuple[Explorer, tuple[Any, ...]]:
        own = Explorer(relation)
        numbers = (np.empty(vcs, dtype=np.int32) for _ in range(2))
        return own, (own.seen, own.order, own.first, own.value, own.out, *numbers)

    def count(mine: tuple[Explorer, tuple[Any, ...]], start: int, stop: int) -> IntArray:
        own, arrays = mine
        counts = np.zeros(vcs, dtype=np.int32)
        failed = count_states(
            own.function, own.layout, addresses, start, stop, graph.label, graph.cyclic, arrays, counts, loops
        )
        if failed >= 0:
            raise RelationError(f"{relation.name}: its answers change from one question to the next")
        return counts

    size = max(step(relation.vcs.router.size), -(-addresses.size // BLOCKS))
    counts = np.array(effort.over("counting states on cycles", addresses.size, size, space, count), dtype=np.int64)
    state_first = _offsets(counts.sum(axis=0))
    words = np.diff(live_first)
    word = _offsets(np.diff(state_first) * words)
    states = int(state_first[-1])
    needed = 8 * int(word[-1]) + (12 if loops[0] else 4) * states
    fits(f"{relation.name} on {relation.network.name}", needed, f"{states} states on cycles of dependencies")
    owner, bits = np.empty(states, dtype=np.int32), np.empty(int(word[-1]), dtype=np.int64)
    ring, leader = (np.empty(states if loops[0] else 0, dtype=np.int32) for _ in range(2))
    cursors = state_first[:-1] + np.cumsum(counts, axis=0) - counts

    def fill(mine: tuple[Explorer, tuple[Any, ...]], start: int, stop: int) -> None:
        own, arrays = mine
        fill_states(
            own.function, own.layout, addresses, start, stop, graph.label, graph.cyclic, inner_first, inner,
            live_first, relation.commits, arrays,
            cursors[start // size], state_first, word, owner, bits, ring, leader,
        )  # fmt: skip

    effort.over("states on cycles", addresses.size, size, space, fill)
    return Waiting(graph, inner_first, inner, live_first, state_first, owner, word, bits, ring, leader)


@dataclass(frozen=True, eq=False)
class Left:
    """What is left when VCs drain.

    Attributes
    ----------
    removed : int64 array, shape (VCs,)
        How many VCs were deleted before it; −1 if it is left.
    """

    removed: npt.NDArray[np.int64]
    states: Waiting
    entered: bool
    marks: tuple[Any, ...]

    @property
    def vcs(self) -> Flags:
        """The VCs that are left."""
        return np.asarray(self.removed < 0)

    def __bool__(self) -> bool:
        return bool((self.removed < 0).any())

    def heads(self) -> Core:
        """For each VC that is left, some heads that wait for nothing else, without transitions."""
        from unknot.verify.fixpoint_kernel import pick

        states = self.states
        relation, edges = states.graph.relation, np.diff(states.inner_first)[self.vcs]
        most = np.minimum(np.diff(states.state_first)[self.vcs], PICKED)
        place, address = (np.empty(int(most.sum()), dtype=np.int32) for _ in range(2))
        head_owner, head_wait = (np.empty(int((most * edges).sum()), dtype=np.int32) for _ in range(2))
        head_first = np.empty(head_owner.size + 1, dtype=np.int64)
        count, heads = pick(
            states.arrays, states.edges, relation.commits, self.entered, states.inner_first, states.inner, self.marks,
            PICKED, place, address, head_owner, head_first, head_wait,
        )  # fmt: skip
        return Core(
            states.graph,
            place[:count],
            address[:count],
            np.zeros(count + 1, dtype=np.int64),
            np.empty(0, dtype=np.int32),
            head_owner[:heads],
            head_first[: heads + 1],
            head_wait[: head_first[heads]],
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
    from unknot.verify.fixpoint_kernel import begin
    from unknot.verify.fixpoint_kernel import drain as delete

    effort = effort or Effort()
    graph, vcs = states.graph, states.state_first.size - 1
    pending = vcs + int(np.diff(states.state_first).max(initial=0))
    marks = (
        np.empty(int(states.live_first[-1]), dtype=np.int64),
        np.empty(vcs, dtype=np.int32),
        np.empty(states.ring.size, dtype=np.int32),
        np.empty(vcs, dtype=np.int64),
        np.empty(vcs, dtype=np.int32),
        np.empty(pending, dtype=np.int64),
        np.empty(pending, dtype=np.int32),
        np.empty(3, dtype=np.int64),
    )
    commits = graph.relation.commits
    begin(states.arrays, states.edges, spread, commits, entered, graph.cyclic, marks)
    stage, total = "VCs that drain", int(np.count_nonzero(graph.cyclic))
    while not delete(states.arrays, states.edges, spread, commits, entered, marks, BUDGET):
        effort.spent(stage, min(int(marks[-1][2]), total - 1), total)
    removed = np.where(graph.cyclic, marks[3], 0)
    return Left(removed, states, entered, marks)


def _offsets(counts: npt.NDArray[Any]) -> Offsets:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
