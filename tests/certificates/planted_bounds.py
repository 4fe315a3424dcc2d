"""Faults in bounds on the removed candidates or changes of a repair, and the questions that notice them.

The search and the checker derive the clause of a fact each from the relation; what the search adds up, the checker
adds up anew, and what was changed in a proof it rejects.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

from tests.certificates.planted import Fault, drawn
from tests.contract.drawing import draw
from tests.lane_assignment.test_exact import effort
from tests.reference import facts
from unknot._base.deadline import clock
from unknot.certificates import Rejected, document, plain
from unknot.certificates.documents import network_of, table_of
from unknot.lane_assignment.tables import table_of as tables
from unknot.network.families import mesh, ring
from unknot.remedies.change_bounds import Kind, change_bound
from unknot.remedies.facts import CANDIDATE, Cycle, Entry, Fact, Knot, PathFact, literals, plain_fact
from unknot.remedies.prune_space import Offers
from unknot.remedies.pruned import Pruned, Unprunable, pruned
from unknot.routing import Relation, fully_adaptive, shortest_paths

SECONDS = 15.0
"""Seconds for a search; without a fault it takes less than one of a processor."""
FACTS, CHANGES = "unknot.remedies.facts:", "unknot.remedies.change_bounds:"
PLAIN = "unknot.certificates.plain."
BOUND_FAULTS = (
    # The search for removed candidates.
    Fault(FACTS + "literals", "return gone, frozenset((last", "return frozenset(), frozenset((last"),
    Fault(FACTS + "literals", "(last, vc) if vc in fact.falling else (last, fact.address, vc)", "(last, vc)"),
    Fault(FACTS + "_knot", "gone |= _steps(message.address, path)", "pass"),
    Fault(FACTS + "_knot", "c.waits and c.vc not in held}", "c.waits}"),
    Fault(FACTS + "_knot", "gone |= {(path[-1], message.address, vc) for vc in message.wanted}", "pass"),
    Fault(FACTS + "_steps", "pairwise(path)", "[*pairwise(path)][-1:]"),
    Fault(FACTS + "plain_fact", "for vc in fact.falling]", "for vc in fact.path]"),
    # The checker of removed candidates.
    Fault(PLAIN + "removals:removal_clause", "- 1:\n        raise", "- 2:\n        raise"),
    Fault(PLAIN + "removals:removal_clause", "for v in waits}", "for v in waits[1:]}"),
    Fault(PLAIN + "removals:removal_clause", "if v in falling else", "if v not in falling else"),
    Fault(PLAIN + "removals:removal_clause", "around(vcs)", "pairwise(vcs)"),
    Fault(
        PLAIN + "removals:removal_clause",
        "return removed, {(way[-2], way[-1])}",
        "return set(), {(way[-2], way[-1])}",
    ),
    Fault(PLAIN + "removals:knot_clause", "removed |= packet.taken", "pass"),
    Fault(PLAIN + "removals:knot_clause", "if v not in held}", "if v in held}"),
    Fault(PLAIN + "removals:knot_clause", "removed.add((*state, wants[0]))", "pass"),
    Fault(PLAIN + "removals:knot_clause", "if EJECT in waits:", "if False:"),
    Fault(PLAIN + "packets:taken", "if not found(v, table.may[address].get(at, ())):", "if False:"),
    Fault(PLAIN + "removals:leaf_shown", "total += multiplier * (1 - len(kept))", "total += multiplier"),
    Fault(PLAIN + "removals:leaf_shown", "part > cost", "part > 2 * cost + 1"),
    Fault(PLAIN + "removals:leaf_shown", "fixed.get(entry, part > cost)", "not fixed.get(entry, part <= cost)"),
    Fault(PLAIN + "removals:leaf_shown", "if len(entry) == CANDIDATE else 0", ""),
    Fault(PLAIN + "removals:removals_shown", "{**fixed, entry: False}", "{**fixed, entry: True}"),
    Fault(PLAIN + "removals:removals_shown", "min(shown)", "max(shown)"),
    # The search for changes.
    Fault(CHANGES + "_groups", "elif network.source[c] == s:", "else:"),
    Fault(CHANGES + "_groups", "((s, address), (here, address))", "((s, address),)"),
    Fault(CHANGES + "_groups", "here != table.home[r]", "False"),
    Fault(CHANGES + "change_bound", "for unit in group]", "for unit in group[:1]]"),
    Fault(CHANGES + "change_bound", "hops_around(cycle)", "hops_around(cycle)[:-1]"),
    Fault(CHANGES + "change_bound", "[*cycle, int(", "[*cycle[::-1], int("),
    # The checker of changes.
    Fault(PLAIN + "lanes:check_changes", 'channels if kind == "pairs" else channels[:2]', "channels"),
    Fault(PLAIN + "lanes:check_changes", "if (c, e) not in", "if (e, c) in"),
    Fault(PLAIN + "lanes:check_changes", "max(due.values(), default=0) > 0 or ", ""),
    Fault(PLAIN + "lanes:check_changes", " or max(spent.values(), default=0) > PARTS", ""),
    Fault(PLAIN + "lanes:check_changes", "around(channels)", "pairwise(channels)"),
    Fault(PLAIN + "lanes:check_changes", "-(-total // PARTS) < least", "-(-total // PARTS) < least - 1"),
)


def refused(content: dict[str, Any]) -> bool:
    """Whether the checker rejects a document."""
    try:
        plain.accept(content)
    except Rejected:
        return True
    return False


def clause(derive: Callable[[], Any]) -> Any:
    """A clause as two sets; None if the fact is rejected."""
    try:
        removed, kept = derive()
    except Rejected:
        return None
    return {*removed}, {*kept}


def neighbours(fact: Fact) -> Iterator[Fact]:
    """The fact itself, and others that are hardly different."""
    yield fact
    if isinstance(fact, Knot):
        yield from (Knot(fact.messages[:i] + fact.messages[i + 1 :]) for i in range(len(fact.messages)))
        for i, message in enumerate(fact.messages):
            for part in ("lead", "held"):
                other = replace(message, **{part: getattr(message, part)[:-1]})
                yield Knot((*fact.messages[:i], other, *fact.messages[i + 1 :]))
            way = (*message.lead, *message.held)
            yield from (Knot((replace(message, lead=way, held=(vc,)),)) for vc in message.wanted)
        return
    if isinstance(fact, Cycle):
        yield from (Cycle(fact.vcs[:i]) for i in range(len(fact.vcs)))
        return
    for i in range(1, len(fact.path)):
        yield PathFact("rise", fact.address, fact.path[: i + 1])
        yield PathFact("stop", fact.address, fact.path[:i], fact.path[i : i + 1])
        yield PathFact("detour", fact.address, (*fact.path[:i], *fact.path[i + 1 :]))
    if fact.kind == "stop":
        yield from (replace(fact, path=fact.path[:-1]), replace(fact, falling=()))


def gone(entry: Entry, found: Pruned, rank: dict[int, int]) -> bool:
    """Whether a candidate is removed, or a turn does not fall."""
    if len(entry) == CANDIDATE:
        return entry in found.removed
    at, vc = entry
    return at < found.relation.num_vcs and rank.get(vc, -1) >= rank.get(at, -1)


def removals_agree(relation: Relation, switching: str, minimal: bool, least: int) -> None:
    """Compare clause by clause, with a number that is known, and one that is too high."""
    found = pruned(relation, replace(effort(), deadline=clock() + SECONDS), switching=switching, minimal=minimal)
    assert isinstance(found, (Pruned, Unprunable))
    assert found.evidence is not None
    assert found.lower_bound == least
    table = plain.Table(plain.Network(network_of(relation.network)), table_of(relation))
    # Cycles of turns left hardly any knot in a proof, so the relation's own deadlock is compared too.
    deadlock = Offers(relation, switching, minimal).knot(frozenset())
    stated = found.evidence.claim["proof"]["facts"]
    every = [*map(facts.fact_of, stated), *([] if deadlock is None else [deadlock])]
    for fact in (other for one in every for other in neighbours(one)):
        shortest = minimal or not (isinstance(fact, PathFact) and fact.kind == "detour")
        theirs = clause(partial(plain.removal_clause, table, plain.SWITCHINGS[switching], minimal, plain_fact(fact)))
        assert theirs == (clause(partial(facts.literals, relation, fact, switching)) if shortest else None), fact
        assert theirs is None or theirs == clause(partial(literals, relation, fact, switching)), fact
    clauses = [plain.removal_clause(table, plain.SWITCHINGS[switching], minimal, fact) for fact in stated]
    if isinstance(found, Pruned) and len(found.removed) == least:
        rank = Offers(relation, switching, minimal).order(frozenset(found.removed))
        assert rank is not None
        for removed, kept in clauses:
            assert any(gone(entry, found, rank) for entry in removed) or any(
                not gone(entry, found, rank) for entry in kept
            ), "the removed candidates settle every fact"
    for times in (2, 3) if isinstance(found, Pruned) else ():
        tree = copy.deepcopy(found.evidence.claim["proof"]["tree"])
        for leaf in (node for node in tree if "multipliers" in node):
            leaf["multipliers"] = [[fact, times * number] for fact, number in leaf["multipliers"]]
        assert plain.removals_shown(clauses, tree) <= least
    for number in (least, least + 1) if isinstance(found, Pruned) else (least,):
        claim = {**found.evidence.claim, "least": number}
        assert refused(document(relation.network, relation, [claim])) == (number > least)


def changes_agree(relation: Relation, kind: Kind, least: int) -> None:
    """Compare with a number that is known, and one that is too high, and change the proof place by place."""
    bound = change_bound(relation, tables(relation), kind)
    assert bound is not None
    assert bound.least == least
    claim = bound.claim
    content = document(relation.network, relation, [claim])
    plain.accept(content)
    table = plain.Table(plain.Network(content["network"]), content["relation"])
    for place, entry in changed(claim, table):
        wrong = copy.deepcopy(content)
        part = wrong["claims"][0]
        for key in place[:-1]:
            part = part[key]
        part[place[-1]] = entry
        assert refused(wrong), (place, entry)


def changed(claim: dict[str, Any], table: plain.Table) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Places of a claim about changes, and what would make it wrong there."""
    parts, cycles, paid = plain.PARTS, claim["proof"]["cycles"], claim["proof"]["paid"]
    yield ("least",), claim["least"] + 1
    for i, cycle in enumerate(cycles):
        yield ("proof", "cycles", i), [*cycle[:-1], cycle[-1] + parts]
    for i, (c, e, source, address, amount) in enumerate(paid):
        if amount > parts // 100:
            yield ("proof", "paid", i, 4), 0
        yield ("proof", "paid", i, 4), amount + parts
        yield ("proof", "paid", i), [e, c, source, address, amount]
        for other in table.sources[address]:
            turns = [*pairwise(plain.route(table, other, address))]
            if (c, e) not in turns[: None if claim["kind"] == "pairs" else 1]:
                yield ("proof", "paid", i), [c, e, other, address, amount]


def from_drawing(number: int) -> Relation:
    """A small relation over the whole contract."""
    return draw(number, small=True)[0]


SQUARE = fully_adaptive(mesh(2, 2), vcs=1)
BOUNDS = (
    partial(removals_agree, SQUARE, "wormhole", False, 2),
    partial(removals_agree, SQUARE, "vct", True, 2),
    partial(removals_agree, from_drawing(354), "wormhole", False, 2),
    partial(removals_agree, from_drawing(354), "wormhole-nonatomic", False, 4),
    partial(removals_agree, from_drawing(338), "wormhole-nonatomic", False, 7),
    partial(removals_agree, from_drawing(397), "wormhole", False, 5),
    partial(removals_agree, from_drawing(249), "wormhole-nonatomic", False, 7),
    partial(removals_agree, from_drawing(222), "vct", False, 74),
    partial(removals_agree, from_drawing(380), "vct", True, 32),
    partial(removals_agree, from_drawing(265), "saf", True, 72),
    partial(changes_agree, shortest_paths(ring(5)), "pairs", 2),
    partial(changes_agree, shortest_paths(ring(5)), "entries", 2),
    partial(changes_agree, shortest_paths(ring(6)), "pairs", 3),
    partial(changes_agree, shortest_paths(drawn(76)), "pairs", 4),
    partial(changes_agree, shortest_paths(drawn(76)), "entries", 2),
)
