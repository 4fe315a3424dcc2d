"""States among which a deadlock is looked for: what fixpoints left over, cut down to a part, merged where alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.compressed_rows import positions, starts
from unknot._base.splitmix import STEP, mixed
from unknot._base.switching import Switching
from unknot.network.model import Offsets
from unknot.routing.relation import EJECT, NO_WAIT, VC_MASK, Relation
from unknot.verify.states import Core, Explorer, Flags

Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]


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

    @property
    def vcs(self) -> int:
        """One more than the highest VC that a state is on or a head waits for."""
        return int(max(self.input_vc.max(initial=-1), self.head_wait.max(initial=-1))) + 1

    @cached_property
    def by_vc(self) -> tuple[Offsets, Ints]:
        """States of each VC, in compressed rows over VCs."""
        order = np.argsort(self.input_vc, kind="stable")
        size = int(self.input_vc.max(initial=-1)) + 1
        return np.searchsorted(self.input_vc[order], np.arange(size + 1)).astype(np.int64), order

    @cached_property
    def heads_of(self) -> tuple[Offsets, Ints]:
        """Heads of each state, in compressed rows over states."""
        order = np.argsort(self.head_owner, kind="stable")
        return starts(self.head_owner, self.input_vc.size), order

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
        from unknot.verify.exact_kernel import prune

        alive = np.ones(self.input_vc.size, dtype=bool)
        blocks = np.ones(self.head_owner.size, dtype=bool)
        prune(
            self.vcs, self.input_vc, self.next_first, self.next_state, self.leaves,
            self.head_owner, self.head_first, self.head_wait, alive, blocks,
        )  # fmt: skip
        if alive.all() and blocks.all():
            return self
        return self.cut(np.flatnonzero(alive), heads=blocks)

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
        number = np.empty(like.size, dtype=np.int64)
        number[keep] = np.arange(keep.size)
        steps = positions(self.next_first, keep)
        chosen = heads[positions(first, keep)]
        return Remainder(
            self.input_vc[keep],
            self.owner[keep],
            starts(np.repeat(np.arange(keep.size), np.diff(self.next_first)[keep]), keep.size),
            number[like[self.next_state[steps]]],
            self.leaves[keep],
            self.enters[keep],
            number[self.head_owner[chosen]],
            starts(np.repeat(np.arange(chosen.size), np.diff(self.head_first)[chosen]), chosen.size),
            self.head_wait[positions(self.head_first, chosen)],
        )


def of(core: Core, states: Ints, enters: Flags | None = None) -> Remainder:
    """The remainder of a core that stands in some states (ascending)."""
    names = ("input_vc", "owner", "next_first", "next_state", "head_owner", "head_first", "head_wait")
    arrays = {name: np.asarray(getattr(core, name), dtype=np.int64) for name in names}
    nowhere = np.zeros(core.input_vc.size, dtype=bool)
    everything = Remainder(leaves=nowhere, enters=nowhere if enters is None else enters, **arrays)
    return everything.cut(states)


def among(relation: Relation, vcs: Iterable[int], switching: Switching, limit: int = 50_000) -> Remainder | None:
    """Return the reachable states on some VCs, asked of the relation address by address; None if there are too many.

    A worm steps from state to state where it may hold several VCs; where a header has committed to one candidate,
    there is a head for each.
    """
    inside = np.zeros(relation.num_vcs + relation.network.num_terminals, dtype=bool)
    inside[list(vcs)] = True
    explorer = Explorer(relation)
    alone = switching in ("saf", "vct")
    input_vc: list[int] = []
    owner: list[int] = []
    enters: list[bool] = []
    steps: list[list[int]] = []
    heads: list[tuple[int, list[int]]] = []
    for address in range(relation.num_addresses):
        order, first, value = explorer.visit(address)
        rows = np.flatnonzero(inside[order])
        if not rows.size:
            continue
        if len(input_vc) + rows.size > limit:
            return None
        entered = set((value[: first[relation.sources(address).size]] & VC_MASK).tolist())
        number = {at: len(input_vc) + i for i, at in enumerate(order[rows].tolist())}
        for row, at in zip(rows.tolist(), number, strict=True):
            candidates = value[first[row] : first[row + 1]].tolist()
            targets = [v & VC_MASK for v in candidates]
            waits = [w for w, v in zip(targets, candidates, strict=True) if not v & NO_WAIT]
            if switching == "wormhole-nonatomic":
                choices = [[w] for w in targets]
            else:
                choices = [[w] for w in waits] if relation.commits else [waits]
            heads += [(number[at], c) for c in choices if c and all(w != EJECT and inside[w] for w in c)]
            input_vc.append(at)
            owner.append(address)
            enters.append(at in entered)
            steps.append([] if alone else [number[t] for t in targets if t in number])
    return Remainder(
        np.array(input_vc, dtype=np.int64),
        np.array(owner, dtype=np.int64),
        np.cumsum([0, *map(len, steps)]).astype(np.int64),
        np.array([t for row in steps for t in row], dtype=np.int64),
        np.zeros(len(input_vc), dtype=bool),
        np.array(enters, dtype=bool),
        np.array([s for s, _ in heads], dtype=np.int64),
        np.cumsum([0, *(len(c) for _, c in heads)]).astype(np.int64),
        np.array([w for _, c in heads for w in c], dtype=np.int64),
    )


def _mix(values: npt.NDArray[Any]) -> Hashes:
    """Hashes whose sums differ where sets do."""
    hashes: Hashes = mixed(values.astype(np.uint64) + STEP)
    return hashes


def _sums(values: Hashes, first: Offsets) -> Hashes:
    """Sum of each row."""
    total = np.zeros(values.size + 1, dtype=np.uint64)
    np.cumsum(values, out=total[1:])
    sums: Hashes = total[first[1:]] - total[first[:-1]]
    return sums


def _firsts(kind: Hashes) -> Ints:
    """Return for each entry the position of the first one equal to it."""
    _, keep, number = np.unique(kind, return_index=True, return_inverse=True)
    firsts: Ints = keep[number.reshape(-1)]
    return firsts


def _same_rows(first: Offsets, value: Ints, like: Ints) -> bool:
    """Whether each row has the same entries, in any order, as the row it is said to be like."""
    width = np.diff(first)
    if (width != width[like]).any():
        return False
    order = np.lexsort((value, np.repeat(np.arange(width.size), width)))
    return bool((value[order] == value[order][positions(first, like)]).all())
