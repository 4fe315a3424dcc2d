"""A relation as a table of candidates, and its faults when some are removed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unknot._base.compressed_rows import offsets
from unknot.network import distances_from
from unknot.network.graph import backwards, path_to, reached_from
from unknot.repair.facts import Detour, Entry, Fact, Knot, Literals, Trap, literals
from unknot.routing.relation import VC_MASK, Relation
from unknot.routing.tabulate import Table, lookup, tabulate

if TYPE_CHECKING:
    from unknot.certificates.verdict import Verdict

Steps = dict[int, list[int]]
"""VCs by the VC from which a step leads to them."""
EJECTED = -1
AT_ONCE = 40
"""Traps and detours that are looked for in one relation."""


class OpenVerdictError(Exception):
    """There was no time for a verdict."""


class Offers:
    """A relation as a table, and its faults when candidates are removed."""

    def __init__(self, relation: Relation, switching: str, minimal: bool) -> None:
        self.relation, self.switching, self.minimal = relation, switching, minimal
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
        homes = sorted({int(relation.network.eject[t]) for t in relation.destination})
        self.away = {h: distances_from(relation.network, h, reverse=True).tolist() for h in homes} if minimal else {}

    def without(self, removed: frozenset[Entry], name: str = "") -> Relation:
        """The relation without some candidates."""
        table, relation = self.table, self.relation
        gone = {(address, at, vc) for at, address, vc in removed}
        kept = np.ones(table.value.size, dtype=bool)
        where = {(a, at) for a, at, _ in gone}
        for address, at in where:
            first, last = int(table.first[address]), int(table.first[address + 1])
            s = first + int(np.searchsorted(table.input_vc[first:last], at))
            for i in range(int(table.start[s]), int(table.start[s + 1])):
                kept[i] = (address, at, int(table.value[i]) & VC_MASK) not in gone
        start = offsets(kept)[table.start]
        rule = lookup(Table(table.first, table.input_vc, start, table.value[kept]))
        return replace(relation, rule=rule, name=name or relation.name, claims={}, claims_minimal=None, source="")

    def verdict(self, relation: Relation) -> Verdict:
        """The verdict."""
        from unknot.verify import check

        return check(relation, self.switching, threads=1)

    def wrong(self, removed: frozenset[Entry]) -> dict[Fact, Literals]:
        """Facts that the relation without some candidates violates; none if it is safe and delivers."""
        broken: dict[Fact, Literals] = {}
        for address in range(self.relation.num_addresses):
            for fact in self.lost(address, removed):
                broken[fact] = literals(self.relation, fact, self.switching)
            if len(broken) >= AT_ONCE:
                break
        if broken:
            return broken
        verdict = self.verdict(self.without(removed))
        if verdict.configuration is None:
            if verdict.deadlock_free is None:
                raise OpenVerdictError
            return {}
        fact = Knot(verdict.configuration.messages)
        return {fact: literals(self.relation, fact, self.switching)}

    def _sources(self, address: int) -> list[int]:
        """The injection ports from which packets to an address come."""
        ports: list[int] = (self.relation.num_vcs + self.relation.sources(address)).tolist()
        return ports

    def _steps(self, address: int, removed: frozenset[Entry], *, waiting: bool = False) -> Steps:
        """The output VCs of each input VC without removed candidates, or of these what a blocked header waits for."""
        return {
            at: [
                vc
                for vc, waits in candidates
                if vc != EJECTED and (waits or not waiting) and (at, address, vc) not in removed
            ]
            for at, candidates in self.after[address].items()
        }

    def _arriving(self, address: int, steps: Steps) -> dict[int, int]:
        """The input VCs from which steps lead to the destination."""
        ends = [at for at, candidates in self.after[address].items() if any(vc == EJECTED for vc, _ in candidates)]
        return _reached(ends, backwards(steps))

    def closed(self, removed: frozenset[Entry], address: int) -> frozenset[Entry] | None:
        """Remove also what leads where packets to an address are lost; None if a source is then cut off."""
        steps, sources = self._steps(address, removed), self._sources(address)
        alive = self._arriving(address, self._steps(address, removed, waiting=True))
        if any(at not in alive for at in sources):
            return None
        kept = {at: [vc for vc in onward if vc in alive] for at, onward in steps.items()}
        return removed | {(at, address, vc) for at in _reached(sources, kept) for vc in steps[at] if vc not in alive}

    def reached(self, address: int, removed: frozenset[Entry]) -> dict[int, int]:
        """The input VCs that packets to an address come to, each with the one they come from first, or itself."""
        return _reached(self._sources(address), self._steps(address, removed))

    def lost(self, address: int, removed: frozenset[Entry]) -> Iterator[Fact]:
        """Traps and detours on the ways to an address."""
        states, steps = self.after[address], self._steps(address, removed)
        came, done = _reached(self._sources(address), steps), 0
        home = int(self.relation.network.eject[self.relation.destination[address]])
        router = self.relation.vcs.router
        for at in came:
            kept = [waits for vc, waits in states.get(at, ()) if (at, address, vc) not in removed]
            if kept and not any(kept):
                yield Trap(address, tuple(path_to(at, came)), (at,), waits=True)
                done += 1
            for vc in steps.get(at, ()) if self.minimal else ():
                if self.away[home][router[vc]] != self.away[home][router[at]] - 1:
                    yield Detour(address, (*path_to(at, came), vc))
                    done += 1
            if done >= AT_ONCE:
                return
        arrives = self._arriving(address, steps)
        for at in came:
            if at not in arrives and (came[at] == at or came[at] in arrives):
                yield Trap(address, tuple(path_to(at, came)), tuple(sorted(_reached([at], steps))))


def _reached(starts: list[int], steps: Steps) -> dict[int, int]:
    """What steps lead to, nearest first, each with where it is first come to from; a start is before itself."""
    return reached_from(starts, lambda at: steps.get(at, ()))
