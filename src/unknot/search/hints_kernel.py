# mypy: ignore-errors
"""Hints for the clauses that a solver has learnt: the clauses by which each follows, in the order of propagation.

Literals ±v are coded as 2v and 2v + 1. Clause i is literal[first[i]:first[i + 1]]. Nothing here needs to be trusted:
`unknot.certificates.plain` follows the hints.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import types

from unknot._base.arrays import IntArray, Ints
from unknot._base.kernels.types_kernel import I64, READ32, READ64, called, inlined, kept


class HintClauses(NamedTuple):
    """Clauses one behind the other, each used for those before `until`."""

    literal: IntArray
    first: Ints
    until: Ints


class HintUnits(NamedTuple):
    """What follows by units so far.

    Attributes
    ----------
    value : int8 array, shape (literals,)
        1 where a literal is true, −1 where it is false.
    reason : int64 array, shape (variables,)
        The clause by which a variable got its value; −1: it was assumed.
    trail : int64 array
        Literals in the order in which they became true.
    head, following, watched : int64 arrays
        The list of clauses that are watched at each literal; see `propagate`.
    """

    value: npt.NDArray[np.int8]
    reason: Ints
    trail: Ints
    head: Ints
    following: Ints
    watched: Ints


@inlined
def coded(literal):
    # The opposite of a literal is then x ^ 1, and its variable x >> 1.
    return 2 * literal if literal > 0 else -2 * literal + 1


@called
def propagate(clauses, units, done, size, now):
    """Follow all units on the trail from entry `done` on; return a violated clause or −1, and the trail's size.

    A clause is watched at two of its literals, entries 2i and 2i + 1; each entry is in the list of its literal. As
    long as neither of the two is false no other literal of the clause need be looked at. Clauses that the solver has
    forgotten by `now` are taken from the lists.
    """
    literal, first, until = clauses
    value, reason, trail, head, following, watched = units
    while done < size:
        false = trail[done] ^ 1
        done += 1
        before, entry = -1, head[false]
        while entry >= 0:
            then, clause, other = following[entry], entry >> 1, watched[entry ^ 1]
            moved = until[clause] <= now
            if moved:
                if before < 0:
                    head[false] = then
                else:
                    following[before] = then
            elif value[other] <= 0:
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
                        return clause, size
                    value[other], value[other ^ 1] = 1, -1
                    reason[other >> 1], trail[size] = clause, other
                    size += 1
            if not moved:
                before = entry
            entry = then
    return -1, size


@called
def explain(clauses, units, size, needed, conflict, hint, count):
    """Write the reasons of a violated clause, earliest first, then that clause; return how many hints there are.

    `needed` marks variables by `count`'s value at the start plus one, so that it is never cleared.
    """
    literal, first, reason, trail = clauses.literal, clauses.first, units.reason, units.trail
    # Backwards along the trail, since a reason's literals became false before what it made true.
    mark = count + 1
    for j in range(first[conflict], first[conflict + 1]):
        needed[abs(literal[j])] = mark
    for i in range(size - 1, -1, -1):
        variable = trail[i] >> 1
        if needed[variable] == mark and reason[variable] >= 0:
            clause = reason[variable]
            for j in range(first[clause], first[clause + 1]):
                needed[abs(literal[j])] = mark
    for i in range(size):
        variable = trail[i] >> 1
        if needed[variable] == mark and reason[variable] >= 0:
            if count >= hint.size - 1:
                return -1
            hint[count] = reason[variable]
            count += 1
    hint[count] = conflict
    return count + 1


@kept(types.int64(types.int64, READ32, READ64, READ64, types.int64, I64, I64))
def hints(variables, literal, first, until, originals, hint, hint_first):
    """Write the hints of each clause from number `given` on, up to the first that is violated by units alone.

    Clause i is used for clauses before until[i]. Hints of clause given + i are hint[hint_first[i]:hint_first[i + 1]];
    those of the empty clause are the last.
    Returns the number of clauses that have hints, the empty one included; −1 if a clause does not follow, or nothing
    is contradicted; −2 if `hint` is too short.
    """
    clauses, many = HintClauses(literal, first, until), first.size - 1
    value = np.zeros(2 * variables + 2, np.int8)
    reason, needed = np.full(variables + 1, -1, np.int64), np.zeros(variables + 1, np.int64)
    trail, size = np.empty(variables + 1, np.int64), np.int64(0)
    head, following = np.full(2 * variables + 2, -1, np.int64), np.full(2 * many, -1, np.int64)
    watched = np.empty(2 * many, np.int64)
    units = HintUnits(value, reason, trail, head, following, watched)
    done, count, steps = np.int64(0), np.int64(0), np.int64(0)
    conflict = np.int64(-1)
    for i in range(many + 1):
        if i >= originals:
            # What the last clause brought is followed before clauses are forgotten for it.
            conflict, size = propagate(clauses, units, done, size, i - 1)
            done = size
            if conflict >= 0 or i == many:
                break
            satisfied = np.int64(-1)
            for j in range(first[i], first[i + 1]):
                x = coded(literal[j]) ^ 1
                if value[x] < 0:
                    satisfied = x >> 1
                    break
                if value[x] == 0:
                    value[x], value[x ^ 1] = 1, -1
                    reason[x >> 1], trail[size] = -1, x
                    size += 1
            if satisfied >= 0:
                # The clause holds by a unit (or a literal and its opposite): the unit's reason is then violated.
                flaw = reason[satisfied]
            else:
                flaw, size = propagate(clauses, units, done, size, i)
            if flaw < 0:
                return -1
            count = explain(clauses, units, size, needed, flaw, hint, count)
            if count < 0:
                return -2
            while size > done:
                size -= 1
                value[trail[size]] = value[trail[size] ^ 1] = 0
            steps += 1
            hint_first[steps] = count
        one, two = -1, -1
        for j in range(first[i], first[i + 1]):
            x = coded(literal[j])
            if value[x] >= 0 and one < 0:
                one = x
            elif value[x] >= 0 and two < 0 and x != one:
                two = x
        if one < 0:
            conflict = i
            break
        if two < 0:
            if value[one] == 0:
                value[one], value[one ^ 1] = 1, -1
                reason[one >> 1], trail[size] = i, one
                size += 1
            continue
        for side, x in ((0, one), (1, two)):
            watched[2 * i + side] = x
            following[2 * i + side], head[x] = head[x], 2 * i + side
    if conflict < 0:
        return -1
    count = explain(clauses, units, size, needed, conflict, hint, count)
    if count < 0:
        return -2
    hint_first[steps + 1] = count
    return steps + 1
