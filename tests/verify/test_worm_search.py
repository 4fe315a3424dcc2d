"""Search back from blocked worms, and the checker's visit of all worms, against every state there is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tests.contract.drawing import draw
from tests.contract.machine import Machine, explore
from tests.reference.brute_force import TooLargeError
from tests.reference.exploration import network_for, reachable_deadlock
from unknot import replay
from unknot._base.switching import SWITCHINGS
from unknot.certificates import Certificate, Rejected, Verdict, accept_verdict, document, plain, verdict_claim
from unknot.certificates.plain import Unchecked
from unknot.certificates.verdict import Configuration
from unknot.report import describe
from unknot.routing import Relation
from unknot.routing.classes import in_classes
from unknot.verify import check, check_all, smallest, update
from unknot.verify.effort import TimeUpError
from unknot.verify.remainder import among
from unknot.verify.worm_search import Worms

FREE, STUCK = (154, 434, 642, 854), (700, 826)
MANY, SHARE = 1500, 3000


def drawn(number: int) -> Relation:
    """A relation of the contract by its number; every third is small."""
    return draw(number, number % 3 == 0)[0]


def states_claim(relation: Relation) -> Verdict:
    """The claim that in no state worms wait for each other."""
    certificate = Certificate("states", np.zeros(relation.num_vcs, dtype=np.int64))
    return Verdict(True, "wormhole", "", "", "", certificate=certificate)


def searched(relation: Relation) -> Configuration | bool | None:
    """A deadlock of worms; False: there is none, None: too large."""
    part = among(relation, range(relation.num_vcs), "wormhole")
    assert part is not None
    try:
        filled = Worms(relation, part.pruned().merged(), float("inf")).filling(2)
    except TimeUpError:
        return None
    return filled is not None and Configuration("wormhole", 2, "scheduled", tuple(filled[0]), order=filled[1])


def judge(number: int, tally: Counter[str], limit: int) -> None:
    """Search a small relation, have both answers checked, and explore it flit by flit."""
    relation, _ = draw(number, small=True)
    tally["all"] += 1
    knot = searched(relation)
    if knot is None:
        tally["too large to search"] += 1
        return
    lengths = (1, 2, 3)
    try:
        accept_verdict(relation, states_claim(relation))
        assert knot is False, (number, "the checker visits all states, and none is stuck")
    except Unchecked:
        tally["too large to check"] += 1
    except Rejected:
        assert knot, (number, "the checker finds worms that wait for each other")
    if isinstance(knot, Configuration):
        accept_verdict(relation, Verdict(False, "wormhole", "", "", "", configuration=knot))
        assert replay(relation, knot, cycles=20).stuck, number
        lengths = tuple(sorted({len(message.held) for message in knot.messages}))
    try:
        stuck = reachable_deadlock(network_for(relation, "wormhole", depth=1, lengths=lengths), limit=limit)
    except TooLargeError:
        tally["too large to explore"] += 1
        return
    assert (stuck is not None) is bool(knot), (number, knot)
    tally["stuck" if knot else "free"] += 1


def test_searched_as_explored(seed: int) -> None:
    tally: Counter[str] = Counter()
    for number in range(seed * 48, seed * 48 + 24):
        judge(number, tally, 1500)
    assert tally["stuck"]
    assert tally["free"]
    assert tally["too large to search"] + tally["too large to check"] < 8, tally


@pytest.mark.campaign
def test_many_searched_as_explored(seed: int) -> None:
    tally: Counter[str] = Counter()
    for number in range(seed * 48, seed * 48 + MANY):
        judge(number, tally, 6000)
    print(f"\nrelations from {seed * 48} on: {dict(sorted(tally.items()))}")
    assert tally["stuck"] + tally["free"] > 0.6 * MANY


@pytest.mark.campaign
def test_share_of_open_answers(seed: int) -> None:
    tally: Counter[str] = Counter()
    number = seed * 48
    while tally["relations"] < SHARE:
        relation, number = drawn(number), number + 1
        if relation.num_vcs > 14:
            continue
        tally["relations"] += 1
        for verdict in check_all(relation).values():
            if verdict.deadlock_free is None:
                tally[f"open: {relation.name} under {verdict.switching}"] += 1
            elif verdict.certificate is not None:
                tally[verdict.certificate.kind] += 1
            elif verdict.configuration is not None and verdict.configuration.order:
                tally[f"ordered under {verdict.switching}"] += 1
    print(f"\nrelations from {seed * 48} on: {dict(tally)}")
    assert sum(name.startswith("open") for name in tally) <= 0.0005 * len(SWITCHINGS) * SHARE


@pytest.mark.parametrize("number", FREE)
def test_worms_that_never_come_to_block_each_other(number: int) -> None:
    """No schedule leads to the worms that would block each other; every state was looked at."""
    relation = drawn(number)
    verdict = check(relation, "wormhole")
    assert verdict.deadlock_free is True
    assert verdict.certificate is not None
    assert verdict.certificate.kind == "states"
    accept_verdict(relation, verdict)
    least = smallest(relation, "wormhole")
    assert (least.configuration, least.messages_bound, least.proved) == (None, 0, True)
    assert "never reached" in least.method
    explored = explore(Machine(relation, "wormhole", 1, (1, 2)), 3000)
    assert explored.stuck is None
    content = document(relation.network, relation, [verdict_claim(verdict)])
    assert "free of deadlock under wormhole" in plain.accept(content)[0]
    for kind in ("order", "drain", "bubble"):
        content["claims"][0]["proof"]["kind"] = kind
        with pytest.raises(Rejected):
            plain.accept(content)
    for switching in ("vct", "saf", "wormhole-nonatomic"):
        with pytest.raises(Rejected):
            accept_verdict(relation, replace(verdict, switching=switching))


@pytest.mark.parametrize("number", FREE + STUCK[:1])
def test_classes_with_vcs_of_their_own_are_visited_one_by_one(number: int) -> None:
    """Their states together are the product of those of each: two copies of one relation passed the limit."""
    one = drawn(number)
    several = in_classes(replace(one, addresses=replace(one.addresses, classes=())), ["a", "b", "c", "d"])
    if number in FREE:
        accept_verdict(several, check(several, "wormhole"))
        return
    with pytest.raises(Rejected, match="worms may come to wait for each other"):
        accept_verdict(several, states_claim(several))


@pytest.mark.parametrize("number", STUCK)
def test_worms_that_come_there_in_an_order(number: int) -> None:
    """Worms that stand still on their way and let others pass: followed by the checker and by the simulator."""
    relation = drawn(number)
    verdict = check(relation, "wormhole")
    knot = verdict.configuration
    assert verdict.deadlock_free is False
    assert knot is not None
    assert knot.order
    accept_verdict(relation, verdict)
    plain.accept(document(relation.network, relation, [verdict_claim(verdict)]))
    assert replay(relation, knot, cycles=50).stuck
    assert "in the order of messages" in describe(relation, knot)[-1]
    with pytest.raises(Rejected):
        accept_verdict(relation, states_claim(relation))
    one_by_one = tuple(sorted(knot.order))
    for order in (knot.order[1:], knot.order[::-1], one_by_one, (*knot.order, 0), (99, *knot.order[1:]), ()):
        with pytest.raises(Rejected):
            accept_verdict(relation, replace(verdict, configuration=replace(knot, order=order)))
    longer = replace(knot.messages[0], length=knot.messages[0].length + 1)
    for other in (
        replace(knot, reachability="injected"),
        replace(knot, switching="wormhole-nonatomic"),
        replace(knot, messages=(longer, *knot.messages[1:])),
        replace(knot, messages=knot.messages[1:]),
    ):
        with pytest.raises(Rejected):
            accept_verdict(relation, replace(verdict, switching=other.switching, configuration=other))


@pytest.mark.sampled(1 / 2)
@pytest.mark.parametrize("number", STUCK)
def test_an_update_claims_no_deadlock_of_packets_that_go_in_an_order(number: int) -> None:
    """The claim of an update has its packets go one after the other, and so its checker follows them."""
    relation = drawn(number)
    change = update(relation, relation, "wormhole")
    assert change.deadlock_free is not True
    assert change.evidence_holds is not False
    assert change.configuration is None or not change.configuration.order
