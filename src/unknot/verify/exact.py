"""The exact decision for atomic wormhole switching: is there a set of worms that block each other for good?

What the cheap tests leave over is taken one dependency component at a time and put to a constraint solver
(`exact_model`), states with the same future merged. As a whole that is soon too much, so parts come first: windows,
the VCs among some neighbouring routers. Two questions are asked of each.

- Is there a deadlock within the window? Then that is the answer.
- Could a VC of the window be held at all, if whatever is outside were held as one likes? If not, no worm of any
  deadlock holds it, and it is deleted with everything that depends on it. When nothing is left, there is no deadlock.

Windows grow until one is the whole component, so the answer is exact when time suffices.
"""

from __future__ import annotations

import time

import numpy as np

from unknot.verify import remainder
from unknot.verify.exact_model import Model, Worm, find
from unknot.verify.remainder import Ints, Remainder
from unknot.verify.states import Core, Flags
from unknot.verify.windows import Surroundings, Window

SMALL = 1500
"""States that are put to the solver at once."""
ROUTERS = 9
"""Routers of the smallest windows."""

__all__ = ["Worm", "find_worms"]


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
        part = remainder.of(core, np.flatnonzero(alive & (label == component))).pruned()
        worms = _component(core, part, end)
        if isinstance(worms, list):
            return worms
        undecided |= worms
    return undecided


def _component(core: Core, rest: Remainder, end: float) -> list[Worm] | bool:
    begin = time.monotonic()
    routers = ROUTERS
    while rest.place.size:
        windows = list(Surroundings(core.dependencies.relation, np.unique(rest.place)).cover(routers))
        whole = rest.merged() if len(windows) == 1 or rest.place.size < 100 * SMALL else rest
        if len(windows) == 1 or whole.place.size <= SMALL:
            return find(whole, end - time.monotonic())
        for window in windows:
            part = rest.cut(rest.on(window.vcs)).pruned()
            if part.place.size:
                worms = find(part.merged(), min(end - time.monotonic(), 1.0 + time.monotonic() - begin))
                if isinstance(worms, list):
                    return worms
            if time.monotonic() > end:
                return True
        rest = _thinned(rest, windows, end)
        if not rest.place.size:
            return False
        spent = time.monotonic() - begin
        answer = find(rest.merged(), min(end - time.monotonic(), spent))
        if answer is not True:
            return answer
        if time.monotonic() > end:
            return True
        routers *= 2
    return False


def _thinned(rest: Remainder, windows: list[Window], end: float) -> Remainder:
    """Without the VCs that cannot be held for what some window shows, until no window shows more."""
    looked: dict[Window, int] = {}
    changed = True
    while changed and rest.place.size:
        changed = False
        windows = windows[::-1]
        for window in windows:
            states = rest.on(window.vcs)
            middle = np.intersect1d(window.middle, rest.place[states])
            if not middle.size or looked.get(window) == states.size:
                continue
            looked[window] = states.size
            never = _never_held(rest.cut(states, open_ends=True).merged(), middle, end)
            if never.size:
                rest = rest.cut(np.flatnonzero(~np.isin(rest.place, never))).pruned()
                changed = True
            if time.monotonic() > end:
                return rest
    return rest


def _never_held(part: Remainder, vcs: Ints, end: float) -> Ints:
    """Those of some VCs that nobody can hold in a window."""
    model = Model(part)
    left = set(vcs.tolist())
    while left:
        model.model.add_bool_or([model.held[v] for v in sorted(left)])
        worms = model.solve(min(5.0, end - time.monotonic()))
        if worms is True:
            return vcs[:0]
        if worms is False:
            break
        left -= {v for worm in worms for v in worm.path}
    return np.array(sorted(left), dtype=np.int64)
