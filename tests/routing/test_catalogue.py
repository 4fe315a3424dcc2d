"""Every routing on every network of the catalogue: refused in words, or as short and as safe as it claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.networks import CATALOGUE
from tests.reference.brute_force import TooLargeError, deadlock, states_of
from unknot import deliver, replay
from unknot._base.switching import SWITCHINGS, Switching
from unknot.certificates import Verdict, accept_verdict
from unknot.network import tod
from unknot.routing import Relation
from unknot.routing.named import routings
from unknot.routing.parts import Published
from unknot.routing.tabulate import compile_relation
from unknot.simulation import simulate
from unknot.verify import check, check_all
from unknot.verify.testing import attempt, check_relation

ROUTINGS = routings()
BUILT = {text: tod.network(text) for text in CATALOGUE}

DISAGREEMENTS = {
    ("lcfaa", "wormhole"): "a worm may go down on VIN0 and then wait for VIN0 to go west; its body closes a cycle",
}
"""Claims of sources that the prover refutes on some network of the catalogue, each with the reason in words."""

UNUSED = {
    "cube_connected_cycles": "on cycles of three no route comes to the third VC; on cycles of four some do",
}
"""Routings that use all their VCs only on networks larger than those of the catalogue."""


ALL, ATOMIC = tuple(SWITCHINGS), ("saf", "vct", "wormhole")
CLAIMED = {
    **{
        key: {()}
        for key in (
            "bgp",
            "ospf",
            "composed",
            "forbidding",
            "destination_tag",
            "rcbn_tags",
            "fully_adaptive",
            "shortest_paths",
        )
    },
    **{key: {(), ALL} for key in ("dimension_order", "message_classes")},
    **{key: {ATOMIC} for key in ("duato", "lcfaa", "pbfaa", "vba")},
    **{key: {("wormhole",)} for key in ("itm_escape", "planar_adaptive", "schwiebert")},
    "overlay": {(), ATOMIC},
}
"""Techniques for which routings claim to be deadlock-free, on one network or another; all four for the others."""
OF_ANY_LENGTH = {
    "cube_connected_cycles", "de_bruijn", "shuffle_exchange", "two_trees", "up_down", "destination_tag", "rcbn_tags",
    "itm_escape", "nca", "composed", "forbidding", "bgp", "ospf",
}  # fmt: skip
"""Routings that do not claim to be minimal or not, at least on some network."""


@cache
def on_catalogue(function: Callable[..., Relation]) -> dict[str, Relation]:
    """The relations of a routing on all networks it does not refuse."""
    tried = {text: attempt(function, network) for text, network in BUILT.items()}
    return {text: relation for text, relation in tried.items() if relation is not None}


@cache
def verdicts_of(name: str, text: str) -> dict[Switching, Verdict]:
    """The verdicts about a routing on a network of the catalogue, under every technique."""
    return check_all(on_catalogue(ROUTINGS[name])[text], "vct")


@pytest.mark.parametrize("name", ROUTINGS)
def test_what_is_claimed(name: str) -> None:
    """Each source claims what it did when this was written; the next test compares claims with verdicts."""
    relations = on_catalogue(ROUTINGS[name]).values()
    claimed = {tuple(t for t in SWITCHINGS if relation.claims.get(t)) for relation in relations}
    assert claimed == CLAIMED.get(name, {ALL})
    assert any(relation.claims_minimal is None for relation in relations) == (name in OF_ANY_LENGTH)
    assert all(
        bool(relation.source) == (name not in ("composed", "forbidding", "fully_adaptive", "shortest_paths"))
        for relation in relations
    )


@pytest.mark.parametrize("name", ROUTINGS)
def test_routing_on_the_catalogue(name: str) -> None:
    relations = on_catalogue(ROUTINGS[name])
    assert relations
    all_used = False
    refuted = set()
    for text, relation in relations.items():
        found = deliver(relation)
        assert found.delivered, text
        assert found.livelock_free, text
        if relation.claims_minimal is not None:
            assert found.minimal == relation.claims_minimal, text
        used = {vc for answers in states_of(relation) for answer in answers.values() for vc in answer.may}
        indices = {int(relation.vcs.index[vc]) for vc in used}
        all_used = all_used or len(indices) == relation.vcs.counts.max(initial=1)
        orders: list[Any] = []
        for switching, verdict in verdicts_of(name, text).items():
            assert verdict.deadlock_free is not None, (text, switching)
            proof = verdict.certificate
            if proof is None or proof.kind != "order" or not any(np.array_equal(proof.rank, one) for one in orders):
                accept_verdict(relation, verdict)
            if proof is not None and proof.kind == "order":
                orders.append(proof.rank)  # one order shows the same of every technique
            if verdict.configuration is not None:
                assert replay(relation, verdict.configuration, cycles=100).stuck, (text, switching)
            if relation.claims.get(switching, verdict.deadlock_free) != verdict.deadlock_free:
                refuted.add((name, switching))
    assert all_used == (name not in UNUSED)
    assert refuted == {claim for claim in DISAGREEMENTS if claim[0] == name}


def test_verdicts_agree_with_brute_force() -> None:
    compared: Counter[str] = Counter()
    for name, function in ROUTINGS.items():
        for text, relation in on_catalogue(function).items():
            if relation.num_vcs > 24 or relation.num_addresses > 16:
                continue
            verdicts = verdicts_of(name, text)
            for switching in SWITCHINGS:
                try:
                    worms = deadlock(relation, switching, limit=3_000)
                except TooLargeError:
                    continue
                assert (worms is None) == verdicts[switching].deadlock_free, (name, text, switching)
                compared["deadlock" if worms else "free"] += 1
    assert compared["deadlock"] > 20
    assert compared["free"] > 100


@pytest.mark.sampled(1 / 20)
@pytest.mark.parametrize("name", ROUTINGS)
def test_the_compiled_rule_is_the_plain_one_and_carries_traffic(name: str) -> None:
    """On the smallest network of the catalogue that the routing takes."""
    network = min((BUILT[text] for text in on_catalogue(ROUTINGS[name])), key=lambda n: n.num_channels)
    relation = replace(ROUTINGS[name](network), published=Published())
    made = relation.__dict__["compiled"] = compile_relation(relation)
    assert not made.tabulated
    check_relation(relation, compiled=False)
    for switching in ("vct", "wormhole"):
        if check(relation, switching).deadlock_free:
            run = simulate(relation, 0.5, packet_length=2, switching=switching, warmup=0, measure=300)
            assert run.packets > 0
            assert run.deadlock is None
