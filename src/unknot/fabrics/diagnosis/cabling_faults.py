"""Missing, extra, swapped and misplaced cables between switches, from what differs from a structure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from unknot._base.phrases import few
from unknot.fabrics.diagnosis.finding import Finding
from unknot.fabrics.diagnosis.named import Cables
from unknot.fabrics.diagnosis.pairing import Joined, joined
from unknot.network.recognised import Difference, Structure

RouterPair = tuple[int, int]


@dataclass(frozen=True)
class CablingFault:
    """A finding, with the pairs of routers that the intended fabric has a cable more of, and one fewer."""

    finding: Finding
    lost: tuple[RouterPair, ...] = ()
    beside: tuple[RouterPair, ...] = ()


def cabling_faults(cables: Cables, structure: Structure) -> list[CablingFault]:
    """Return what is wrong with the cables between switches."""
    teller = _Teller(cables, structure)
    strays, lacks = Counter[Any](), Counter[Any]()
    for one in structure.differences:
        pair = _end(structure, one, one.near), _end(structure, one, one.far)
        teller.of[pair] = one
        (lacks if one.count > 0 else strays)[pair] = abs(one.count)
    return [teller.told(fault) for fault in joined(strays, lacks)]


def _end(structure: Structure, one: Difference, routers: tuple[int, ...]) -> tuple[str, Any]:
    """The end of a difference as a key: a router, a group, or several routers."""
    if one.by_group and structure.group is not None:
        return "group", int(structure.group[routers[0]])
    return ("router", routers[0]) if len(routers) == 1 else ("routers", routers)


@dataclass(frozen=True)
class _Teller:
    """Makes findings of differences."""

    cables: Cables
    structure: Structure
    of: dict[Any, Difference] = field(default_factory=dict)

    def told(self, fault: Joined) -> CablingFault:
        strays, lacks = [self.of[pair] for pair in fault.strays], [self.of[pair] for pair in fault.lacks]
        lost = tuple(self.first(one) for one in lacks) * fault.count
        beside = tuple(self.first(one) for one in strays) * fault.count
        wrong = tuple(name for one in strays for name in self.names(one))
        switches = self.switches(*strays, *lacks)
        meant = " and ".join(f"between {self.ends(one)}" for one in lacks)
        if len(strays) > 1:
            words = f"{self.named(strays[0])} and {self.named(strays[1])} are swapped: cables are meant {meant}"
            finding = Finding("swapped cables", words, wrong, switches, 2)
        elif strays and lacks:
            words = f"{self.named(strays[0])} is in a wrong place: a cable is missing {meant}"
            finding = Finding("misplaced cable", words, wrong, switches)
        elif strays:
            what = "a cable too many" if fault.count == 1 else f"{fault.count} cables too many"
            words = f"{what} between {self.ends(strays[0])}: {self.named(strays[0])}"
            finding = Finding("extra cable", words, wrong, switches, fault.count)
        else:
            words = self.missing(lacks[0], fault.count, meant)
            total = self.structure.parts.get(lacks[0].part, 0)
            share = fault.count / total if total else None
            finding = Finding("missing cable", words, (), switches, fault.count, share)
        return CablingFault(finding, lost, beside)

    def missing(self, one: Difference, count: int, meant: str) -> str:
        what = "a cable is" if count == 1 else f"{count} cables are"
        there = len(self.names(one))
        of_all = f": {there} of {there + count} are there" if there and len(one.near) == len(one.far) == 1 else ""
        return f"{what} missing {meant}{of_all}"

    def routers(self, one: Difference) -> list[RouterPair]:
        """Pairs of routers that come into question, the lower first."""
        return [(min(a, b), max(a, b)) for a in one.near for b in one.far if a != b]

    def first(self, one: Difference) -> RouterPair:
        """The first pair with a cable, else the first pair."""
        pairs = self.routers(one)
        return next((pair for pair in pairs if pair in self.cables.between), pairs[0])

    def ends(self, one: Difference) -> str:
        return f"{self.end(one, one.near)} and {self.end(one, one.far)}"

    def end(self, one: Difference, routers: tuple[int, ...]) -> str:
        name = few([self.cables.switch(router) for router in routers])
        if one.by_group and self.structure.group is not None:
            return f"group {self.structure.group[routers[0]]} ({name})"
        return name if len(routers) == 1 else f"one of {name}"

    def switches(self, *differences: Difference) -> tuple[str, ...]:
        routers = {router for one in differences for router in (*one.near, *one.far)}
        return tuple(self.cables.switch(router) for router in sorted(routers))

    def names(self, one: Difference) -> tuple[str, ...]:
        return self.cables.names(self.routers(one))

    def named(self, one: Difference) -> str:
        names = self.names(one)
        return names[0] if len(names) == 1 else f"one of {few(names)}"
