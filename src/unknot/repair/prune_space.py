"""A relation as a table of candidates, and its faults when some are removed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unknot.network import distances_from
from unknot.repair.facts import Detour, Entry, Fact, Knot, Literals, Trap, literals
from unknot.routing.relation import VC_MASK, Relation
from unknot.routing.tabulate import Table, lookup, tabulate

if TYPE_CHECKING:
    from unknot.certificates.verdict import Verdict

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
        start = np.concatenate([[0], np.cumsum(kept)])[table.start]
        rule = lookup(Table(table.first, table.input_vc, start, table.value[kept]))
        return replace(relation, rule=rule, name=name or relation.name, claims={}, claims_minimal=None, source="")

    def verdict(self, relation: Relation) -> Verdict:
        """The verdict."""
        from unknot.verify import check

        return check(relation, self.switching, threads=1)

    def wrong(self, removed: frozenset[Entry]) -> dict[Fact, Literals]:
        """Facts that the relation without some candidates violates; none if it is safe and delivers."""
        found: dict[Fact, Literals] = {}
        for address in range(self.relation.num_addresses):
            for fact in self.lost(address, removed):
                found[fact] = literals(self.relation, fact, self.switching)
            if len(found) >= AT_ONCE:
                break
        if found:
            return found
        verdict = self.verdict(self.without(removed))
        if verdict.configuration is None:
            if verdict.deadlock_free is None:
                raise OpenVerdictError
            return {}
        fact = Knot(verdict.configuration.messages)
        return {fact: literals(self.relation, fact, self.switching)}

    def closed(self, removed: frozenset[Entry], address: int) -> frozenset[Entry] | None:
        """Remove also what leads where packets to an address are lost; None if a source is then cut off."""
        states, more = self.after[address], set(removed)
        alive = {at for at, found in states.items() if any(vc == EJECTED for vc, _ in found)}
        before: dict[int, list[int]] = {}
        for at, found in states.items():
            for vc, _ in found:
                if vc != EJECTED and (at, address, vc) not in removed:
                    before.setdefault(vc, []).append(at)
        todo = list(alive)
        for vc in todo:
            for at in before.get(vc, ()):
                waits = any(w and v == vc for v, w in states[at])
                if waits and at not in alive:
                    alive.add(at)
                    todo.append(at)
        order = (self.relation.num_vcs + self.relation.sources(address)).tolist()
        seen = set(order)
        for at in order:
            if at not in alive:
                return None
            for vc, _ in states[at]:
                if vc == EJECTED or (at, address, vc) in more:
                    continue
                if vc not in alive:
                    more.add((at, address, vc))
                elif vc not in seen:
                    seen.add(vc)
                    order.append(vc)
        return frozenset(more)

    def reached(self, address: int, removed: frozenset[Entry]) -> set[int]:
        """The input VCs that packets to an address come to."""
        order = (self.relation.num_vcs + self.relation.sources(address)).tolist()
        seen = set(order)
        for at in order:
            for vc, _ in self.after[address].get(at, ()):
                if vc != EJECTED and vc not in seen and (at, address, vc) not in removed:
                    seen.add(vc)
                    order.append(vc)
        return seen

    def lost(self, address: int, removed: frozenset[Entry]) -> Iterator[Fact]:
        """Traps and detours on the ways to an address."""
        vcs, states = self.relation.num_vcs, self.after[address]
        came: dict[int, int] = {vcs + s: -1 for s in self.relation.sources(address).tolist()}
        order, kept = list(came), dict[int, list[int]]()
        before: dict[int, list[int]] = {}
        done = 0
        home = int(self.relation.network.eject[self.relation.destination[address]])
        router = self.relation.vcs.router
        for at in order:
            options = [(vc, waits) for vc, waits in states.get(at, ()) if (at, address, vc) not in removed]
            if options and not any(waits for _, waits in options):
                yield Trap(address, _way(came, at), (at,), waits=True)
                done += 1
            kept[at] = [vc for vc, _ in options if vc != EJECTED]
            for vc in kept[at]:
                if self.minimal and self.away[home][router[vc]] != self.away[home][router[at]] - 1:
                    yield Detour(address, (*_way(came, at), vc))
                    done += 1
                before.setdefault(vc, []).append(at)
                if vc not in came:
                    came[vc] = at
                    order.append(vc)
            if done >= AT_ONCE:
                return
        ends = [at for at in order if any(vc == EJECTED for vc, _ in states.get(at, ()))]
        arrives = set(ends)
        for at in ends:
            for b in before.get(at, ()):
                if b not in arrives:
                    arrives.add(b)
                    ends.append(b)
        for at in order:
            if at not in arrives and (came[at] < 0 or came[at] in arrives):
                yield Trap(address, _way(came, at), _closed(kept, at))


def _way(came: dict[int, int], at: int) -> tuple[int, ...]:
    path = [at]
    while came[path[-1]] >= 0:
        path.append(came[path[-1]])
    return tuple(path[::-1])


def _closed(kept: dict[int, list[int]], at: int) -> tuple[int, ...]:
    """Return the VCs that can be reached from an input VC, itself included."""
    closure = [at]
    for here in closure:
        closure += [vc for vc in dict.fromkeys(kept[here]) if vc not in closure]
    return tuple(sorted(closure))
