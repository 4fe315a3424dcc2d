"""Does a network contain an incremental triangular mesh that joins all its routers?"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from unknot._base.deadline import MINUTE, Deadline, counts_work
from unknot._base.errors import NetworkError
from unknot._base.three_valued import ThreeValued
from unknot._base.work import spend
from unknot.network import Network
from unknot_papers import solved
from unknot_papers.itm.recognise import neighbour_sets
from unknot_papers.itm.topology import KINDS, TriangularMesh

Edge = tuple[int, int]
GROWN = 2e-5
"""Work to add a router to a mesh."""
GREEDY = 0.1
"""Share of the time for greedy growth."""


@dataclass(frozen=True)
class Spanning(ThreeValued, asks="found"):
    """The answer of `spanning`.

    Attributes
    ----------
    mesh : TriangularMesh or None
        A mesh of all routers whose edges are links of the network.
    proved : bool
        If there is no mesh: whether it is proved that none exists; a search that gave up proves nothing.
    method, reason : str
        How it was found or excluded, and in words why not.
    """

    mesh: TriangularMesh | None
    proved: bool
    method: str
    reason: str = ""

    @property
    def found(self) -> bool | None:
        """Whether there is a mesh; None: open."""
        return True if self.mesh is not None else False if self.proved else None


@counts_work
def spanning(
    network: Network, kind: str = "exterior", *, time_limit: float | Deadline = MINUTE, seed: int = 1
) -> Spanning:
    """Find an incremental triangular mesh that spans a network, or show that none exists.

    Parts joined only by a router or less are taken apart first, which settles most networks; then routers are added
    greedily with restarts, then the question is decided exactly (CP-SAT).

    Parameters
    ----------
    kind : {"exterior", "general"}
    time_limit : float or Deadline
        Seconds; when they are over before the question is decided, nothing is proved.
    seed : int
        Seed of the greedy growth.

    Raises
    ------
    NetworkError
        If an argument makes no sense.
    """
    if kind not in KINDS:
        raise NetworkError(f"spanning mesh: the kind is {' or '.join(map(repr, KINDS))}, got {kind!r}")
    deadline = Deadline.of(time_limit, "spanning mesh", NetworkError)
    if network.num_routers < 3:
        return Spanning(None, True, "counting", f"a mesh has at least 3 routers, and there are {network.num_routers}")
    triangles = _triangles(network)
    excluded = _excluded(network, triangles)
    if excluded:
        return Spanning(None, True, "triangles that share links", excluded)
    mesh = _Greedy(network.num_routers, triangles, kind, seed).grow(deadline.part(GREEDY))
    if mesh is not None:
        return Spanning(mesh, True, "greedy growth")

    decision = decide(network.num_routers, triangles, kind, deadline.left)
    method = "exact search (CP-SAT)"
    if decision is None:
        return Spanning(None, False, method, f"undecided after {deadline.seconds:g} s; nothing is proved")
    if decision is False:
        return Spanning(None, True, method, f"no choice of triangles makes a mesh of the {kind} kind")
    return Spanning(decision, True, method)


def _triangles(network: Network) -> list[tuple[int, int, int]]:
    """Routers pairwise joined by links in both directions, ascending."""
    n = np.int64(network.num_routers)
    both = np.intersect1d(network.source * n + network.target, network.target * n + network.source)
    pairs = Network("links both ways", network.num_routers, both // n, both % n)
    rows = neighbour_sets(pairs)
    return [
        (u, v, w)
        for u in range(len(rows))
        for v in sorted(rows[u])
        if v > u
        for w in sorted(rows[u] & rows[v])
        if w > v
    ]


def _excluded(network: Network, triangles: list[tuple[int, int, int]]) -> str:
    """Return the reason why triangles joined by shared links cannot reach all routers; empty if they may."""
    from networkx.utils import UnionFind

    inside = {v for triangle in triangles for v in triangle}
    if len(inside) < network.num_routers:
        lone = min(set(range(network.num_routers)) - inside)
        return f"router {network.router_name(lone)} is in no triangle of links"
    group = UnionFind()
    for triangle in triangles:
        group.union(*combinations(triangle, 2))
    most = max(({v for side in joined for v in side} for joined in group.to_sets()), key=len)
    if len(most) == network.num_routers:
        return ""
    missed = min(set(range(network.num_routers)) - most)
    return (
        f"triangles that hang together by shared links reach {len(most)} of {network.num_routers} routers at most; "
        f"not router {network.router_name(missed)}, for one"
    )


class _Greedy:
    """Growth from a random link, hardest router first, with restarts.

    For the general kind every other start keeps to the exterior kind, which is one of its own and spreads further.
    """

    def __init__(self, routers: int, triangles: list[tuple[int, int, int]], kind: str, seed: int) -> None:
        self.routers, self.kind = routers, kind
        self.random = np.random.default_rng(seed)
        self.apexes: dict[Edge, list[int]] = defaultdict(list)
        self.count = np.zeros(routers, dtype=np.int64)
        for a, b, c in triangles:
            for edge, apex in (((a, b), c), ((a, c), b), ((b, c), a)):
                self.apexes[edge].append(apex)
            self.count[[a, b, c]] += 1
        self.starts = sorted(self.apexes)

    def grow(self, end: Deadline, restarts: int = 50) -> TriangularMesh | None:
        for turn in range(restarts):
            once = self.kind == "exterior" or turn % 2 == 1
            mesh = self._once(self.starts[int(self.random.integers(len(self.starts)))], 1 if once else self.routers)
            spend(GROWN * self.routers)
            if mesh is not None or end.over:
                return mesh
        return None

    def _once(self, start: Edge, most: int) -> TriangularMesh | None:
        """Grow a mesh whose links are each used by at most `most` later routers; the start by one more."""
        import heapq

        parents = np.full((self.routers, 2), -1, dtype=np.int32)
        order, added = list(start), set(start)
        room = {start: most + 1}
        noise = self.random.random(self.routers)
        open_: list[tuple[int, float, int, Edge]] = []

        def offer(edge: Edge) -> None:
            for v in self.apexes.get(edge, ()):
                if v not in added:
                    heapq.heappush(open_, (int(self.count[v]), float(noise[v]), v, edge))

        offer(start)
        while open_:
            _, _, v, edge = heapq.heappop(open_)
            if v in added or not room[edge]:
                continue
            room[edge] -= 1
            added.add(v)
            order.append(v)
            parents[v] = edge
            for u in edge:
                side = (min(u, v), max(u, v))
                room[side] = most
                offer(side)
        return TriangularMesh(np.array(order, dtype=np.int32), parents) if len(added) == self.routers else None


def decide(
    routers: int, triangles: list[tuple[int, int, int]], kind: str, seconds: float
) -> TriangularMesh | Literal[False] | None:
    """Decide whether some triangles make a mesh of all routers.

    One link of a fixed router is the root: a mesh can be grown from any of its links. Every router outside it chooses
    a triangle, in which it is joined to the other two; their link must be there, and they come before it.

    Returns
    -------
    TriangularMesh, or False when there is none, or None when the time is over
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    chooses = {
        (v, t): model.new_bool_var(f"router {v} in {t}") for t, triangle in enumerate(triangles) for v in triangle
    }
    of_router: dict[int, list[int]] = defaultdict(list)
    for v, t in chooses:
        of_router[v].append(t)
    fixed = min(of_router, key=lambda v: (len(of_router[v]), v))
    beside = sorted({u for t in of_router[fixed] for u in triangles[t]} - {fixed})
    root: dict[tuple[int, ...], Any] = {
        (min(u, fixed), max(u, fixed)): model.new_bool_var(f"root {u}") for u in beside
    }
    model.add_exactly_one(root.values())
    makes: dict[tuple[int, ...], list[Any]] = defaultdict(list)
    uses: dict[tuple[int, ...], list[Any]] = defaultdict(list)
    position = [model.new_int_var(0, routers - 1, f"position {v}") for v in range(routers)]
    for (v, t), chosen in chooses.items():
        others = tuple(u for u in triangles[t] if u != v)
        uses[others].append(chosen)
        for u in others:
            makes[min(u, v), max(u, v)].append(chosen)
            model.add(position[v] > position[u]).only_enforce_if(chosen)
    for edge, users in uses.items():
        there = [*makes[edge], *([root[edge]] if edge in root else [])]
        if kind == "exterior":
            model.add(sum(users) <= sum(there) + root.get(edge, 0))
        else:
            for user in users:
                model.add_bool_or(*there, user.negated())
    for v in range(routers):
        rooted = [variable for edge, variable in root.items() if v in edge]
        model.add_exactly_one(*(chooses[v, t] for t in of_router[v]), *rooted)
    solver = solved(model, max(0.01, seconds), 1)  # one worker finds the same mesh every time
    if not solver:
        return False if solver is False else None
    parents = np.full((routers, 2), -1, dtype=np.int32)
    for (v, t), chosen in chooses.items():
        if solver.value(chosen):
            parents[v] = [u for u in triangles[t] if u != v]
    first = next(edge for edge, variable in root.items() if solver.value(variable))
    rest = sorted(set(range(routers)) - set(first), key=lambda v: (solver.value(position[v]), v))
    return TriangularMesh(np.array([*first, *rest], dtype=np.int32), parents)
