"""Lower bounds on added VCs, beside every choice of fewer."""

from dataclasses import replace
from itertools import combinations

import pytest

from tests.certificates.test_plain import holds
from unknot._base.deadline import NEVER
from unknot.certificates import Rejected
from unknot.certificates.plain import PARTS
from unknot.network import distances_from
from unknot.remedies import escaped
from unknot.remedies.escape_bounds import escape_bound
from unknot.routing import Relation, dimension_order, fully_adaptive


def stuck(relation: Relation, minimal: bool) -> list[tuple[int, list[int], set[int]]]:
    """For each VC and address with which a header comes to it: what it waits for, and channels it could turn to."""
    network, states = relation.network, []
    for address in range(relation.num_addresses):
        home = int(network.eject[relation.destination[address]])
        away = distances_from(network, home, reverse=True)
        todo = [relation.num_vcs + source for source in relation.sources(address).tolist()]
        for at in todo:
            candidates = relation.candidates(at, address)
            todo += {int(c.vc) for c in candidates if c.vc is not None} - {*todo}
            if at < relation.num_vcs and all(c.vc is not None for c in candidates):
                here = int(relation.vcs.router[at])
                out = [c for c in range(network.num_channels) if network.source[c] == here]
                aside = {c for c in out if not minimal or away[network.target[c]] < away[here]}
                states.append((at, [int(c.vc) for c in candidates if c.waits and c.vc is not None], aside))
    return states


def deadlocks(states: list[tuple[int, list[int], set[int]]], added: set[int]) -> bool:
    """Whether VCs are left of which each has a header that waits for such VCs alone (virtual cut-through)."""
    left = {at for at, _, _ in states}
    while True:
        held = {at for at, waits, aside in states if at in left and left.issuperset(waits) and not aside & added}
        if held == left:
            return bool(left)
        left = held


@pytest.mark.parametrize(
    ("text", "minimal", "fewest"),
    [("ring(5)", True, 2), ("ring(5)", False, 1), ("mesh(2, 2)", True, 2), ("mesh(3, 3)", False, 2)],
)
def test_fewest_added_vcs(text: str, minimal: bool, fewest: int) -> None:
    """`fewest` would do if nothing that turns to an added VC were ever blocked again."""
    relation = fully_adaptive(text, vcs=1)
    assert escaped(relation, minimal=minimal).lower_bound == fewest
    states = stuck(relation, minimal)
    for count in range(fewest + 1):
        choices = combinations(range(relation.network.num_channels), count)
        assert any(not deadlocks(states, {*added}) for added in choices) == (count == fewest)


@pytest.mark.parametrize("switching", ["vct", "wormhole"])
def test_what_the_checker_refuses(switching: str) -> None:
    relation = fully_adaptive("mesh(4, 4)", vcs=1)
    escape = escaped(relation, switching=switching)
    bound = escape.evidence
    assert bound is not None
    assert (escape.lower_bound, escape.evidence_holds, bound.least) == (4, True, 4)
    claim = bound.claim
    assert holds(relation, claim)
    assert not holds(relation, {**claim, "least": 5})
    assert not holds(relation, {**claim, "switching": "wormhole-nonatomic"})
    assert not holds(dimension_order("mesh(4, 4)"), claim)
    knots = claim["proof"]["knots"]
    whole = {**claim, "proof": {"knots": [{**knot, "weight": PARTS} for knot in knots]}}
    assert [holds(relation, {**whole, "least": least}) for least in (4, 5)] == [True, False]
    heavy = [{**knots[0], "weight": PARTS + 1}, *knots[1:]]
    assert not holds(relation, {**claim, "proof": {"knots": heavy}})
    for change in (2, -1):
        heavier = [{**knot, "weight": change * knot["weight"]} for knot in knots]
        assert not holds(relation, {**claim, "proof": {"knots": heavier}})
    assert not holds(relation, {**claim, "proof": {"knots": knots[1:]}})
    assert not holds(relation, {**claim, "proof": {"knots": [{**knots[0], "messages": knots[0]["messages"][1:]}]}})


def test_added_vcs_that_lead_nearer() -> None:
    relation = fully_adaptive("mesh(4, 4)", vcs=1)
    bound = escaped(relation, minimal=True).evidence
    assert bound is not None
    bound.accept(relation)
    assert bound.least == 10
    assert not holds(relation, {**bound.claim, "minimal": False})
    with pytest.raises(Rejected, match="keeps its choice"):
        bound.accept(replace(relation, commits=True))


def test_no_bound_without_knots() -> None:
    assert escape_bound(dimension_order("mesh(3, 3)"), "vct", minimal=False, deadline=NEVER) is None
