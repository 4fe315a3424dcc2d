"""Whole packet forwarding: deadlocks are those of wormhole switching, as its authors claim, and are met in runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from tests.strategies import networks, relations
from unknot.certificates import Certificate, Rejected, accept, accept_verdict, document, verdict_claim
from unknot.network.families import mesh, ring, torus
from unknot.routing import Relation, dimension_order, duato
from unknot.routing.flow_controls import whole_packet
from unknot.simulation import replay, simulate
from unknot.verify import check


@given(relations(networks(max_routers=4)))
def test_deadlocks_are_those_of_wormhole_switching(relation: Relation) -> None:
    verdict, plain = check(relation, flow=whole_packet(relation)), check(relation, "wormhole")
    by_states = plain.certificate is not None and plain.certificate.kind == "states"
    assert verdict.deadlock_free is (None if by_states else plain.deadlock_free)
    if verdict.deadlock_free is not None:
        accept_verdict(relation, verdict)
        accept(document(relation.network, relation, [verdict_claim(verdict)]))


@pytest.mark.parametrize(
    "relation", [dimension_order(ring(5)), dimension_order(torus(3, 3)), duato(ring(4))], ids=str
)
def test_a_deadlock_replays_and_is_met_in_a_run(relation: Relation) -> None:
    flow = whole_packet(relation)
    verdict = check(relation, flow=flow, buffer_depth=4)
    met = simulate(
        relation, 1.0, flow=flow, packet_length={2: 0.5, 8: 0.5}, buffer_depth=4, warmup=0, measure=4000
    ).deadlock is not None  # fmt: skip
    assert verdict.deadlock_free is not met
    if verdict.deadlock_free is False:
        assert replay(relation, verdict.configuration).stuck


def test_states_of_empty_buffers_prove_nothing() -> None:
    relation = duato(mesh(3, 3))
    verdict = check(relation, flow=whole_packet(relation))
    assert repr(verdict).startswith("<Verdict deadlock-free under whole_packet()")
    assert verdict.certificate is not None
    with pytest.raises(Rejected, match="states"):
        accept_verdict(relation, replace(verdict, certificate=Certificate("states", verdict.certificate.rank)))
