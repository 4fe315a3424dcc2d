"""How groups share the bandwidth of channels, and trees up and down: a linear program, and its prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from unknot.traffic.collectives.flows import MOST_FLOWS, NEAR
from unknot.traffic.collectives.platform import Platform

Groups = tuple[tuple[int, ...], ...]
"""Members of each group."""


@dataclass(frozen=True)
class Shares:
    """What each root of a group sends, and what each channel carries for the group on the way up and down."""

    weights: Mapping[int, Fraction]
    up: Sequence[Fraction]
    down: Sequence[Fraction]


@dataclass(frozen=True)
class Sharing:
    """How groups share a platform.

    Attributes
    ----------
    groups : list of Shares
        Empty: the solution is not made of fractions with small denominators.
    prices : float array, shape (channels,)
        Of the bandwidth of each channel, by the dual.
    """

    groups: list[Shares]
    prices: np.ndarray[Any, np.dtype[np.float64]]


@lru_cache(maxsize=4)
def share(platform: Platform, parts: Groups, roots: Groups | None, *, up: bool) -> Sharing | None:
    """Share the bandwidth between groups, and between trees down and, if there are any, up, in the least time.

    By a linear program: each member of a group must be reached by a flow of all weights of its roots, within what the
    channels carry down for the group, and send one to the roots within what they carry up; other nodes pass on as
    much as they get. Weights of roots are 1; without roots those of all members are free, and have the sum 1.
    None: too large.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    channels, nodes, signs = platform.channels, platform.num_nodes, (1, -1) if up else (1,)
    count = len(channels)
    if sum(map(len, parts)) * count * len(signs) > MOST_FLOWS:
        return None
    equal, most, busy = _Rows(), _Rows(), [dict[int, float]() for _ in channels]
    limits: list[tuple[float, float | None]] = [(0.0, None)]
    begin = 1  # variable 0 is the time; then come, group by group, weights, amounts of each direction, and flows
    weights = []
    for number, part in enumerate(parts):
        sources = part if roots is None else roots[number]
        total = 1 if roots is None else len(sources)
        weights.append((begin, sources))
        amounts = begin + len(sources)
        equal.add({begin + i: 1.0 for i in range(len(sources))}, total)  # where 1 is the most, each is 1
        for d, sign in enumerate(signs):
            first = amounts + d * count
            for c in range(count):
                busy[c][first + c] = 1.0
            for node in sorted(set(range(nodes)) - set(part)):
                ends = [(c, (one.target == node) - (one.source == node)) for c, one in enumerate(channels)]
                equal.add({first + c: float(end) for c, end in ends if end}, 0)
            for m, member in enumerate(part):
                flow = amounts + len(signs) * count + (d * len(part) + m) * count
                rows: list[dict[int, float]] = [{} for _ in range(nodes)]
                for c, channel in enumerate(channels):
                    rows[channel.target][flow + c] = rows[channel.target].get(flow + c, 0) + sign
                    rows[channel.source][flow + c] = rows[channel.source].get(flow + c, 0) - sign
                    most.add({flow + c: 1.0, first + c: -1.0}, 0)
                for i, root in enumerate(sources):
                    rows[root][begin + i] = 1.0
                for node, row in enumerate(rows):
                    equal.add(row, total * (node == member))
        limits += [(0.0, None if roots is None else 1.0)] * len(sources)
        limits += [(0.0, None)] * (len(signs) * count * (1 + len(part)))
        begin = len(limits)
    fastest = float(max(channel.bandwidth for channel in channels))
    for c, channel in enumerate(channels):
        most.add({**busy[c], 0: -float(channel.bandwidth) / fastest}, 0)
    cost = np.zeros(begin)
    cost[0] = 1
    matrices = [coo_array((r.factor, (r.row, r.column)), shape=(len(r.right), begin)) for r in (most, equal)]
    solved = linprog(cost, matrices[0], most.right, matrices[1], equal.right, limits, method="highs")
    if not solved.success:
        return None
    shares, prices = [], np.maximum(0.0, -solved.ineqlin.marginals[-count:])
    for first, sources in weights:
        solution = solved.x[first : first + len(sources) + len(signs) * count].tolist()
        exact = [Fraction(x).limit_denominator(1000) for x in solution]
        if max(abs(float(x) - y) for x, y in zip(exact, solution, strict=True)) > NEAR:
            return Sharing([], prices)
        down, above = exact[len(sources) :][:count], exact[len(sources) + count :]
        shares.append(Shares(dict(zip(sources, exact, strict=False)), above, down))
    return Sharing(shares, prices)


class _Rows:
    """Rows of a linear program."""

    def __init__(self) -> None:
        self.row: list[int] = []
        self.column: list[int] = []
        self.factor: list[float] = []
        self.right: list[float] = []

    def add(self, factors: Mapping[int, float], right: float) -> None:
        self.row += [len(self.right)] * len(factors)
        self.column += factors
        self.factor += factors.values()
        self.right.append(right)
