"""Named routings on three networks: each flow control is decided on nearly all of them."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest

from unknot.certificates import accept_verdict
from unknot.network import Network, tod
from unknot.routing import Relation
from unknot.routing.flow_controls import flow_named
from unknot.routing.named import routings
from unknot.verify import check
from unknot.verify.testing import attempt

NETWORKS = ("mesh(8, 8)", "torus(8, 8)", "fat_tree(4, 3)")
FLOWS = ("damq(reserved=1)", "damq(reserved=0)", "cbfc(cell=4)", "whole_packet()", "structured_pool()")
ROUTINGS = routings()


@cache
def built(network: str) -> Network:
    """The network of a description, the same each time."""
    return tod.network(network)


@cache
def routed(network: str, name: str) -> Relation | None:
    """A named routing on a network; None where it refuses the network."""
    return attempt(ROUTINGS[name], built(network))


def decided(relation: Relation, flow: str, *, audit: bool) -> bool | None:
    """The answer under a flow control, with evidence that the checker accepts."""
    verdict = check(relation, flow=flow, time_limit=20)
    if audit and verdict.deadlock_free is not None:
        accept_verdict(relation, verdict)
    return verdict.deadlock_free


@pytest.mark.long
def test_drawn_routings_are_decided() -> None:
    chance = random.Random()
    for network in NETWORKS:
        for name in chance.sample([*ROUTINGS], 6):
            relation = routed(network, name)
            if relation is not None and relation.num_addresses <= 256:
                for flow in chance.sample(FLOWS, 2):
                    assert decided(relation, flow, audit=False) is not None, (network, name, flow)


@pytest.mark.campaign
@pytest.mark.parametrize("flow", FLOWS)
def test_nineteen_of_twenty_are_decided(flow: str) -> None:
    found = Counter[tuple[str, bool | None]]()
    for network in NETWORKS:
        for name in ROUTINGS:
            relation = routed(network, name)
            if relation is None:
                continue
            answer = decided(relation, flow, audit=relation.num_addresses <= 256)
            found[network, answer] += 1
            if answer is not None and flow not in ("damq(reserved=0)", "structured_pool()"):
                alike = "wormhole" if flow_named(relation, flow).holds == "row" else "vct"
                assert answer is check(relation, alike, time_limit=20).deadlock_free, (network, name)
    for network in NETWORKS:
        yes, no, still_open = (found[network, answer] for answer in (True, False, None))
        print(f"\n{flow} on {network}: {yes + no} of {yes + no + still_open} decided, {yes} free, {no} not")
        assert still_open <= (yes + no + still_open) // 20
    assert found.total() >= 40
    assert {answer for _, answer in found} >= {True, False}
