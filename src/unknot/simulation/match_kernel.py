# mypy: ignore-errors
"""The allocators in general: iSLIP of several rounds and separable input-first, over requests with keys.

A request joins an input (FIRST) and an output (SECOND) of a router, numbered from 0. FIRST_KEY ranks it among those
of its input, SECOND_KEY among those of its output; the smaller wins.
"""

import numpy as np
from numba import njit

from unknot.simulation.layout import (
    ROUNDS,
    SEPARABLE,
)
from unknot.simulation.view_kernel import view
from unknot.words_kernel import natural

FIRST, SECOND, FIRST_KEY, SECOND_KEY, WON, REQUESTER, REQUESTED, BID = range(8)
"""Columns of `asked`; WON becomes the round in which a request was matched, 0 if it was not; the last three are those
of the caller."""
TAKEN = 2
"""What `best` says of an input or output that is matched already."""


@njit(_nrt=False, forceinline=True)
def keep_best(s, n, side, rival, column):
    """For each end on one side the best request that is alive (WON = `rival`), in a column of `best`, −1 if none."""
    asked, best = s.asked, s.best
    for i in range(n):
        best[natural(asked[i, side]), column] = -1
    for i in range(n):
        if asked[i, WON] == rival:
            at = natural(asked[i, side])
            old = best[at, column]
            if old < 0 or asked[i, side + 2] < asked[old, side + 2]:
                best[at, column] = i


@njit(_nrt=False)
def match(raw, n):
    """Match requests 0 to `n` of `asked`: into WON the round, or 0.

    iSLIP: outputs choose first, then inputs among what chose them; separable input-first the other way round.
    """
    s = view(raw)
    asked, best = s.asked, s.best
    outer, inner = (FIRST, SECOND) if s.setup[SEPARABLE] == 1 else (SECOND, FIRST)
    alive, chosen = np.int64(-1), np.int64(-2)
    for i in range(n):
        asked[i, WON] = alive
    for turn in range(1, s.setup[ROUNDS] + 1):
        keep_best(s, n, outer, alive, 0)
        for i in range(n):
            if asked[i, WON] == alive and best[natural(asked[i, outer]), 0] == i:
                asked[i, WON] = chosen
        keep_best(s, n, inner, chosen, 1)
        some = False
        for i in range(n):
            if asked[i, WON] == chosen:
                asked[i, WON] = turn if best[natural(asked[i, inner]), 1] == i else alive
                some = some or asked[i, WON] == turn
        if not some:
            break
        for i in range(n):
            if asked[i, WON] == turn:
                best[natural(asked[i, outer]), 2] = TAKEN
                best[natural(asked[i, inner]), 3] = TAKEN
        for i in range(n):
            if asked[i, WON] == alive and (
                best[natural(asked[i, outer]), 2] == TAKEN or best[natural(asked[i, inner]), 3] == TAKEN
            ):
                asked[i, WON] = 0
    for i in range(n):
        asked[i, WON] = max(asked[i, WON], np.int64(0))
        best[natural(asked[i, FIRST])] = -1
        best[natural(asked[i, SECOND])] = -1
