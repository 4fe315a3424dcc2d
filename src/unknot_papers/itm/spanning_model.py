"""A spanning incremental triangular mesh as a question to CP-SAT."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Literal

import numpy as np

from unknot_papers.itm.mesh import TriangularMesh
from unknot_papers.solving import solved


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
