"""Parts of a network: some neighbouring routers and the VCs between them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from unknot.routing.relation import Relation
from unknot.verify.remainder import Ints


@dataclass(frozen=True, eq=False)
class Window:
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

    def window(self, order: list[int]) -> Window:
        """The window of some routers; its middle is between the first third of them."""
        inside, inner = np.zeros(self.routers, dtype=bool), np.zeros(self.routers, dtype=bool)
        inside[order] = True
        inner[order[: max(2, len(order) // 3)]] = True
        within = inside[self.source] & inside[self.target]
        middle = within if len(order) == len(self.near) else within & inner[self.source] & inner[self.target]
        return Window(self.vcs[within], self.vcs[middle])

    def cover(self, count: int) -> Iterator[Window]:
        """Yield windows of `count` routers whose middles together cover all VCs."""
        covered = np.zeros(self.vcs.size, dtype=bool)
        while not covered.all():
            first = int(np.flatnonzero(~covered)[0])
            window = self.window(self.around(sorted({int(self.source[first]), int(self.target[first])}), count))
            yield window
            covered |= np.isin(self.vcs, window.middle)
