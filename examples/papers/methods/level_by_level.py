"""The permutation routing of Ren, Gu, Pan & Liu (2003): level by level, from the outer link stages to the centre.

A level is a symmetric pair of link stages, one in the front and one in the back half. Each message has, for its
level, the pair of digits of its primary tag; when a link that this pair takes is taken already, another pair that the
cases allow is tried. The pairs of a level are fixed before the next level is looked at, and are not changed later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
from methods.tags import CASES

from unknot.network.model import IntArray
from unknot_papers.multistage.looping import rcbn_channels

Numbers = npt.NDArray[np.int64]
Option = tuple[int, int]


def level_by_level(
    terminals: int,
    destinations: Numbers,
    *,
    cases: Sequence[int] = CASES,
    on_conflict: Literal["own", "both"] = "both",
) -> tuple[IntArray | None, str]:
    """Route a permutation, whole or partial, through RCBN(`terminals`).

    The paper leaves open which of two messages in conflict changes its tag: with ``"own"`` the later one only, in the
    order of the inputs; with ``"both"`` also those before it, as long as that ends.

    Parameters
    ----------
    destinations : int64 array, shape (terminals,)
        −1 for an idle input.
    cases : sequence of int
        With cases 4 or 5 a change of bit 0 may be left to an inner level.

    Returns
    -------
    paths : int32 array, shape (messages, stages − 1), or None when the algorithm is stuck
    words : str
        Where it is stuck.

    Notes
    -----
    O(N log N) when nothing has to be changed.
    """
    n = terminals.bit_length() - 1
    sources = np.flatnonzero(destinations >= 0)
    ins, outs = sources // 2, destinations[sources] // 2
    rows = np.empty((sources.size, 2 * n - 3), dtype=np.int64)
    last = 2 * n - 4
    rows[:, 0], rows[:, last] = ins, outs
    for level in range(n - 2):
        bit = n - 2 - level
        chosen, stuck = _level(ins.tolist(), outs.tolist(), 1 << bit, bit == 1, cases, on_conflict)
        if chosen is None:
            return None, f"level {level + 1} of {n - 2}: no pair of digits is left for input {sources[stuck]}"
        ins = ins ^ np.array([front for front, _ in chosen], dtype=np.int64)
        outs = outs ^ np.array([back for _, back in chosen], dtype=np.int64)
        rows[:, level + 1], rows[:, last - 1 - level] = ins, outs
    return rcbn_channels(rows), ""


def options(row: int, to: int, high: int, innermost: bool, cases: Sequence[int]) -> list[Option]:
    """Return the row changes a message may make in a level's front and back link stage, the primary tag first."""
    flip, odd = (row ^ to) & high, (row ^ to) & 1
    even = [(0, 0), (high, high), (1, 1)] if not flip else [(high, 0), (0, high)]
    uneven = [(0, 1), (1, 0)] if not flip else [(high, 1), (1, high)]
    same, other = (uneven, even) if odd else (even, uneven)
    numbers = {(False, False): 1, (False, True): 2, (True, False): 2, (True, True): 3}
    kept = same if numbers[bool(flip), bool(odd)] in cases else same[:1]
    return kept if innermost or not {4, 5} & set(cases) else kept + other


def _level(
    ins: list[int], outs: list[int], high: int, innermost: bool, cases: Sequence[int], on_conflict: str
) -> tuple[list[Option] | None, int]:
    """A pair for each message such that no two take the same link; or None and the message that has none."""
    chosen: list[Option | None] = [None] * len(ins)
    front: dict[Option, int] = {}
    back: dict[Option, int] = {}

    def holders(m: int, pair: Option) -> set[int]:
        return {
            holder for holder in (front.get((ins[m], pair[0])), back.get((outs[m], pair[1]))) if holder is not None
        }

    def put(m: int, pair: Option | None) -> None:
        old = chosen[m]
        if old is not None:
            del front[ins[m], old[0]], back[outs[m], old[1]]
        chosen[m] = pair
        if pair is not None:
            front[ins[m], pair[0]] = back[outs[m], pair[1]] = m

    def place(m: int, settled: set[int]) -> bool:
        """Give a message a pair, moving others aside; `settled` are those that must stay."""
        listed = options(ins[m], outs[m], high, innermost, cases)
        for pair in listed:
            if not holders(m, pair):
                put(m, pair)
                return True
        if on_conflict == "own":
            return False
        for pair in listed:
            moved = holders(m, pair)
            if moved & settled:
                continue
            before = list(chosen)
            for other in moved:
                put(other, None)
            put(m, pair)
            settled |= {m, *moved}
            if all(place(other, settled) for other in sorted(moved)):
                return True
            for k, old in enumerate(before):
                if chosen[k] != old:
                    put(k, None)
            for k, old in enumerate(before):
                if chosen[k] != old:
                    put(k, old)
        return False

    for m in range(len(ins)):
        if not place(m, {m}):
            return None, m
    return [pair for pair in chosen if pair is not None], -1
