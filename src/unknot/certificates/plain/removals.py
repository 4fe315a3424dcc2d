"""Fewer removed candidates or added VCs, refuted."""

from __future__ import annotations

from collections import Counter
from typing import Any

from unknot.certificates.plain.flow import Technique, technique
from unknot.certificates.plain.packets import Entry, Packet, require_blocked, require_order, taken
from unknot.certificates.plain.reading import (
    EJECT,
    KEPT_STATE,
    Rejected,
    around,
    field,
    integers,
    lists,
    number,
    numbers,
    pay,
    word,
)
from unknot.certificates.plain.refuted import PARTS
from unknot.certificates.plain.registry import checks
from unknot.certificates.plain.tables import Table
from unknot.certificates.plain.worms import KEEPING, Steps

CANDIDATE, TURN = 3, 2
"""Numbers of a candidate that can be removed, and of a turn."""


@checks("removals", "relation", "least")
def check_removals(table: Table, claim: Any, proof: Any) -> str:
    """Check that a relation is not safe and delivering, however fewer than `least` of its candidates are removed.

    Safe: free of deadlock under a technique. Delivering: ejection can be reached from every state that is left, and a
    blocked header waits for something. Minimal: on shortest paths only. Then VCs have an order in which every header
    waits for one that is lower than its own, or where headers keep their choice all candidates are lower: VCs without
    such an order hold packets, each in one VC, that wait for each other. Each fact is a clause about the candidates
    that are removed, and the turns that do not fall in the order. In each leaf of a tree of choices, facts are added
    up by whole multipliers.

    Claim: `switching`, `minimal` (shortest paths only), `least`: fewer removed candidates never do; with
    `together`, sets of candidates [input VC, address, output VC] that go as one, fewer such sets, while other
    candidates stay
    Proof: `facts`: a `cycle` of VCs, a `stop` or `rise` of a header, a `detour`, a `knot` of packets with an
    order of arrival (nothing is checked without an order); `tree`, each node before its branches: `entry`
    [input VC, address, output VC], the first of its set, removed first, then kept, or [input VC, output VC], rising,
    falling; or
    `multipliers`, [fact, parts of 10⁹] that add up to `least`
    """
    switching, minimal, least = technique(claim), field(claim, "minimal", bool), field(claim, "least", int)
    facts = [removal_clause(table, switching, minimal, fact) for fact in field(proof, "facts", list)]
    if together := "together" in claim:
        facts = of_sets(facts, field(claim, "together", list))
    if removals_shown(facts, field(proof, "tree", list)) < least:
        raise Rejected(f"the facts do not add up to {least} removed candidates in every leaf")
    paths = " on shortest paths" if minimal else ""
    what = "sets of candidates" if together else "candidates"
    return f"not safe under {switching} and delivering{paths} with fewer than {least} {what} removed"


def of_sets(facts: list[tuple[set[Entry], set[Entry]]], together: list[Any]) -> list[tuple[set[Entry], set[Entry]]]:
    """Clauses of sets of candidates; the first candidate of a set stands for all.

    A candidate of no set stays: its removal fulfils no clause, and a clause that keeps it says nothing.
    """
    first: dict[Entry, Entry] = {}
    for several in together:
        entries = [(*integers(entry, "together", 0, 2**62),) for entry in lists(several, "together", CANDIDATE)]
        pay(KEPT_STATE * len(entries))
        for entry in entries:
            if entry in first:
                raise Rejected(f"candidate {list(entry)} is in two sets")
            first[entry] = entries[0]

    def named(side: set[Entry]) -> set[Entry]:
        return {
            entry if len(entry) == TURN else first[entry] for entry in side if len(entry) == TURN or entry in first
        }

    for _, kept in facts:
        if any(len(entry) == CANDIDATE and entry not in first for entry in kept):
            raise Rejected("a fact holds whatever is removed: one of its candidates is in no set, and stays")
    return [(named(removed), named(kept)) for removed, kept in facts]


def removals_shown(facts: list[tuple[set[Entry], set[Entry]]], tree: list[Any]) -> int:
    """The removed candidates that facts show to be needed: the fewest of all leaves of a tree.

    The tree is a list, each node before its branches. A candidate divides a node: first it is removed, then kept; or
    a turn does: first it does not fall, then it falls.
    """
    branches: list[dict[Entry, bool]] = [{}]
    shown, steps = [], Steps()
    for node in tree:
        if not branches:
            raise Rejected("the tree goes on after its last leaf")
        fixed = branches.pop()
        steps.take(1 + KEEPING * len(fixed))
        if isinstance(node, dict) and "entry" in node:
            entry = (*integers(node["entry"], "entry", 0, 2**62),)
            if len(entry) not in (TURN, CANDIDATE):
                raise Rejected("an entry is a candidate, of three numbers, or a turn, of two")
            branches += [{**fixed, entry: False}, {**fixed, entry: True}]
        else:
            shown.append(leaf_shown(facts, fixed, field(node, "multipliers", list), steps))
    if branches:
        raise Rejected("the tree ends before its last leaf")
    return min(shown)


def leaf_shown(
    facts: list[tuple[set[Entry], set[Entry]]], fixed: dict[Entry, bool], multipliers: list[Any], steps: Steps
) -> int:
    """The removed candidates that facts show, added up in parts of `PARTS`, where some of them are fixed.

    With x = 1 for a removed candidate, or a turn that does not fall, a fact is: the x of some, minus those of others,
    are at least 1 minus the number of the others. Candidates cost `PARTS`, turns 0. So for any x from 0 to 1:
    Σ cost · x ≥ Σ multiplier · (1 − others) + Σ (cost − slope) · x, and where x is not fixed the last sum is least if
    x is 1 where its factor is negative, else 0.
    """
    total = 0
    slope = Counter[Entry](dict.fromkeys(fixed, 0))
    for pair in lists(multipliers, "multipliers", 2):
        fact, multiplier = integers(pair, "multipliers", 0, 2**62)
        if fact >= len(facts):
            raise Rejected(f"there is no fact {fact}")
        removed, kept = facts[fact]
        steps.take(1 + len(removed) + len(kept))
        total += multiplier * (1 - len(kept))
        slope.update(dict.fromkeys(removed, multiplier))
        slope.subtract(dict.fromkeys(kept, multiplier))
    for entry, part in slope.items():
        cost = PARTS if len(entry) == CANDIDATE else 0
        total += cost - part if fixed.get(entry, part > cost) else 0
    return max(0, -(-total // PARTS))


def removal_clause(table: Table, switching: Technique, minimal: bool, fact: Any) -> tuple[set[Entry], set[Entry]]:
    """The clause of a fact: one of the first entries is removed, or one of the second is kept; of turns, falls."""
    kind = word(fact, "kind", ("knot", "cycle", "stop", "rise", "detour"))
    if kind == "knot":
        return knot_clause(table, switching, field(fact, "messages", list))
    if kind == "cycle":
        vcs = numbers(fact, "around", 0, table.vcs)
        if not vcs:
            raise Rejected("a cycle has VCs")
        return {*around(vcs)}, set()
    address = field(fact, "address", int)
    way = numbers(fact, "way", 0, len(table.router))
    removed = taken(table, address, way)
    if kind == "stop":
        waits = table.waits[address][way[-1]]
        pay(KEPT_STATE * len(waits))
        falling = {*numbers(fact, "falling", 0, table.vcs)}
        if EJECT in waits:
            raise Rejected(f"ejection cannot be removed at {table.name(way[-1])}")
        return removed, {(way[-1], v) if v in falling else (way[-1], address, v) for v in waits}
    if len(way) < 2:
        raise Rejected(f"{kind!r} is of a way that has no step")
    if kind == "rise" and table.chosen(switching):
        return removed, {(way[-2], way[-1])}
    hops = table.network.hops_to(table.network.eject[table.destination[address]])
    here, there = table.router[way[-2]], table.router[way[-1]]
    if kind != "detour" or not minimal or here not in hops or hops.get(there) == hops[here] - 1:
        raise Rejected(f"the step to {table.name(way[-1])} need not fall, and is no detour from shortest paths")
    return removed, set()


def knot_clause(table: Table, switching: Technique, messages: list[Any]) -> tuple[set[Entry], set[Entry]]:
    """The literals under which packets reach a knot and stay: no candidate on their ways removed, no free candidate
    kept.
    """
    packets = [Packet(table, switching, message) for message in messages]
    held = {v for packet in packets for v in packet.held}
    removed: set[Entry] = set()
    kept: set[Entry] = set()
    chosen: list[int] = []
    for packet in packets:
        removed |= packet.taken
        pay(KEPT_STATE * len(table.may[packet.address][packet.at]))
        waits, state = table.waits[packet.address][packet.at], (packet.at, packet.address)
        if table.chosen(switching):
            wants = numbers(packet.message, "wanted", 0, table.vcs, 1)
            if wants[0] not in table.may[packet.address][packet.at]:
                raise Rejected("a header that keeps its choice waits for one of its candidates")
            chosen += wants
            removed.add((*state, wants[0]))
        elif EJECT in waits:
            raise Rejected("a header may leave the network")
        else:
            kept |= {(*state, v) for v in waits if v not in held}
    require_blocked(switching, packets, chosen)
    require_order([(packet.lead, packet.held) for packet in packets])
    return removed, kept


@checks("escapes", "relation", "least")
def check_escapes(table: Table, claim: Any, proof: Any) -> str:
    """Check that a relation can deadlock whichever VCs, fewer than `least`, are added for blocked headers to turn to.

    It keeps its candidates, so a knot stands still unless a header in it may turn to an added VC: of a channel that
    leaves its router and, where that is asked for, leads nearer to the destination. Knots have weights, in parts of
    `PARTS`. Those that one added VC can mend weigh 1 at most, so there are no fewer added VCs than knots weigh.

    Claim: `switching`, `minimal` (added VCs lead nearer), `least`: fewer added VCs to turn to never do
    Proof: `knots`, each `messages` with an order of arrival, and a `weight`, in parts of 10⁹; the knots mended
    by any one added VC weigh 1 at most
    """
    switching, minimal, least = technique(claim), field(claim, "minimal", bool), field(claim, "least", int)
    if table.chosen(switching):
        raise Rejected("a header that keeps its choice turns to no other VC")
    total, mended, target = 0, Counter[int](), table.network.target
    for knot in field(proof, "knots", list):
        messages, weight = field(knot, "messages", list), number(knot, "weight", 0)
        _, kept = knot_clause(table, switching, messages)
        if kept:
            raise Rejected("a header waits for a VC that nobody holds")
        channels = set[int]()
        for packet in (Packet(table, switching, message) for message in messages):
            hops = table.network.hops_to(table.network.eject[table.destination[packet.address]])
            here = table.router[packet.at]
            away = hops.get(here, 0)
            pay(KEPT_STATE * len(table.network.leaving[here]))
            channels |= {c for c in table.network.leaving[here] if not minimal or hops.get(target[c], away) < away}
        total += weight
        mended.update(dict.fromkeys(channels, weight))
    if max(mended.values(), default=0) > PARTS or total <= PARTS * (least - 1):
        raise Rejected(f"the knots do not weigh more than {least - 1} added VCs can mend")
    nearer = " that lead nearer" if minimal else ""
    return f"can deadlock under {switching} with fewer than {least} added VCs{nearer} to turn to"
