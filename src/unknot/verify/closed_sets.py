"""Sets of messages that wait for one another: small ones, their terminals, and the VCs that cycles may hold."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np

from unknot._base.deadline import clock
from unknot._base.work import spend
from unknot.verify.effort import TimeUpError
from unknot.verify.exact_model import Worm
from unknot.verify.remainder import Remainder
from unknot.verify.waiting import BlockedHeads

STARTS = 64
"""Places from which a small set is looked for."""
Worms = dict[int, set[tuple[frozenset[int], frozenset[int]]]]
"""The worms that hold each VC: the VCs that a worm holds, and those that it waits for."""
MOST_WORMS = 1_000_000
"""Worms up to which cycles are looked for."""
WALKED = 5e-6
"""Work of a step on the way to worms, and to cycles of worms."""


def small_closed_set(heads: BlockedHeads) -> list[Worm]:
    """A small set of messages of one VC each, closed under waiting; every VC that a head waits for has a head."""
    on: dict[int, list[int]] = {}
    for head, vc in enumerate(heads.vc.tolist()):
        on.setdefault(vc, []).append(head)
    starts, waits = sorted(on), [sorted({*row}) for row in heads.waits.lists()]
    best: dict[int, int] = {}
    for start in starts[:: max(1, len(starts) // STARTS)]:
        chosen: dict[int, int] = {}
        todo = deque([start])
        inside = {start}
        while todo and (not best or len(chosen) < len(best)):
            vc = todo.popleft()
            head = min(on[vc], key=lambda h: (len({*waits[h]} - inside), h))
            chosen[vc] = head
            for w in waits[head]:
                if w not in inside:
                    inside.add(w)
                    todo.append(w)
        if not todo and (not best or len(chosen) < len(best)):
            best = chosen
    return [Worm(int(heads.address[head]), (vc,), tuple(waits[head])) for vc, head in sorted(best.items())]


def reduce(worms: Sequence[Worm]) -> list[Worm]:
    """The smallest set of worms closed under waiting from a given worm, with unneeded tails cut off."""
    holder = {vc: i for i, worm in enumerate(worms) for vc in worm.path}
    best: list[int] = list(range(len(worms)))
    for start in range(len(worms)):
        closed = [start]
        for i in closed:
            closed += sorted({holder[w] for w in worms[i].waits} - set(closed))
        if len(closed) < len(best):
            best = closed
    kept = [worms[i] for i in sorted(best)]
    waited = {w for worm in kept for w in worm.waits}
    cut = []
    for worm in kept:
        tail = next(k for k, vc in enumerate(worm.path) if vc in waited)
        cut.append(replace(worm, path=worm.path[tail:]))
    return cut


def own_terminals(doors: Sequence[Collection[int]]) -> list[int]:
    """A different terminal for each VC, among its possible entry terminals; empty if impossible."""
    # Mostly the first free terminal of each will do, which spares the import of SciPy.
    chosen: dict[int, None] = {}
    for door in doors:
        chosen |= dict.fromkeys(sorted(set(door) - chosen.keys())[:1])
    if len(chosen) == len(doors):
        return list(chosen)

    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    rows = [i for i, door in enumerate(doors) for _ in door]
    terminals, columns = np.unique([terminal for door in doors for terminal in door], return_inverse=True)
    pairs = csr_array(
        (np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(len(doors), max(1, terminals.size))
    )
    match = maximum_bipartite_matching(pairs, perm_type="column")
    return [int(terminal) for terminal in terminals[match]] if (match >= 0).all() else []


def circles(part: Remainder, messages: int, most: int, end: float) -> Iterator[frozenset[int]]:
    """Yield sets of VCs that contain all configurations of `messages` worms on at most `most` VCs.

    No closed walk of waiting may have fewer steps than there are messages: then each such walk meets all worms of a
    configuration. Walks begin with their lowest VC, and go depth first from worm to worm. One is given up where the
    VCs that are held or waited for are too many, or those that are held with the fewest on the way back.

    Raises
    ------
    TimeUpError
        If time runs out by the clock, or there are more than `MOST_WORMS` worms.
    """
    worms = _worms(part, most - messages + 1, end)
    before = _shortest(worms)
    for done, first in enumerate(sorted(worms)):
        # back[k]: the fewest VCs that the last k worms of a walk hold, by the VC that the first of them holds.
        back = [{first: 0}]
        for _ in range(messages):
            onward = [(vc, total + size) for w, total in back[-1].items() for vc, size in before.get(w, {}).items()]
            # In falling order, so that the least total of each VC is written last.
            back.append({vc: total for vc, total in sorted(onward, reverse=True) if vc >= first and total <= most})
        stack = [(messages, first, frozenset[int](), frozenset[int]())]
        seen = {*stack}
        while stack:
            if clock() > end:
                raise TimeUpError("cycles of worms", done, len(worms))
            spend(WALKED)
            steps, vc, held, waited = stack.pop()
            if not steps:
                if waited <= held:
                    yield held
                continue
            for path, waits in worms[vc]:
                after = held | path, waited | waits
                if held & path or len(after[0] | after[1]) > most:
                    continue
                ahead = back[steps - 1]
                fresh = {(steps - 1, w, *after) for w in waits & ahead.keys() if len(after[0]) + ahead[w] <= most}
                stack += fresh - seen
                seen |= fresh


def _shortest(worms: Worms) -> dict[int, dict[int, int]]:
    """For each awaited VC, the VCs held by worms waiting for it, with the fewest VCs of such a worm."""
    shortest: dict[int, dict[int, int]] = {}
    for vc, held_by in worms.items():
        for path, waits in held_by:
            for w in waits:
                of_vc = shortest.setdefault(w, {})
                of_vc[vc] = min(of_vc.get(vc, len(path)), len(path))
    return shortest


def _worms(part: Remainder, longest: int, end: float) -> Worms:
    """The worms with at most `longest` VCs, listed under each held VC."""
    vcs, heads, onward = part.input_vc.tolist(), part.heads.lists(), part.onward.lists()
    waits = [frozenset(row) for row in part.waits.lists()]
    worms: Worms = {vc: set() for vc in vcs}
    count = 0
    stack: list[tuple[int, tuple[int, ...]]] = [(s, (vc,)) for s, vc in enumerate(vcs)]
    while stack:
        spend(WALKED)
        s, path = stack.pop()
        for head in heads[s]:
            count += 1
            for vc in path:
                worms[vc].add((frozenset(path), waits[head]))
        if count > MOST_WORMS or clock() > end:
            raise TimeUpError("worms of few VCs", count, MOST_WORMS)
        if len(path) < longest:
            stack += [(t, (*path, vcs[t])) for t in onward[s] if vcs[t] not in path]
    return worms
