"""The search for the fewest lanes where packets change lanes on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from unknot.background import clock
from unknot.errors import RelationError
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.synthesis.changing_routes import LEVELS, Entries, in_levels
from unknot.synthesis.evidence import Evidence, Refutation
from unknot.synthesis.exact import Open, decide
from unknot.synthesis.flows import only
from unknot.synthesis.forced import cycle_of_routes, forced_cycle
from unknot.synthesis.orders import FIRST_ROUNDS, Effort, Found, one_by_one, search
from unknot.synthesis.tables import Table, free_table, random_table, table_of, ways_of
from unknot.synthesis.ways import CLASS, Demand, Flags, Ints, demand, in_classes, ways

if TYPE_CHECKING:
    from unknot.synthesis.orders_kernel import Ways

TURNED = 0.3
"""Share of aimed moves that change the table, where it is free."""
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
        self.levels: Ints | None = None
        self.entries: Entries | None = None

    def fewest(self) -> Found:
        """Orders of all virtual channels, in as few lanes as are found."""
        question, effort = self.question, self.effort
        tables = self._tables(1)
        kept = one_by_one(question.space, effort, None if tables is None else tables(0)[0])
        best = self._fit(Found(kept.key + CLASS * np.arange(len(kept))[:, None], kept.taken))
        try:
            low = self.low
            while best is None or (low < len(best) and not effort.over):
                top = len(kept) + 1 if best is None else len(best)
                count = (low + top) // 2 if top - low > 3 else low
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

    def _tables(self, count: int) -> Callable[[int], tuple[Ints, float]] | None:
        space = self.question.space
        if self.question.paths != "table":
            return None
        return lambda number: (
            np.repeat(random_table(space, [self.effort.seed, number]), count, axis=0),
            TURNED,
        )

    def _in(self, count: int, first: int, rounds: int) -> Found | None:
        """Orders in this number of lanes, by annealing."""
        question, effort = self.question, self.effort
        space = in_classes(question.network, question.space, count, rising=question.changes == "rising")
        progress = effort.progress
        said = None
        if progress is not None:
            name = f"{count} lane{'s that change' * (count > 1)}"
            said = lambda stage, done, total: progress(f"{name}: {stage.rpartition(': ')[2]}", done, total)  # noqa: E731
        for attempt in range(PACKED if question.changes == "ports" else 1):
            again = replace(effort, tried={}, progress=said, seed=effort.seed + 7919 * attempt)
            found = search(space, 1, again, first=first, rounds=rounds, tables=self._tables(count))
            effort.moves = again.moves
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
        table = self.question.table or free_table(_demand(self.question), self.question.space, found.taken)
        packed = in_levels(table, found.key)
        if packed is None:
            return None
        self.levels, self.entries = packed
        return found


def _demand(question: Question) -> Demand:
    assert question.demand is not None
    return question.demand


def _by_lane(found: Found, count: int) -> Found:
    """Keys of virtual channels as keys of lanes, and the destinations of channels."""
    return Found(found.key.reshape(-1, count).T.copy(), found.taken[::count])
