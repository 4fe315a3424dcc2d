"""A relation as a table of candidates, and its faults when some are removed."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unknot.flow_control.techniques import technique
from unknot.network import distances_from
from unknot.network.graph import backwards, reached_from
from unknot.remedies.facts import CANDIDATE, Entry, Fact, Knot, Literals, literals
from unknot.routing.relation import VC_MASK, Relation
from unknot.routing.table import lookup
from unknot.routing.tabulate import tabulate
from unknot.routing.waiting import keeps_choice

if TYPE_CHECKING:
    from unknot.certificates.verdict import Verdict

Steps = dict[int, list[int]]
"""VCs by the VC from which a step leads to them."""
EJECTED = -1


class OpenVerdictError(Exception):
    """There was no time for a verdict."""


class Offers:
    """A relation as a table, and its faults when candidates are removed.

    Attributes
    ----------
    chosen : bool
        Whether headers keep their choice of a candidate.
    turns : list of (int, int)
        Of a VC to a candidate of a header in it.
    together : dict of entry to list of entries, or None
        Units in which candidates go, by the first candidate; other candidates stay. None: each goes alone.
    """

    def __init__(
        self,
        relation: Relation,
        switching: str,
        minimal: bool,
        unit: Callable[[int, int, int], Hashable | None] | None = None,
    ) -> None:
        self.relation, self.switching, self.minimal = relation, switching, minimal
        self.chosen = keeps_choice(relation.commits, switching)
        self.table = relation.table or tabulate(relation)
        table = self.table
        self.after: list[dict[int, list[tuple[int, bool]]]] = []
        self.count = 0
        for address in range(relation.num_addresses):
            states: dict[int, list[tuple[int, bool]]] = {}
            for s in range(int(table.first[address]), int(table.first[address + 1])):
                at = int(table.input_vc[s])
                states[at] = [(EJECTED if c.vc is None else c.vc, c.waits) for c in relation.candidates(at, address)]
                self.count += sum(vc != EJECTED for vc, _ in states[at])
            self.after.append(states)
        rows = [(at, vc) for states in self.after for at, row in states.items() for vc, _ in row]
        self.turns = sorted({(at, vc) for at, vc in rows if at < relation.num_vcs and vc != EJECTED})
        self.together: dict[Entry, list[Entry]] | None = None
        if unit is not None:
            members: dict[Hashable, list[Entry]] = {}
            for address, states in enumerate(self.after):
                for at, row in states.items():
                    for vc, _ in row:
                        if vc != EJECTED and (whose := unit(at, address, vc)) is not None:
                            members.setdefault(whose, []).append((at, address, vc))
            self.together = {several[0]: several for several in members.values()}
            self._first = {entry: several[0] for several in members.values() for entry in several}
        homes = sorted({int(relation.network.eject[t]) for t in relation.destination})
        self.away = {h: distances_from(relation.network, h, reverse=True).tolist() for h in homes} if minimal else {}

    def named(self, entry: Entry) -> Entry | None:
        """The first candidate of the unit of an entry; the entry itself without units, None if the entry stays."""
        return entry if self.together is None else self._first.get(entry)

    def clause(self, fact: Fact) -> Literals:
        """The clause of a fact, in which the first candidate of a unit stands for all."""
        gone, kept = literals(self.relation, fact, self.switching)
        return self._firsts(gone), self._firsts(kept)

    def _firsts(self, side: frozenset[Entry]) -> frozenset[Entry]:
        named = (self.named(entry) if len(entry) == CANDIDATE else entry for entry in side)
        return frozenset(entry for entry in named if entry is not None)

    def without(self, removed: frozenset[Entry], name: str = "") -> Relation:
        """The relation without some candidates."""
        table, relation, together = self.table, self.relation, self.together
        every = removed if together is None else (entry for first in removed for entry in together[first])
        gone = {(address, at, vc) for at, address, vc in every}
        kept = np.ones(table.value.size, dtype=bool)
        where = {(a, at) for a, at, _ in gone}
        for address, at in where:
            first, last = int(table.first[address]), int(table.first[address + 1])
            s = first + int(np.searchsorted(table.input_vc[first:last], at))
            for i in range(int(table.start[s]), int(table.start[s + 1])):
                kept[i] = (address, at, int(table.value[i]) & VC_MASK) not in gone
        return replace(
            relation,
            rule=lookup(table.kept(kept)),
            name=name or relation.name,
            published=replace(relation.published, claims={}, claims_minimal=None, source=""),
        )

    def verdict(self, relation: Relation) -> Verdict:
        """The verdict."""
        from unknot.verify import check

        return check(relation, self.switching, threads=1)

    def knot(self, removed: frozenset[Entry]) -> Knot | None:
        """A deadlock of the relation without some candidates; None if there is none.

        Raises
        ------
        OpenVerdictError
            Also where packets hold all that they wait for, and no way there is known, or none one after the other:
            such a set forbids nothing.
        """
        verdict = self.verdict(self.without(removed))
        if verdict.deadlock_free is None or (verdict.configuration and verdict.configuration.order):
            raise OpenVerdictError
        return Knot(verdict.configuration.messages) if verdict.configuration else None

    def _sources(self, address: int) -> list[int]:
        """The injection ports from which packets to an address come."""
        ports: list[int] = (self.relation.num_vcs + self.relation.sources(address)).tolist()
        return ports

    def _steps(self, address: int, removed: frozenset[Entry]) -> Steps:
        """The output VCs of each input VC without removed candidates."""
        return {
            at: [vc for vc, _ in candidates if vc != EJECTED and self.named((at, address, vc)) not in removed]
            for at, candidates in self.after[address].items()
        }

    def _arriving(self, address: int, steps: Steps) -> dict[int, int]:
        """The input VCs from which steps lead to the destination."""
        ends = [at for at, candidates in self.after[address].items() if any(vc == EJECTED for vc, _ in candidates)]
        return _reached(ends, backwards(steps))

    def order(self, removed: frozenset[Entry]) -> dict[int, int] | None:
        """Ranks of VCs by which headers fall after some candidates are removed; None if no such order exists."""
        stuck: dict[int, list[list[int]]] = {}
        for address in range(self.relation.num_addresses):
            for at in self.reached(address, removed):
                row = [vc for vc, w in self.after[address][at] if w or self.chosen]
                if at < self.relation.num_vcs and (self.chosen or EJECTED not in row):
                    left = [vc for vc in row if vc != EJECTED and self.named((at, address, vc)) not in removed]
                    stuck.setdefault(at, []).append(left)
                elif at < self.relation.num_vcs:
                    stuck.setdefault(at, [])
        rank: dict[int, int] = {}
        while True:
            enough = all if self.chosen else any
            free = [at for at, rows in stuck.items() if all(enough(vc in rank for vc in row) for row in rows)]
            if not free:
                return None if stuck else rank
            for at in free:
                rank[at] = len(rank)
                del stuck[at]

    def reached(self, address: int, removed: frozenset[Entry]) -> dict[int, int]:
        """The input VCs reached by packets to an address, each with its first predecessor, or itself."""
        return _reached(self._sources(address), self._steps(address, removed))

    def hold(self, removed: frozenset[Entry]) -> bool:
        """Whether the relation without some candidates delivers and is safe; an order is not enough for worms."""
        ordered = self.delivers(removed) and self.order(removed) is not None
        return ordered and (not technique(self.switching).exclusive or self.chosen or self.knot(removed) is None)

    def delivers(self, removed: frozenset[Entry]) -> bool:
        """Whether all packets arrive, by shortest paths if need be, and blocked headers wait for something."""
        return all(self._delivers(address, removed) for address in range(self.relation.num_addresses))

    def _delivers(self, address: int, removed: frozenset[Entry]) -> bool:
        steps = self._steps(address, removed)
        came, arrives = _reached(self._sources(address), steps), self._arriving(address, steps)
        return all(
            at in arrives
            and any(w and self.named((at, address, vc)) not in removed for vc, w in self.after[address].get(at, ()))
            and not any(self.is_detour(address, at, vc) for vc in steps.get(at, ()))
            for at in came
        )

    def is_detour(self, address: int, at: int, vc: int) -> bool:
        """Whether shortest paths are asked for, and a step is on none."""
        if not self.minimal:
            return False
        away = self.away[int(self.relation.network.eject[self.relation.destination[address]])]
        router = self.relation.vcs.router
        return bool(away[router[vc]] != away[router[at]] - 1)


def _reached(starts: list[int], steps: Steps) -> dict[int, int]:
    """What steps lead to, nearest first, each with where it is first come to from; a start is before itself."""
    return reached_from(starts, lambda at: steps.get(at, ()))
