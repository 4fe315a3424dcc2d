# mypy: ignore-errors
"""The checker's walk over the states of an address, compiled by Numba; `walk.py_func` is the same in plain Python."""

import numpy as np
from numba import njit, types

from unknot.routing.relation import EJECT, NO_WAIT, VC_MASK
from unknot.types_kernel import READ32, READ64, READ_BOOL, RULE

I64, BOOL, ARRAY = types.int64, types.boolean, types.int64[::1]
SIGNATURE = I64(RULE, I64, BOOL, BOOL, BOOL, READ64, READ_BOOL, READ32, READ32, I64, I64, *[ARRAY] * 6)
LOWEST, HIGHEST = -(2**62), 2**62


@njit(SIGNATURE, nogil=True, cache=True)
def walk(
    rule, address, each, worms, commits, rank, core, router, tail, home, count, seen, place, first, value, best, out
):
    """Find best[at]: the greatest r such that a header there may, over ranks ≥ r, come to wait for ranks ≥ r only.

    `place` begins with the `count` injection ports. Returns −1 if all is well; a VC outside the core whose best is
    not below its rank; a VC of the core from which a way leads to a higher rank; −2 − at for an illegal answer.
    """
    i, pointer = 0, np.int64(out.ctypes.data)
    while i < count:
        at = place[i]
        found = rule(at, address, pointer)
        if found < 0 or found > out.size:
            return -2 - at
        most, least = LOWEST, HIGHEST
        for k in range(found):
            vc, level = out[k] & VC_MASK, LOWEST
            if vc != EJECT:
                if vc >= tail.size or tail[vc] != router[at]:
                    return -2 - at
                level = rank[vc]
                if seen[vc] != address + 1:
                    seen[vc], place[count] = address + 1, vc
                    count += 1
                if at < tail.size and core[at] and level > rank[at]:
                    return at
            elif router[at] != home:
                return -2 - at
            if each or not out[k] & NO_WAIT:
                most, least = max(most, level), min(least, level)
            if worms:
                value[first[i] + k] = vc
        if found and least == HIGHEST:
            return -2 - at
        best[at] = least if found and not each and not commits else most
        first[i + 1] = first[i] + found
        i += 1
    changed = worms
    while changed:
        changed = False
        for i in range(count - 1, -1, -1):
            for vc in value[first[i] : first[i + 1]]:
                if vc != EJECT and min(rank[vc], best[vc]) > best[place[i]]:
                    best[place[i]] = min(rank[vc], best[vc])
                    changed = True
    for at in place[:count]:
        if at < tail.size and not core[at] and best[at] >= rank[at]:
            return at
    return -1
