"""The exact decision for atomic wormhole switching: is there a set of worms that block each other for good?

What the cheap tests leave over is put to a constraint solver (OR-tools CP-SAT), one dependency component at a time.
A variable x(s) says that a worm holds the VC of state s in that state, y(e) that it goes on over transition e, h(b)
that it ends in the blockable head b. Each VC is held at most once; a held state goes on exactly once or ends; all
that an ending head waits for is held.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from unknot.verify.states import Core, Flags


@dataclass(frozen=True)
class Worm:
    """A blocked worm: address, VCs held with the header's last, VCs waited for."""

    address: int
    path: tuple[int, ...]
    waits: tuple[int, ...]


def find_worms(core: Core, alive: Flags, time_limit: float) -> list[Worm] | bool:
    """Look for a deadlock configuration among the states that are left.

    Parameters
    ----------
    core : Core
    alive : bool array, shape (states,)
        States that survived the relaxed fixpoint.
    time_limit : float
        Seconds for the whole search.

    Returns
    -------
    list of Worm, or bool
        The worms of a configuration; False when there is none; True when time ran out.
    """
    end = time.monotonic() + time_limit
    label = core.dependencies.label[core.place]
    undecided = False
    for component in np.unique(label[alive]):
        states = np.flatnonzero(alive & (label == component))
        worms = _component(core, alive, states, end)
        if isinstance(worms, list):
            return worms
        undecided |= worms
    return undecided


def _component(core: Core, alive: Flags, states: Any, end: float) -> list[Worm] | bool:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    x = {int(s): model.new_bool_var("") for s in states}
    on: dict[int, list[int]] = {}
    for s in x:
        on.setdefault(int(core.place[s]), []).append(s)
    into: dict[int, list[Any]] = {s: [] for s in x}
    steps: dict[int, list[tuple[int, Any]]] = {}
    ends: dict[int, list[tuple[int, Any]]] = {}
    for s in x:
        targets = core.next_state[core.next_first[s] : core.next_first[s + 1]].tolist()
        steps[s] = [(t, model.new_bool_var("")) for t in sorted(set(targets)) if t in x]
        for t, y in steps[s]:
            into[t].append(y)
            model.add_implication(y, x[t])
        ends[s] = []
        for head in core.head_of.get(s, ()):
            if all(w in on for w in core.waits(head)):
                h = model.new_bool_var("")
                ends[s].append((head, h))
                for w in core.waits(head):
                    model.add_bool_or([x[u] for u in on[w]]).only_enforce_if(h)
        model.add(sum(v for _, v in [*steps[s], *ends[s]]) == x[s])
    for s in x:
        model.add_at_most_one(into[s])
    for held in on.values():
        model.add_at_most_one(x[s] for s in held)
    model.add_bool_or([h for options in ends.values() for _, h in options])
    _forbid_rings(model, steps)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_time_in_seconds = max(0.01, end - time.monotonic())
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return False
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return True
    worms = []
    for s in x:
        if solver.value(x[s]) and not any(solver.value(y) for y in into[s]):
            path = [s]
            while not any(solver.value(h) for _, h in ends[path[-1]]):
                path.append(next(t for t, y in steps[path[-1]] if solver.value(y)))
            head = next(b for b, h in ends[path[-1]] if solver.value(h))
            on_vcs = tuple(int(core.place[p]) for p in path)
            worms.append(Worm(int(core.owner[s]), on_vcs, tuple(core.waits(head))))
    return worms


def _forbid_rings(model: Any, steps: dict[int, list[tuple[int, Any]]]) -> None:
    """Where the states of an address form cycles, number the states of a worm so that it cannot bite its tail."""
    import networkx as nx

    graph = nx.DiGraph((s, t) for s, successors in steps.items() for t, _ in successors)
    for ring in nx.strongly_connected_components(graph):
        if len(ring) == 1 and not graph.has_edge(*(2 * tuple(ring))):
            continue
        position = {s: model.new_int_var(0, len(ring) - 1, "") for s in sorted(ring)}
        for s in position:
            for t, y in steps[s]:
                if t in position:
                    model.add(position[t] == position[s] + 1).only_enforce_if(y)
