# mypy: ignore-errors
"""The check of a refutation: every clause that is learnt follows by unit propagation from those before (RUP).

Literals ±v are coded as 2v and 2v + 1. Clause i is literal[first[i]:first[i + 1]].
"""

import numpy as np
from numba import njit, types

from unknot.types_kernel import READ32, READ64


@njit(inline="always")
def coded(literal):
    return 2 * literal if literal > 0 else -2 * literal + 1


@njit(cache=True)
def propagate(literal, first, value, trail, done, size, head, following, watched):
    """Follow all units on the trail from entry `done` on; return whether a clause is violated, and the trail's size.

    A clause is watched at two of its literals, entries 2i and 2i + 1; each entry is in the list of its literal.
    """
    while done < size:
        false = trail[done] ^ 1
        done += 1
        before, entry = -1, head[false]
        while entry >= 0:
            then, clause, other = following[entry], entry >> 1, watched[entry ^ 1]
            moved = False
            if value[other] <= 0:
                for j in range(first[clause], first[clause + 1]):
                    x = coded(literal[j])
                    if x != other and value[x] >= 0:
                        watched[entry] = x
                        if before < 0:
                            head[false] = then
                        else:
                            following[before] = then
                        following[entry], head[x] = head[x], entry
                        moved = True
                        break
                if not moved:
                    if value[other] < 0:
                        return True, size
                    value[other], value[other ^ 1] = 1, -1
                    trail[size] = other
                    size += 1
            if not moved:
                before = entry
            entry = then
    return False, size


@njit(types.int64(types.int64, READ32, READ64, types.int64), cache=True)
def follows(variables, literal, first, given):
    """Return −1 if each clause from number `given` on follows from those before it, and they refute themselves.

    Otherwise the number of the first that does not follow, or the number of clauses if all do and nothing is refuted.
    A clause follows if its opposites, all taken for true, violate a clause by unit propagation.
    """
    clauses = first.size - 1
    value = np.zeros(2 * variables + 2, np.int8)
    trail, size = np.empty(variables + 1, np.int64), np.int64(0)
    head, following = np.full(2 * variables + 2, -1, np.int64), np.full(2 * clauses, -1, np.int64)
    watched = np.empty(2 * clauses, np.int64)
    done = np.int64(0)
    for i in range(clauses):
        if i >= given:
            violated, size = propagate(literal, first, value, trail, done, size, head, following, watched)
            if violated:
                return -1
            done = size
            follow = False
            for j in range(first[i], first[i + 1]):
                x = coded(literal[j]) ^ 1
                if value[x] < 0:
                    follow = True
                    break
                if value[x] == 0:
                    value[x], value[x ^ 1] = 1, -1
                    trail[size] = x
                    size += 1
            if not follow:
                follow, size = propagate(literal, first, value, trail, done, size, head, following, watched)
            while size > done:
                size -= 1
                value[trail[size]] = value[trail[size] ^ 1] = 0
            if not follow:
                return i
        one, two = -1, -1
        for j in range(first[i], first[i + 1]):
            x = coded(literal[j])
            if value[x] >= 0 and one < 0:
                one = x
            elif value[x] >= 0 and two < 0 and x != one:
                two = x
        if one < 0:
            return -1
        if two < 0:
            if value[one] == 0:
                value[one], value[one ^ 1] = 1, -1
                trail[size] = one
                size += 1
            continue
        for side, x in ((0, one), (1, two)):
            watched[2 * i + side] = x
            following[2 * i + side], head[x] = head[x], 2 * i + side
    violated, _ = propagate(literal, first, value, trail, done, size, head, following, watched)
    return -1 if violated else clauses
