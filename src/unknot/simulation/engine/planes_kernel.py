# mypy: ignore-errors
"""Counters of all buffers of a router at once: bit k of the count of each cell is in plane k.

Adding a mask to the planes counts one up at each of its bits, as one adds numbers on paper, whatever their number.
There are two sets, and planes take turns: the flits in input buffers and the free slots in output buffers. An
ejection VC has more slots than any other, which are never taken.
"""

import numpy as np
from numba import njit

from unknot.words_kernel import natural

FLITS, SLOTS = range(2)
"""What is counted: flits that are in the inputs, and free slots as known at the outputs."""


@njit(_nrt=False, forceinline=True)
def ones(many):
    """A mask of so many cells, from 1 to 64."""
    return np.int64(-1) ^ (np.int64(-2) << (many - 1))


@njit(_nrt=False, forceinline=True)
def first_plane(s, w, which):
    """Where the lowest bits of the counters of word w begin in `planes`."""
    return natural(2 * w * s.setup.planes + which)


@njit(_nrt=False, forceinline=True)
def add(s, w, which, carry):
    """Count one up at each of these bits."""
    k = first_plane(s, w, which)
    while carry != 0:
        plane = s.planes[natural(k)]
        s.planes[natural(k)] = plane ^ carry
        carry &= plane
        k += 2


@njit(_nrt=False, forceinline=True)
def subtract(s, w, sent, taken):
    """Count one flit down at each of these inputs, one slot at each of these outputs; where there are some left."""
    k, flits, slots = first_plane(s, w, FLITS), np.int64(0), np.int64(0)
    for _ in range(s.setup.planes):
        plane, other = s.planes[natural(k + FLITS)], s.planes[natural(k + SLOTS)]
        s.planes[natural(k + FLITS)], s.planes[natural(k + SLOTS)] = plane ^ sent, other ^ taken
        flits |= plane ^ sent
        slots |= other ^ taken
        sent &= ~plane
        taken &= ~other
        k += 2
    return flits, slots


@njit(_nrt=False, forceinline=True)
def at_least(s, w, which, number):
    """All bits at which the count is at least a number that planes can hold."""
    k, more, same = first_plane(s, w, which) + 2 * s.setup.planes, np.int64(0), np.int64(-1)
    for i in range(s.setup.planes - 1, -1, -1):
        k -= 2
        plane = s.planes[natural(k)]
        if (number >> i) & 1:
            same &= plane
        else:
            more |= same & plane
            same &= ~plane
    return more | same


@njit(_nrt=False)
def counted(s, w, which, cell):
    """The count of a cell."""
    count, k = np.int64(0), first_plane(s, w, which)
    for i in range(s.setup.planes):
        count |= ((s.planes[natural(k + 2 * i)] >> cell) & 1) << i
    return count
