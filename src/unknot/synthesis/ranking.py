"""Rankings of the types of VCs that are linear in the coordinates, compared lexicographically; proofs by them.

A rank of a VC is a tuple of linear functions of the coordinates of the router that it leads to. An edge asks that the
VC of one type at a given distance ranks lower than the VC of another, or at most as high. Because differences of
equal gradients do not depend on where that is, an edge is one inequality for all meshes.

The tuple is found as lexicographic linear rankings of loops are (C. Alias, A. Darte, P. Feautrier, L. Gonnord:
Multi-dimensional rankings, program termination, and complexity bounds of flowchart programs. SAS 2010): a linear
program for the function that lowers as many edges as possible and raises none; those are done with, and so on. When
nothing is lowered any more, what is left has closed walks that come back to the same router (S. R. Kosaraju,
G. F. Sullivan: Detecting cycles in dynamic graphs in polynomial time. STOC 1988), so there is no such ranking.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from unknot._base.shown import Brief
from unknot._base.work import spend_program
from unknot.certificates.documents import Document
from unknot.synthesis.space import Flags, Space, State, shown

Way = tuple[int, ...]
Kind = Literal["order", "escape", "drain"]
DENOMINATOR = 720
"""Largest denominator that is looked for when a solution of a linear program is made exact."""
REACH = 2
"""Largest extent, in each dimension, of closed walks that are looked for step by step."""


def minus(a: Way, b: Way) -> Way:
    """The difference of two ways."""
    return tuple(x - y for x, y in zip(a, b, strict=True))


@dataclass(frozen=True, order=True)
class RankEdge:
    """The VC of type `low`, `way` further on, ranks lower than the one of type `high`; if not `strict`, or equal."""

    high: int
    low: int
    way: Way
    strict: bool


@dataclass(frozen=True)
class Level:
    """A linear function of the coordinates for each type of VC.

    Attributes
    ----------
    gradient : tuple of tuples of int
        For each type what a coordinate counts, dimension by dimension.
    offset : tuple of int
    """

    gradient: tuple[Way, ...]
    offset: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Proof(Brief):
    """Proof that a rule is deadlock-free on every mesh; `unknot.certificates.plain.check_rule` checks it.

    Attributes
    ----------
    space : Space
        The types of VCs that it ranks.
    kind : {"order", "escape", "drain"}
    levels : tuple of Level
        The rank: linear functions, the first compared first.
    escapes : tuple of (state, type)
        The escape of each reachable state; none are needed for `order`.

    Examples
    --------
    >>> from unknot.synthesis import decide
    >>> proof = decide(((1, 1), (1, 2)), "vct").proof
    >>> proof.kind, len(proof.levels)
    ('escape', 3)
    """

    space: Space
    kind: Kind
    levels: tuple[Level, ...]
    escapes: tuple[tuple[State, int], ...] = ()

    @property
    def named_escapes(self) -> list[tuple[str, str, str]]:
        """For each state: the type of its VC, the signs of what remains, and the type of its escape."""
        name = self.space.name
        return [(name(held), shown(signs), name(out)) for (held, signs), out in self.escapes]

    def claim(self, offers: Flags, switching: str, waits: Flags | None = None) -> Document:
        """What the proof claims about a rule, as plain data for the checker.

        Parameters
        ----------
        offers, waits : bool arrays, shape (permissions,)
            The rule, and what blocked headers wait for; by default all that is offered.
        """
        levels = [
            {"gradient": [list(way) for way in one.gradient], "offset": list(one.offset)} for one in self.levels
        ]
        escapes = [[held, *signs, out] for (held, signs), out in self.escapes]
        proof = {"kind": self.kind, "levels": levels, "escapes": escapes}
        return {**rule_claimed(self.space, offers, switching, waits), "proof": proof}


def rule_claimed(space: Space, offers: Flags, switching: str, waits: Flags | None = None) -> Document:
    """The claim that a rule cannot deadlock, without its proof."""
    rows = []
    for held, signs in sorted(space.reachable(offers)):
        numbers = {out: space.number[held, signs, out] for out in space.outs[held, signs]}
        chosen = [out if waits is None or waits[n] else -out - 2 for out, n in numbers.items() if offers[n]]
        rows.append([-1 if held == space.injection else held, *signs, *chosen])
    family = {"counts": [list(pair) for pair in space.counts], "short": space.short, "switching": switching}
    return {"subject": "rule", **family, "rule": rows}


def ranked(edges: Iterable[RankEdge], types: int, dimensions: int) -> tuple[Level, ...] | list[RankEdge]:
    """A ranking that all edges ask for, or the edges of which some cannot be had together.

    Complexity: at most as many linear programs as edges, each of their size.
    """
    left = sorted(set(edges))
    levels: list[Level] = []
    while any(edge.strict for edge in left):
        level = _level(left, types, dimensions)
        if any(_difference(level, edge) > 0 for edge in left):
            return left
        rest = [edge for edge in left if _difference(level, edge) == 0]
        if len(rest) == len(left):
            return left
        levels.append(level)
        left = rest
    return tuple(levels)


def _difference(level: Level, edge: RankEdge) -> int:
    gradient = level.gradient[edge.low]
    if gradient != level.gradient[edge.high]:
        raise ArithmeticError("a level compares types of unequal gradients")
    step = sum(g * w for g, w in zip(gradient, edge.way, strict=True))
    return step + level.offset[edge.low] - level.offset[edge.high]


def _level(edges: Sequence[RankEdge], types: int, dimensions: int) -> Level:
    """The linear function that lowers the most edges and raises none; joined types have the same gradient."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    m = len(edges)
    high, low = np.array([e.high for e in edges]), np.array([e.low for e in edges])
    parts, part = connected_components(coo_array((np.ones(m), (high, low)), shape=(types, types)), directed=False)
    gradients, columns = parts * dimensions, parts * dimensions + types
    matrix = np.zeros((m, columns + m))
    for row, edge in enumerate(edges):
        for i, step in enumerate(edge.way):
            matrix[row, part[edge.high] * dimensions + i] += step
        matrix[row, gradients + edge.low] += 1
        matrix[row, gradients + edge.high] -= 1
        matrix[row, columns + row] = 1
    solution = linprog(
        np.concatenate([np.zeros(columns), -np.ones(m)]),
        A_ub=matrix, b_ub=np.zeros(m), bounds=[(None, None)] * columns + [(0, 1)] * m, method="highs-ds",
    )  # fmt: skip
    spend_program(solution.nit, int(np.count_nonzero(matrix)))
    exact = [Fraction(float(weight)).limit_denominator(DENOMINATOR) for weight in solution.x[:columns]]
    scale = math.lcm(*(weight.denominator for weight in exact))
    whole = [int(weight * scale) for weight in exact]
    gradient = tuple(tuple(whole[p * dimensions : (p + 1) * dimensions]) for p in part.tolist())
    return Level(gradient, tuple(whole[gradients:]))


def closed_walks(edges: Iterable[RankEdge], dimensions: int) -> list[tuple[RankEdge, ...]]:
    """Short closed walks back to their router, with a strict edge: one from each such edge where any is near."""
    after: dict[int, list[RankEdge]] = {}
    for edge in sorted(set(edges)):
        after.setdefault(edge.high, []).append(edge)
    walks: dict[frozenset[RankEdge], tuple[RankEdge, ...]] = {}
    best = 2 * REACH * dimensions
    for first in [edge for edges_of in after.values() for edge in edges_of if edge.strict]:
        goal = first.high, (0,) * dimensions
        start = first.low, first.way
        before: dict[tuple[int, Way], tuple[tuple[int, Way], RankEdge]] = {}
        depth = {start: 1}
        todo = deque([start])
        while todo and goal not in depth:
            at = todo.popleft()
            if depth[at] > best:
                break
            for edge in after.get(at[0], ()):
                there = edge.low, tuple(a + b for a, b in zip(at[1], edge.way, strict=True))
                if there not in depth and max(map(abs, there[1])) <= REACH:
                    depth[there], before[there] = depth[at] + 1, (at, edge)
                    todo.append(there)
        if goal in depth:
            walk = []
            at = goal
            while at != start:
                at, edge = before[at]
                walk.append(edge)
            walk.append(first)
            walks.setdefault(frozenset(walk), tuple(reversed(walk)))
            best = min(best, len(walk))
    return list(walks.values())
