"""Clauses of the exact search that hold if a number of lanes serves all pairs.

The checker of impossibility has others, see `unknot.certificates.plain.Encoder`.

For lane k, channels c and e, and destination t there are variables for "in lane k, c may be followed by e" (turn),
"in lane k some path from c to t takes permitted turns only" (serves), and, where a channel has several ways to go on,
"one goes on by e" (step). Numbers stand for variables, negative ones for their opposites, as in DIMACS.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import pairwise

from unknot.lanes.path_set import Flags, virtual
from unknot.network import Network

Clause = tuple[int, ...]
Pair = tuple[int, int]
KEPT = ("none", "shared")
"""Lanes that packets keep: each direction of a pair has its own, or both share one."""


class Clauses:
    """Clauses that every such routing fulfils, and the variables in them.

    Parameters
    ----------
    network : Network
    lanes : int
    sends : bool array, shape (terminals, terminals), optional
        Who sends to whom; by default every terminal sends to every other.
    first_pairs : sequence of pairs of routers
        The lanes of a routing may be renamed in the order in which these pairs use them. So the first is in the first
        lane, the second in one of the first two, and so on.
    changes : {"none", "shared", "rising", "any"}
        Whether a packet may change its lane at a hop: only for a higher one, or for any. The clauses are then those
        of one lane on the network of the virtual channels, see `virtual`. With "shared" it may not, and some lane has
        to serve both directions of a pair: "pair" in lane k.

    Attributes
    ----------
    network : Network
        That of the channels in the clauses.
    lanes : int
        Lanes in the clauses: 1 where packets change lanes.
    """

    def __init__(
        self,
        network: Network,
        lanes: int,
        *,
        sends: Flags | None = None,
        first_pairs: Sequence[Pair] = (),
        changes: str = "none",
    ) -> None:
        self.classes = lanes if changes == "rising" else 1
        if changes not in KEPT:
            network, lanes = virtual(network, lanes), 1
        self.network, self.lanes = network, lanes
        self.number: dict[tuple[object, ...], int] = {}
        self.given: list[Clause] = []
        pairs = senders(network, sends)
        far: dict[int, dict[int, int]] = {}
        served: set[tuple[int, int]] = set()
        leading = {pair: position + 1 for position, pair in enumerate(first_pairs)}
        for pair in sorted(pairs):
            s, t = pair
            there = far.setdefault(t, hops(network, t, forward=False))
            if there.get(s, 0) < 2:
                continue
            begin = [c for c in leaving(network, s) if there.get(int(network.target[c])) == there[s] - 1]
            within = range(min(lanes, leading.get(pair, lanes)))
            if changes == "shared" and (t, s) in pairs:
                chosen = [self("pair", k, min(pair), max(pair)) for k in range(lanes)]
                self.given.append(tuple(chosen[k] for k in within))
                self.given += [(-chosen[k], *(self("serves", k, c, t) for c in begin)) for k in range(lanes)]
            else:
                self.given.append(tuple(self("serves", k, c, t) for k in within for c in begin))
            self._serve(t, there, begin, served)

    def __call__(self, *what: object) -> int:
        """The number of a variable."""
        return self.number.setdefault(what, len(self.number) + 1)

    def _serve(self, t: int, there: dict[int, int], begin: list[int], served: set[tuple[int, int]]) -> None:
        """Add the clauses by which these channels, and those that may follow, serve a destination."""
        target = self.network.target
        todo = [c for c in begin if (c, t) not in served]
        while todo:
            c = todo.pop()
            if (c, t) in served:
                continue
            served.add((c, t))
            v = int(target[c])
            after = [
                e
                for e in leaving(self.network, v)
                if there.get(int(target[e])) == there[v] - 1 and c % self.classes <= e % self.classes
            ]
            last = there[v] == 1
            for k in range(self.lanes):
                serves = self("serves", k, c, t)
                steps = []
                for e in after:
                    turn = self("turn", k, c, e)
                    if last and len(after) > 1:
                        steps.append(turn)
                        continue
                    step = serves if len(after) == 1 else self("step", k, c, e, t)
                    steps.append(step)
                    self.given.append((-step, turn))
                    if not last:
                        self.given.append((-step, self("serves", k, e, t)))
                if len(after) > 1:
                    self.given.append((-serves, *steps))
            if not last:
                todo += [e for e in after if (e, t) not in served]

    def against(self, cycle: Sequence[int]) -> Iterator[Clause]:
        """Yield for each lane the clause that it does not permit all turns of a cycle of channels."""
        turns = list(pairwise([*cycle, cycle[0]]))
        for k in range(self.lanes):
            if all(("turn", k, *turn) in self.number for turn in turns):
                yield tuple(-self("turn", k, *turn) for turn in turns)


def senders(network: Network, sends: Flags | None) -> set[Pair]:
    """Pairs of different routers between whose terminals something is sent."""
    terminals = range(network.num_terminals)
    inject, eject = network.inject.tolist(), network.eject.tolist()
    pairs = {
        (inject[s], eject[t]) for s in terminals for t in terminals if s != t and (sends is None or bool(sends[s, t]))
    }
    return {(s, t) for s, t in pairs if s != t}


def hops(network: Network, start: int, *, forward: bool) -> dict[int, int]:
    """Hops from a router to every other, or from every other to it."""
    ends = network.target if forward else network.source
    first, channels = network.outgoing if forward else network.incoming
    distance, todo = {start: 0}, deque([start])
    while todo:
        u = todo.popleft()
        for c in channels[first[u] : first[u + 1]].tolist():
            v = int(ends[c])
            if v not in distance:
                distance[v] = distance[u] + 1
                todo.append(v)
    return distance


def leaving(network: Network, router: int) -> list[int]:
    """Channels that leave a router."""
    first, channels = network.outgoing
    numbers: list[int] = channels[first[router] : first[router + 1]].tolist()
    return numbers
