"""The search for the fewest lanes where packets change lanes on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from unknot._base.background import clock
from unknot._base.errors import RelationError
from unknot.lanes.changing_routes import LEVELS, Packed, apart, in_levels
from unknot.lanes.effort import Effort
from unknot.lanes.evidence import Evidence
from unknot.lanes.exact import Open, decide
from unknot.lanes.flows import only
from unknot.lanes.forced import cycle_of_routes, forced_cycle
from unknot.lanes.lane_refutation import Refutation
from unknot.lanes.orders import FIRST_ROUNDS, search
from unknot.lanes.rooted import Found, beginning, one_by_one, orders_of
from unknot.lanes.tables import Hops, Table, free_table, lanes_of, table_of, ways_of
from unknot.lanes.ways import CLASS, Demand, Flags, Floats, Ints, demand, in_classes, ways
from unknot.network import Network
from unknot.routing.relation import Relation

if TYPE_CHECKING:
    from unknot.lanes.orders_kernel import Ways

PACKED = 3
"""Searches for orders whose routes fit into the service levels, where lanes change by ports."""


@dataclass(frozen=True, eq=False)
class Question:
    """Question that a search is to answer, whether paths are given or not."""

    network: Network
    paths: str
    changes: str
    space: Ways
    demand: Demand | None
    table: Table | None
    given: Relation | None
    sends: Flags | None
    reason: Evidence | None

    @property
    def hops(self) -> Hops | None:
        """Hops of shortest paths, where routes are those of a table that is to be found."""
        return self.demand.distances.table if self.demand is not None and self.paths == "table" else None


def question_of(
    network: Network, paths: str, changes: str, routing: Relation | str | None, flows: npt.ArrayLike | None
) -> Question:
    """Return the question that the arguments of `changing_lanes` ask."""
    if routing is None:
        wanted = demand(network, flows)
        return Question(
            network, paths, changes, ways(wanted), wanted, None, None, wanted.sends, forced_cycle(wanted)
        )  # fmt: skip
    from unknot.routing.named import routing as named

    relation = named(network, routing) if isinstance(routing, str) else routing
    relation = relation if flows is None else only(relation, flows)
    table = table_of(relation)
    sends = None if flows is None else np.asarray(flows) > 0
    return Question(network, paths, changes, ways_of(table), None, table, relation, sends, cycle_of_routes(table))


class Search:
    """The search for orders in few lanes: by halving, then longer in one lane less than was found."""

    def __init__(self, question: Question, effort: Effort, rounds: int, conflicts: int) -> None:
        self.question, self.effort, self.rounds, self.conflicts = question, effort, rounds, conflicts
        self.low = 1 if question.reason is None else 2
        self.evidence = question.reason
        self.open: dict[int, int] = {}
        self.packed: Packed | None = None

    def fewest(self) -> Found:
        """Orders of all virtual channels, in as few lanes as are found."""
        question, effort = self.question, self.effort
        kept = one_by_one(question.space, [effort.seed, 0], question.hops)
        best = self._fit(self._at_first(kept)) or self._apart(kept)
        try:
            low = self.low
            while best is None or (low < len(best) and not effort.over):
                top = len(kept) + 1 if best is None else len(best)
                count = min((low + top) // 2, 2 * low) if top - low > 3 else low
                found = self._in(count, 0, FIRST_ROUNDS)
                if found is not None:
                    best = found
                    continue
                if best is None and count >= len(kept):
                    raise RelationError(
                        f"lanes on {question.network.name}: no routes that change lanes by ports were found in "
                        f"{LEVELS} service levels and {count} lanes"
                    )
                low = count + 1
            for better in self._better(best):
                best = better
        except KeyboardInterrupt:
            effort.interrupted = True
            if best is None:
                raise
        return best

    def _at_first(self, kept: Found) -> Found:
        """The first 2, 4, 8, … of lanes that are kept, as soon as they serve all pairs if packets change them."""
        question, count = self.question, 2
        while count < len(kept):
            key = kept.key[:count] + CLASS * np.arange(count)[:, None]
            space = in_classes(question.network, question.space, count, rising=question.changes == "rising")
            _, left = orders_of(space, key.T.reshape(1, -1), np.repeat(kept.taken, count, axis=0))
            if left == 0:
                return Found(key, kept.taken)
            count *= 2
        return Found(kept.key + CLASS * np.arange(len(kept))[:, None], kept.taken)

    def _apart(self, kept: Found) -> Found | None:
        """Lanes that are kept, each a service level of its own, if there are not too many."""
        question = self.question
        if len(kept) > LEVELS:
            fewer = search(question.space, LEVELS, self.effort, first=0, rounds=1, hops=question.hops)
            if fewer is None:
                return None
            kept = fewer
        orders, _ = orders_of(question.space, kept.key, kept.taken)
        self.packed = apart(self._table(kept), lanes_of(orders, self._table(kept)), len(kept))
        return Found(kept.key + CLASS * np.arange(len(kept))[:, None], kept.taken)

    def _table(self, found: Found) -> Table:
        return self.question.table or free_table(_demand(self.question), self.question.space, found.taken)

    def _better(self, best: Found) -> Iterator[Found]:
        """One lane less than was found: exactly, then by longer rounds; then those that are open, exactly."""
        spent = FIRST_ROUNDS
        while self.low < len(best) and spent < self.rounds and not self.effort.over:
            found = self._exactly(len(best) - 1) if spent == FIRST_ROUNDS else None
            if self.low < len(best) and found is None:
                found = self._in(len(best) - 1, spent, 1)
            if found is None:
                spent += 1
            else:
                best, spent = found, FIRST_ROUNDS
                yield best
        for lanes in range(self.low, len(best) - 1):
            found = self._exactly(lanes)
            if found is not None:
                yield found
            if self.low <= lanes:
                return

    def _in(self, count: int, first: int, rounds: int) -> Found | None:
        """Orders in this number of lanes, by annealing."""
        question, effort = self.question, self.effort
        space = in_classes(question.network, question.space, count, rising=question.changes == "rising")

        def begin(number: int) -> tuple[Floats, Ints | None]:
            seed = [effort.seed, 1000 * count + number]
            key, taken = beginning(question.space, count, seed, question.hops, roots=number % 2 == 0)
            key = key + CLASS * np.arange(count)[:, None]
            key = (key if question.changes == "rising" else key / (CLASS * count)).T.reshape(1, -1)
            return key, None if taken is None else np.repeat(taken, count, axis=0)

        progress = effort.progress
        said = None
        if progress is not None:
            name = f"{count} lane{'s that change' * (count > 1)}"
            said = lambda stage, done, total: progress(f"{name}: {stage.rpartition(': ')[2]}", done, total)  # noqa: E731
        for attempt in range(PACKED if question.changes == "ports" else 1):
            again = replace(effort, tried={}, progress=said, seed=effort.seed + 7919 * attempt)
            found = search(space, 1, again, first=first, rounds=rounds, hops=question.hops, begin=begin)
            effort.moves, effort.hurried = again.moves, effort.hurried | again.hurried
            done, least = effort.tried.get(count, (0, question.space.wanted.size * 64))
            more, left = again.tried.get(1, (1, 0))
            effort.tried[count] = (done + more, min(least, left))
            if found is None:
                return None
            fitting = self._fit(_by_lane(found, count))
            if fitting is not None:
                effort.found(count)
                return fitting
            if effort.over:
                break
        return None

    def _exactly(self, count: int) -> Found | None:
        """Orders in this number of lanes by the solver; a refutation becomes the evidence."""
        question, effort = self.question, self.effort
        if question.demand is None or effort.over:
            return None
        changes = "rising" if question.changes == "rising" else "any"
        now = clock()
        half = replace(effort, deadline=now + (effort.deadline - now) / 2)
        answer = decide(question.demand, count, half, conflicts=self.conflicts, changes=changes)
        if isinstance(answer, Open):
            self.open[count] = answer.conflicts
        elif isinstance(answer, Refutation):
            self.low, self.evidence = count + 1, answer
        elif question.paths == "free":
            key = answer / (answer.max(initial=0.0) + 1.0)
            if changes == "rising":
                key = key + CLASS * (np.arange(key.size) % count)
            space = in_classes(question.network, question.space, count, rising=changes == "rising")
            return _by_lane(Found(key.reshape(1, -1), space.nearer), count)
        return None

    def _fit(self, found: Found) -> Found | None:
        """The orders, if their routes fit into the service levels; where lanes do not change by ports they do."""
        if self.question.changes != "ports":
            return found
        packed = in_levels(self._table(found), found.key)
        if packed is None:
            return None
        self.packed = packed
        return found


def _demand(question: Question) -> Demand:
    assert question.demand is not None
    return question.demand


def _by_lane(found: Found, count: int) -> Found:
    """Keys of virtual channels as keys of lanes, and the destinations of channels."""
    return Found(found.key.reshape(-1, count).T.copy(), found.taken[::count])
