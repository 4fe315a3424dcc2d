"""States among which a deadlock is looked for: what fixpoints left over, cut down to a part, merged where alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base import memory
from unknot._base.arrays import Ints as Ints
from unknot._base.arrays import grouped, offsets, positions, starts
from unknot._base.splitmix import STEP, mixed
from unknot._base.switching import Switching
from unknot.flow_control.techniques import technique
from unknot.network.model import IntArray, Offsets
from unknot.routing.relation import EJECT, NO_WAIT, VC_MASK, Relation
from unknot.verify.effort import Effort
from unknot.verify.explorer import Explorer
from unknot.verify.states import Dependencies, Flags

Hashes = npt.NDArray[np.uint64]
ROOM, BYTES = 1 << 16, 100
"""States from which on memory is asked for, and bytes for each of them."""


@dataclass(frozen=True, eq=False)
class Remainder:
    """States, the steps between them, and the heads that may block there.

    Attributes
    ----------
    input_vc, owner : int64 arrays, shape (states,)
        VC and address of each state.
    next_first, next_state : compressed rows over states
        Successors.
    leaves, enters : bool arrays, shape (states,)
        Whether a worm may also go on to where it is not looked at any more; whether it may come straight from a
        terminal.
    head_owner : int64 array, shape (heads,)
        State of each head, ascending.
    head_first, head_wait : compressed rows over heads
        VCs a head waits for.
    """

    input_vc: Ints
    owner: Ints
    next_first: Offsets
    next_state: Ints
    leaves: Flags
    enters: Flags
    head_owner: Ints
    head_first: Offsets
    head_wait: Ints

    def waits(self, head: int) -> list[int]:
        """VCs a head waits for, each once."""
        return sorted(set(self.head_wait[self.head_first[head] : self.head_first[head + 1]].tolist()))

    @property
    def vcs(self) -> int:
        """One more than the highest VC that a state is on or a head waits for."""
        return int(max(self.input_vc.max(initial=-1), self.head_wait.max(initial=-1))) + 1

    @cached_property
    def by_vc(self) -> tuple[Offsets, Ints]:
        """States of each VC, in compressed rows over VCs."""
        return starts(self.input_vc, self.vcs), np.argsort(self.input_vc, kind="stable")

    @cached_property
    def heads_of(self) -> tuple[Offsets, Ints]:
        """Heads of each state, in compressed rows over states."""
        return starts(self.head_owner, self.input_vc.size), np.argsort(self.head_owner, kind="stable")

    def on(self, vcs: Ints) -> Ints:
        """States on some VCs, ascending."""
        first, order = self.by_vc
        vcs = vcs[vcs < first.size - 1]
        return np.sort(order[positions(first, vcs)])

    def cut(self, states: Ints, *, open_ends: bool = False, heads: Flags | None = None) -> Remainder:
        """Only these states (ascending), and of the heads those wanted.

        Steps out of the part are dropped, and so are heads that wait for a VC outside of it. With `open_ends` a worm
        that leaves the part is marked as such instead, and waits outside of it are taken to be held.
        """
        number = np.full(self.input_vc.size, -1, dtype=np.int64)
        number[states] = np.arange(states.size)
        inside = np.zeros(self.vcs, dtype=bool)
        inside[self.input_vc[states]] = True
        steps = positions(self.next_first, states)
        target = number[self.next_state[steps]]
        stays = target >= 0
        row = np.repeat(np.arange(states.size), np.diff(self.next_first)[states])
        leaves = self.leaves[states].copy()
        if open_ends:
            leaves[row[~stays]] = True
        first, order = self.heads_of
        chosen = order[positions(first, states)]
        if heads is not None:
            chosen = chosen[heads[chosen]]
        waits = self.head_wait[positions(self.head_first, chosen)]
        whose = np.repeat(np.arange(chosen.size), np.diff(self.head_first)[chosen])
        held = inside[waits]
        if not open_ends:
            fine = np.ones(chosen.size, dtype=bool)
            fine[whose[~held]] = False
            held = fine[whose]
            whose = (np.cumsum(fine) - 1)[whose]
            chosen = chosen[fine]
        return Remainder(
            self.input_vc[states],
            self.owner[states],
            starts(row[stays], states.size),
            target[stays],
            leaves,
            self.enters[states],
            number[self.head_owner[chosen]],
            starts(whose[held], chosen.size),
            waits[held],
        )

    def pruned(self) -> Remainder:
        """Remove states from which no worm comes to stay, again and again until nothing changes."""
        from unknot.verify.states_kernel import mark_back

        states, head = self.input_vc.size, np.repeat(np.arange(self.head_owner.size), np.diff(self.head_first))
        before, edge = grouped(self.next_state, states)
        back = np.repeat(np.arange(states), np.diff(self.next_first))[edge]
        alive = np.ones(states, dtype=bool)
        while True:
            held = np.zeros(self.vcs, dtype=bool)
            held[self.input_vc[alive]] = True
            blocks = alive[self.head_owner]
            blocks[head[~held[self.head_wait]]] = False
            # What leads nowhere now has led nowhere before, so nothing is reached over states that are gone.
            kept = alive & self.leaves
            kept[self.head_owner[blocks]] = True
            mark_back(before, back, kept)
            if (kept == alive).all():
                break
            alive = kept
        return self if alive.all() and blocks.all() else self.cut(np.flatnonzero(alive), heads=blocks)

    def merged(self) -> Remainder:
        """Merge states of one VC that have the same future, whatever their addresses.

        Each state and each head is stood for by the first of its kind; `owner` is then the address of that one.
        """
        head_kind = _sums(_mix(self.head_wait), self.head_first)
        alike = _firsts(head_kind)
        if not _same_rows(self.head_first, self.head_wait, alike):
            return self
        first, heads = self.heads_of
        kind = start = _mix(self.input_vc * 4 + self.leaves * 2 + self.enters) + _sums(_mix(alike[heads]), first)
        count = 0
        while count < (count := np.unique(kind).size):
            kind = _mix(start) + _sums(_mix(kind)[self.next_state], self.next_first)
        like = _firsts(kind)
        exact = (
            (self.input_vc == self.input_vc[like]).all()
            and (self.leaves == self.leaves[like]).all()
            and (self.enters == self.enters[like]).all()
            and _same_rows(first, alike[heads], like)
            and _same_rows(self.next_first, like[self.next_state], like)
        )
        if not exact:
            return self
        keep = np.flatnonzero(like == np.arange(like.size))
        return replace(self, next_state=like[self.next_state]).cut(keep)


def heads_alone(input_vc: Any, owner: Any, head_owner: Any, head_first: Any, head_wait: Any) -> Remainder:
    """Heads on single VCs, without steps."""
    columns = (np.asarray(column, dtype=np.int64) for column in (input_vc, owner, head_owner, head_first, head_wait))
    vcs, addresses, *heads = columns
    nowhere = np.zeros(vcs.size, dtype=bool)
    return Remainder(vcs, addresses, starts(vcs[:0], vcs.size), vcs[:0], nowhere, nowhere, *heads)


def on_cycles(
    graph: Dependencies, switching: Switching, kept: Flags | None = None, effort: Effort | None = None
) -> Remainder:
    """Return the reachable states on VCs of cyclic components, or on those that are to be kept of them.

    A deadlock configuration can always be cut down to one whose held VCs lie in one component, so steps and waits
    that leave the component of their VC are left out: such a step ends the worm's part in the configuration, and such
    a wait is never held.
    """
    vcs = np.flatnonzero(graph.cyclic if kept is None else kept & graph.cyclic)
    part = among(graph.relation, vcs, switching, label=graph.label, effort=effort)
    assert part is not None
    return part


def among(
    relation: Relation,
    vcs: Iterable[int],
    switching: Switching,
    *,
    limit: float = inf,
    label: IntArray | None = None,
    effort: Effort | None = None,
) -> Remainder | None:
    """Return the reachable states on some VCs, asked of the relation address by address; None if there are too many.

    A header that chooses anew has one head with all it waits for; one that commits has a head for each choice. Steps
    and waits between VCs of different labels are left out.
    """
    stage = "states on cycles"
    inside = np.zeros(relation.vcs.router.size, dtype=bool)
    inside[np.fromiter(vcs, dtype=np.int64)] = True
    component = np.zeros(relation.num_vcs, dtype=np.int32) if label is None else label
    flow = technique(switching)
    alone, queues = flow.alone, flow.queueing
    explorer, slot = Explorer(relation), np.empty(relation.num_vcs, dtype=np.int64)
    parts: list[tuple[npt.NDArray[Any], ...]] = [(slot[:0],) * 8]
    states, room = 0, ROOM
    for address, (order, first, offered) in explorer.visits(stage, effort):
        rows = np.flatnonzero(inside[order])
        if states + rows.size > limit:
            return None
        while states + rows.size > room:
            room *= 2
            memory.require(f"the {stage} of {relation.name} on {relation.network.name}", BYTES * room)
        at, width = order[rows], np.diff(first)[rows]
        slot[at] = np.arange(states, states + at.size)
        row, candidate = np.repeat(np.arange(at.size), width), offered[positions(first, rows)]
        vc = candidate & VC_MASK
        leaves = vc == EJECT
        vc[leaves] = 0
        held = ~leaves & inside[vc] & (component[vc] == component[at][row])
        waited = (candidate & NO_WAIT == 0) | queues
        if relation.commits or queues:
            chosen = held & waited
            head, waits = row[chosen], np.ones(np.count_nonzero(chosen), dtype=np.int64)
        else:
            # A header is blocked for good only if all that it waits for is held.
            waits = np.bincount(row[waited], minlength=at.size)
            waits[row[waited & ~held]] = 0
            chosen = waited & (waits > 0)[row]
            head, waits = np.flatnonzero(waits), waits[waits > 0]
        # The search begins with the injection ports, so their candidates stand first.
        enters = np.isin(at, offered[: first[relation.sources(address).size]] & VC_MASK)
        step = held & (not alone)
        steps = np.bincount(row[step], minlength=at.size)
        parts.append((at, np.full(at.size, address), steps, slot[vc[step]], enters, states + head, waits, vc[chosen]))
        states += at.size
    input_vc, owner, steps, next_state, enters, head_owner, waits, head_wait = map(
        np.concatenate, zip(*parts, strict=True)
    )
    return Remainder(
        input_vc,
        owner,
        offsets(steps),
        next_state,
        np.zeros(states, dtype=bool),
        enters.astype(bool),
        head_owner,
        offsets(waits),
        head_wait,
    )


def _mix(values: npt.NDArray[Any]) -> Hashes:
    """Hashes whose sums differ where sets do."""
    return np.asarray(mixed(values.astype(np.uint64) + STEP))


def _sums(values: Hashes, first: Offsets) -> Hashes:
    """Sum of each row."""
    total = np.zeros(values.size + 1, dtype=np.uint64)
    np.cumsum(values, out=total[1:])
    return np.diff(total[first])


def _firsts(kind: Hashes) -> Ints:
    """Return for each entry the position of the first one equal to it."""
    _, keep, number = np.unique(kind, return_index=True, return_inverse=True)
    return np.asarray(keep[number.reshape(-1)])


def _same_rows(first: Offsets, offered: Ints, like: Ints) -> bool:
    """Whether each row has the same entries, in any order, as the row it is said to be like."""
    width = np.diff(first)
    if (width != width[like]).any():
        return False
    order = np.lexsort((offered, np.repeat(np.arange(width.size), width)))
    return bool((offered[order] == offered[order][positions(first, like)]).all())
