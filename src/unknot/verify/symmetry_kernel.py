# mypy: ignore-errors
"""Comparison of addresses with those that a translation of the network makes of them."""

import numpy as np

from unknot._base.kernels.lazy_kernel import READ32, READ64, kernel
from unknot.routing.contract import EJECT, NO_WAIT, VC_MASK
from unknot.verify.states_kernel import Traversal, explore


@kernel
def _within(some: READ64, low: int, high: int, others: READ64, start: int, stop: int) -> bool:
    """Whether each of some[low:high] is among others[start:stop]."""
    for k in range(low, high):
        among = False
        for j in range(start, stop):
            among = among or some[k] == others[j]
        if not among:
            return False
    return True


@kernel
def commutes(
    traversal: Traversal, start: int, stop: int, group: tuple[READ32, READ32, READ32, READ32, READ32, READ32, READ32]
) -> int:
    """Compare the addresses `start` to `stop`, counted along the orbits, with the representatives of their orbits.

    `group` holds the columns of `Translations` and the representative of each orbit of addresses. Returns how many
    agree before the first that does not, or stop − start.
    """
    radices, place_at, kind, digit, address_at, address_digit, stands = group
    seen, order, first, candidates, _ = traversal.scratch
    input_vcs, dimensions = kind.size, radices.size
    shifts = 1
    for radix in radices:
        shifts *= radix
    row = np.empty(input_vcs, np.int64)
    known_first, known = np.empty(input_vcs + 1, np.int64), np.empty(candidates.size, np.int64)
    moved = np.empty(input_vcs, np.int64)
    held, size = -1, 0
    for a in range(start, stop):
        orbit = a // shifts
        # Addresses come orbit by orbit, so the representative is explored once for all that it stands for.
        if orbit != held:
            held = orbit
            # Stamps are good for one visit of an address; this one is visited more than once.
            seen[:] = 0
            size = explore(traversal, stands[orbit], stands[orbit] + 1)
            if size < 0:
                return a - start
            seen[:] = 0
            row[:] = -1
            for i in range(size):
                row[order[i]] = i
            for i in range(size + 1):
                known_first[i] = first[i]
            for k in range(first[size]):
                known[k] = candidates[k] & (VC_MASK | NO_WAIT)
        address = address_at[a]
        count = explore(traversal, address, address + 1)
        if count != size:
            return a - start
        # Where each place is once the address is moved to position 0: digits minus those of the address.
        for p in range(input_vcs):
            position, weight = 0, 1
            for i in range(dimensions):
                back = digit[i * input_vcs + p] - address_digit[i * address_at.size + address]
                if back < 0:
                    back += radices[i]
                position += back * weight
                weight *= radices[i]
            moved[p] = place_at[kind[p] * shifts + position]
        for i in range(count):
            r = row[moved[order[i]]]
            if r < 0 or first[i + 1] - first[i] != known_first[r + 1] - known_first[r]:
                return a - start
            for k in range(first[i], first[i + 1]):
                vc = candidates[k] & VC_MASK
                candidates[k] = (vc if vc == EJECT else moved[vc]) | (candidates[k] & NO_WAIT)
            # Sets are compared, not rows: a rule may write its candidates in any order, and one twice.
            if not _within(candidates, first[i], first[i + 1], known, known_first[r], known_first[r + 1]):
                return a - start
            if not _within(known, known_first[r], known_first[r + 1], candidates, first[i], first[i + 1]):
                return a - start
    return stop - start
