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

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.deadline import clock
from unknot.routing.relation import Relation
from unknot.verify.exact_model import Model, Worm
from unknot.verify.remainder import Remainder
from unknot.verify.states import Dependencies


@dataclass(frozen=True, eq=False)
class LocalWindow:
    """The VCs between some neighbouring routers, and those of them next to the middle."""

    vcs: Ints
    middle: Ints


class Surroundings:
    """VCs of a relation, and the routers that they join."""

    def __init__(self, relation: Relation, vcs: Ints) -> None:
        channel = relation.vcs.channel[vcs]
        self.vcs = vcs
        self.source, self.target = relation.network.source[channel], relation.network.target[channel]
        self.routers = relation.network.num_routers
        self.near: dict[int, set[int]] = {}
        for u, v in zip(self.source.tolist(), self.target.tolist(), strict=True):
            self.near.setdefault(u, set()).add(v)
            self.near.setdefault(v, set()).add(u)

    def around(self, middle: Iterable[int], count: int) -> list[int]:
        """The nearest routers to some, up to a number, and those themselves in any case; last those without a way."""
        order = list(dict.fromkeys(middle))
        seen, todo = set(order), deque(order)
        while todo:
            for v in sorted(self.near[todo.popleft()] - seen):
                if len(order) >= count:
                    return order
                seen.add(v)
                order.append(v)
                todo.append(v)
        return order + sorted(self.near.keys() - seen)[: max(0, count - len(order))]

    def window(self, order: list[int]) -> LocalWindow:
        """The window of some routers; its middle is between the first third of them."""
        inside, inner = np.zeros(self.routers, dtype=bool), np.zeros(self.routers, dtype=bool)
        inside[order] = True
        inner[order[: max(2, len(order) // 3)]] = True
        within = inside[self.source] & inside[self.target]
        middle = within if len(order) == len(self.near) else within & inner[self.source] & inner[self.target]
        return LocalWindow(self.vcs[within], self.vcs[middle])

    def cover(self, count: int) -> Iterator[LocalWindow]:
        """Yield windows of `count` routers whose middles together cover all VCs."""
        covered = np.zeros(self.vcs.size, dtype=bool)
        while not covered.all():
            first = int(np.flatnonzero(~covered)[0])
            window = self.window(self.around(sorted({int(self.source[first]), int(self.target[first])}), count))
            yield window
            covered |= np.isin(self.vcs, window.middle)


SMALL = 1500
"""States that are put to the solver at once."""
ROUTERS = 9
"""Routers of the smallest windows in which a deadlock is looked for."""
SMALLEST = 4
"""Routers of the smallest windows by which a search of the whole is explained."""
EXPLAINED, HELD = 5.0, 5.0
"""Work to explain a search, beside as much as the search took, and to ask what can be held in a window."""


class Struck(NamedTuple):
    """VCs that no message can hold, with their window, from which earlier struck VCs are removed."""

    never: Ints
    window: Ints


def find_worms(graph: Dependencies, rest: Remainder, time_limit: float) -> list[Worm] | tuple[Struck, ...] | None:
    """Look for a deadlock configuration among the states that are left.

    Parameters
    ----------
    graph : Dependencies
        The dependencies of the relation.
    rest : Remainder
        States on cycles that the relaxed fixpoint left over.
    time_limit : float
        Seconds for the whole search.

    Returns
    -------
    list of Worm, tuple of Struck, or None
        The worms of a configuration; when there is none, an order in which all VCs are struck out; None when time
        ran out.
    """
    end = clock() + time_limit
    rest = rest.pruned()
    label = graph.label[rest.input_vc]
    open_question, order = False, []
    for component in np.unique(label):
        search = _Search(graph.relation, rest.cut(np.flatnonzero(label == component)), end)
        worms = search.worms()
        if isinstance(worms, list):
            return worms
        open_question |= worms
        order += search.order
    return None if open_question else tuple(order)


class _Search:
    """A component under search: its remaining VCs, the struck VCs, and the work of striking.

    How work is shared out does not depend on the clock: on a busy machine too the evidence is the same.
    """

    def __init__(self, relation: Relation, rest: Remainder, end: float) -> None:
        self.relation, self.rest, self.end = relation, rest, end
        self.work, self.most = 0.0, inf
        self.order: list[Struck] = []

    @property
    def over(self) -> bool:
        return self.work > self.most or clock() > self.end

    def worms(self) -> list[Worm] | bool:
        """Worms that block each other; False when there are none, True when time ran out."""
        routers = ROUTERS
        while self.rest.input_vc.size:
            windows = list(self.surroundings().cover(routers))
            small = len(windows) == 1 or self.rest.input_vc.size < 100 * SMALL
            whole = self.rest.merged() if small else self.rest
            if len(windows) == 1 or whole.input_vc.size <= SMALL:
                worms = self.blocked(whole, inf)
                if worms is False:
                    self.explain()
                return worms
            for window in windows:
                part = self.rest.cut(self.rest.on(window.vcs)).pruned()
                if part.input_vc.size:
                    worms = self.blocked(part.merged(), 1.0 + self.work)
                    if isinstance(worms, list):
                        return worms
                if clock() > self.end:
                    return True
            self.thin(windows)
            if not self.rest.input_vc.size:
                return False
            worms = self.blocked(self.rest.merged(), self.work)
            if worms is False:
                self.explain()
            if worms is not True:
                return worms
            if clock() > self.end:
                return True
            routers *= 2
        return False

    def surroundings(self) -> Surroundings:
        return Surroundings(self.relation, np.unique(self.rest.input_vc))

    def explain(self) -> None:
        """Strike out what is known to be free as a whole: by windows as small as will do, the rest at once."""
        self.most = 2 * self.work + EXPLAINED
        routers = SMALLEST
        while self.rest.input_vc.size and not self.over:
            windows = list(self.surroundings().cover(routers))
            if len(windows) == 1:
                break
            self.thin(windows)
            routers += SMALLEST
        if self.rest.input_vc.size:
            every = np.unique(self.rest.input_vc)
            self.order.append(Struck(every, every))

    def thin(self, windows: list[LocalWindow]) -> None:
        """Strike out the VCs that cannot be held for what some window shows, until no window shows more."""
        looked: dict[LocalWindow, int] = {}
        changed = True
        while changed and self.rest.input_vc.size:
            changed = False
            windows = windows[::-1]
            for window in windows:
                states = self.rest.on(window.vcs)
                middle = np.intersect1d(window.middle, self.rest.input_vc[states])
                if not middle.size or looked.get(window) == states.size:
                    continue
                looked[window] = states.size
                never = self.never_held(self.rest.cut(states, open_ends=True).merged(), middle)
                if never.size:
                    self.order.append(Struck(never, np.unique(self.rest.input_vc[states])))
                    self.rest = self.rest.cut(np.flatnonzero(~np.isin(self.rest.input_vc, never))).pruned()
                    changed = True
                if self.over:
                    return

    def blocked(self, part: Remainder, work: float) -> list[Worm] | bool:
        """Worms that block each other in a part; False if none exist, True if the search needs more work."""
        model = Model(part)
        worms = model.blocked(self.end - clock(), work)
        self.work += model.work
        return worms

    def never_held(self, part: Remainder, vcs: Ints) -> Ints:
        """VCs, among some, that no message can hold in a window."""
        model = Model(part)
        worms: list[Worm] | bool = False
        left = set(vcs.tolist())
        while left:
            model.model.add_bool_or([model.held[v] for v in sorted(left)])
            worms = model.solve(self.end - clock(), HELD)
            if isinstance(worms, bool):
                break
            left -= {v for worm in worms for v in worm.path}
        self.work += model.work
        return vcs[:0] if worms is True else np.array(sorted(left), dtype=np.int64)
