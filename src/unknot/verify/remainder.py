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
from unknot._base.arrays import Flags, Ints, Rows, grouped, offsets
from unknot._base.splitmix import STEP, mixed
from unknot._base.switching import Switching
from unknot.flow_control.techniques import technique
from unknot.network.model import IntArray
from unknot.routing.relation import EJECT, NO_WAIT, VC_MASK, Relation
from unknot.verify.effort import Effort
from unknot.verify.explorer import Explorer
from unknot.verify.states import Dependencies

Hashes = npt.NDArray[np.uint64]
ROOM, BYTES = 1 << 16, 100
"""States from which on memory is asked for, and bytes for each of them."""


@dataclass(frozen=True, eq=False)
class Remainder:
    """States, their steps, and the heads that may block inside.

    Attributes
    ----------
    input_vc, owner : int64 arrays, shape (states,)
        VC and address of each state.
    onward : Rows
        Successors of each state.
    leaves, enters : bool arrays, shape (states,)
        Whether a worm may also go on to where it is not looked at any more; whether it may come straight from a
        terminal.
    head_owner : int64 array, shape (heads,)
        State of each head, ascending.
    waits : Rows
        VCs that each head waits for.
    """

    input_vc: Ints
    owner: Ints
    onward: Rows
    leaves: Flags
    enters: Flags
    head_owner: Ints
    waits: Rows

    @property
    def vcs(self) -> int:
        """One more than the highest VC that a state is on or a head waits for."""
        return int(max(self.input_vc.max(initial=-1), self.waits.entries.max(initial=-1))) + 1

    @cached_property
    def heads(self) -> Rows:
        """Heads of each state."""
        return grouped(self.head_owner, self.input_vc.size)

    @cached_property
    def by_vc(self) -> Rows:
        """States on each VC; a search asks for those on some VCs thousands of times."""
        return grouped(self.input_vc, self.vcs)

    def on(self, vcs: Ints) -> Ints:
        """States on some different VCs, ascending."""
        states: Ints = np.sort(self.by_vc.take(vcs[vcs < self.vcs]).entries)
        return states

    def cut(self, states: Ints, *, open_ends: bool = False, heads: Flags | None = None) -> Remainder:
        """Only these states (ascending), and of the heads those wanted.

        Steps out of the part are dropped, and so are heads that wait for a VC outside of it. With `open_ends` a worm
        that leaves the part is marked as such instead, and waits outside of it are taken to be held.
        """
        number = np.full(self.input_vc.size, -1, dtype=np.int64)
        number[states] = np.arange(states.size)
        inside = np.zeros(self.vcs, dtype=bool)
        inside[self.input_vc[states]] = True
        onward = self.onward.take(states)
        onward = Rows(onward.first, number[onward.entries])
        stays = onward.entries >= 0
        leaves = self.leaves[states].copy()
        chosen = self.heads.take(states).entries
        if heads is not None:
            chosen = chosen[heads[chosen]]
        waits = self.waits.take(chosen)
        held = inside[waits.entries]
        if open_ends:
            leaves[onward.row[~stays]] = True
            waits = waits.where(held)
        else:
            fine = np.setdiff1d(np.arange(chosen.size), waits.row[~held])
            chosen, waits = chosen[fine], waits.take(fine)
        owner = number[self.head_owner[chosen]]
        vcs, addresses, enters = self.input_vc[states], self.owner[states], self.enters[states]
        return Remainder(vcs, addresses, onward.where(stays), leaves, enters, owner, waits)

    def pruned(self) -> Remainder:
        """Remove states from which no worm comes to stay, again and again until nothing changes."""
        from unknot.verify.states_kernel import mark_back

        states, head = self.input_vc.size, self.waits.row
        before, edge = grouped(self.onward.entries, states)
        back = self.onward.row[edge]
        alive = np.ones(states, dtype=bool)
        while True:
            held = np.zeros(self.vcs, dtype=bool)
            held[self.input_vc[alive]] = True
            blocks = alive[self.head_owner]
            blocks[head[~held[self.waits.entries]]] = False
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
        alike = _firsts(_sums(_mix(self.waits.entries), self.waits.first))
        if not _same_rows(self.waits, alike):
            return self
        own = np.stack([self.input_vc, self.leaves, self.enters])
        heads = Rows(self.heads.first, alike[self.heads.entries])
        kind = start = _mix(own[0] * 4 + own[1] * 2 + own[2]) + _sums(_mix(heads.entries), heads.first)
        count = 0
        while count < (count := np.unique(kind).size):
            kind = _mix(start) + _sums(_mix(kind)[self.onward.entries], self.onward.first)
        like = _firsts(kind)
        onward = Rows(self.onward.first, like[self.onward.entries])
        if (own != own[:, like]).any() or not _same_rows(heads, like) or not _same_rows(onward, like):
            return self
        return replace(self, onward=onward).cut(np.flatnonzero(like == np.arange(like.size)))


def on_cycles(
    graph: Dependencies, switching: Switching, kept: Flags | None = None, effort: Effort | None = None
) -> Remainder:
    """Return the reachable states on VCs of cyclic components, or on the kept VCs among them.

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
        found = np.flatnonzero(inside[order])
        if states + found.size > limit:
            return None
        while states + found.size > room:
            room *= 2
            memory.require(f"the {stage} of {relation.name} on {relation.network.name}", BYTES * room)
        at, candidates = order[found], Rows(first, offered).take(found)
        slot[at] = np.arange(states, states + at.size)
        row, candidate = candidates.row, candidates.entries
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
    input_vc, owner, steps, onward, enters, head_owner, waits, waited = map(np.concatenate, zip(*parts, strict=True))
    successors, never = Rows(offsets(steps), onward), np.zeros(states, dtype=bool)
    return Remainder(
        input_vc, owner, successors, never, enters.astype(bool), head_owner, Rows(offsets(waits), waited)
    )


def _mix(values: npt.NDArray[Any]) -> Hashes:
    """Hashes whose sums differ where sets do."""
    return np.asarray(mixed(values.astype(np.uint64) + STEP))


def _sums(values: Hashes, first: Ints) -> Hashes:
    """Sum of each row."""
    total = np.zeros(values.size + 1, dtype=np.uint64)
    np.cumsum(values, out=total[1:])
    return np.diff(total[first])


def _firsts(kind: Hashes) -> Ints:
    """Return for each entry the position of the first one equal to it."""
    _, keep, number = np.unique(kind, return_index=True, return_inverse=True)
    return np.asarray(keep[number.reshape(-1)])


def _same_rows(rows: Rows, like: Ints) -> bool:
    """Whether each row has the same entries, in any order, as the row it is said to be like."""
    if (rows.width != rows.width[like]).any():
        return False
    ordered = Rows(rows.first, rows.entries[np.lexsort((rows.entries, rows.row))])
    return bool((ordered.entries == ordered.take(like).entries).all())
