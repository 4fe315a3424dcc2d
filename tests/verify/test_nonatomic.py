"""Non-atomic allocation: a cycle of dependencies is always a deadlock that can be reached, and only a cycle is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drawing import draw_until
from tests.reference.brute_force import TooLargeError, dependency_cycle
from tests.reference.exploration import Queued, network_for, reachable_deadlock
from tests.reference.legality import complaints
from tests.strategies import networks, relations, table_relation
from unknot import replay
from unknot.certificates import Verdict, accept_verdict
from unknot.network import Network, from_edges
from unknot.network.families import hypercube, mesh, ring, torus
from unknot.network.graph import shortest_cycle
from unknot.routing import EJECT, Relation, dimension_order, duato, fully_adaptive
from unknot.routing.parts import Addressing
from unknot.verify import check, dependencies
from unknot.verify.queued_cycle import queued_cycle

TECHNIQUE = "wormhole-nonatomic"


def compare(relation: Relation, seen: Counter[str], depth: int, explore: int) -> None:
    verdict = check(relation, TECHNIQUE, buffer_depth=depth)
    accept_verdict(relation, verdict)
    assert verdict.deadlock_free == (dependency_cycle(relation) is None)
    found = verdict.configuration
    if found is not None:
        assert found.reachability != "not-established"
        assert complaints(relation, found) == []
        result = replay(relation, found, cycles=100)
        assert result.stuck
        assert result.injected
        seen[found.reachability] += 1
        seen["somebody passes where another will stand"] += any(
            vc in found.holder for message in found.messages for vc in message.lead
        )
    if relation.num_vcs <= 5 and explore:
        try:
            reached = reachable_deadlock(network_for(relation, TECHNIQUE, depth=1, lengths=(1,)), limit=explore)
        except TooLargeError:
            seen["too large to explore"] += 1
            return
        assert (reached is None) == bool(verdict.deadlock_free)
        seen[f"explored, {'free' if verdict.deadlock_free else 'deadlock'}"] += 1


def test_every_cycle_is_scheduled_and_sticks() -> None:
    seen: Counter[str] = Counter()
    cases = given(relations(networks(max_routers=5, max_channels=10, loops=True)), st.integers(1, 3))
    some = settings(max_examples=10)(cases(lambda relation, depth: compare(relation, seen, depth, explore=3_000)))
    rare = ("injected", "scheduled", "explored, free", "explored, deadlock")
    draw_until(lambda: min(seen[case] for case in rare) > 3, some)


@pytest.mark.campaign
def test_campaign() -> None:
    """Thousands of relations, new ones every time, and larger ones."""
    seen: Counter[str] = Counter()
    cases = given(relations(networks(max_routers=7, max_channels=14, loops=True)), st.integers(1, 3))
    fresh = settings(max_examples=4_000)(
        cases(lambda relation, depth: compare(relation, seen, depth, explore=20_000))
    )
    draw_until(lambda: seen["somebody passes where another will stand"] > 20, fresh)
    print({key: seen[key] for key in sorted(seen)})


def detour(start: int) -> Relation:
    """A one-way ring of four on which all packets enter at one router, so that they pass where others will stand."""
    network = from_edges([(i, (i + 1) % 4) for i in range(4)], directed=True)
    table = {(at, d): [at + 1 if at < 3 else 0] for at in range(4) for d in range(4)}
    table |= {(4 + start, d): [start] for d in range(4)}
    for d in range(4):
        table[(d - 1) % 4, d] = [*table[(d - 1) % 4, d], EJECT]
    use = [[t == start for _ in range(4)] for t in range(4)]
    return table_relation(network, 1, table, may_use=use)


@pytest.mark.parametrize("start", range(4))
def test_the_order_of_parking(start: int) -> None:
    """The farthest VC is filled first; the order of the ring itself would block the way."""
    relation, seen = detour(start), Counter[str]()
    compare(relation, seen, 3, explore=3_000)
    assert seen["somebody passes where another will stand"]
    found = queued_cycle(dependencies(relation), 3)
    assert found.reachability == "scheduled"
    assert [message.held[0] for message in found.messages] == [(start + k) % 4 for k in (3, 2, 1, 0)]
    assert [len(message.lead) for message in found.messages] == [3, 2, 1, 0]
    assert replay(relation, found).stuck


def test_the_cycle_nearest_to_injection_is_taken() -> None:
    """Two cycles: a short one far from injection, which would do, and a longer one that is entered directly."""
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3)]
    network = from_edges(edges, directed=True)
    first, other = 6, 4
    table: dict[tuple[int, int], list[int]] = {}
    for d in range(5):
        after = {0: [1], 1: [2], 2: [0], 3: [4], 4: [5], 5: [4]}
        for at, vcs in after.items():
            table[at, d] = [*vcs, *([3] if at == 1 and d >= 3 else []), *([EJECT] if edges[at][1] == d else [])]
        for t in range(3):
            table[first + t, d] = [t]
    use = [[t < 3 for _ in range(5)] for t in range(5)]
    relation = table_relation(network, 1, table, may_use=use)
    graph = dependencies(relation)
    found = queued_cycle(graph, 2)
    assert {vc for message in found.messages for vc in message.held} == {0, 1, 2}
    assert found.reachability == "injected"
    assert other in {vc for vc in range(6) if graph.cyclic[vc]}


@pytest.mark.parametrize("network", [mesh(4, 4), torus(5, 4), hypercube(3), ring(7)], ids=lambda n: n.name)
@pytest.mark.parametrize("algorithm", [dimension_order, fully_adaptive, duato], ids=lambda f: f.__name__)
def test_algorithms(network: Network, algorithm: Callable[[Network], Relation]) -> None:
    relation = algorithm(network)
    graph = dependencies(relation)
    if graph.acyclic:
        return
    found = queued_cycle(graph, 4)
    accept_verdict(relation, Verdict(False, TECHNIQUE, "", "", "", configuration=found))
    assert found.reachability == "injected"
    result = replay(relation, found)
    assert result.stuck
    assert result.injected


def test_shortest_cycle() -> None:
    import numpy as np

    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 1), (5, 5)]
    source, target = (np.array(side) for side in zip(*edges, strict=True))
    assert shortest_cycle(source, target) == [5]
    assert shortest_cycle(source[:5], target[:5]) == [1, 2]
    assert shortest_cycle(source[:4], target[:4]) == [0, 1, 2, 3]


class FullIsBusy(Queued):
    """As `Queued`, but a VC that is full cannot be granted."""

    def available(self, queue: tuple[Queued.Entry, ...]) -> bool:  # type: ignore[override]
        return Queued.available(queue) and not self.full(queue)


def escape() -> Relation:
    """Two routers joined both ways; a packet for router 1 may leave or go round again, unless it has committed."""
    network = from_edges([(0, 1), (1, 0)], directed=True)
    return table_relation(network, 1, {(2, 1): [0], (0, 1): [EJECT, 1], (1, 1): [0]})


def test_where_the_theorem_ends() -> None:
    """Its conditions are needed: without them a cycle of dependencies may be no deadlock."""
    relation = escape()
    assert not dependencies(relation).acyclic
    assert reachable_deadlock(network_for(relation, TECHNIQUE, depth=2, lengths=(2,))) is not None
    assert reachable_deadlock(network_for(relation, TECHNIQUE, depth=2, lengths=(1,))) is not None
    assert reachable_deadlock(FullIsBusy(relation, 2, (1,))) is None


def test_long_packets_may_be_harmless_on_a_cycle() -> None:
    """Packets of three flits in VCs of one block nobody here, though a cycle of dependencies is there."""
    network = from_edges([(1, 0), (0, 1)], directed=True)
    table = {
        (1, 0): [0], (3, 0): [1, EJECT], (4, 0): [0], (0, 0): [EJECT],
        (0, 1): [1, 2], (1, 1): [0, EJECT], (2, 1): [0, EJECT], (3, 1): [1], (4, 1): [0, EJECT],
    }  # fmt: skip
    relation = table_relation(network, [1, 2], table)
    assert not dependencies(relation).acyclic
    assert reachable_deadlock(network_for(relation, TECHNIQUE, depth=1, lengths=(1,))) is not None
    assert reachable_deadlock(network_for(relation, TECHNIQUE, depth=1, lengths=(3,))) is None


def test_a_graph_of_some_addresses_gives_a_deadlock_of_those() -> None:
    """As when time runs out: the packets sent are for the addresses that were followed."""
    relation = dimension_order(torus(6, 6))
    few = Relation(relation.network, relation.vcs, relation.rule, addresses=Addressing(relation.destination[:12]))
    part = replace(dependencies(few), relation=relation, addresses=12)
    assert not part.acyclic
    assert not part.complete
    found = queued_cycle(part, 2)
    assert all(message.address < 12 for message in found.messages)
    accept_verdict(relation, Verdict(False, TECHNIQUE, "", "", "", configuration=found))
