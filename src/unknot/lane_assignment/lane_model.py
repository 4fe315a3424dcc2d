"""Clauses of the exact searches for lanes: which states lead on, climbing, to where their packets go.

For each lane and state there is a variable, "packets go on from here in this lane", shared by all pairs that come
there; a turn of the lane for each two channels in succession. Turns close no cycle: in small networks by a transitive
closure, in others each cycle of an answer is forbidden. The checker's clauses are of another kind: variables of each
pair's paths and lanes, and total orders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from unknot.lane_assignment.forced import Turn
from unknot.lane_assignment.walks import Pair, State, Walks
from unknot.network.graph import hops_around

Clause = tuple[int, ...]


class LaneModel:
    """The clauses of pairs in some lanes.

    Attributes
    ----------
    clauses : list of tuples of int
    turns : list of dict of turn to int
        The variables of each lane's turns.
    """

    def __init__(self, walks: Walks, lanes: int, together: Callable[[Pair], Pair] | None = None) -> None:
        self.walks, self.lanes, self.together = walks, lanes, together
        self.clauses: list[Clause] = []
        self.turns: list[dict[Turn, int]] = [{} for _ in range(lanes)]
        self.variables = 0
        self._number: dict[Any, int] = {}

    def variable(self, *meaning: Any) -> int:
        """The number of a variable."""
        number = self._number.get(meaning)
        if number is None:
            number = self._number[meaning] = self.fresh()
        return number

    def fresh(self) -> int:
        self.variables += 1
        return self.variables

    def turn(self, k: int, c: int, e: int) -> int:
        """The variable of a turn of a lane."""
        number = self.turns[k].get((c, e))
        if number is None:
            number = self.turns[k][c, e] = self.fresh()
        return number

    def serve(self, pair: Pair, among: int) -> None:
        """Demand a lane among the first lanes for a pair; the same lane both ways, if directions share lanes."""
        options = list[int]()
        for k in range(min(among, self.lanes)):
            states = [self.leads(k, state) for state in self.walks.begin(pair)]
            if self.together is None:
                options += states
            else:
                options.append(self.variable("lane", self.together(pair), k))
                self.clauses.append((-options[-1], *states))
        self.clauses.append(tuple(options))

    def leads(self, k: int, state: State) -> int:
        """The variable of a state in a lane, with the clauses of all that follows."""
        known = self._number.get((k, state))
        if known is not None:
            return known
        number, todo = self.variable(k, state), [state]
        while todo:
            here = todo.pop()
            if after := self.walks.after(here):
                todo += (there for there in after if (k, there) not in self._number)
                self._goes_on(k, here, [(there, self.variable(k, there)) for there in after])
        return number

    def _goes_on(self, k: int, here: State, after: Sequence[tuple[State, int]]) -> None:
        """Add a clause: from a state a turn of the lane leads to a following state."""
        leads, steps = self._number[k, here], list[int]()
        for there, then in after:
            step = leads if len(after) == 1 else self.fresh()
            steps.append(step)
            self.clauses += [(-step, then), (-step, self.turn(k, here[0], there[0]))]
        if len(after) > 1:
            self.clauses.append((-leads, *steps))

    def forbid(self, cycle: Sequence[int]) -> None:
        """Add for each lane that it lacks a turn of a cycle of channels."""
        around = hops_around(cycle)
        for turns in self.turns:
            if all(turn in turns for turn in around):
                self.clauses.append(tuple(-turns[turn] for turn in around))

    def close(self) -> None:
        """Add clauses for each lane: its known turns lead from no channel back to the same channel."""
        for k, turns in enumerate(self.turns):
            for (c, e), turn in turns.items():
                self.clauses.append((-turn, self._reaches(k, c, e)) if c != e else (-turn,))
            for start in {c for c, _ in turns}:
                for (c, e), turn in turns.items():
                    if c != start:
                        back = () if e == start else (self._reaches(k, start, e),)
                        self.clauses.append((-self._reaches(k, start, c), -turn, *back))

    def _reaches(self, k: int, c: int, e: int) -> int:
        """The variable of a channel from which turns lead to another."""
        return self.variable("reaches", k, c, e)


class LoadModel(LaneModel):
    """The clauses of pairs whose routes load each channel with at most so many units.

    A pair is a router and a terminal. Each pair has a variable for each channel of its shortest paths, "some of its
    packets come here", and for each lane. What comes to a channel is added up in a tree of pairs of sums.

    Parameters
    ----------
    amounts : dict of pair to int
        What each sends.
    most : sequence of int
        What each channel carries at most.
    source : sequence of int
        Where each channel begins.
    table : bool
        Whether the next channel depends on the router and the terminal alone; else on channel, lane and terminal.
    """

    def __init__(
        self,
        walks: Walks,
        lanes: int,
        together: Callable[[Pair], Pair] | None,
        *,
        amounts: dict[Pair, int],
        most: Sequence[int],
        source: Sequence[int],
        table: bool,
    ) -> None:
        super().__init__(walks, lanes, together)
        self.amounts, self.most, self.source, self.table = amounts, most, source, table
        self._next: dict[Any, dict[int, int]] = {}
        self._comes: list[list[tuple[int, int]]] = [[] for _ in most]

    def lane(self, pair: Pair, k: int) -> int:
        """The variable of a pair in a lane."""
        return self.variable("lane", pair if self.together is None else self.together(pair), k)

    def comes(self, pair: Pair, c: int) -> int:
        """The variable of a pair whose packets come to a channel."""
        return self.variable("comes", pair, c)

    def serve(self, pair: Pair, among: int) -> None:
        lanes = [self.lane(pair, k) for k in range(min(among, self.lanes))]
        self.clauses.append(tuple(lanes))
        begin = self.walks.begin(pair)
        self.clauses.append(tuple(self.comes(pair, c) for c, _ in begin))
        seen, todo = {*begin}, [*begin]
        while todo:
            here = todo.pop()
            c, after = here[0], self.walks.after(here)
            comes = self.comes(pair, c)
            self._comes[c].append((self.amounts[pair], comes))
            if self.table:
                self.clauses.append((-comes, self._goes(self.source[c], pair[1], c)))
            if after:
                self.clauses.append((-comes, *(self.comes(pair, e) for e, _ in after)))
            for there in after:
                e = there[0]
                both = (-comes, -self.comes(pair, e))
                for k, lane in enumerate(lanes):
                    self.clauses.append((*both, -lane, self.turn(k, c, e)))
                    if not self.table and len(after) > 1:
                        self.clauses.append((*both, -lane, self._goes((k, c), pair[1], e)))
                if there not in seen:
                    seen.add(there)
                    todo.append(there)
        self.clauses += [(self.comes(pair, c),) for c in self._by_all(pair)]

    def _by_all(self, pair: Pair) -> list[int]:
        """Channels that all shortest paths of a pair take: the only one of as many hops."""
        channels, here = list[int](), {*self.walks.begin(pair)}
        while here:
            channels += [c for c, _ in here] if len(here) == 1 else []
            here = {there for state in here for there in self.walks.after(state)}
        return channels

    def _goes(self, where: Any, end: int, e: int) -> int:
        """The variable of packets to an end that go on by a channel; by one alone."""
        options = self._next.setdefault((where, end), {})
        if e not in options:
            number = self.fresh()
            self.clauses += [(-number, -other) for other in options.values()]
            options[e] = number
        return options[e]

    def limit(self, enough: int) -> bool:
        """Add that no channel has more than its most; whether fewer than some number of clauses do."""
        for most, comes in zip(self.most, self._comes, strict=True):
            if most < 0:
                never = self.fresh()
                self.clauses += [(never,), (-never,)]
            self._at_most(most, comes)
            if len(self.clauses) > enough:
                return False
        return True

    def _at_most(self, most: int, weighted: Sequence[tuple[int, int]]) -> None:
        """Add that literals weigh at most so much together."""
        total = sum(weight for weight, _ in weighted)
        if total <= most:
            return
        # the sums that some of the literals come to: at least a weight, and its variable
        sums: list[tuple[int, dict[int, int]]] = [(weight, {weight: literal}) for weight, literal in weighted]
        while len(sums) > 1:
            halves = zip(sums[::2], sums[1::2], strict=False)
            merged = [self._merged(most, total, a, b) for a, b in halves]
            sums = [*merged, *sums[len(sums) // 2 * 2 :]]
        self.clauses += [(-literal,) for weight, literal in sums[0][1].items() if weight > most]

    def _merged(
        self, most: int, total: int, one: tuple[int, dict[int, int]], other: tuple[int, dict[int, int]]
    ) -> tuple[int, dict[int, int]]:
        """The sums of both; those that the rest cannot bring above the most are left out."""
        whole = one[0] + other[0]
        both = dict[int, int]()
        for a, first in ((0, ()), *((a, (-x,)) for a, x in one[1].items())):
            for b, second in ((0, ()), *((b, (-x,)) for b, x in other[1].items())):
                if a + b == 0 or a + b + total - whole <= most:
                    continue
                if a + b > most:
                    self.clauses.append((*first, *second))
                    continue
                if a + b not in both:
                    both[a + b] = self.fresh()
                self.clauses.append((*first, *second, both[a + b]))
        return whole, both

    def route(self, pair: Pair, true: set[int]) -> tuple[int, list[int]]:
        """The lane and the channels of a pair in an answer."""
        lane = next(k for k in range(self.lanes) if self.lane(pair, k) in true)
        after: Iterable[State] = self.walks.begin(pair)
        path = list[int]()
        while after:
            state = next(state for state in after if self.comes(pair, state[0]) in true)
            path.append(state[0])
            after = self.walks.after(state)
        return lane, path
