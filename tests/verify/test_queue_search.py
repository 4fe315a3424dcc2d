"""Searches of queues of packets: routings and systems of rings that were open, against every state there is."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest

from tests.contract.drawing import draw
from tests.contract.machine import Machine, explore
from tests.reference.brute_force import TooLargeError
from tests.reference.bubbles import RULES, Bubble, Explorer, bubble
from unknot import replay
from unknot._base.errors import RelationError
from unknot._base.switching import Switching
from unknot.certificates import Certificate, Rejected, accept, accept_verdict, document, verdict_claim
from unknot.certificates.plain import Unchecked
from unknot.cli.answers.configuration_file import configuration_on, read_configuration, write_configuration
from unknot.report import describe
from unknot.report.explanation import explain
from unknot.routing import Relation
from unknot.simulation.traces.recording import record
from unknot.verify import check, deliver
from unknot.verify.effort import Effort
from unknot.verify.pools import check_pools
from unknot.verify.queue_search import Queues
from unknot.verify.states import dependencies

MANY = 800


def ring_system(seed: int, most_vcs: int = 14) -> tuple[Relation, Bubble]:
    """A relation over the whole contract with one to three rings, which often meet, and channels without the rule."""
    chance = random.Random(seed)
    while True:
        relation, _ = draw(chance.randrange(1 << 40), small=True)
        network, first = relation.network, relation.vcs.first
        graph = nx.DiGraph(list(zip(network.source.tolist(), network.target.tolist(), strict=True)))
        circles = [circle for circle in nx.simple_cycles(graph) if len(circle) > 1]
        if not circles or not 2 <= relation.num_vcs <= most_vcs:
            continue
        rings = []
        for _ in range(chance.choice((1, 2, 2, 3))):
            circle = chance.choice(circles)
            hops = zip(circle, [*circle[1:], circle[0]], strict=True)
            channels = [chance.choice(network.between(a, b)) for a, b in hops]
            rings.append(tuple(chance.randrange(int(first[c]), int(first[c + 1])) for c in channels))
        rule = chance.choice(RULES)
        made = bubble(
            relation, rule, packets=chance.randint(1 + (rule == "localised"), 2), rings=dict.fromkeys(rings)
        )
        loose = (chance.choice(made.rings[0]),) if chance.random() < 0.35 else ()
        return relation, replace(made, unguarded=loose)


def judge(seed: int, seen: Counter[str], limit: int, cycles: int = 0) -> None:
    """Decide one system of rings and explore it; what is open is counted."""
    relation, made = ring_system(seed)
    verdict = check(relation, flow=made.flow)
    seen["all"] += 1
    seen["meet"] += len({vc for one in made.rings for vc in one}) < sum(map(len, made.rings))
    seen["unguarded"] += bool(made.unguarded)
    if verdict.deadlock_free is None:
        seen["open"] += 1
        return
    seen[str(verdict.method)] += 1
    try:
        accept_verdict(relation, verdict)
    except Unchecked:
        seen["evidence too large"] += 1
    try:
        stuck = Explorer(relation, made).deadlock(limit) is not None
    except TooLargeError:
        seen["too large"] += 1
        return
    assert verdict.deadlock_free is not stuck, (seed, verdict)
    seen["stuck" if stuck else "free"] += 1
    left = verdict.configuration is not None and any(m.lead and not m.held for m in verdict.configuration.messages)
    seen["left"] += left
    if cycles and verdict.configuration is not None and verdict.configuration.order:
        assert replay(relation, verdict.configuration, cycles=cycles).stuck, seed
        seen["replayed"] += 1


def test_systems_of_rings_as_explored(seed: int) -> None:
    seen: Counter[str] = Counter()
    for number in range(12 * seed, 12 * seed + 12):
        judge(number, seen, 1500)
    assert seen["open"] <= 3, seen


@pytest.mark.campaign
def test_many_systems_of_rings(seed: int) -> None:
    seen: Counter[str] = Counter()
    for number in range(MANY * seed, MANY * seed + MANY):
        judge(number, seen, 6000, cycles=60)
    print(f"\nsystems from {MANY * seed} on: {dict(sorted(seen.items()))}")
    assert min(seen["meet"] / 0.4, seen["unguarded"] / 0.2) >= MANY
    assert seen["open"] <= 0.005 * MANY


@pytest.mark.parametrize(("number", "switching"), [(14, "vct"), (516, "saf"), (552, "vct")])
def test_packets_that_only_deeper_vcs_let_block_each_other(number: int, switching: Switching) -> None:
    """With one packet to a VC no state is stuck; with two one is, as the search shows and the checker follows."""
    relation, _ = draw(number, number % 3 == 0)
    assert explore(Machine(relation, switching, 1, (1,)), 100_000).stuck is None
    assert explore(Machine(relation, switching, 2, (1,)), 100_000).stuck is not None
    verdict = check(relation, switching)
    knot = verdict.configuration
    assert verdict.deadlock_free is False
    assert knot is not None
    assert knot.order
    accept_verdict(relation, verdict)
    assert replay(relation, knot, cycles=50).stuck
    assert "in the order of messages" in describe(relation, knot)[-1]
    for order in (knot.order[1:], knot.order[::-1], ()):
        with pytest.raises(Rejected):
            accept_verdict(relation, replace(verdict, configuration=replace(knot, order=order)))


@pytest.mark.long
def test_packets_that_leave_may_shift_a_mark(tmp_path: Path) -> None:
    """Of a system in which packets have to leave until marks keep a packet out that is alone in the network."""
    relation, made = ring_system(996139995264)
    assert Explorer(relation, made).deadlock(100_000) is not None
    verdict = check(relation, flow=made.flow)
    knot = verdict.configuration
    assert verdict.deadlock_free is False
    assert knot is not None
    accept_verdict(relation, verdict)
    accept(document(relation.network, relation, [verdict_claim(verdict)]))
    leaving = [k for k, message in enumerate(knot.messages) if message.lead and not message.held]
    assert leaving
    assert "has left the network" in " ".join(describe(relation, knot))
    for order in (knot.order[:-1], knot.order[::-1], (*knot.order, leaving[0])):
        with pytest.raises(Rejected):
            accept_verdict(relation, replace(verdict, configuration=replace(knot, order=order)))
    recording = record(relation, knot, cycles=50)
    outcome = replay(relation, knot, cycles=50)
    assert outcome.stuck
    assert outcome.injected
    assert recording.replay.stuck
    assert {k for frame in recording.frames for k, _ in frame.flits} == {*leaving}
    assert recording.frames[-1].flits == {}
    assert len(explain(relation, verdict, deliver(relation), replay=outcome)) > 1
    file = tmp_path / "knot.json"
    write_configuration(relation, knot, file, network="ring(3)", routing="dimension_order", vcs=None)
    assert replay(relation, configuration_on(relation, read_configuration(file)), cycles=50) == outcome
    early = replace(knot, messages=tuple(m for k, m in enumerate(knot.messages) if k not in leaving), order=())
    with pytest.raises(RelationError):
        replay(relation, early)


@pytest.mark.long
def test_states_show_nothing_of_rings_that_deadlock(seed: int) -> None:
    """The claim that no state of the rings is stuck, made of systems that come to a deadlock."""
    refused = 0
    for number in range(60 * seed, 60 * seed + 60):
        relation, made = ring_system(number)
        queues = Queues(relation, made.flow, Effort())
        if queues.filling(1) is None:
            continue
        verdict = check_pools(dependencies(relation, Effort()), made.flow, 8, Effort())
        assert verdict.deadlock_free is not True
        rank = Certificate("states", relation.vcs.channel.astype("int64"))
        false = replace(verdict, deadlock_free=True, configuration=None, certificate=rank)
        with pytest.raises(Rejected):
            accept_verdict(relation, false)
        refused += 1
        if refused == 3:
            return
    raise AssertionError(f"{refused} of 60 systems come to a deadlock")
