# mypy: ignore-errors
"""Allocators: iSLIP of one or several rounds, and separable input-first.

A request joins an input (FIRST) and an output (SECOND) of a router, numbered from 0. FIRST_KEY ranks it among those
of its input, SECOND_KEY among those of its output; the smaller wins.
"""

import numpy as np
from numba import njit

from unknot.simulation.layout import ROUNDS, SEPARABLE
from unknot.words_kernel import natural

FIRST, SECOND, FIRST_KEY, SECOND_KEY, WON, REQUESTER, REQUESTED, BID = range(8)
"""Columns of `asked`; WON becomes the round in which a request was matched, 0 if it was not; the last three are those
of the caller."""
OPEN_REQUEST, LOST = 0, -1
"""What WON says of a request before it is matched, and when one of its ends is matched to another."""


@njit(_nrt=False, forceinline=True)
def prefer(asked, best, i, side, column):
    """Note request i as the best one of its end on a side if it is."""
    end = natural(asked[i, side])
    old = best[end, column]
    if old < 0 or asked[i, side + 2] < asked[natural(old), side + 2]:
        best[end, column] = i


@njit(_nrt=False, forceinline=True)
def match_round(s, n, number, outer, inner):
    """Ends of the outer side choose among their requests, ends of the inner side among what chose them."""
    asked, best, matched = s.asked, s.best, np.int64(0)
    for i in range(n):
        if asked[natural(i), WON] == OPEN_REQUEST:
            prefer(asked, best, natural(i), outer, 0)
    for i in range(n):
        if best[natural(asked[natural(i), outer]), 0] == i:
            prefer(asked, best, natural(i), inner, 1)
    for i in range(n):
        if best[natural(asked[natural(i), inner]), 1] == i:
            asked[natural(i), WON] = number
            matched += 1
    return matched


@njit(_nrt=False, forceinline=True)
def drop_rivals(s, n, number, outer, inner):
    """Requests whose ends were matched in this round are out of the next ones."""
    asked, best = s.asked, s.best
    for i in range(n):
        best[natural(asked[natural(i), outer]), 0] = best[natural(asked[natural(i), inner]), 1] = -1
    for i in range(n):
        if asked[natural(i), WON] == number:
            best[natural(asked[natural(i), outer]), 0] = best[natural(asked[natural(i), inner]), 1] = i
    for i in range(n):
        lost = best[natural(asked[natural(i), outer]), 0] >= 0 or best[natural(asked[natural(i), inner]), 1] >= 0
        if asked[natural(i), WON] == OPEN_REQUEST and lost:
            asked[natural(i), WON] = LOST


@njit(_nrt=False, forceinline=True)
def match(s, n):
    """Match the first n requests of `asked`.

    iSLIP (McKeown 1999): outputs choose first, then inputs among what chose them; separable input-first the other way
    round.
    """
    if n == 1:
        s.asked[0, WON] = 1
        return
    outer, inner = (FIRST, SECOND) if s.setup[SEPARABLE] == 1 else (SECOND, FIRST)
    for i in range(n):
        s.asked[natural(i), WON] = OPEN_REQUEST
    for number in range(1, s.setup[ROUNDS] + 1):
        matched = match_round(s, n, number, outer, inner)
        if matched > 0 and number < s.setup[ROUNDS]:
            drop_rivals(s, n, number, outer, inner)
        for i in range(n):
            s.best[natural(s.asked[natural(i), outer]), 0] = s.best[natural(s.asked[natural(i), inner]), 1] = -1
        if matched == 0:
            break
