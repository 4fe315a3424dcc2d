"""Lower bounds on the hops of all networks that a request allows, by counting and by a linear program.

Counting: a node reaches in k hops no more nodes than ports allow (Moore), and none that k allowed links do not reach
(V. G. Cerf, D. D. Cowan, R. C. Mullin and R. G. Stanton, A lower bound on the average shortest path length in regular
graphs, Networks 1974, for the first). The linear program shares links out between the pairs that want them as first
or last links of their paths; its dual is the evidence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.deadline import Deadline
from unknot._base.work import spend
from unknot.certificates.documents import Document
from unknot.search.programs import SCALE, LinearProgram, Row, multipliers
from unknot.synthesis.topology.request import TopologyRequest

LEVELS = 3
"""Hop counts whose paths the linear program shares out; more hops are counted."""
MOST_ENTRIES = 300_000
"""Most variables of paths of the linear program, each counted for every map that may join it with others."""
BUILT, SOLVED = 6e-5, 1e-8
"""Seconds of work for each of these, and for the square of their number once symmetric ones are joined."""
Name = tuple[Any, ...]
"""A variable or a row: its kind, its hop count, and nodes."""


def counted(wanted: TopologyRequest) -> Ints:
    """Nodes that each node reaches at most in 1, 2, … hops, itself left out: int64 array, shape (levels, nodes)."""
    fewest, back = wanted.fewest, int(wanted.both_ways)
    branches = int(wanted.leaving.max()) - back
    layers, layer, most = [], wanted.leaving.copy(), wanted.leaving.copy()
    for level in range(1, wanted.size):
        near = (fewest <= level).sum(axis=1) - 1
        layers.append(np.minimum(np.minimum(most, near), wanted.size - 1))
        if (layers[-1] == wanted.size - 1).all():
            break
        # Beyond all nodes the number is of no use, and could overflow.
        layer = np.minimum(layer * branches, wanted.size)
        most = most + layer
    return np.array(layers)


def least_diameter(wanted: TopologyRequest) -> int:
    """Hop count below which no network of the request reaches all nodes."""
    return len(counted(wanted))


def least_hops(wanted: TopologyRequest, deadline: Deadline) -> tuple[int, Document]:
    """Lower bound on the hops of all pairs, and its proof for the checker.

    Parameters
    ----------
    wanted : TopologyRequest
    deadline : Deadline
        Of the linear program, which is left out where it would be large, or not be solved by then.

    Returns
    -------
    least : int
    proof : dict
        `levels` of the linear program, 0 if counting shows the bound, and `rows` with multipliers.
    """
    layers = counted(wanted)
    least = wanted.size * (wanted.size - 1) + int((wanted.size - 1 - layers).sum())
    proof: Document = {"levels": 0, "rows": []}
    program = PathProgram(wanted)
    if not program.useful or deadline.left < program.seconds:
        return _even(least, wanted), proof
    more, rows = program.solved(layers, deadline)
    return (_even(more, wanted), {"levels": LEVELS, "rows": rows}) if more > least else (_even(least, wanted), proof)


def _even(hops: int, wanted: TopologyRequest) -> int:
    """Hops of all ordered pairs are an even number where each link is there both ways."""
    return hops + hops % 2 if wanted.both_ways else hops


class PathProgram:
    """Linear program over links, what is out of reach in so many hops, and first and last links of paths.

    Variables are 0 or 1 in truth. ("link", s, t); ("far", k, s, t): t is more than k hops from s; ("first", k, s, w,
    t): s reaches t in k hops by way of the link to w; ("last", k, s, w, t): by way of the link from w. Rows have the
    name of what they limit.
    """

    def __init__(self, wanted: TopologyRequest) -> None:
        self.wanted, self.size = wanted, wanted.size
        self.fewest = wanted.fewest.tolist()
        self.ahead = [np.flatnonzero(row).tolist() for row in wanted.allowed]
        self.behind = [np.flatnonzero(row).tolist() for row in wanted.allowed.T]
        stays = np.arange(self.size)
        self.budgets = [one.moved(stays) for one in wanted.budgets]

    @property
    def useful(self) -> bool:
        """Whether places or budgets limit links at all, and the program is small enough."""
        every = int(self.wanted.allowed.sum()) == self.size * (self.size - 1)
        return not (every and not self.wanted.budgets) and self.entries <= MOST_ENTRIES

    @property
    def entries(self) -> int:
        near = int((self.wanted.fewest <= LEVELS - 1).sum(axis=1).max())
        return int(self.wanted.allowed.sum()) * near * len(self.wanted.automorphisms)

    @property
    def seconds(self) -> float:
        """Seconds of work to build and to solve the program, as measured."""
        return BUILT * self.entries + SOLVED * (self.entries / len(self.wanted.automorphisms)) ** 2

    def link(self, s: int, t: int) -> Name:
        return ("link", min(s, t), max(s, t)) if self.wanted.both_ways else ("link", s, t)

    def far(self, k: int, s: int, t: int) -> Name:
        return ("far", k, min(s, t), max(s, t)) if self.wanted.both_ways else ("far", k, s, t)

    def path(self, kind: str, k: int, s: int, w: int, t: int) -> Name:
        if k > 2:
            return kind, k, s, w, t
        # Of two hops the first link tells the last.
        return ("first", 2, min(s, t), w, max(s, t)) if self.wanted.both_ways else ("first", 2, s, w, t)

    def room(self, node: int, k: int, *, ahead: bool) -> int:
        """Most nodes within k hops of a node, by ports: ahead of the node, or behind, without the link between."""
        limits, back = self.wanted.leaving if ahead else self.wanted.entering, int(self.wanted.both_ways)
        own, branches = int(limits[node]) - back, int(limits.max()) - back
        return sum(own * branches**i for i in range(k))

    def rows(self) -> Iterator[tuple[Name, Row[Name]]]:
        """Yield rows by name, each a lower bound and the terms of its sum."""
        for s in range(self.size):
            yield ("leaving", s), (-int(self.wanted.leaving[s]), [(self.link(s, t), -1) for t in self.ahead[s]])
            yield ("entering", s), (-int(self.wanted.entering[s]), [(self.link(t, s), -1) for t in self.behind[s]])
        for s, t in np.argwhere(self.wanted.required).tolist():
            yield ("required", s, t), (1, [(self.link(s, t), 1)])
        for number, one in enumerate(self.wanted.budgets):
            taken = zip(one.links.tolist(), one.parts.tolist(), strict=True)
            terms = [(self.link(s, t), -part) for (s, t), part in taken if self.wanted.allowed[s, t]]
            yield ("budget", number), (-one.most, terms)
        for k in range(1, LEVELS + 1):
            for s in range(self.size):
                for t in range(self.size):
                    if s != t and 0 < self.fewest[s][t] <= k:
                        yield from self._reached(k, s, t)
            if k > 1:
                yield from self._shared(k)

    def parts(self, kind: str, s: int, w: int, t: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Split a path from s by w to t: the ends of its first, or last, link, and the ends of the rest."""
        return ((s, w), (w, t)) if kind == "first" else ((w, t), (s, w))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Links by which paths are known: where links lead both ways, last links are first links of the way back."""
        return ("first",) if self.wanted.both_ways else ("first", "last")

    def _reached(self, k: int, s: int, t: int) -> Iterator[tuple[Name, Row[Name]]]:
        """Rows of a pair: it is far, linked, or has a path by a first link; or by a last one."""
        direct = [(self.far(k, s, t), 1)] + [(self.link(s, t), 1)] * bool(self.wanted.allowed[s, t])
        for kind in self.kinds[: 2 if k > 2 else 1]:
            near = [w for w in (self.ahead[s] if kind == "first" else self.behind[t]) if w not in (s, t)]
            ways = [(w, *self.parts(kind, s, w, t), self.path(kind, k, s, w, t)) for w in near]
            ways = [way for way in ways if self.fewest[way[2][0]][way[2][1]] < k]
            yield (f"by {kind}", k, s, t), (1, direct + [(path, 1) for *_, path in ways])
            for w, link, rest, path in ways:
                yield (f"{kind} link", k, s, w, t), (0, [(self.link(*link), 1), (path, -1)])
                if k == 2:
                    yield ("last link", k, s, w, t), (0, [(self.link(*rest), 1), (path, -1)])
                else:
                    yield (f"{kind} rest", k, s, w, t), (-1, [(self.far(k - 1, *rest), -1), (path, -1)])

    def _shared(self, k: int) -> Iterator[tuple[Name, Row[Name]]]:
        """Rows of links: behind a link, or before it, are no more nodes than ports allow."""
        for kind, name in zip(self.kinds, ("behind", "before"), strict=False):
            for a in range(self.size):
                for b in self.ahead[a]:
                    ways = [(a, b, node) if kind == "first" else (node, a, b) for node in range(self.size)]
                    rests = [(way, self.parts(kind, *way)[1]) for way in ways if len({*way}) == 3]
                    paths = [(self.path(kind, k, *way), -1) for way, (u, v) in rests if 0 < self.fewest[u][v] < k]
                    most = self.room(b if kind == "first" else a, k - 1, ahead=kind == "first")
                    yield (name, k, a, b), (0, [(self.link(a, b), min(len(paths), most)), *paths])

    def solved(self, layers: Ints, deadline: Deadline) -> tuple[int, list[list[Any]]]:
        """The bound by the dual, and its multipliers: rows of the program with their numbers in parts of `SCALE`.

        Symmetric variables are equal in some best solution, as the mean of its images, so each orbit is a variable.
        """
        spend(self.seconds)
        every = dict(self.rows())
        orbit = self._orbits(every)
        first: dict[Name, Name] = {}
        members: dict[Name, list[Name]] = {}
        for name in every:
            members.setdefault(first.setdefault(orbit[name], name), []).append(name)
        joined = [
            (low, [(orbit[one], factor) for one, factor in terms]) for low, terms in (every[one] for one in members)
        ]
        program = LinearProgram.of(joined)
        costs = np.zeros(len(program.column))
        for name in {one for _, terms in every.values() for one, _ in terms if one[0] == "far"}:
            costs[program.column[orbit[name]]] += self.cost
        answer = program.cheapest(costs, deadline.left)
        if answer.status != 0:
            return 0, []
        numbers = multipliers(answer.ineqlin.marginals)
        rows = [
            [*name, int(number) // len(images)]
            for number, images in zip(numbers, members.values(), strict=True)
            for name in images
            if number >= len(images)
        ]
        return self._shown(every, rows, layers), rows

    @property
    def cost(self) -> int:
        """Hops of a pair that is far: of both directions, where they share a variable."""
        return 1 + int(self.wanted.both_ways)

    def _orbits(self, rows: dict[Name, Row[Name]]) -> dict[Name, Name]:
        """The first image of each row and variable under the automorphisms."""
        maps = self.wanted.automorphisms.tolist()
        variables = {one for _, terms in rows.values() for one, _ in terms}
        return {name: min(self._image(name, image) for image in maps) for name in (*rows, *variables)}

    def _image(self, name: Name, image: list[int]) -> Name:
        kind = name[0]
        if kind == "link":
            return self.link(image[name[1]], image[name[2]])
        if kind == "far":
            return self.far(name[1], image[name[2]], image[name[3]])
        if kind in ("first", "last"):
            return self.path(kind, name[1], *(image[node] for node in name[2:]))
        if kind == "budget":
            return kind, self.budgets.index(self.wanted.budgets[name[1]].moved(np.array(image)))
        if kind in ("leaving", "entering", "required"):
            return kind, *(image[node] for node in name[1:])
        return kind, name[1], *(image[node] for node in name[2:])

    def _shown(self, every: dict[Name, Row[Name]], rows: list[list[Any]], layers: Ints) -> int:
        """The bound that multipliers show; no variable is above 1, so what the dual exceeds costs by is made good."""
        total, sums = 0, dict[Name, int]()
        for *name, number in rows:
            low, terms = every[tuple(name)]
            total += number * int(low)
            for one, factor in terms:
                sums[one] = sums.get(one, 0) + number * int(factor)
        over = sum(max(0, number - SCALE * self.cost * (one[0] == "far")) for one, number in sums.items())
        return self.given(layers) - int((over - total) // SCALE)

    def given(self, layers: Ints) -> int:
        """Hops that are there in any network: pairs too far apart for so many hops, and those counted beyond."""
        pairs = self.size * (self.size - 1)
        near = sum(int((self.wanted.fewest > k).sum()) for k in range(1, LEVELS + 1))
        beyond = int((self.size - 1 - layers[LEVELS:]).sum())
        return pairs + near + beyond
