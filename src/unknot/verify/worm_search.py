"""Search back from worms that block each other, for a way on which they come there from an empty network.

Each worm is as long as the VCs that it holds, and may enter all at once when it last could: a worm that holds less is
in nobody's way. So back from a deadlock a worm takes back its last step, or leaves by the terminal of its source.
"""

from __future__ import annotations

from collections.abc import Iterator

from unknot._base.deadline import clock
from unknot._base.work import spend
from unknot.certificates.verdict import Message
from unknot.network.graph import backwards, reached_from
from unknot.routing.relation import Relation
from unknot.verify.effort import TimeUpError
from unknot.verify.explorer import explored
from unknot.verify.remainder import Remainder

STATES = 30_000
"""Worms, sets of worms and their states, all together, that are looked at."""
Path = tuple[int, ...]
"""The states of the VCs that a worm holds, its tail first, as the remainder numbers them; empty before it enters."""
End = tuple[Path, frozenset[int]]
"""A worm, and the VCs that its header waits for."""
Move = tuple[int, int]
"""The worm of a knot that takes back its last step, and the state that its tail comes back to; or `ENTERS`."""
ENTERS = -1
STEP = 2e-5
"""Work of a step of a worm, and of a set of worms."""


class Worms:
    """The worms of a relation, on all states on which they may come to wait for each other.

    Raises
    ------
    TimeUpError
        Here and in the search: if there are more than `STATES`, or it is later than `end`, on `clock`.
    """

    def __init__(self, relation: Relation, part: Remainder, end: float) -> None:
        self.relation, self.part, self.end, self.left = relation, part, end, STATES
        self.vc, self.enters = part.input_vc.tolist(), part.enters.tolist()
        self.onward = dict(enumerate(sorted({*row}) for row in part.onward.lists()))
        self.before = backwards(self.onward)
        self.seen = set[frozenset[Path]]()
        starts: list[Path] = [(s,) for s in self.onward if self.enters[s]]
        entered = reached_from(starts, lambda path: ((*path, s) for s in self._ahead(path)))
        self.alone: dict[Path, Path] = reached_from(entered, lambda path: ((*path[1:], s) for s in self._ahead(path)))

    def held(self, *paths: Path) -> list[int]:
        """The VCs that worms hold."""
        return [self.vc[s] for path in paths for s in path]

    def _spend(self) -> None:
        spend(STEP)
        self.left -= 1
        if self.left < 0 or clock() > self.end:
            raise TimeUpError("states of worms", STATES - self.left, STATES)

    def _ahead(self, path: Path) -> list[int]:
        """States that the header of a worm may go on to, past its own tail."""
        self._spend()
        held = self.held(path)
        return [s for s in self.onward[path[-1]] if self.vc[s] not in held]

    def knots(self) -> Iterator[tuple[End, ...]]:
        """Yield sets of worms that hold all VCs for which their headers wait, the smallest first.

        A worm reaches back just to a VC for which a header waits: where a longer worm comes, so does a shorter one.
        """
        waits, heads = self.part.waits.lists(), self.part.heads.lists()
        ends = [(path, w) for path in self.alone for w in {frozenset(waits[h]) for h in heads[path[-1]]}]
        by: dict[int, list[End]] = {}
        for end in ends:
            for v in self.held(end[0]):
                by.setdefault(v, []).append(end)
        # Each knot is put together from its lowest VC on, worm by worm.
        todo: list[tuple[int, tuple[End, ...]]] = [(lowest, ()) for lowest in sorted(by)]
        seen = set[frozenset[End]]()
        for lowest, knot in todo:
            held = {*self.held(*(path for path, _ in knot))}
            wanted = {v for _, waited in knot for v in waited}
            missing = wanted - held if knot else {lowest}
            if not missing and all(self.vc[path[0]] in wanted for path, _ in knot):
                yield knot
            for end in min((by.get(v, []) for v in missing), key=len, default=[]):
                self._spend()
                more, vcs = (*knot, end), self.held(end[0])
                if held.isdisjoint(vcs) and min(vcs) >= lowest and frozenset(more) not in seen:
                    seen.add(frozenset(more))
                    todo.append((lowest, more))

    def back(self, state: tuple[Path, ...]) -> Iterator[tuple[Move, tuple[Path, ...]]]:
        """Take back the last move of each worm; where a worm may have come in last, that move alone."""
        self.seen.add(frozenset(state))
        held = self.held(*state)
        moves = [(i, s) for i, path in enumerate(state) if path for s in self.before.get(path[0], ())]
        entering = [(i, ENTERS) for i, path in enumerate(state) if path and self.enters[path[0]]]
        for i, s in entering[:1] or moves:
            self._spend()
            path = () if s == ENTERS else (s, *state[i][:-1])
            there = (*state[:i], path, *state[i + 1 :])
            alone = not path or (self.vc[s] not in held and path in self.alone)
            if alone and frozenset(there) not in self.seen:
                yield (i, s), there

    def filling(self, buffer_depth: int) -> tuple[list[Message], tuple[int, ...]] | None:
        """Worms that come to wait for each other, and the order of their header moves; None if there are none."""
        for knot in self.knots():
            search = explored(tuple(path for path, _ in knot), self.back, lambda state: not any(state), STATES)
            if not search.complete:
                raise TimeUpError("states of worms", search.states, STATES)
            if (run := search.run) is not None:
                ways = [[*(s for k, s in run[::-1] if k == i and s != ENTERS), *knot[i][0]] for i in range(len(knot))]
                order = (k for k, s in run[::-1] for _ in (knot[k][0] if s == ENTERS else (s,)))
                return [self._message(*one, buffer_depth) for one in zip(knot, ways, strict=True)], tuple(order)
        return None

    def _message(self, end: End, way: list[int], depth: int) -> Message:
        address, vcs, held = int(self.part.owner[way[0]]), tuple(self.held((*way,))), len(end[0])
        source = next(
            source
            for source in self.relation.sources(address).tolist()
            if vcs[0] in [c.vc for c in self.relation.candidates(self.relation.num_vcs + source, address)]
        )
        return Message(source, address, held * depth, vcs[:-held], vcs[-held:], tuple(sorted(end[1])))
