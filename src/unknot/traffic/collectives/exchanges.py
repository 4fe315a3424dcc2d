"""Exchanges: algorithms in which each member sends something of its own to others, step by step.

Bruck's is in J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby: Efficient algorithms for all-to-all
communications in multiport message-passing systems. IEEE TPDS, 8(11), 1997. Pairwise exchange is the shift whose
order E. Zahavi examines: Fat-tree routing and node ordering providing contention free traffic for MPI global
collectives. Journal of Parallel and Distributed Computing, 72(11), 2012; dissemination is in D. Hensgen, R. Finkel,
U. Manber: Two algorithms for barrier synchronization. International Journal of Parallel Programming, 17(1), 1988."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import groupby

from unknot._base.errors import NetworkError
from unknot.traffic.collectives.orders import Group
from unknot.traffic.collectives.trees import Tree, tree_of

Sends = list[tuple[int, int, int]]
"""Step, sender and receiver of each block."""


def shift(group: Group) -> Sends:
    """Return the shift: in step k each sends to the one k + 1 places on."""
    row, n = group.row, len(group.row)
    return [(k - 1, row[i], row[(i + k) % n]) for k in range(1, n) for i in range(n)]


def at_once(group: Group) -> Sends:
    """Return the sends of the shift, all in one step."""
    return [(0, one, other) for _, one, other in shift(group)]


def _random(group: Group) -> Sends:
    """Each to the others in a random order, drawn with seed 1, to compare other orders with."""
    draw, n = random.Random(1), len(group.row)
    orders = [draw.sample([other for other in group.row if other != one], n - 1) for one in group.row]
    return [(k, group.row[i], orders[i][k]) for k in range(n - 1) for i in range(n)]


def _group_shift(group: Group) -> Sends:
    """The shift by groups, which are equal in the first coordinate that differs, and by members within them.

    Each member of a group begins with another group, so that in every step the members of a group send to as many
    groups as they can, and each member receives from one. Members at one router are far apart in their group.
    """
    if group.places is None:
        raise NetworkError("group_shift goes by the coordinates of members; this network has no coordinates")
    places = group.places
    first = next(k for k, axis in enumerate(zip(*places.values(), strict=True)) if len(set(axis)) > 1)
    ordered = sorted(group.row, key=lambda one: (places[one][first], *reversed(places[one])))
    groups = [list(part) for _, part in groupby(ordered, key=lambda one: places[one][first])]
    many, each = len(groups), len(groups[0])
    if {len(part) for part in groups} != {each}:
        raise NetworkError(f"group_shift needs groups of equally many members, not of {sorted(map(len, groups))}")
    return [
        (j * many + q, groups[g][x], groups[(g + x + q) % many][(x + j) % each])
        for j in range(each)
        for q in range(many)
        for g in range(many)
        for x in range(each)
        if j or (x + q) % many
    ]


def _blocks(group: Group, order: Callable[[Group], Sends]) -> list[Tree]:
    return [tree_of(one, [(step, one, other)], leaf=other) for step, one, other in order(group)]


def _bruck(group: Group) -> list[Tree]:
    """A block goes the bits of its distance, the lowest first."""
    row, n = group.row, len(group.row)
    trees = []
    for i in range(n):
        for k in range(1, n):
            bits = [bit for bit in range(k.bit_length()) if k >> bit & 1]
            at = [row[(i + (k & (1 << bit) - 1)) % n] for bit in bits] + [row[(i + k) % n]]
            trees.append(tree_of(row[i], zip(bits, at, at[1:], strict=False), leaf=at[-1]))
    return trees


def _doubled(group: Group) -> Sends:
    rounds = rounds_of_doubling(group)
    return [(k, one, group.row[i ^ 1 << k]) for k in range(rounds) for i, one in enumerate(group.row)]


def _disseminated(group: Group) -> Sends:
    row, n = group.row, len(group.row)
    return [(k, row[i], row[(i + (1 << k)) % n]) for k in range((n - 1).bit_length()) for i in range(n)]


def rounds_of_doubling(group: Group) -> int:
    """Return the rounds of recursive doubling, or refuse what is no power of two."""
    count = len(group.row)
    if count & (count - 1):
        raise NetworkError(f"recursive doubling needs 2, 4, 8, … members, not {count}; bruck takes any number")
    return count.bit_length() - 1


ALL_TO_ALL: dict[str, Callable[[Group], list[Tree]]] = {
    "direct": lambda group: _blocks(group, at_once), "pairwise": lambda group: _blocks(group, shift),
    "group_shift": lambda group: _blocks(group, _group_shift), "bruck": _bruck,
    "random": lambda group: _blocks(group, _random),
}  # fmt: skip
"""Algorithms of all_to_all: a path for each block."""
IN_STEPS: dict[str, dict[str, Callable[[Group], Sends]]] = {
    "all_reduce": {"recursive_doubling": _doubled},
    "barrier": {"recursive_doubling": _doubled, "dissemination": _disseminated},
}
"""Algorithms in which members exchange all that they have, in steps that must follow each other."""
