"""All position-independent rules of small spaces on two-dimensional meshes: no solver, no prover, no checker.

Shares nothing with `unknot`. A rule is a number whose bits are permissions. Deadlocks are looked for naively on the
3×3 mesh; what a deadlock says of one rule strikes out every other rule that has the same deadlock.
"""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
import numpy.typing as npt

SIDE = 3
LONGEST = 3
"""VCs that a worm holds at the most."""
Signs = tuple[int, int]
Kind = tuple[int, int, int]
State = tuple[Kind | None, Signs]
Vc = tuple[int, int, Kind]
"""A VC: the router it leaves, and its type."""
Worm = tuple[tuple[Vc, ...], frozenset[Vc], frozenset[tuple[State, Kind]], State]
"""VCs it holds, tail first; VCs it waits for; permissions on its way; the state of its header."""


class Space:
    """Types, states and permissions; `counts` are VCs up and down each of two dimensions."""

    def __init__(self, counts: tuple[tuple[int, int], tuple[int, int]]) -> None:
        self.kinds: list[Kind] = [
            (i, sign, k) for i in range(2) for j, sign in enumerate((1, -1)) for k in range(counts[i][j])
        ]
        lefts: list[Signs] = [s for s in product((1, 0, -1), repeat=2) if s != (0, 0)]
        self.states: list[State] = [(None, left) for left in lefts]
        self.states += [(h, left) for h in self.kinds for left in lefts if left[h[0]] in (0, h[1])]
        self.permissions = [(state, out) for state in self.states for out in self.kinds if state[1][out[0]] == out[1]]
        self.bit = {permission: 1 << i for i, permission in enumerate(self.permissions)}

    def outs(self, state: State, rule: int) -> list[Kind]:
        return [out for out in self.kinds if self.bit.get((state, out), 0) & rule]


def rules_by_state(space: Space) -> npt.NDArray[np.int64]:
    """All rules that offer, in every state, every direction that brings a header nearer."""
    rules = np.zeros(1, dtype=np.int64)
    for state in space.states:
        for i in range(2):
            some = [space.bit[state, out] for out in space.kinds if out[0] == i and state[1][i] == out[1]]
            if some:
                choices = [sum(chosen) for n in range(1, len(some) + 1) for chosen in combinations(some, n)]
                rules = (rules[:, None] | np.array(choices, dtype=np.int64)).reshape(-1)
    return rules


def rules_by_path(space: Space) -> npt.NDArray[np.int64]:
    """All rules by which every shortest path is possible and no header comes to a state without offers.

    States of the four quadrants, which share none, are chosen apart; then those on the axes.
    """
    rules = np.zeros(1, dtype=np.int64)
    for quadrant in product((1, -1), repeat=2):
        inside = [state for state in space.states if state[1] == quadrant]
        choices = [0]
        for state in inside:
            bits = [space.bit[state, out] for out in space.kinds if (state, out) in space.bit]
            some = [sum(chosen) for n in range(1, len(bits) + 1) for chosen in combinations(bits, n)]
            choices = [rule | more for rule in choices for more in some]
        kept = {_reached(space, rule, quadrant) for rule in choices if _all_paths(space, rule, quadrant)}
        rules = (rules[:, None] | np.array(sorted(kept), dtype=np.int64)).reshape(-1)
    for state in space.states:
        if 0 in state[1]:
            bits = [space.bit[state, out] for out in space.kinds if (state, out) in space.bit]
            some = [sum(chosen) for n in range(1, len(bits) + 1) for chosen in combinations(bits, n)]
            rules = (rules[:, None] | np.array(some, dtype=np.int64)).reshape(-1)
    return rules


def _all_paths(space: Space, rule: int, quadrant: Signs) -> bool:
    """Whether hops can follow in any order as long as both dimensions are left, some VC at a time, for any length."""
    start = frozenset[Kind | None]([None])
    todo, seen = [start], {start}
    for held in todo:
        for i in range(2):
            outs = frozenset(o for h in held for o in space.outs((h, quadrant), rule) if o[0] == i)
            if not outs:
                return False
            if outs not in seen:
                seen.add(outs)
                todo.append(outs)
    return True


def _reached(space: Space, rule: int, quadrant: Signs) -> int:
    """The rule without what it offers in states of the quadrant that no packet comes to."""
    todo: list[Kind | None] = [None]
    kept = 0
    for held in todo:
        for out in space.outs((held, quadrant), rule):
            kept |= space.bit[(held, quadrant), out]
            if out not in todo:
                todo.append(out)
    return kept


def deadlock(space: Space, rule: int, switching: str) -> list[Worm] | None:
    """Worms on the 3×3 mesh that wait for each other for ever under a rule; None if naive search finds none."""
    worms = _worms(space, rule, LONGEST if switching == "wormhole" else 1)
    while True:
        holdable = {vc for held, *_ in worms for vc in held}
        left = [worm for worm in worms if worm[1] <= holdable]
        if len(left) == len(worms):
            break
        worms = left
    if not worms:
        return None
    on: dict[Vc, list[Worm]] = {}
    for worm in worms:
        for vc in worm[0]:
            on.setdefault(vc, []).append(worm)
    for most in range(2, 13):
        for worm in worms:
            knot = _closed([worm], on, most)
            if knot is not None:
                return knot
    if switching != "wormhole":
        raise AssertionError("VCs are left that wait for each other, but no small set of them was found")
    return None


def _closed(chosen: list[Worm], on: dict[Vc, list[Worm]], most: int) -> list[Worm] | None:
    held = {vc for worm in chosen for vc in worm[0]}
    missing = {vc for worm in chosen for vc in worm[1]} - held
    if not missing:
        return chosen
    if len(chosen) + 1 > most:
        return None
    vc = min(missing)
    options = [worm for worm in on[vc] if not held & {*worm[0]}]
    options.sort(key=lambda worm: len((missing | worm[1]) - held - {*worm[0]}))
    for worm in options[:3]:
        knot = _closed([*chosen, worm], on, most)
        if knot is not None:
            return knot
    return None


def _worms(space: Space, rule: int, longest: int) -> list[Worm]:
    places = list(product(range(SIDE), repeat=2))
    worms: list[Worm] = []
    for goal in places:
        todo: list[tuple[Vc | None, tuple[int, int], frozenset[tuple[State, Kind]]]] = [
            (None, at, frozenset()) for at in places if at != goal
        ]
        seen: dict[Vc, frozenset[tuple[State, Kind]]] = {}
        onward: dict[Vc, list[Vc]] = {}
        for vc, at, way in todo:
            state = (None if vc is None else vc[2], _left(at, goal))
            for out in space.outs(state, rule):
                then = (*at, out)
                if vc is not None:
                    onward.setdefault(vc, []).append(then)
                if then not in seen:
                    seen[then] = way | {(state, out)}
                    todo.append((then, _end(then), seen[then]))
        paths = [(vc,) for vc in seen]
        for path in paths:
            if len(path) < longest:
                paths += [(*path, vc) for vc in onward.get(path[-1], ())]
            end = _end(path[-1])
            if end == goal:
                continue
            used = seen[path[0]]
            for a, b in pairwise(path):
                used |= {((a[2], _left(_end(a), goal)), b[2])}
            worms.append((path, frozenset(onward[path[-1]]), used, (path[-1][2], _left(end, goal))))
    return worms


def _end(vc: Vc) -> tuple[int, int]:
    x, y, (i, sign, _) = vc
    return (x + sign, y) if i == 0 else (x, y + sign)


def _left(at: tuple[int, int], goal: tuple[int, int]) -> Signs:
    return (
        (goal[0] > at[0]) - (goal[0] < at[0]),
        (goal[1] > at[1]) - (goal[1] < at[1]),
    )


def survivor(space: Space, rules: npt.NDArray[np.int64], switching: str) -> int | None:
    """A rule without a deadlock on the 3×3 mesh, as far as naive search goes; None: every rule has one."""
    while rules.size:
        rule = int(rules[rules.size // 2])
        worms = deadlock(space, rule, switching)
        if worms is None:
            return rule
        held = {vc for worm in worms for vc in worm[0]}
        used = sum({space.bit[permission] for worm in worms for permission in worm[2]})
        lacked = 0
        for path, _, _, state in worms:
            for out in space.kinds:
                if (state, out) in space.bit and (*_end(path[-1]), out) not in held:
                    lacked |= space.bit[state, out]
        same = ((rules & used) == used) & ((rules & lacked) == 0)
        assert same[rules.size // 2]
        rules = rules[~same]
    return None
