"""A knot is found exactly: what is reported never moves, and what has come to rest is reported."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reference.uniform_pairs import uniform
from tests.simulation.engines import engine_of
from tests.simulation.relations import clockwise, random_relation
from unknot._base.switching import SWITCHINGS, Switching
from unknot.network.families import mesh, ring, torus
from unknot.routing import dimension_order
from unknot.simulation import replay, simulate
from unknot.simulation.engine import detector
from unknot.simulation.engine.detector import all_give_way, in_words, knot, stuck_vcs
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.router import Router
from unknot.simulation.engine.sources import Sources
from unknot.verify import check


def fronts(engine: Engine, vcs: np.ndarray) -> list[list[int]]:
    rows = engine.state.inputs[engine.state.in_row[vcs]]
    return [rows.front.tolist(), rows.sent.tolist()]


@settings(max_examples=6, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(0, 2), st.integers(0, 2), st.booleans())
def test_stuck_packets_never_move_and_resting_ones_are_stuck(
    number: int, length: int, more: int, own: int, claim: bool
) -> None:
    relation = random_relation(number)
    for switching in SWITCHINGS:
        depth = length + more if switching in ("saf", "vct") else 1 + more
        router = Router(own_slots=0 if switching in ("saf", "vct") else min(own, depth), claim_credit=claim)
        engine = engine_of(
            relation,
            switching,
            Sources(1 / length, uniform(relation), length),
            buffer_depth=depth,
            seed=number,
            router=router,
        )
        for _ in range(4):
            engine.advance(engine.now + 200)
            stuck = np.flatnonzero(stuck_vcs(relation, engine.state))
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(detector, "is_small", lambda *_: True)
                assert not (all_give_way(relation, engine.state) and stuck.size)
            before = fronts(engine, stuck)
            if stuck.size:
                blocked = knot(engine.scenario, engine.state, stuck_vcs(relation, engine.state))
                held = {vc for m in blocked.messages for vc in m.held}
                assert all(m.wanted and set(m.wanted) <= held for m in blocked.messages)
                assert replay(relation, blocked, cycles=200).stuck
            engine.advance(engine.now + 300)
            assert fronts(engine, stuck) == before
            assert set(stuck) <= set(np.flatnonzero(stuck_vcs(relation, engine.state)))
        engine.state.terminals.chance = 0
        for _ in range(10):
            held = engine.count("flit_hops")
            quiet = engine.advance(engine.now + 5000)
            if quiet or engine.count("flits_in") == engine.count("flits_out"):
                break
        else:
            assert engine.count("flit_hops") > held, "only a packet that goes round for ever may still be here"
            continue
        stuck = np.flatnonzero(stuck_vcs(relation, engine.state))
        occupied = np.flatnonzero(engine.stored())
        assert bool(stuck.size) == quiet
        assert set(occupied) == (set(stuck) if quiet else set())


@pytest.mark.parametrize("switching", SWITCHINGS)
@pytest.mark.parametrize("length", [1, 5])
def test_torus_without_dateline_comes_to_a_knot(switching: Switching, length: int) -> None:
    relation = dimension_order(torus(8, 8), 1)
    run = simulate(relation, 0.6, packet_length=length, switching=switching)
    assert run.deadlock is not None
    assert not run.stable
    assert run.reason.startswith(f"deadlock of {len(run.deadlock.messages)} messages")
    assert "waits for (" in run.reason
    assert run.deadlock.switching == switching
    again = replay(relation, run.deadlock)
    assert again.stuck
    assert again.knot is not None
    assert {m.held for m in again.knot.messages} == {m.held for m in run.deadlock.messages}


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_no_knot_where_none_can_be(switching: Switching) -> None:
    for relation in (dimension_order(torus(4, 4), 2), dimension_order(mesh(4, 4), 1)):
        run = simulate(relation, 1.0, packet_length=4, switching=switching, measure=3000)
        assert run.deadlock is None
        assert run.accepted_load > 0.2


def test_an_escape_helps_unless_headers_commit() -> None:
    relation = clockwise(6, escape=True)
    for switching in ("saf", "vct", "wormhole"):
        assert simulate(relation, 0.8, packet_length=4, switching=switching, measure=20000).deadlock is None


@pytest.mark.parametrize(("size", "end"), [(4, "(message 1)"), (7, "; 3 more")])
def test_four_messages_of_a_knot_are_put_in_words(size: int, end: str) -> None:
    relation = dimension_order(ring(size), 1, dateline="none")
    found = check(relation, "vct").configuration
    assert found is not None
    said = in_words(relation, found, 7)
    assert (said.count(" waits for "), said.endswith(end)) == (4, True)
