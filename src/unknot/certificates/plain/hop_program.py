"""Conditions on links that fulfil a request, and the bound on their hops that multipliers of conditions show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from unknot.certificates.plain.reading import Pair, Rejected, field, integers, number, pay
from unknot.certificates.plain.refuted import PARTS

MOST_LEVELS = 3
"""Hop counts of a proof by multipliers."""


class LinkRequest(NamedTuple):
    """What links must fulfil: those allowed from each node, ports out and in, and further entries of the claim."""

    ahead: Sequence[Sequence[int]]
    leaving: Sequence[int]
    entering: Sequence[int]
    both: bool
    required: set[tuple[int, int]]
    budgets: list[tuple[int, list[list[int]]]]
    diameter: int | None
    survives: bool


def hops_from(ahead: Sequence[Sequence[int]], start: int) -> list[int]:
    """Hops from a node to each node; as many as there are nodes where there is no way."""
    hops = [len(ahead)] * len(ahead)
    hops[start], level, line, left = 0, 0, [start], len(ahead) - 1
    while line and left:
        level += 1
        following = []
        for u in line:
            pay(1 + len(ahead[u]))
            for v in ahead[u]:
                if hops[v] == len(ahead):
                    hops[v] = level
                    following.append(v)
        left -= len(following)
        line = following
    return hops


def grown(own: int, branches: int, levels: int, most: int) -> int:
    """Nodes within some hops of a node with `own` links, where further nodes have `branches` each; `most` at most."""
    total, layer = 0, own
    for _ in range(levels):
        total, layer = min(total + layer, most), min(layer * branches, most)
    return total


def bound_shown(wanted: LinkRequest, proof: Any) -> int:
    """The bound on the hops of all links of a request that a proof shows."""
    levels = number(proof, "levels", 0, MOST_LEVELS + 1)
    rows = field(proof, "rows", list)
    nodes = len(wanted.ahead)
    fewest = [hops_from(wanted.ahead, u) for u in range(nodes)]
    back = int(wanted.both)
    total = nodes * (nodes - 1)
    for u in range(nodes):
        for k in range(1, nodes):
            near = sum(hops <= k for hops in fewest[u]) - 1
            pay(nodes)
            most = near if k <= levels else grown(wanted.leaving[u], max(wanted.leaving) - back, k, near)
            total += nodes - 1 - most
            if most == nodes - 1 and k > levels:
                break
    if levels:
        sums, low = HopProgram(wanted, fewest, levels).added(rows)
        # A variable is at most 1: a sum above its cost is made good by as much as it is above.
        over = sum(max(0, part - PARTS * (1 + back) * (one[0] == "far")) for one, part in sums.items())
        total += -((over - low) // PARTS)
    return total + total % 2 * back


Variable = tuple[Any, ...]


class HopProgram:
    """Conditions that hold for all links of a request, on variables that are 0 or 1.

    - ("link", s, t): there is a link.
    - ("far", k, s, t): t is more than k hops from s.
    - ("first", k, s, w, t): t is reached in k hops by a way that begins with a link from s to w, and meets s no more.
    - ("last", k, s, w, t): the same by a way that ends with a link from w to t, and meets t no sooner.

    With links both ways a pair and the pair turned round have the same variables.
    """

    def __init__(self, wanted: LinkRequest, fewest: Sequence[Sequence[int]], levels: int) -> None:
        self.wanted, self.fewest, self.levels = wanted, fewest, levels
        self.nodes = len(fewest)
        self.allowed = {(u, v) for u, row in enumerate(wanted.ahead) for v in row}
        self.behind: list[list[int]] = [[] for _ in range(self.nodes)]
        for u, v in sorted(self.allowed):
            self.behind[v].append(u)

    def link(self, s: int, t: int) -> Variable:
        if (s, t) not in self.allowed:
            raise Rejected(f"rows: a link from {s} to {t} is not allowed")
        return "link", *self.ends(s, t)

    def far(self, k: int, s: int, t: int) -> Variable:
        return "far", k, *self.ends(s, t)

    def ends(self, s: int, t: int) -> Pair:
        """A pair of nodes, in order where links lead both ways."""
        return (t, s) if self.wanted.both and t < s else (s, t)

    def way(self, kind: str, k: int, s: int, w: int, t: int) -> Variable:
        """The variable of a way; of two hops the first link tells the last."""
        if k != 2:
            return kind, k, s, w, t
        s, t = self.ends(s, t)
        return "first", 2, s, w, t

    def parts(self, kind: str, s: int, w: int, t: int) -> tuple[Pair, Pair]:
        """Split a way from s by w to t: the ends of its first, or last, link, and the ends of the rest."""
        return ((s, w), (w, t)) if kind == "first" else ((w, t), (s, w))

    def is_near(self, kind: str, k: int, s: int, w: int, t: int) -> bool:
        """Whether the rest of a way may have fewer than k hops."""
        _, (u, v) = self.parts(kind, s, w, t)
        return w not in (s, t) and self.fewest[u][v] < k

    def between(self, kind: str, k: int, s: int, t: int) -> list[int]:
        """Nodes by which a way of 2 to k hops may lead, known by its first or its last link."""
        return [
            w for w in (self.wanted.ahead[s] if kind == "first" else self.behind[t]) if self.is_near(kind, k, s, w, t)
        ]

    def added(self, rows: Any) -> tuple[dict[Variable, int], int]:
        """The sum of rows, each times its multiplier: factors of variables, and what they are at least."""
        sums: dict[Variable, int] = {}
        total = 0
        for row in rows:
            if not isinstance(row, list) or not row or not isinstance(row[0], str) or row[0] not in ROWS:
                raise Rejected(f"rows: {str(row)[:60]} is no row")
            kind, *places = row
            condition, width = ROWS[kind]
            *places, times = integers(places, f"rows, {kind}", 0, 2**64, width + 1)
            levels, nodes = (places[:1], places[1:]) if width > 2 else ([1], [] if kind == "budget" else places)
            known = 1 <= levels[0] <= self.levels and all(node < self.nodes for node in nodes)
            if not known or len({*nodes}) < len(nodes):
                raise Rejected(f"rows: {str(row)[:60]} has no such hop count or nodes")
            low, terms = condition(self, *places)
            pay(2 + len(terms))
            total += times * low
            for one, factor in terms:
                sums[one] = sums.get(one, 0) + times * factor
        return sums, total


Row = tuple[int, list[tuple[Variable, int]]]


def _leaving(p: HopProgram, s: int) -> Row:
    return -p.wanted.leaving[s], [(p.link(s, t), -1) for t in p.wanted.ahead[s]]


def _entering(p: HopProgram, t: int) -> Row:
    return -p.wanted.entering[t], [(p.link(s, t), -1) for s in p.behind[t]]


def _required(p: HopProgram, s: int, t: int) -> Row:
    if (s, t) not in p.wanted.required:
        raise Rejected(f"rows: a link from {s} to {t} is not required")
    return 1, [(p.link(s, t), 1)]


def _budget(p: HopProgram, number: int) -> Row:
    if number >= len(p.wanted.budgets):
        raise Rejected(f"rows: there is no budget {number}")
    most, takes = p.wanted.budgets[number]
    return -most, [(p.link(s, t), -part) for s, t, part in takes if (s, t) in p.allowed]


def _reached(kind: str) -> Callable[..., Row]:
    """A pair is far, has a link, or a way that begins, or ends, with a link."""

    def row(p: HopProgram, k: int, s: int, t: int) -> Row:
        if p.fewest[s][t] > k:
            raise Rejected(f"rows: {t} is more than {k} hops from {s} in any case, and that is counted already")
        ways = [(p.way(kind, k, s, w, t), 1) for w in p.between(kind, k, s, t)] if k > 1 else []
        return 1, [(p.far(k, s, t), 1), *([(p.link(s, t), 1)] if (s, t) in p.allowed else []), *ways]

    return row


def _on_way(kind: str, *, rest: bool) -> Callable[..., Row]:
    """A way that begins, or ends, with a link has the link, and its rest is not far."""

    def row(p: HopProgram, k: int, s: int, w: int, t: int) -> Row:
        if k < 2 or w not in p.between(kind, k, s, t):
            raise Rejected(f"rows: no way of {k} hops leads from {s} by {w} to {t}")
        way, ends = p.way(kind, k, s, w, t), p.parts(kind, s, w, t)
        return (-1, [(p.far(k - 1, *ends[1]), -1), (way, -1)]) if rest else (0, [(p.link(*ends[0]), 1), (way, -1)])

    return row


def _ports(kind: str) -> Callable[..., Row]:
    """Ports of the nodes behind or before a link limit the ways that begin or end with the link."""

    def row(p: HopProgram, k: int, a: int, b: int) -> Row:
        link, back = p.link(a, b), int(p.wanted.both)
        limits, inner = (p.wanted.leaving, b) if kind == "first" else (p.wanted.entering, a)
        every = [(a, b, node) if kind == "first" else (node, a, b) for node in range(p.nodes) if node not in (a, b)]
        pay(p.nodes)
        ways = [(p.way(kind, k, *way), -1) for way in every if p.is_near(kind, k, *way)]
        return 0, [(link, grown(limits[inner] - back, max(limits) - back, k - 1, len(ways))), *ways]

    return row


ROWS: dict[str, tuple[Callable[..., Row], int]] = {
    "leaving": (_leaving, 1),
    "entering": (_entering, 1),
    "required": (_required, 2),
    "budget": (_budget, 1),
    "by first": (_reached("first"), 3),
    "by last": (_reached("last"), 3),
    "behind": (_ports("first"), 3),
    "before": (_ports("last"), 3),
    "first link": (_on_way("first", rest=False), 4),
    "last link": (_on_way("last", rest=False), 4),
    "first rest": (_on_way("first", rest=True), 4),
    "last rest": (_on_way("last", rest=True), 4),
}
"""Conditions by name, with the numbers that each has; the first of more than two is a hop count."""
