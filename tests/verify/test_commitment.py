"""Headers that commit: they choose among all candidates, NO_WAIT included, and wait for what they chose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import networks, relations, table_relation
from unknot import replay
from unknot._base.errors import RelationError
from unknot._base.switching import SWITCHINGS, Switching
from unknot.certificates import Rejected, accept_configuration, accept_verdict, document, plain, verdict_claim
from unknot.network import from_edges
from unknot.routing import EJECT, NO_WAIT, Relation, VirtualChannels
from unknot.routing.table import lookup
from unknot.routing.tabulate import tabulate
from unknot.simulation import simulate
from unknot.verify import check
from unknot.verify.remainder import among, on_cycles
from unknot.verify.states import dependencies


def dateline_with_a_free_lane(commits: bool, mark: int = NO_WAIT) -> Relation:
    """A directed ring of six: VCs 0 and 1 of each channel are a dateline, VC 2 is free for all and marked."""
    network = from_edges([(f"r{i}", f"r{(i + 1) % 6}") for i in range(6)], directed=True, name="directed ring(6)")
    leaving = np.array([int(np.flatnonzero(network.source == r)[0]) for r in range(6)])
    router = np.concatenate([np.repeat(network.target, 3), network.inject]).astype(np.int64)

    def rule(at: int, address: int, out: Any) -> int:
        here = router[at]
        if here == address:
            out[0] = EJECT
            return 1
        out[0] = 3 * leaving[here] + 2 + mark
        out[1] = 3 * leaving[here] + (1 if here > address else 0)
        return 2

    return Relation(network, VirtualChannels(network, 3), rule, name="dateline and a free lane", commits=commits)


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_a_header_that_commits_waits_for_a_no_wait_candidate(switching: Switching) -> None:
    """Refuted with evidence that is accepted and sticks; without commitment the dateline is a way out."""
    relation = dateline_with_a_free_lane(commits=True)
    verdict = check(relation, switching)
    assert verdict.deadlock_free is False
    accept_verdict(relation, verdict)
    assert verdict.configuration is not None
    assert any(vc % 3 == 2 for message in verdict.configuration.messages for vc in message.wanted)
    assert replay(relation, verdict.configuration).stuck
    free = check(dateline_with_a_free_lane(commits=False), switching)
    assert free.deadlock_free is (switching != "wormhole-nonatomic")
    if free.deadlock_free:
        with pytest.raises(Rejected):
            accept_verdict(relation, free)


@pytest.mark.parametrize(("switching", "ties"), [("saf", 4), ("vct", 2), ("wormhole", 2)])
def test_the_simulator_keeps_and_waits_for_it(switching: Switching, ties: int) -> None:
    relation = dateline_with_a_free_lane(commits=True)
    runs = [
        simulate(relation, 1.0, packet_length=4, buffer_depth=4, switching=switching, seed=seed, warmup=0)
        for seed in range(6)
    ]
    assert sum(run.deadlock is not None for run in runs) >= ties
    for run in runs:
        if run.deadlock is not None:
            accept_configuration(relation, run.deadlock)


def test_the_mark_has_no_effect_on_a_run_or_a_plain_answer() -> None:
    """Not even where every candidate has it."""
    marked, plain = (dateline_with_a_free_lane(True, mark) for mark in (NO_WAIT, 0))
    for at in (2, marked.num_vcs + 1):
        assert marked.candidates(at, 4) == plain.candidates(at, 4)
    for seed in range(3):
        one, other = (
            simulate(relation, 0.4, packet_length=3, buffer_depth=4, seed=seed, warmup=0, measure=500)
            for relation in (marked, plain)
        )
        assert (one.packets, one.cycles, one.flit_hops) == (other.packets, other.cycles, other.flit_hops)


@given(relations(networks(max_routers=3, max_channels=7, loops=True), commits=True), st.sampled_from(SWITCHINGS))
def test_marks_change_no_verdict(relation: Relation, switching: Switching) -> None:
    """All candidates marked, or none: verdict, evidence and the states of the search are the same."""
    table = tabulate(relation)
    verdicts, parts = [], []
    for value in (table.value & ~NO_WAIT, table.value | NO_WAIT):
        same = replace(relation, rule=lookup(replace(table, value=value)))
        verdicts.append(check(same, switching))
        accept_verdict(same, verdicts[-1])
        plain.accept(document(same.network, same, [verdict_claim(verdicts[-1])]))
        heads = on_cycles(dependencies(same), "wormhole")
        left = among(same, range(same.num_vcs), switching)
        assert left is not None
        parts.append((heads.head_owner.tolist(), heads.waits.lists(), left.waits.lists()))
    assert verdicts[0].deadlock_free == verdicts[1].deadlock_free
    assert verdicts[0].configuration == verdicts[1].configuration
    assert parts[0] == parts[1]


def test_without_commitment_the_marks_are_held_to_the_contract() -> None:
    network = from_edges([("a", "b"), ("b", "a")], directed=True)
    table = {(2, 1): [0 + NO_WAIT], (0, 1): [EJECT + NO_WAIT]}
    assert check(table_relation(network, 1, table, commits=True)).deadlock_free
    for at, why in ((2, "a blocked header would wait for nothing"), (0, "cannot be marked NO_WAIT")):
        with pytest.raises(RelationError, match=why):
            table_relation(network, 1, table).candidates(at, 1)
